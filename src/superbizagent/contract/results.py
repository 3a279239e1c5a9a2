"""Results: what the Gatekeeper, the judge and the Verifier found.

Every result carries its reasons; none has a truth value of its own, because there are always more than two outcomes.
Field names are those that are persisted and printed. Protocol: sections 6, 7 and 9.
"""

from typing import Any

from pydantic import BaseModel, ConfigDict

from superbizagent.contract.vocabulary import (
    Answered,
    Basis,
    GateStatus,
    Match,
    Outcome,
    ReasonCode,
    Rule,
    Severity,
    Verdict,
    WarningCode,
)


class CheckedBinding(BaseModel):
    """One binding after the check. `text` is the system-side text, None when it may not or cannot be shown."""

    model_config = ConfigDict(frozen=True)

    claim_id: str
    binding: int
    tool_name: str | None
    source_invocation_id: int | str | None
    raw_path: str | None
    evidence_excerpt: str | None
    severity: Severity
    failed_rules: list[Rule]
    match: Match | None
    text: str | None
    auto_filled: bool

    @property
    def verified(self) -> bool:
        """Whether the judge may use this binding: every rule held."""
        return self.severity is Severity.NONE


class FailedRule(BaseModel):
    """One rule that did not hold, where, and why in one sentence. `binding` is None for a whole claim or output."""

    model_config = ConfigDict(frozen=True)

    rule: Rule
    severity: Severity
    claim_id: str | None = None
    binding: int | None = None
    message: str


class Warned(BaseModel):
    """Something that was noticed and does not decide."""

    model_config = ConfigDict(frozen=True)

    code: WarningCode
    claim_id: str | None = None
    binding: int | None = None
    message: str


class GatekeeperResult(BaseModel):
    """What the Gatekeeper found; `status` is `pass` exactly when `severity` is `none`."""

    model_config = ConfigDict(frozen=True)

    status: GateStatus
    severity: Severity
    checked_bindings: list[CheckedBinding]
    failed_rules: list[FailedRule]
    warnings: list[Warned]
    errors: list[str]


class Reason(BaseModel):
    """Why a claim was not supported: the rule, the claim's word, and what it was compared with."""

    model_config = ConfigDict(frozen=True)

    code: ReasonCode
    message: str
    claim_word: str | None = None
    evidence_word: str | None = None


class Judgement(BaseModel):
    """The deterministic judge's answer for one claim. `accounted` says for each content word what accounts for it."""

    model_config = ConfigDict(frozen=True)

    outcome: Outcome
    reasons: list[Reason]
    accounted: list[dict[str, str]] = []


class ClaimVerdict(BaseModel):
    """One claim after judgement and capping."""

    model_config = ConfigDict(frozen=True)

    claim_id: str
    text: str
    claim_type: str | None
    status: str | None
    verdict: Verdict
    basis: Basis | None = None
    outcome: Outcome
    reasons: list[Reason]
    accounted: list[dict[str, str]] = []


class KeptStep(BaseModel):
    """A next step that collects evidence and names nothing that neither the question nor a PASS claim has."""

    model_config = ConfigDict(frozen=True)

    action: str | None
    target: str
    reason_claim_id: str | None


class VerifierEvaluation(BaseModel):
    """What is persisted under `self_evaluation.verifier_evaluation`."""

    model_config = ConfigDict(frozen=True)

    verdict: Verdict
    effective_verdict: Verdict
    answered: Answered | None
    claims: list[ClaimVerdict]
    next_steps: list[KeptStep] = []
    tool_trace_summary: list[dict[str, Any]]
    rules_version: str
    warnings: list[Warned]
    gatekeeper_result: GatekeeperResult
    judge_answers: list[dict[str, Any]] = []
