"""Builders of evaluated sessions: what a Composer is handed. A test changes one thing."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from superbizagent.contract.evidence import EvidenceRef, RetrievalDetails, Searched, Window
from superbizagent.contract.plan import Intent, Plan, Question
from superbizagent.contract.records import ToolInvocation
from superbizagent.contract.results import (
    CheckedBinding,
    ClaimVerdict,
    GatekeeperResult,
    KeptStep,
    Reason,
    VerifierEvaluation,
    Warned,
)
from superbizagent.contract.vocabulary import (
    Answered,
    Basis,
    EvidenceStatus,
    GateStatus,
    Lang,
    Match,
    Outcome,
    ReasonCode,
    Rule,
    Severity,
    Verdict,
    WarningCode,
)

AT = datetime(2026, 11, 30, 23, 11, 5, tzinfo=UTC)
RECORD = (
    "2026-11-30T23:10:19.078Z DEBUG cart - BluePool-1 - Timeout failure stats "
    "(total=50, active=50, idle=0, waiting=199) file=cart-service.log"
)
EXCERPT = "BluePool-1 - Timeout failure stats (total=50, active=50, idle=0, waiting=199)"
FACT = "BluePool-1 was exhausted: total=50, active=50, idle=0, waiting=199"


def question(text: str = "Is the cart-service connection pool exhausted?", **changes: Any) -> Question:
    """A question at 23:11:05 UTC."""
    return Question(**{"text": text, "lang": Lang.EN, "at": AT, **changes})


def plan(intent: Intent = Intent.SYMPTOM, **changes: Any) -> Plan:
    """A plan without notes."""
    return Plan(intent=intent, **changes)


def searched(**changes: Any) -> Searched:
    """A search of 3,930 records with 179 hits, 20 of them kept."""
    window = Window(since=datetime(2026, 11, 30, 22, 11, 5, tzinfo=UTC), until=AT)
    valid = {
        "source": "cart.log",
        "query": "pool",
        "window": window,
        "records_searched": 3930,
        "records_matched": 179,
        "returned": 20,
        "truncated": True,
        "kept": "newest and most severe",
    }
    return Searched(**{**valid, **changes})


def call(
    number: int = 12, *texts: str, status: EvidenceStatus = EvidenceStatus.OK, one: Searched | None = None, **more: Any
) -> ToolInvocation:
    """A recorded log search of this session."""
    refs = [EvidenceRef(raw_path=f"$.logs[{index}]", text=text) for index, text in enumerate(texts or (RECORD,))]
    details = RetrievalDetails(evidence_refs=refs, searched={"sources": [(one or searched()).model_dump(mode="json")]})
    valid = {
        "id": number,
        "session_id": "s-1",
        "tool_name": "query_logs",
        "evidence_status": status,
        "retrieval_details": details,
        "call_key": f"k{number}",
        "ordinal": 1,
        "arguments": {"query": "pool"},
        "output": "{}",
        "output_summary": "",
        "started_at": AT,
        "finished_at": AT,
    }
    return ToolInvocation(**{**valid, **more})


def verdict(text: str = FACT, value: Verdict = Verdict.PASS, number: int = 1, **changes: Any) -> ClaimVerdict:
    """A claim's verdict: proven unless said otherwise."""
    valid: dict[str, Any] = {
        "claim_id": f"c{number}",
        "text": text,
        "claim_type": "observation",
        "status": "confirmed",
        "verdict": value,
        "basis": Basis.DETERMINISTIC if value is Verdict.PASS else None,
        "outcome": Outcome.SUPPORTED if value is Verdict.PASS else Outcome.UNSUPPORTED,
        "reasons": [],
    }
    return ClaimVerdict(**{**valid, **changes})


def reason(code: ReasonCode, word: str | None = None) -> Reason:
    """Why a claim did not pass."""
    return Reason(code=code, message="internal message", claim_word=word)


def checked(number: int = 1, **changes: Any) -> CheckedBinding:
    """A verified binding of claim `number` to the pool's record."""
    valid = {
        "claim_id": f"c{number}",
        "binding": 0,
        "tool_name": "query_logs",
        "source_invocation_id": 12,
        "raw_path": "$.logs[0]",
        "evidence_excerpt": EXCERPT,
        "severity": Severity.NONE,
        "failed_rules": [],
        "match": Match.EXACT,
        "text": RECORD,
        "auto_filled": False,
    }
    return CheckedBinding(**{**valid, **changes})


def evaluation(
    *claims: ClaimVerdict,
    bindings: Sequence[CheckedBinding] = (),
    answered: Answered = Answered.YES,
    steps: Sequence[KeptStep] = (),
    warnings: Sequence[WarningCode] = (),
    errors: Sequence[str] = (),
) -> VerifierEvaluation:
    """An evaluated output: one proven claim unless said otherwise."""
    claims = claims or (verdict(),)
    worst = Verdict.worst(*(claim.verdict for claim in claims))
    gate = GatekeeperResult(
        status=GateStatus.PASS,
        severity=Severity.NONE,
        checked_bindings=list(bindings or [checked()]),
        failed_rules=[],
        warnings=[],
        errors=list(errors),
    )
    return VerifierEvaluation(
        verdict=worst,
        effective_verdict=worst,
        answered=answered,
        claims=list(claims),
        next_steps=list(steps),
        tool_trace_summary=[],
        rules_version="test",
        warnings=[Warned(code=code, message="") for code in warnings],
        gatekeeper_result=gate,
    )


def rejected(text: str, rule: Rule = Rule.EXCERPT_MATCHES, number: int = 2) -> ClaimVerdict:
    """A claim whose reference did not hold."""
    return verdict(text, Verdict.REJECT, number, reasons=[reason(ReasonCode.REFERENCE_REJECTED, rule.value)])
