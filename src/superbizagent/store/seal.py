"""Seals: what makes a finished session's rows tell of any later change.

A seal is SHA-256 over the canonical JSON (RFC 8785) of `{session, invocations, previous_seal, seal_no}`. Numbers are
hashed inside JSON *texts* (arguments, plan, evaluation, output are hashed as the text they are stored as), so that no
number is ever re-read as a float; raw output enters as the SHA-256 of its bytes. Decides whether a chain holds and
where it breaks. Refuses to read or write anything. Whoever can rewrite the whole database can also re-seal it: only a
head that was exported or signed elsewhere shows that. Protocol: section 9.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import rfc8785

from superbizagent.contract.json_text import write_json
from superbizagent.contract.records import DiagnosisSession, ToolInvocation

SEAL_VERSION = "seal.1"
NO_PREVIOUS = "0" * 64
_NOT_SEALED = frozenset({"seal_no", "seal", "previous_seal"})
_TEXTS = frozenset({"plan", "self_evaluation"})


def seal_of(session: DiagnosisSession, invocations: Sequence[ToolInvocation], seal_no: int, previous_seal: str) -> str:
    """The seal of a finished session as 64 hexadecimal digits."""
    value: dict[str, Any] = {
        "version": SEAL_VERSION,
        "seal_no": str(seal_no),
        "previous_seal": previous_seal,
        "session": _session_value(session),
        "invocations": [_invocation_value(row) for row in sorted(invocations, key=lambda row: row.ordinal)],
    }
    return hashlib.sha256(rfc8785.dumps(value)).hexdigest()


@dataclass(frozen=True, slots=True)
class Tombstone:
    """What is left of a deleted session: its place in the chain and why it is gone."""

    seal_no: int
    seal: str
    previous_seal: str
    session_id: str
    deleted_at: str
    reason: str


@dataclass(frozen=True, slots=True)
class Head:
    """The newest seal: kept elsewhere, it shows a database that was rewritten as a whole."""

    seal_no: int
    seal: str


@dataclass(frozen=True, slots=True)
class ChainFault:
    """One place where the chain does not hold, in one sentence."""

    seal_no: int
    session_id: str
    message: str


def check_chain(
    sealed: Sequence[tuple[DiagnosisSession, Sequence[ToolInvocation]]],
    tombstones: Sequence[Tombstone],
    last_seal_no: int,
) -> list[ChainFault]:
    """Every fault of a chain: a row that was changed, removed, inserted or re-ordered.

    `sealed` are all sealed sessions with their invocations; `last_seal_no` is the counter's value.
    """
    links: dict[int, tuple[str, str, str]] = {}
    faults: list[ChainFault] = []
    for session, invocations in sealed:
        number, seal, previous = session.seal_no or 0, session.seal or "", session.previous_seal or ""
        if seal_of(session, invocations, number, previous) != seal:
            faults.append(ChainFault(number, session.id, "the session or one of its tool invocations was changed"))
        if number in links:
            faults.append(ChainFault(number, session.id, "the seal number stands twice: a session was inserted"))
        links[number] = (seal, previous, session.id)
    for stone in tombstones:
        if stone.seal_no in links:
            message = "the session has a tombstone and is there all the same"
            faults.append(ChainFault(stone.seal_no, stone.session_id, message))
        links[stone.seal_no] = (stone.seal, stone.previous_seal, stone.session_id)
    expected = NO_PREVIOUS
    for number in range(1, max(last_seal_no, *links, 0) + 1):
        if number not in links:
            faults.append(ChainFault(number, "", "a sealed session was removed without a tombstone"))
            expected = ""
            continue
        seal, previous, session_id = links[number]
        if number > last_seal_no:
            faults.append(ChainFault(number, session_id, "the seal number was never handed out"))
        if expected and previous != expected:
            faults.append(ChainFault(number, session_id, "the seal before it is another one: rows were re-ordered"))
        expected = seal
    return faults


def _session_value(session: DiagnosisSession) -> dict[str, Any]:
    dumped = session.model_dump(mode="json", exclude=set(_NOT_SEALED))
    return {key: _sealed_value(key, value) for key, value in dumped.items()}


def _sealed_value(key: str, value: Any) -> Any:
    return write_json(value) if key in _TEXTS and value is not None else _plain(value)


def _plain(value: Any) -> Any:
    """Strings, booleans and null as they are; a lone surrogate as its escape, since UTF-8 has none."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    return value if value is None or isinstance(value, bool) else write_json(value)


def _invocation_value(row: ToolInvocation) -> Mapping[str, Any]:
    details = row.retrieval_details.model_dump(mode="json") if row.retrieval_details is not None else None
    return {
        "id": str(row.id),
        "session_id": row.session_id,
        "call_key": _plain(row.call_key),
        "ordinal": str(row.ordinal),
        "tool_name": _plain(row.tool_name),
        "arguments": write_json(row.arguments),
        "evidence_status": row.evidence_status.value if row.evidence_status is not None else None,
        "error": _plain(row.error),
        "output_sha256": hashlib.sha256(output_bytes(row.output)).hexdigest(),
        "output_summary": _plain(row.output_summary),
        "retrieval_details": None if details is None else write_json(details),
        "started_at": row.started_at.isoformat(),
        "finished_at": row.finished_at.isoformat(),
    }


def output_bytes(output: str) -> bytes:
    """An output text as the bytes that are stored and hashed."""
    return output.encode("utf-8", "surrogatepass")
