"""Rows to records and back. Text that may hold what UTF-8 cannot (lone surrogates) is stored as bytes."""

from typing import Any

from superbizagent.contract.evidence import RetrievalDetails
from superbizagent.contract.json_text import read_json, write_json
from superbizagent.contract.records import DiagnosisSession, ToolInvocation
from superbizagent.store.seal import output_bytes


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
    """The session in a row of `diagnosis_session`."""
    values: dict[str, Any] = {column: getattr(row, column) for column in DiagnosisSession.model_fields}
    for key in ("question", "executor_output", "answer"):
        values[key] = None if values[key] is None else _text(values[key])
    for key in ("plan", "self_evaluation"):
        values[key] = None if values[key] is None else read_json(values[key])
    return DiagnosisSession.model_validate(values)


def invocation_values(invocation: ToolInvocation) -> dict[str, Any]:
    """The columns of an invocation, without its id and ordinal, which the store hands out."""
    details = invocation.retrieval_details
    return {
        "session_id": invocation.session_id,
        "call_key": invocation.call_key,
        "tool_name": invocation.tool_name,
        "arguments": write_json(invocation.arguments),
        "evidence_status": invocation.evidence_status.value if invocation.evidence_status is not None else None,
        "error": invocation.error,
        "output": output_bytes(invocation.output),
        "output_summary": invocation.output_summary,
        "retrieval_details": None if details is None else write_json(details.model_dump(mode="json")),
        "started_at": invocation.started_at,
        "finished_at": invocation.finished_at,
    }


def invocation_record(row: Any) -> ToolInvocation:
    """The invocation in a row of `tool_invocation`."""
    details = None if row.retrieval_details is None else read_json(row.retrieval_details)
    return ToolInvocation.model_validate(
        {
            "id": row.id,
            "session_id": row.session_id,
            "call_key": row.call_key,
            "ordinal": row.ordinal,
            "tool_name": row.tool_name,
            "arguments": read_json(row.arguments),
            "evidence_status": row.evidence_status,
            "error": row.error,
            "output": _text(row.output),
            "output_summary": row.output_summary,
            "retrieval_details": None if details is None else RetrievalDetails.model_validate(details),
            "started_at": row.started_at,
            "finished_at": row.finished_at,
        }
    )


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")
