"""The deterministic judge: does the claim follow from its proven excerpts?

In this order:

    no proof                      → unsupported (`no_verified_evidence`; an absence claim: `absence_unproven`)
    what a document says          → its words in a knowledge block, or `guidance_as_fact`
    an observation on guidance    → `guidance_as_fact`
    names, times, numbers         → of one record
    cause, scope, trend, present, future, impact, assessment
    states and every other word   → the excerpt's word, as fact, in the same polarity
    what is left over             → `wording_undetermined`

The worst part counts. It answers `supported` only when no row fires and every content word is accounted for, and it
refuses to guess. Linear in claim and excerpts; a claim longer than `LONGEST_CLAIM` is undetermined. Protocol:
section 7.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from superbizagent.contract.results import Judgement, Reason
from superbizagent.contract.vocabulary import ClaimType, EvidenceKind, Outcome, ReasonCode
from superbizagent.rules.derivability.reading import Kind
from superbizagent.rules.derivability.record import read_record
from superbizagent.rules.judging.claim import Claim, read_claim
from superbizagent.rules.judging.coherence import check_coherence
from superbizagent.rules.judging.frames import check_frames
from superbizagent.rules.judging.guidance import check_guidance, is_guidance_claim
from superbizagent.rules.judging.marked import check_marked
from superbizagent.rules.judging.names import check_names
from superbizagent.rules.judging.numbers import check_numbers
from superbizagent.rules.judging.predicates import check_words, left_over
from superbizagent.rules.judging.quotes import account_quotes, account_verbatim
from superbizagent.rules.judging.roles import check_roles
from superbizagent.rules.judging.times import check_times

JUDGE_RULES_VERSION = "judge.2"
LONGEST_CLAIM = 1000
MOST_NUMBERS = 30
LONGEST_RECORD = 8000
"""A longer text is read at its beginning and around the excerpt."""
_HEAD = 500
_AROUND = 2000

_ABSENT = re.compile(
    r"\b(?:no|not any|never|without any|none of|didn't|did not|was not|wasn't|were not|weren't|has not|hasn't"
    r"|is not|isn't)\b"
    r"[^.;:]{0,80}\b(?:found|seen|detected|logged|recorded|reported|observed|occur(?:red)?|appear(?:ed|s)?|happen(?:ed)?|exists?"
    r"|present|firing|matched)\b"
    r"|\bthere (?:is|are|was|were) (?:no|not any|none)\b|\b(?:found|saw|shows?|detected) (?:no|nothing|none)\b"
    r"|\bno (?:evidence|sign|signs|trace|record|records|indication|errors?|warnings?|alerts?|exceptions?)\b"
    r"|(?:没有|未|并未|无|未曾|没)(?:出现|发现|发生|检测到|找到|看到|记录|任何|查到|报出)|不存在|没有.{0,12}(?:错误|告警|异常|日志|记录)"
    r"|(?:无|未见).{0,8}(?:错误|告警|异常|记录)",
    re.IGNORECASE,
)


class Proof(NamedTuple):
    """One verified binding: the excerpt, the system-side text that it was cut from, and what kind of evidence it is."""

    excerpt: str
    text: str
    kind: EvidenceKind
    tool_name: str
    invocation_id: int
    raw_path: str


def is_absence_claim(text: str, claim_type: ClaimType | None) -> bool:
    """Whether a claim says that something was not found or did not happen, by its text or its label."""
    return claim_type is ClaimType.NEGATIVE_OBSERVATION or _says_absent(text)


def _says_absent(text: str) -> bool:
    return _ABSENT.search(text[:LONGEST_CLAIM]) is not None


def judge(text: str, claim_type: ClaimType | None, proofs: Sequence[Proof]) -> Judgement:
    """Judge one claim by its verified bindings; see the module. Never raises on any text."""
    if not proofs:
        return _without_proof(text, claim_type)
    if len(text) > LONGEST_CLAIM:
        return _undetermined(f"the claim is longer than {LONGEST_CLAIM} characters")
    records = [
        read_record(_window(proof), proof.excerpt[:LONGEST_RECORD], proof.kind, proof.tool_name) for proof in proofs
    ]
    incident = [record for record in records if record.kind is EvidenceKind.INCIDENT]
    claim = read_claim(text, incident or records)
    if sum(unit.kind is Kind.NUMBER for unit in claim.units) > MOST_NUMBERS:
        return _undetermined(f"the claim has more than {MOST_NUMBERS} numbers")
    if not any(unit.keys or unit.classes or unit.text.isalnum() for unit in claim.units):
        return _undetermined("the claim says nothing")
    if is_guidance_claim(claim):
        check_guidance(claim, records)
    elif not incident:
        claim.fault(ReasonCode.GUIDANCE_AS_FACT, "a runbook says what may happen, not what happened")
    else:
        _check_observation(claim)
    return _judgement(claim, text)


def _window(proof: Proof) -> str:
    """The whole text; of a very long one its beginning (who and when) and what stands around the excerpt."""
    text = proof.text
    if len(text) <= LONGEST_RECORD:
        return text
    start = text.find(proof.excerpt[:LONGEST_RECORD])
    if start < _HEAD:
        return text[:LONGEST_RECORD]
    around = text[max(_HEAD, start - _AROUND) : start + min(len(proof.excerpt), LONGEST_RECORD) + _AROUND]
    return f"{text[:_HEAD]}\n{around}"


def _check_observation(claim: Claim) -> None:
    account_quotes(claim)
    account_verbatim(claim)
    check_names(claim)
    check_times(claim)
    check_marked(claim)
    check_numbers(claim)
    check_words(claim)
    if not claim.reasons and not left_over(claim):
        check_coherence(claim)
    if not claim.reasons and not left_over(claim):
        check_roles(claim)
    if not claim.reasons and not left_over(claim):
        check_frames(claim)


def _judgement(claim: Claim, text: str) -> Judgement:
    rest = left_over(claim)
    if rest:
        words = ", ".join(f"`{claim.units[place].text[:40]}`" for place in rest[:5])
        message = f"no excerpt accounts for {words}"
        code = ReasonCode.WORDING_UNDETERMINED
        claim.reasons.append(Reason(code=code, message=message, claim_word=claim.units[rest[0]].text[:80]))
    if claim.reasons and _says_absent(text):
        message = "that nothing was found does not prove that there is nothing"
        claim.reasons.append(Reason(code=ReasonCode.ABSENCE_UNPROVEN, message=message))
        if all(reason.code.outcome is not Outcome.CONTRADICTED for reason in claim.reasons):
            return Judgement(outcome=Outcome.UNSUPPORTED, reasons=claim.reasons)
    if not claim.reasons:
        accounted = [{"word": claim.units[place].text[:80], "by": by} for place, by in sorted(claim.accounted.items())]
        return Judgement(outcome=Outcome.SUPPORTED, reasons=[], accounted=accounted)
    _soften(claim, bool(rest))
    outcome = max((reason.code.outcome for reason in claim.reasons), key=lambda outcome: outcome.rank)
    return Judgement(outcome=outcome, reasons=claim.reasons)


def _soften(claim: Claim, left: bool) -> None:
    """A state told the other way round contradicts only where all else is understood; else it lacks support."""
    turned = [at for at, reason in enumerate(claim.reasons) if reason.code is ReasonCode.STATE_CONTRADICTED]
    others = left or any(reason.code.outcome is not Outcome.CONTRADICTED for reason in claim.reasons)
    if not others:
        return
    for at in turned:
        if claim.reasons[at].message.endswith("the other way round"):
            claim.reasons[at] = claim.reasons[at].model_copy(update={"code": ReasonCode.STATE_UNSUPPORTED})


def _without_proof(text: str, claim_type: ClaimType | None) -> Judgement:
    reasons = [Reason(code=ReasonCode.NO_VERIFIED_EVIDENCE, message="no binding of the claim was verified")]
    if is_absence_claim(text, claim_type):
        message = "that nothing was found does not prove that there is nothing"
        reasons.insert(0, Reason(code=ReasonCode.ABSENCE_UNPROVEN, message=message))
    return Judgement(outcome=Outcome.UNSUPPORTED, reasons=reasons)


def _undetermined(message: str) -> Judgement:
    reason = Reason(code=ReasonCode.WORDING_UNDETERMINED, message=message)
    return Judgement(outcome=Outcome.UNDETERMINED, reasons=[reason])
