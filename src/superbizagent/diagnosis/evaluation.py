"""Evaluation: is what a case expects what the diagnosis gave?

Decides, for one case of an incident folder: whether the verdict is the expected one, whether each expected citation
stands in the system-side text of a binding of a PASS claim, and whether a sentence stated as fact matches a forbidden
pattern. Stated as fact are the PASS claims and the answer's first line when the answer is PASS. A case's patterns are
a stranger's: each match has a time limit. Protocol: sections 10 and 11.
"""

from collections.abc import Sequence
from typing import Any

import regex
from pydantic import BaseModel, ConfigDict

from superbizagent.contract.errors import UnreadableInput
from superbizagent.contract.vocabulary import Lang, Verdict
from superbizagent.diagnosis.run import Diagnosis

_SECONDS_A_PATTERN = 1.0


class ExpectedCitation(BaseModel):
    """A pattern that must be found in the text of a PASS claim's binding of this tool."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tool: str
    pattern: str


class EvaluationCase(BaseModel):
    """One case of an incident folder."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    question: str
    lang: Lang
    verdict: Verdict
    cites: list[ExpectedCitation] = []
    never: list[str] = []


class CaseResult(BaseModel):
    """What one case gave. `never_said` is true when no forbidden pattern was stated as fact."""

    model_config = ConfigDict(frozen=True)

    incident: str
    id: str
    question: str
    verdict: Verdict
    expected: Verdict
    cites_found: bool
    never_said: bool
    ok: bool
    missing_cites: list[str] = []
    said: list[str] = []

    @property
    def false_statement(self) -> bool:
        """Something was stated as fact that must not be: the unforgivable kind."""
        return not self.never_said or (self.verdict is Verdict.PASS and self.expected is not Verdict.PASS)

    @property
    def needless_refusal(self) -> bool:
        """The evidence was there, and the answer did not pass."""
        return self.expected is Verdict.PASS and self.verdict is not Verdict.PASS


def judge_case(incident: str, case: EvaluationCase, diagnosis: Diagnosis) -> CaseResult:
    """Compare one diagnosis with what its case expects.

    Raises:
        UnreadableInput: a pattern of the case is no pattern, or takes too long.
    """
    evaluation = diagnosis.evaluation
    passed = {claim.claim_id: claim.text for claim in evaluation.claims if claim.verdict is Verdict.PASS}
    proven = [
        (binding.tool_name, binding.text)
        for binding in evaluation.gatekeeper_result.checked_bindings
        if binding.claim_id in passed and binding.verified and binding.text is not None
    ]
    missing = [
        cite.pattern
        for cite in case.cites
        if not any(tool == cite.tool and _found(cite.pattern, text) for tool, text in proven)
    ]
    stated = list(passed.values())
    if evaluation.effective_verdict is Verdict.PASS:
        stated.append(diagnosis.answer.split("\n", 1)[0])
    said = [pattern for pattern in case.never if any(_found(pattern, sentence) for sentence in stated)]
    verdict = evaluation.effective_verdict
    return CaseResult(
        incident=incident,
        id=case.id,
        question=case.question,
        verdict=verdict,
        expected=case.verdict,
        cites_found=not missing,
        never_said=not said,
        ok=verdict is case.verdict and not missing and not said,
        missing_cites=missing,
        said=said,
    )


def totals(results: Sequence[CaseResult]) -> dict[str, Any]:
    """Counts over all cases: how many are right, false statements, needless refusals."""
    return {
        "cases": len(results),
        "ok": sum(result.ok for result in results),
        "false_statements": sum(result.false_statement for result in results),
        "needless_refusals": sum(result.needless_refusal for result in results),
    }


def _found(pattern: str, text: str) -> bool:
    try:
        return regex.search(pattern, text, timeout=_SECONDS_A_PATTERN) is not None
    except TimeoutError:
        raise UnreadableInput(f"the pattern `{pattern[:60]}` takes too long", "Do not nest repetitions.") from None
    except regex.error as error:
        raise UnreadableInput(f"`{pattern[:60]}` is no pattern: {error}", "Patterns are regular expressions.") from None
