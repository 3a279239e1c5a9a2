"""Claims of `evals/claims`, written without knowledge of the judge: none that is wrong passes.

What each part gave at first sight stands in its README; the faults were then mended, so none is held out any longer.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from superbizagent.contract.vocabulary import EvidenceKind, Outcome
from superbizagent.rules.judging import Proof, judge

CLAIMS = Path(__file__).parents[3] / "evals" / "claims"
FEWEST_SUPPORTED = 105
"""Right claims of the set that pass today; this number only goes up."""


def rows() -> list[dict[str, Any]]:
    files = sorted(CLAIMS.glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]


def outcome(row: dict[str, Any]) -> Outcome:
    proof = Proof(row["excerpt"], row["record"], EvidenceKind.INCIDENT, "query_logs", 1, "$.logs[0]")
    return judge(row["claim"], None, [proof]).outcome


@pytest.mark.parametrize("row", [row for row in rows() if row["label"] == "wrong"], ids=lambda row: row["id"])
def test_wrong_claim_is_not_supported(row: dict[str, Any]) -> None:
    assert outcome(row) is not Outcome.SUPPORTED


def test_no_right_claim_is_contradicted() -> None:
    right = [row for row in rows() if row["label"] == "right"]
    assert len(right) >= 550
    assert [row["id"] for row in right if outcome(row) is Outcome.CONTRADICTED] == []


def test_right_claims_that_passed_still_pass() -> None:
    passed = sum(outcome(row) is Outcome.SUPPORTED for row in rows() if row["label"] == "right")
    assert passed >= FEWEST_SUPPORTED
