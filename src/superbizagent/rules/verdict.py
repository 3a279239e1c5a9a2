"""Verdicts: what a claim may be told as, and what the whole answer obeys.

Decides: each claim's verdict (the judge's outcome, capped by the Gatekeeper) and the effective verdict. Verdicts only
ever go down, and nothing is vacuously true: no claims, no confirmed claims and no check that ran all stay below PASS.
Refuses: to look at any text. Protocol: section 7.
"""

from collections.abc import Sequence
from typing import assert_never

from superbizagent.contract.results import ClaimVerdict, FailedRule, GatekeeperResult, Judgement, Reason
from superbizagent.contract.vocabulary import Answered, Basis, Outcome, ReasonCode, Rule, Severity, Verdict
from superbizagent.rules.executor_output import ReadClaim
from superbizagent.rules.gatekeeper import claim_severity

_OUTSIDE_CLAIMS = frozenset({Rule.OUTPUT_COMPLETE, Rule.CLAIMS_PRESENT})


def verdict_of_outcome(outcome: Outcome) -> Verdict:
    """supported → PASS, contradicted → REJECT, everything else → LOW_CONFID."""
    match outcome:
        case Outcome.SUPPORTED:
            return Verdict.PASS
        case Outcome.CONTRADICTED:
            return Verdict.REJECT
        case Outcome.UNSUPPORTED | Outcome.UNDETERMINED:
            return Verdict.LOW_CONFID
        case _:
            assert_never(outcome)


def verdict_cap(severity: Severity) -> Verdict:
    """The best verdict that a severity of the Gatekeeper leaves."""
    match severity:
        case Severity.NONE:
            return Verdict.PASS
        case Severity.LOW_CONFID:
            return Verdict.LOW_CONFID
        case Severity.REJECT:
            return Verdict.REJECT
        case _:
            assert_never(severity)


def judge_claim(claim: ReadClaim, judgement: Judgement, gate: GatekeeperResult) -> ClaimVerdict:
    """The claim's verdict: the judge's outcome, capped by the Gatekeeper; a hypothesis never passes."""
    severity = claim_severity(gate, claim.claim_id)
    verdict = Verdict.worst(verdict_of_outcome(judgement.outcome), verdict_cap(severity))
    reasons = list(judgement.reasons)
    if severity is not Severity.NONE:
        code = ReasonCode.REFERENCE_REJECTED if severity is Severity.REJECT else ReasonCode.REFERENCE_IMPRECISE
        reasons.extend(
            Reason(code=code, message=failure.message, claim_word=failure.rule.value)
            for failure in _worst_failures(gate, claim.claim_id, severity)
        )
    if claim.is_hypothesis:
        verdict = Verdict.worst(verdict, Verdict.LOW_CONFID)
        reasons.append(Reason(code=ReasonCode.UNCONFIRMED, message="the Executor offers it as a hypothesis"))
    return ClaimVerdict(
        claim_id=claim.claim_id,
        text=claim.text,
        claim_type=claim.claim_type.value if claim.claim_type is not None else None,
        status=claim.status.value if claim.status is not None else None,
        verdict=verdict,
        basis=Basis.DETERMINISTIC if verdict is Verdict.PASS else None,
        outcome=judgement.outcome,
        reasons=reasons,
        accounted=judgement.accounted,
    )


def effective_verdict(
    claims: Sequence[ReadClaim],
    verdicts: Sequence[ClaimVerdict],
    gate: GatekeeperResult,
    answered: Answered | None,
) -> Verdict:
    """What the user's answer obeys.

    The worst over the confirmed claims, LOW_CONFID when there are none; REJECT when the Gatekeeper rejected any
    binding, a hypothesis's too; at most LOW_CONFID when the output itself is incomplete, when a check could not run,
    or when the question is not answered.
    """
    confirmed = [verdict.verdict for claim, verdict in zip(claims, verdicts, strict=True) if not claim.is_hypothesis]
    caps = [verdict_cap(Severity.REJECT)] if gate.severity is Severity.REJECT else []
    outside = any(failure.rule in _OUTSIDE_CLAIMS and failure.claim_id is None for failure in gate.failed_rules)
    if outside or gate.errors or answered is Answered.NO or not confirmed:
        caps.append(Verdict.LOW_CONFID)
    return Verdict.worst(Verdict.PASS, *confirmed, *caps)


def _worst_failures(gate: GatekeeperResult, claim_id: str, severity: Severity) -> list[FailedRule]:
    return [failure for failure in gate.failed_rules if failure.claim_id == claim_id and failure.severity is severity]
