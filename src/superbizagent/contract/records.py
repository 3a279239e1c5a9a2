"""Records: one session and the tool calls in it, as they are persisted.

`CitedInvocation` is the part of a row that the Gatekeeper and the judge need; `ToolInvocation` is the whole row.
Times are aware and in UTC. `output` is the JSON text that the tool's answer was stored as: hashed and re-read as
these bytes. Protocol: sections 1, 3 and 9.
"""

from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict

from superbizagent.contract.evidence import RetrievalDetails
from superbizagent.contract.vocabulary import EvidenceStatus, Lang, SessionStatus, Verdict


class CitedInvocation(BaseModel):
    """What a check needs to know of a recorded tool call."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: int
    session_id: str
    tool_name: str
    evidence_status: EvidenceStatus | None = None
    retrieval_details: RetrievalDetails | None = None


class ToolInvocation(CitedInvocation):
    """One recorded tool call; `id` is unique over all sessions and never reused.

    `call_key` is the model's tool-call id or the plan step: unique within the session. `ordinal` counts from 1 for
    display.
    """

    call_key: str
    ordinal: int
    arguments: dict[str, Any]
    error: str | None = None
    output: str
    output_summary: str
    started_at: datetime
    finished_at: datetime


class DiagnosisSession(BaseModel):
    """One question and everything done to answer it. `seal_no` is None until the session is finished and sealed."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    owner: str = "local"
    conversation_id: str | None = None
    question: str
    lang: Lang
    engine: str
    demo: bool = False
    status: SessionStatus
    plan: dict[str, Any] | None = None
    executor_output: str | None = None
    answer: str | None = None
    verdict: Verdict | None = None
    severity: str | None = None
    self_evaluation: dict[str, Any] | None = None
    workflow_id: str | None = None
    created_at: datetime
    finished_at: datetime | None = None
    seal_no: int | None = None
    seal: str | None = None
    previous_seal: str | None = None
