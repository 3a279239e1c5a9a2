"""A small world for the judge's tests: one claim, its records, one judgement."""

import json
from pathlib import Path
from typing import Any

from superbizagent.contract.results import Judgement
from superbizagent.contract.vocabulary import ClaimType, EvidenceKind
from superbizagent.rules.judging import Proof, judge

DATA = Path(__file__).parents[2] / "data"


def proof(
    text: str, excerpt: str | None = None, *, guidance: bool = False, tool: str = "query_logs", at: int = 0
) -> Proof:
    """A verified binding; without an excerpt the whole text is cited."""
    kind = EvidenceKind.GUIDANCE if guidance else EvidenceKind.INCIDENT
    tool = "lookup_knowledge" if guidance else tool
    return Proof(text if excerpt is None else excerpt, text, kind, tool, 1, f"$.logs[{at}]")


def judged(claim: str, *texts: str, tool: str = "query_logs", claim_type: ClaimType | None = None) -> Judgement:
    """The claim judged by whole records."""
    return judge(claim, claim_type, [proof(text, tool=tool, at=at) for at, text in enumerate(texts)])


def codes(judgement: Judgement) -> set[str]:
    """The reasons' codes."""
    return {reason.code.value for reason in judgement.reasons}


def rows(name: str) -> list[dict[str, Any]]:
    """The rows of a data file of claims."""
    lines = (DATA / "claims" / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]
