"""The definitions: each row proves its claim by its own record, and its wrong inferences never pass."""

import pytest

from superbizagent.contract.vocabulary import Outcome
from superbizagent.rules.definitions import Definition, definitions
from tests.rules.derivability.world import judged

LEAST_ROWS = 400


@pytest.mark.parametrize("row", definitions(), ids=lambda row: row.id)
def test_definition_proves_its_claim(row: Definition) -> None:
    judgement = judged(row.claim, row.example)
    assert judgement.outcome is Outcome.SUPPORTED, judgement.reasons


@pytest.mark.parametrize("row", definitions(), ids=lambda row: row.id)
def test_wrong_inference_from_definition_does_not_pass(row: Definition) -> None:
    assert row.wrong
    for claim in row.wrong:
        assert judged(claim, row.example).outcome is not Outcome.SUPPORTED, claim


def test_table_has_its_rows_with_sources_and_unique_ids() -> None:
    rows = definitions()
    assert len(rows) >= LEAST_ROWS
    assert len({row.id for row in rows}) == len(rows)
    assert all(row.source and row.means and (row.when or row.codes or row.form) for row in rows)
