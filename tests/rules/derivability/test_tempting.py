"""Tempting claims over one record: another name, something under way, switched off, set, supposed or only talked of."""

import json
from pathlib import Path

import pytest

from superbizagent.contract.vocabulary import EvidenceKind, Outcome
from superbizagent.rules.judging import Proof, judge

FILE = Path(__file__).parents[2] / "data" / "claims" / "tempting.jsonl"
ROWS = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("row", ROWS, ids=[f"{number}" for number in range(len(ROWS))])
def test_tempting_claim_is_not_supported(row: dict[str, str]) -> None:
    tool = row.get("tool", "query_logs")
    kind = EvidenceKind.GUIDANCE if tool == "lookup_knowledge" else EvidenceKind.INCIDENT
    proof = Proof(row["excerpt"], row["record"], kind, tool, 1, "$.logs[0]")
    assert judge(row["claim"], None, [proof]).outcome is not Outcome.SUPPORTED


@pytest.mark.parametrize(
    ("record", "claim"),
    [
        ("INFO gateway - Started HTTP server on port 8080", "Started HTTP server on port 8080"),
        (
            "ERROR app - could not connect to redis-a: timeout; falling back to redis-b",
            "app could not connect to redis-a",
        ),
        (
            "ERROR sync - failed to copy files from bucket-a to bucket-b",
            "sync failed to copy files from bucket-a to bucket-b",
        ),
        ("WARN lb - backend web-1 marked down, backend web-2 marked up", "backend web-1 was marked down"),
    ],
)
def test_right_claim_beside_several_names_is_supported(record: str, claim: str) -> None:
    proof = Proof(record, record, EvidenceKind.INCIDENT, "query_logs", 1, "$.logs[0]")
    assert judge(claim, None, [proof]).outcome is Outcome.SUPPORTED
