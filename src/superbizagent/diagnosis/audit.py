"""Audit: does a stored session still say what its stored rows prove?

From the rows alone the refs are extracted again and the Gatekeeper and the deterministic judge run again; the result
is *same*, *differs by version* (the rules, the lexicon, the extractor or the Unicode tables are others now) or
*differs*, and what. No source is asked. An export is one self-contained JSON object that can be checked anywhere.
Protocol: section 9.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pydantic import ValidationError

from superbizagent.contract.errors import UnreadableInput
from superbizagent.contract.json_text import read_json
from superbizagent.contract.records import CitedInvocation, DiagnosisSession, ToolInvocation
from superbizagent.contract.vocabulary import SessionStatus
from superbizagent.diagnosis.verifier import evaluate, rules_version
from superbizagent.diagnosis.verifier_input import cited_ids, prepare
from superbizagent.ports import RecordStore
from superbizagent.rules.refs import EXTRACTOR_VERSION, extract_refs

EXPORT_VERSION = "export.1"


class Recheck(StrEnum):
    """What a re-check found."""

    SAME = "same"
    DIFFERS_BY_VERSION = "differs by version"
    DIFFERS = "differs"


@dataclass(frozen=True, slots=True)
class RecheckReport:
    """The outcome for one session, and each difference in one sentence."""

    session_id: str
    outcome: Recheck
    differences: tuple[str, ...]


async def cited_rows(session: DiagnosisSession, store: RecordStore) -> list[ToolInvocation]:
    """The session's own calls and every call that its Executor cited, of the same owner."""
    own = await store.session_invocations(session.id)
    cited = await store.load_invocations(cited_ids(prepare(session.executor_output, own)), session.owner)
    return list({row.id: row for row in (*own, *cited)}.values())


def recheck(session: DiagnosisSession, rows: Sequence[CitedInvocation]) -> RecheckReport:
    """Extract and judge again; `rows` are those of `cited_rows`."""
    stored = ((session.self_evaluation or {}).get("verifier_evaluation")) or None
    if not isinstance(stored, dict):
        return RecheckReport(session.id, Recheck.DIFFERS, ("the session holds no evaluation",))
    differences: list[str] = []
    other_version = False
    for row in rows:
        if isinstance(row, ToolInvocation):
            fault = _other_refs(row)
            if fault is not None:
                differences.append(fault)
                details = row.retrieval_details
                other_version |= details is not None and details.extractor_version != EXTRACTOR_VERSION
    again = _evaluate_again(session, rows, stored)
    changed = [key for key in again if again[key] != stored.get(key) and key != "rules_version"]
    differences.extend(f"`{key}` gives another result: {_first_change(stored.get(key), again[key])}" for key in changed)
    if stored.get("rules_version") != rules_version():
        other_version = True
    if not differences:
        return RecheckReport(session.id, Recheck.SAME, ())
    outcome = Recheck.DIFFERS_BY_VERSION if other_version else Recheck.DIFFERS
    if other_version:
        differences.append(f"stored under {stored.get('rules_version')}, checked under {rules_version()}")
    return RecheckReport(session.id, outcome, tuple(differences))


def _evaluate_again(
    session: DiagnosisSession, rows: Sequence[CitedInvocation], stored: Mapping[str, Any]
) -> dict[str, Any]:
    if session.status is SessionStatus.DIED:
        errors = (stored.get("gatekeeper_result") or {}).get("errors") or []
        return evaluate(None, [], session.id, None, errors=errors).model_dump(mode="json")
    again = evaluate(session.executor_output, rows, session.id, session.question).model_dump(mode="json")
    again.pop("judge_answers")
    return again


def _other_refs(row: ToolInvocation) -> str | None:
    """What is wrong when the stored output no longer gives the stored refs."""
    details = row.retrieval_details
    if details is None or details.evidence_refs is None:
        return None
    try:
        output = read_json(row.output)
    except ValueError as error:
        return f"the output of invocation {row.id} cannot be read: {error}"
    refs = extract_refs(details.collection, output) if isinstance(output, dict) else None
    if refs != details.evidence_refs:
        return f"the output of invocation {row.id} gives other evidence refs than those stored"
    return None


def _first_change(stored: Any, again: Any, path: str = "") -> str:
    """Where two results first differ, and how."""
    if isinstance(stored, dict) and isinstance(again, dict):
        for key in sorted({*stored, *again}):
            if stored.get(key) != again.get(key):
                return _first_change(stored.get(key), again.get(key), f"{path}.{key}")
    if isinstance(stored, list) and isinstance(again, list) and len(stored) == len(again):
        for index, (before, after) in enumerate(zip(stored, again, strict=True)):
            if before != after:
                return _first_change(before, after, f"{path}[{index}]")
    return f"{path or 'the value'} was {_short(stored)} and is {_short(again)}"


def _short(value: Any) -> str:
    text = ascii(value)
    return text if len(text) <= 80 else text[:77] + "..."


def export_session(session: DiagnosisSession, rows: Sequence[ToolInvocation]) -> dict[str, Any]:
    """One self-contained object: the session, its calls and those it cited, for `read_export`."""
    own = [row for row in rows if row.session_id == session.id]
    others = [row for row in rows if row.session_id != session.id]
    return {
        "version": EXPORT_VERSION,
        "session": session.model_dump(mode="json"),
        "invocations": [row.model_dump(mode="json") for row in own],
        # Nothing of another session leaves it: only that such a call exists, and of which tool.
        "cited_elsewhere": [
            {"id": row.id, "session_id": "another session", "tool_name": row.tool_name} for row in others
        ],
    }


def read_export(value: Any) -> tuple[DiagnosisSession, list[ToolInvocation], list[CitedInvocation]]:
    """The session, its calls, and the calls of other sessions that it cited.

    Raises:
        UnreadableInput: the value is no export of a version that this product knows.
    """
    if not isinstance(value, dict) or value.get("version") != EXPORT_VERSION:
        raise UnreadableInput("the file is no exported session", "Make one with `sba audit export SESSION`.")
    try:
        session = DiagnosisSession.model_validate(value.get("session"))
        own = [ToolInvocation.model_validate(row) for row in value.get("invocations", [])]
        others = [CitedInvocation.model_validate(row) for row in value.get("cited_elsewhere", [])]
    except (ValidationError, TypeError) as error:
        reason = str(error).split("\n", 1)[0]
        raise UnreadableInput(f"the exported session cannot be read: {reason}", "Export it again.") from None
    return session, own, others
