"""`sba check`: judges somebody else's output, one case or a case a line.

Reads cases, hands them to the Verifier, prints what it found. A case that cannot be read is never judged as if it
could: it gives a result with `errors`, and its exit code says so. Protocol: section 10.
"""

from collections.abc import Iterator
from typing import Any, BinaryIO

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from superbizagent.contract.errors import UnreadableInput
from superbizagent.contract.json_text import read_json
from superbizagent.contract.records import CitedInvocation
from superbizagent.contract.results import GatekeeperResult
from superbizagent.contract.vocabulary import GateStatus, Severity, Verdict
from superbizagent.diagnosis.verifier import evaluate

CASE_FORM = '{"session_id": …, "invocations": […], "executor_output": {…} or "text"}'


class _CaseInvocation(CitedInvocation):
    """An invocation of a case; its id must be a number."""

    id: int = Field(strict=True)


class Case(BaseModel):
    """Somebody else's output, with the invocations that it cites."""

    model_config = ConfigDict(extra="ignore")

    session_id: str
    invocations: list[_CaseInvocation]
    question: str | None = None
    executor_output: Any


def read_case(text: str) -> Case:
    """The case that a JSON text holds.

    Raises:
        UnreadableInput: it is not JSON, has a key twice in one object, or is not a case; the message says where.
    """
    try:
        value = read_json(text, unique_keys=True)
    except ValueError as error:
        raise UnreadableInput(str(error), f"A case is {CASE_FORM}.") from None
    try:
        case = Case.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the case"
        raise UnreadableInput(f"it is no case: {where}: {first['msg']}", f"A case is {CASE_FORM}.") from None
    ids = [invocation.id for invocation in case.invocations]
    if len(set(ids)) < len(ids):
        raise UnreadableInput("it is no case: an invocation id stands twice", "Ids are unique over all sessions.")
    return case


def check_case(case: Case) -> dict[str, Any]:
    """The result that is printed for one case."""
    output = case.executor_output if isinstance(case.executor_output, dict | str) else None
    evaluation = evaluate(output, case.invocations, case.session_id, case.question)
    result: dict[str, Any] = {
        "gatekeeper_result": evaluation.gatekeeper_result.model_dump(mode="json"),
        "claims": [
            {
                "claim_id": claim.claim_id,
                "verdict": claim.verdict.value,
                "reasons": [reason.model_dump(mode="json", exclude_none=True) for reason in claim.reasons],
            }
            for claim in evaluation.claims
        ],
        "effective_verdict": evaluation.effective_verdict.value,
    }
    if evaluation.answered is not None:
        result["answered"] = evaluation.answered.value
    if evaluation.warnings:
        result["warnings"] = [warning.model_dump(mode="json") for warning in evaluation.warnings]
    return result


def unreadable_result(message: str) -> dict[str, Any]:
    """The result for a line that is no case: nothing was checked, so nothing passes."""
    gate = GatekeeperResult(
        status=GateStatus.FAIL,
        severity=Severity.LOW_CONFID,
        checked_bindings=[],
        failed_rules=[],
        warnings=[],
        errors=[message],
    )
    return {
        "gatekeeper_result": gate.model_dump(mode="json"),
        "claims": [],
        "effective_verdict": Verdict.LOW_CONFID.value,
        "errors": [message],
    }


def check_lines(stream: BinaryIO) -> Iterator[tuple[dict[str, Any], bool]]:
    """A result for each line in order, and whether the line was a case. Blank lines are passed over."""
    for number, line in enumerate(stream, start=1):
        if not line.strip():
            continue
        try:
            yield check_case(read_case(decode(line))), True
        except UnreadableInput as error:
            yield unreadable_result(f"line {number}: {error}"), False


def decode(data: bytes) -> str:
    """UTF-8 text.

    Raises:
        UnreadableInput: it is not UTF-8.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableInput(
            f"byte {error.start} is not UTF-8", "Cases are JSON in UTF-8; convert the file first."
        ) from None
