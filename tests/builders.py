"""Builders of a valid world: a session with recorded calls and an Executor's output that cites them.

A test takes the valid world and changes one thing.
"""

from typing import Any

from superbizagent.contract.evidence import EvidenceRef, RetrievalDetails
from superbizagent.contract.records import CitedInvocation
from superbizagent.contract.vocabulary import EvidenceStatus

SESSION = "s-1"
POOL_STATS = "2026-11-30T23:10:19.078Z DEBUG shop - BluePool-1 - Timeout failure stats (total=50, active=50, idle=0, waiting=199)"
POOL_EXCERPT = "total=50, active=50, idle=0, waiting=199"
ALERT = "HighMemoryUsage firing, service=shop, current=91%, duration=15m"


def invocation(
    number: int,
    *texts: str,
    tool_name: str = "query_logs",
    session_id: str = SESSION,
    collection: str = "logs",
    status: EvidenceStatus = EvidenceStatus.OK,
) -> CitedInvocation:
    """A recorded call with one ref for each text."""
    refs = [EvidenceRef(raw_path=f"$.{collection}[{index}]", text=text) for index, text in enumerate(texts)]
    return CitedInvocation(
        id=number,
        session_id=session_id,
        tool_name=tool_name,
        evidence_status=status,
        retrieval_details=RetrievalDetails(evidence_refs=refs),
    )


def world() -> list[CitedInvocation]:
    """Alerts (1), logs (2), an empty search (3) and another session's logs (9)."""
    return [
        invocation(1, ALERT, tool_name="query_metrics", collection="alerts"),
        invocation(2, POOL_STATS, "2026-11-30T23:10:20Z INFO shop - order 7 placed in 50ms"),
        invocation(3, status=EvidenceStatus.NO_EVIDENCE),
        invocation(9, "2026-11-30T23:00:00Z ERROR payments - card 4111 declined", session_id="s-other"),
    ]


def binding(**changes: Any) -> dict[str, Any]:
    """A valid binding to the pool's record; a change to `...` removes the key."""
    valid = {
        "tool_name": "query_logs",
        "source_invocation_id": 2,
        "raw_path": "$.logs[0]",
        "evidence_excerpt": POOL_EXCERPT,
    }
    return _changed(valid, changes)


def claim(*bindings: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A valid, confirmed claim on the pool's record."""
    valid = {
        "claim_id": "c1",
        "text": f"BluePool-1 reports {POOL_EXCERPT}",
        "claim_type": "observation",
        "status": "confirmed",
        "evidence_bindings": list(bindings or (binding(),)),
    }
    return _changed(valid, changes)


def output(*claims: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A valid Executor output."""
    valid = {"schema_version": "executor.v2", "claims": list(claims or (claim(),)), "next_steps": []}
    return _changed(valid, changes)


def _changed(valid: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in {**valid, **changes}.items() if value is not ...}
