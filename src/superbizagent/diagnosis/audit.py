"""Audit: does a stored session still say what its stored rows prove?

From the rows alone the refs are extracted again and the Gatekeeper and the deterministic judge run again; the result
is *same*, *differs by version* (the rules, the lexicon, the extractor or the Unicode tables are others now) or
*differs*, and what. No source is asked. An export is one self-contained JSON object that can be checked anywhere.
Protocol: section 9.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pydantic import ValidationError

from superbizagent.contract.errors import UnreadableInput
from superbizagent.contract.json_text import read_json
from superbizagent.contract.records import CitedInvocation, DiagnosisSession, ToolInvocation
from superbizagent.contract.vocabulary import Rule, SessionStatus
from superbizagent.diagnosis.verifier import evaluate, rules_version
from superbizagent.diagnosis.verifier_input import cited_ids, prepare
from superbizagent.ports import RecordStore
from superbizagent.rules.refs import EXTRACTOR_VERSION, extract_refs

EXPORT_VERSION = "export.1"
ANOTHER_SESSION = "another session"


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
    """Extract and judge again; `rows` are those of `cited_rows`. Pure: what is compared is what is handed in.

    A difference that another version of the extractor or the rules explains is one of version; any other is a
    difference, and so is a column that says something else than the evaluation beside it.
    """
    stored = (session.self_evaluation or {}).get("verifier_evaluation")
    if not isinstance(stored, dict):
        return RecheckReport(session.id, Recheck.DIFFERS, ("the session holds no evaluation",))
    by_version: list[str] = []
    plain = [*_other_columns(session, stored)]
    for row in rows:
        if isinstance(row, ToolInvocation) and (fault := _other_refs(row)) is not None:
            (plain if _extractor(row) == EXTRACTOR_VERSION else by_version).append(fault)
    again = _evaluate_again(session, rows, stored)
    changed = [key for key in again if again[key] != stored.get(key) and key != "rules_version"]
    other_rules = stored.get("rules_version") != rules_version()
    (by_version if other_rules else plain).extend(
        f"`{key}` gives another result: {_first_change(stored.get(key), again[key])}" for key in changed
    )
    if not plain and not by_version:
        return RecheckReport(session.id, Recheck.SAME, ())
    if other_rules:
        by_version.append(f"stored under {stored.get('rules_version')!s:.200}, checked under {rules_version()}")
    outcome = Recheck.DIFFERS if plain else Recheck.DIFFERS_BY_VERSION
    return RecheckReport(session.id, outcome, (*plain, *by_version))


def _other_columns(session: DiagnosisSession, stored: Mapping[str, Any]) -> Iterator[str]:
    """What the session's columns say otherwise than its evaluation."""
    gate = stored.get("gatekeeper_result")
    severity = gate.get("severity") if isinstance(gate, dict) else None
    verdict = session.verdict.value if session.verdict is not None else None
    if verdict != stored.get("effective_verdict"):
        yield f"the session's verdict is {verdict}, its evaluation's {_short(stored.get('effective_verdict'))}"
    if session.severity != severity:
        yield f"the session's severity is {_short(session.severity)}, its Gatekeeper's {_short(severity)}"


def _evaluate_again(
    session: DiagnosisSession, rows: Sequence[CitedInvocation], stored: Mapping[str, Any]
) -> dict[str, Any]:
    if session.status is SessionStatus.DIED:
        gate = stored.get("gatekeeper_result")
        said = gate.get("errors") if isinstance(gate, dict) else None
        errors = [error for error in said if isinstance(error, str)] if isinstance(said, list) else []
        return evaluate(None, [], session.id, None, errors=errors).model_dump(mode="json")
    known = [*rows, *_gone_elsewhere(rows, stored)]
    again = evaluate(session.executor_output, known, session.id, session.question).model_dump(mode="json")
    again.pop("judge_answers")
    return again


def _gone_elsewhere(rows: Sequence[CitedInvocation], stored: Mapping[str, Any]) -> list[CitedInvocation]:
    """Stand-ins for cited calls of another session that was deleted since.

    That such a call existed is what the evaluation itself says (`invocation_in_session` failed); nothing of it was
    ever looked into, so that its id is all that a check needs.
    """
    gate = stored.get("gatekeeper_result")
    checked = gate.get("checked_bindings") if isinstance(gate, dict) else None
    present = {row.id for row in rows}
    gone: set[int] = set()
    for binding in checked if isinstance(checked, list) else []:
        number, failed = (
            (binding.get("source_invocation_id"), binding.get("failed_rules")) if isinstance(binding, dict) else (0, 0)
        )
        foreign = isinstance(failed, list) and Rule.INVOCATION_IN_SESSION.value in failed
        if foreign and isinstance(number, int) and number not in present:
            gone.add(number)
    return [CitedInvocation(id=number, session_id=ANOTHER_SESSION, tool_name="") for number in sorted(gone)]


def _extractor(row: ToolInvocation) -> str | None:
    return row.retrieval_details.extractor_version if row.retrieval_details is not None else None


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
            {"id": row.id, "session_id": ANOTHER_SESSION, "tool_name": row.tool_name} for row in others
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
