"""Rows to records and back. Text that may hold what a text column cannot (NUL, lone surrogates) is stored as bytes.

A row that was changed into something that is no record is a `StoreFailed`, never a traceback.
"""

from dataclasses import asdict
from typing import Any

from superbizagent.contract.errors import StoreFailed
from superbizagent.contract.evidence import RetrievalDetails
from superbizagent.contract.json_text import read_json, write_json
from superbizagent.contract.records import DiagnosisSession, ToolInvocation
from superbizagent.store.seal import Tombstone, output_bytes

# PostgreSQL and SQLite both count ids in 64 bits: a larger number names no row, and must not reach the driver.
LARGEST_ID = 2**63 - 1


def session_values(session: DiagnosisSession) -> dict[str, Any]:
    """The columns of a session."""
    values = session.model_dump()
    for key in ("question", "executor_output", "answer"):
        values[key] = None if values[key] is None else output_bytes(values[key])
    for key in ("plan", "self_evaluation"):
        values[key] = None if values[key] is None else write_json(values[key])
    for key in ("lang", "status", "verdict"):
        values[key] = None if values[key] is None else str(values[key].value)
    return values


def session_record(row: Any) -> DiagnosisSession:
    """The session in a row of `diagnosis_session`.

    Raises:
        StoreFailed: the row holds no session.
    """
    values: dict[str, Any] = {column: getattr(row, column) for column in DiagnosisSession.model_fields}
    try:
        for key in ("question", "executor_output", "answer"):
            values[key] = None if values[key] is None else _text(values[key])
        for key in ("plan", "self_evaluation"):
            values[key] = None if values[key] is None else read_json(values[key])
        return DiagnosisSession.model_validate(values)
    except (ValueError, TypeError, AttributeError) as error:
        raise _unreadable(f"session {row.id!s:.64}", error) from None


def invocation_values(invocation: ToolInvocation) -> dict[str, Any]:
    """The columns of an invocation, without its id and ordinal, which the store hands out."""
    details = invocation.retrieval_details
    return {
        "session_id": invocation.session_id,
        "call_key": invocation.call_key,
        "tool_name": invocation.tool_name,
        "arguments": write_json(invocation.arguments),
        "evidence_status": invocation.evidence_status.value if invocation.evidence_status is not None else None,
        "error": None if invocation.error is None else output_bytes(invocation.error),
        "output": output_bytes(invocation.output),
        "output_summary": invocation.output_summary,
        "retrieval_details": None if details is None else write_json(details.model_dump(mode="json")),
        "started_at": invocation.started_at,
        "finished_at": invocation.finished_at,
    }


def invocation_record(row: Any) -> ToolInvocation:
    """The invocation in a row of `tool_invocation`.

    Raises:
        StoreFailed: the row holds no invocation.
    """
    values: dict[str, Any] = {column: getattr(row, column) for column in ToolInvocation.model_fields}
    try:
        values["error"] = None if row.error is None else _text(row.error)
        values["output"] = _text(row.output)
        values["arguments"] = read_json(row.arguments)
        if row.retrieval_details is not None:
            values["retrieval_details"] = RetrievalDetails.model_validate(read_json(row.retrieval_details))
        return ToolInvocation.model_validate(values)
    except (ValueError, TypeError, AttributeError) as error:
        raise _unreadable(f"tool invocation {row.id!s:.64}", error) from None


def tombstone_values(stone: Tombstone) -> dict[str, Any]:
    """The columns of a tombstone."""
    return asdict(stone)


def tombstone_record(row: Any) -> Tombstone:
    """The tombstone in a row of `session_tombstone`."""
    return Tombstone(**{field: getattr(row, field) for field in Tombstone.__dataclass_fields__})


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")


def _unreadable(what: str, error: Exception) -> StoreFailed:
    reason = " ".join(str(error).split())[:200]
    return StoreFailed(f"the stored {what} cannot be read: {reason}", "Run `sba audit verify`; restore a copy.")
