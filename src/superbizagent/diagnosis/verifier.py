"""The Verifier: a verdict per claim from the proven excerpts, and the effective verdict.

Only verified excerpts count as evidence, and only for the claim they are bound to. The same function serves a live
diagnosis, the check of somebody else's output, and a later audit from stored rows. Refuses: to ask any source, to
raise a verdict, and to pass what was not checked. Protocol: sections 5, 7 and 9.
"""

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from superbizagent.contract.records import CitedInvocation, ToolInvocation
from superbizagent.contract.results import CheckedBinding, ClaimVerdict, VerifierEvaluation, Warned
from superbizagent.contract.tools import TOOL_TABLE
from superbizagent.contract.vocabulary import Answered, EvidenceKind, Verdict, WarningCode
from superbizagent.diagnosis.verifier_input import VerifierInput, check_references, cited_ids, prepare
from superbizagent.rules.answered import Passed, question_answered
from superbizagent.rules.excerpt import EXCERPT_RULES_VERSION
from superbizagent.rules.executor_output import ReadClaim
from superbizagent.rules.judging import JUDGE_RULES_VERSION, Proof, judge
from superbizagent.rules.lexicon import LEXICON_VERSION
from superbizagent.rules.next_steps import keep_evidence_steps, keep_proven_steps
from superbizagent.rules.question import is_narrow
from superbizagent.rules.verdict import effective_verdict, judge_claim

GATEKEEPER_RULES_VERSION = "gate.2"
MOST_NARROW_CLAIMS = 2


def rules_version() -> str:
    """Rules, lexicon and Unicode tables: what has to be equal for a later check to give the same bytes."""
    parts = (GATEKEEPER_RULES_VERSION, EXCERPT_RULES_VERSION, JUDGE_RULES_VERSION, LEXICON_VERSION)
    return "+".join((*parts, f"unicode.{unicodedata.unidata_version}"))


def evaluate(
    raw_output: Mapping[str, Any] | str | None,
    invocations: Sequence[CitedInvocation],
    session_id: str,
    question: str | None = None,
    errors: Sequence[str] = (),
) -> VerifierEvaluation:
    """Judge an Executor's raw output against recorded rows.

    `invocations` are all of the session's rows and every cited one (of the owner). Without a `question` nothing is
    said about `answered`. Pure: the same inputs give the same evaluation.
    """
    session = [row for row in invocations if row.session_id == session_id]
    output = prepare(raw_output, session)
    wanted = set(cited_ids(output))
    checked = check_references(output, [row for row in invocations if row.id in wanted], session_id, errors)
    return judge_payload(checked, session, question)


def judge_payload(
    payload: VerifierInput, session: Sequence[CitedInvocation], question: str | None
) -> VerifierEvaluation:
    """The verdicts over one payload of the hook."""
    claims = payload.output.claims
    verdicts: list[ClaimVerdict] = []
    proofs_of: dict[str, list[Proof]] = {}
    for claim in claims:
        proofs_of[claim.claim_id] = proofs = _proofs(claim, payload)
        verdicts.append(judge_claim(claim, judge(claim.text, claim.claim_type, proofs), payload.gate))
    answered = None if question is None else _answered(question, verdicts, proofs_of)
    evidence_steps, _ = keep_evidence_steps(payload.output.next_steps)
    passed = [verdict.text for verdict in verdicts if verdict.verdict is Verdict.PASS]
    steps, dropped = keep_proven_steps(evidence_steps, [question or "", *passed])
    confirmed = [v.verdict for c, v in zip(claims, verdicts, strict=True) if not c.is_hypothesis]
    return VerifierEvaluation(
        verdict=Verdict.worst(*confirmed) if confirmed else Verdict.LOW_CONFID,
        effective_verdict=effective_verdict(claims, verdicts, payload.gate, answered),
        answered=answered,
        claims=verdicts,
        next_steps=steps,
        tool_trace_summary=[trace_line(row) for row in session],
        rules_version=rules_version(),
        warnings=[*_expansion_warnings(question, claims), *dropped],
        gatekeeper_result=payload.gate,
    )


def evidence_kind(invocation: CitedInvocation) -> EvidenceKind:
    """Incident evidence or guidance, from the row, else from the tool table; what nobody knows is guidance."""
    details = invocation.retrieval_details
    if details is not None and details.kind is not None:
        return details.kind
    spec = TOOL_TABLE.get(invocation.tool_name)
    return spec.kind if spec is not None else EvidenceKind.GUIDANCE


def trace_line(invocation: CitedInvocation) -> dict[str, Any]:
    """One line of `tool_trace_summary`: for navigation and audit, never evidence."""
    recorded = invocation if isinstance(invocation, ToolInvocation) else None
    return {
        "id": invocation.id,
        "tool_name": invocation.tool_name,
        "arguments": recorded.arguments if recorded is not None else None,
        "evidence_status": invocation.evidence_status.value if invocation.evidence_status is not None else None,
        "output_summary": recorded.output_summary if recorded is not None else None,
    }


def _proofs(claim: ReadClaim, payload: VerifierInput) -> list[Proof]:
    """The claim's verified bindings as the judge sees them."""
    bindings = (binding for binding in payload.gate.checked_bindings if binding.claim_id == claim.claim_id)
    return [_proof(binding, payload.cited) for binding in bindings if binding.verified and binding.match is not None]


def _proof(binding: CheckedBinding, cited: Mapping[int, CitedInvocation]) -> Proof:
    number = binding.source_invocation_id
    if not isinstance(number, int) or binding.text is None or binding.evidence_excerpt is None:
        raise AssertionError("a verified binding has an invocation, a text and an excerpt")
    row = cited[number]
    return Proof(
        excerpt=binding.evidence_excerpt,
        text=binding.text,
        kind=evidence_kind(row),
        tool_name=row.tool_name,
        invocation_id=number,
        raw_path=binding.raw_path or "",
    )


def _answered(question: str, verdicts: Sequence[ClaimVerdict], proofs: Mapping[str, Sequence[Proof]]) -> Answered:
    passed = [
        Passed(verdict.text, tuple(proof.text for proof in proofs[verdict.claim_id]))
        for verdict in verdicts
        if verdict.verdict is Verdict.PASS
    ]
    return question_answered(question, passed)


def _expansion_warnings(question: str | None, claims: Sequence[ReadClaim]) -> list[Warned]:
    if question is None or len(claims) <= MOST_NARROW_CLAIMS or not is_narrow(question):
        return []
    message = f"a narrow question got {len(claims)} claims; the first {MOST_NARROW_CLAIMS} that bear on it are shown"
    return [Warned(code=WarningCode.CLAIMS_OVER_EXPANDED, message=message)]
