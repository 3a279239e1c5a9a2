"""Claims: what an Executor asserts, in the strict form in which our own agents emit it.

`ExecutorOutput` is what we write; what somebody else wrote is read by `superbizagent.rules.executor_output`, which
keeps what is readable and names what is not. Protocol: section 4.
"""

from pydantic import BaseModel, ConfigDict

from superbizagent.contract.vocabulary import ClaimStatus, ClaimType, StepAction

SCHEMA_VERSION = "executor.v2"


class EvidenceBinding(BaseModel):
    """A claim's reference: which tool, which recorded call, which item, and the words that prove the claim."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    tool_name: str
    source_invocation_id: int
    raw_path: str
    evidence_excerpt: str


class Claim(BaseModel):
    """One micro-fact that the Executor asserts, with the references under it."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    claim_id: str
    text: str
    claim_type: ClaimType
    status: ClaimStatus
    evidence_bindings: list[EvidenceBinding]


class NextStep(BaseModel):
    """Evidence that is still to be collected; never a change of a system."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    action: StepAction
    target: str
    reason_claim_id: str | None = None


class ExecutorOutput(BaseModel):
    """The Executor's whole output, version 2."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    schema_version: str = SCHEMA_VERSION
    claims: list[Claim]
    next_steps: list[NextStep] = []
