"""The allowed material: all that an answer may be made of, and nothing else.

Decides, from an evaluation and the session's recorded calls: which statements may be told as fact (PASS), which only as
not confirmed (LOW_CONFID), and that of a rejected statement only the kind of its fault is left. The object physically
lacks the text of rejected statements, of their bindings and of everything that belongs to another session, so that
whatever words it, a template or a model, cannot leak them. Refuses: to word anything. Protocol: section 8.
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel, ConfigDict

from superbizagent.contract.evidence import Searched
from superbizagent.contract.records import ToolInvocation
from superbizagent.contract.results import CheckedBinding, ClaimVerdict, KeptStep, VerifierEvaluation
from superbizagent.contract.vocabulary import (
    Answered,
    Basis,
    ClaimType,
    EvidenceKind,
    EvidenceStatus,
    ReasonCode,
    Rule,
    Verdict,
    WarningCode,
)
from superbizagent.rules.answered import Extent, Stance, bearing, is_guidance
from superbizagent.rules.entities import has_name
from superbizagent.rules.question import Asked
from superbizagent.rules.settling import Passed
from superbizagent.rules.timestamps import read_head, read_stamp

_TIME_BESIDE = re.compile(r" time=(\S{10,40})$")
_SINCE = re.compile(r"[ ,]since=([^\s,;]{10,40})")
_ALERT = re.compile(r"(?P<name>\S{1,200}) (?P<state>firing|pending|resolved|suppressed)(?=[,;]|$)")
_FIELD = re.compile(r", ([A-Za-z_][\w.]{0,60})=(\"[^\"]{0,200}\"|[^,;]{0,200})")


class Citation(BaseModel):
    """Where a statement is proven: tool, call, path, the excerpt, and the record's own time when it gives one."""

    model_config = ConfigDict(frozen=True)

    tool_name: str
    invocation_id: int
    raw_path: str
    excerpt: str
    time: datetime | None


class AlertRow(BaseModel):
    """What a cited alert says of itself: a row of a sweep's table."""

    model_config = ConfigDict(frozen=True)

    name: str
    state: str
    service: str | None = None
    value: str | None = None
    since: datetime | None = None


class Told(BaseModel):
    """A statement that may be told as fact, with its citations and the basis of its PASS."""

    model_config = ConfigDict(frozen=True)

    claim_id: str
    text: str
    basis: Basis
    guidance: bool
    citations: list[Citation]
    alert: AlertRow | None = None


class Doubt(BaseModel):
    """A statement that may be told only as not confirmed, and why, as codes (and failed rules of the Gatekeeper)."""

    model_config = ConfigDict(frozen=True)

    claim_id: str
    text: str
    absence: bool
    reasons: list[tuple[ReasonCode, str | None]]


class Search(BaseModel):
    """One recorded call: what was asked, of which source, and how much there was."""

    model_config = ConfigDict(frozen=True)

    invocation_id: int
    tool_name: str
    status: EvidenceStatus | None
    arguments: dict[str, Any]
    error: str | None
    searched: list[Searched]


class AllowedMaterial(BaseModel):
    """Everything that an answer may use.

    `deciding` names the statements that answer the question, best first; `stance` is what the first of them says to a
    yes/no question, `extent` how much of the question they answer. `withheld` gives, for each rejected statement, the
    kinds of its faults and no word of it.
    """

    model_config = ConfigDict(frozen=True)

    effective_verdict: Verdict
    answered: Answered | None
    stance: Stance | None
    extent: Extent = Extent.WHOLE
    deciding: list[str]
    told: list[Told]
    doubts: list[Doubt]
    withheld: list[list[ReasonCode | Rule]]
    searches: list[Search]
    next_steps: list[KeptStep]
    over_expanded: bool
    errors: list[str]

    @property
    def facts(self) -> list[Told]:
        """The statements about what happened."""
        return [told for told in self.told if not told.guidance]

    @property
    def guidance(self) -> list[Told]:
        """The statements about what somebody wrote beforehand."""
        return [told for told in self.told if told.guidance]


def allowed_material(
    asked: Asked, evaluation: VerifierEvaluation, invocations: Sequence[ToolInvocation]
) -> AllowedMaterial:
    """What may be told. `invocations` are the session's own calls. Pure; raises nothing."""
    own = {invocation.id for invocation in invocations}
    bindings: dict[str, list[CheckedBinding]] = {}
    for binding in evaluation.gatekeeper_result.checked_bindings:
        bindings.setdefault(binding.claim_id, []).append(binding)
    told = [
        _told(claim, bindings.get(claim.claim_id, []), own)
        for claim in evaluation.claims
        if claim.verdict is Verdict.PASS and claim.basis is not None
    ]
    passed = [Passed(t.text, _texts(bindings.get(t.claim_id, []))) for t in told]
    found = bearing(asked, passed)
    answered = evaluation.answered
    deciding = [told[index].claim_id for index in found.deciding] if answered is not Answered.NO else []
    return AllowedMaterial(
        effective_verdict=evaluation.effective_verdict,
        answered=answered,
        stance=found.stance if deciding else None,
        extent=found.extent,
        deciding=deciding,
        told=told,
        doubts=[_doubt(claim) for claim in evaluation.claims if claim.verdict is Verdict.LOW_CONFID],
        withheld=[_faults(claim) for claim in evaluation.claims if claim.verdict is Verdict.REJECT],
        searches=[_search(invocation) for invocation in invocations],
        next_steps=list(evaluation.next_steps),
        over_expanded=any(w.code is WarningCode.CLAIMS_OVER_EXPANDED for w in evaluation.warnings),
        errors=list(evaluation.gatekeeper_result.errors),
    )


def named_in_records(name: str, invocations: Sequence[ToolInvocation]) -> bool:
    """Whether a record or alert that was found names somebody as a whole word; guidance names nobody."""
    return any(
        has_name(ref.text, name)
        for row in invocations
        if row.retrieval_details is not None and row.retrieval_details.kind is not EvidenceKind.GUIDANCE
        for ref in row.retrieval_details.evidence_refs or []
    )


def record_time(text: str) -> datetime | None:
    """The moment that a ref's text gives for its record: its stamp, its `time=`, or an alert's `since=`."""
    beside = _TIME_BESIDE.search(text)
    since = _SINCE.search(text) if beside is None else None
    for found in (beside, since):
        stamp = read_stamp(found[1]) if found else None
        if stamp is not None and stamp.when.tzinfo is not None:
            return stamp.when.astimezone(UTC)
    head = read_head(text)
    return head.when.astimezone(UTC) if head is not None and head.when.tzinfo is not None else None


def _told(claim: ClaimVerdict, bindings: Sequence[CheckedBinding], own: set[int]) -> Told:
    citations = [
        Citation(
            tool_name=binding.tool_name or "",
            invocation_id=binding.source_invocation_id,
            raw_path=binding.raw_path or "",
            excerpt=binding.evidence_excerpt or "",
            time=record_time(binding.text or ""),
        )
        for binding in bindings
        if binding.verified and isinstance(binding.source_invocation_id, int) and binding.source_invocation_id in own
    ]
    texts = _texts(bindings)
    return Told(
        claim_id=claim.claim_id,
        text=claim.text,
        basis=claim.basis or Basis.MODEL,
        guidance=claim.claim_type == ClaimType.GUIDANCE.value or is_guidance(Passed(claim.text)),
        citations=citations,
        alert=next((row for row in map(_alert_row, texts) if row is not None), None),
    )


def _texts(bindings: Sequence[CheckedBinding]) -> tuple[str, ...]:
    return tuple(binding.text for binding in bindings if binding.verified and binding.text is not None)


def _alert_row(text: str) -> AlertRow | None:
    found = _ALERT.match(text)
    if found is None:
        return None
    fields = {key: value.strip('"') for key, value in _FIELD.findall(text[:4000].split("; ", 1)[0])}
    stamp = read_stamp(fields.get("since", ""))
    return AlertRow(
        name=found["name"],
        state=found["state"],
        service=fields.get("service"),
        value=fields.get("current") or fields.get("last"),
        since=stamp.when if stamp is not None and stamp.when.tzinfo is not None else None,
    )


def _doubt(claim: ClaimVerdict) -> Doubt:
    reasons = [(reason.code, reason.claim_word if reason.code in _RULE_REASONS else None) for reason in claim.reasons]
    absent = any(rule == Rule.ABSENCE_IS_NOT_PROOF.value for _, rule in reasons)
    absence = absent or any(code is ReasonCode.ABSENCE_UNPROVEN for code, _ in reasons)
    return Doubt(claim_id=claim.claim_id, text=claim.text, absence=absence, reasons=list(dict.fromkeys(reasons)))


_RULES = frozenset(rule.value for rule in Rule)
_RULE_REASONS = frozenset({ReasonCode.REFERENCE_REJECTED, ReasonCode.REFERENCE_IMPRECISE})


def _faults(claim: ClaimVerdict) -> list[ReasonCode | Rule]:
    """The kinds of fault of a rejected statement: the rules that its reference broke, else what contradicted it."""
    rules = [
        Rule(reason.claim_word)
        for reason in claim.reasons
        if reason.code is ReasonCode.REFERENCE_REJECTED and reason.claim_word in _RULES
    ]
    codes = [reason.code for reason in claim.reasons if reason.code.value.endswith("_contradicted")]
    faults: list[ReasonCode | Rule] = [*rules, *codes]
    return list(dict.fromkeys(faults)) or [ReasonCode.REFERENCE_REJECTED]


def _search(invocation: ToolInvocation) -> Search:
    details = invocation.retrieval_details
    raw = details.searched if details is not None else None
    return Search(
        invocation_id=invocation.id,
        tool_name=invocation.tool_name,
        status=invocation.evidence_status,
        arguments=invocation.arguments,
        error=invocation.error,
        searched=_searched(raw),
    )


def _searched(raw: Any) -> list[Searched]:
    """The searches of a row: one object, or a list of them under `searched` or `sources`."""
    if isinstance(raw, dict) and "source" not in raw:
        raw = next((value for value in raw.values() if isinstance(value, list)), [])
    rows = raw if isinstance(raw, list) else [raw]
    out = []
    for row in rows:
        if isinstance(row, dict) and isinstance(row.get("source"), str):
            try:
                out.append(Searched.model_validate(row))
            except ValueError:
                continue
    return out
