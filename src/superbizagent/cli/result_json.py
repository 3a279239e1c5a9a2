"""The JSON object that `sba diagnose --json` prints. Protocol: section 10."""

from typing import Any

from superbizagent.contract.json_text import read_json
from superbizagent.contract.records import ToolInvocation
from superbizagent.contract.results import ClaimVerdict, VerifierEvaluation
from superbizagent.contract.vocabulary import Verdict
from superbizagent.diagnosis.run import Diagnosis


def diagnosis_json(diagnosis: Diagnosis, elapsed_ms: int) -> dict[str, Any]:
    """Everything about one diagnosis that a program may want."""
    session, evaluation = diagnosis.session, diagnosis.evaluation
    return {
        "session_id": session.id,
        "question": session.question,
        "lang": session.lang.value,
        "engine": session.engine,
        "demo": session.demo,
        "verdict": evaluation.effective_verdict.value,
        "answered": evaluation.answered.value if evaluation.answered is not None else None,
        "answer": diagnosis.answer,
        "claims": [claim_json(claim, evaluation) for claim in evaluation.claims],
        "next_steps": [step.model_dump(mode="json") for step in evaluation.next_steps],
        "invocations": [invocation_json(invocation) for invocation in diagnosis.invocations],
        "gatekeeper_result": evaluation.gatekeeper_result.model_dump(mode="json"),
        "warnings": [warning.model_dump(mode="json") for warning in evaluation.warnings],
        "elapsed_ms": elapsed_ms,
    }


def claim_json(claim: ClaimVerdict, evaluation: VerifierEvaluation) -> dict[str, Any]:
    """One claim with its verdict, reasons and checked bindings."""
    bindings = [
        binding.model_dump(mode="json")
        for binding in evaluation.gatekeeper_result.checked_bindings
        if binding.claim_id == claim.claim_id
    ]
    return {
        "claim_id": claim.claim_id,
        "text": claim.text,
        "claim_type": claim.claim_type,
        "status": claim.status,
        "verdict": claim.verdict.value,
        "basis": claim.basis.value if claim.basis is not None and claim.verdict is Verdict.PASS else None,
        "reasons": [reason.model_dump(mode="json", exclude_none=True) for reason in claim.reasons],
        "bindings": bindings,
    }


def invocation_json(invocation: ToolInvocation) -> dict[str, Any]:
    """One recorded call: what was asked, and what came back of it."""
    details = invocation.retrieval_details
    shown: dict[str, Any] = {
        "id": invocation.id,
        "tool_name": invocation.tool_name,
        "arguments": invocation.arguments,
        "evidence_status": invocation.evidence_status.value if invocation.evidence_status is not None else None,
        "searched": details.searched if details is not None else None,
    }
    if invocation.error is not None:
        shown["error"] = invocation.error
    return shown


def recorded_output(invocation: ToolInvocation) -> Any:
    """The recorded output as a JSON value."""
    return read_json(invocation.output)
