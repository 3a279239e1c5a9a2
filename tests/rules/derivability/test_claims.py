"""Whole claims over log forms of many programs: wrong ones never pass, right ones are never rejected."""

from typing import Any

import pytest

from superbizagent.contract.vocabulary import Outcome
from tests.rules.derivability.world import judged, rows

RIGHT = rows("right.jsonl")
WRONG = rows("wrong.jsonl")
LEAST_SHARE_SUPPORTED = 0.7


@pytest.mark.parametrize("row", WRONG, ids=lambda row: row["claim"][:60])
def test_wrong_claim_is_not_supported(row: dict[str, Any]) -> None:
    judgement = judged(row["claim"], *row["texts"], tool=row["tool"])
    assert judgement.outcome is not Outcome.SUPPORTED, judgement.accounted
    assert judgement.reasons


@pytest.mark.parametrize("row", RIGHT, ids=lambda row: row["claim"][:60])
def test_right_claim_is_not_contradicted(row: dict[str, Any]) -> None:
    judgement = judged(row["claim"], *row["texts"], tool=row["tool"])
    assert judgement.outcome is not Outcome.CONTRADICTED, judgement.reasons


def test_most_right_claims_are_supported() -> None:
    outcomes = [judged(row["claim"], *row["texts"], tool=row["tool"]).outcome for row in RIGHT]
    assert outcomes.count(Outcome.SUPPORTED) >= LEAST_SHARE_SUPPORTED * len(outcomes)


def test_supported_claim_says_what_accounts_for_each_content_word() -> None:
    judgement = judged(
        "BluePool-3 had 8 idle connections", "DEBUG BluePool-3 - Pool stats (total=20, active=12, idle=8)"
    )
    assert judgement.outcome is Outcome.SUPPORTED
    assert {"BluePool-3", "8", "idle", "connections"} <= {entry["word"] for entry in judgement.accounted}
    assert all(entry["by"] for entry in judgement.accounted)
