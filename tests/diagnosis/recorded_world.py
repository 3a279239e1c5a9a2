"""A world in which calls are recorded: a clock that stands still, tools that say what a test gives them, a budget."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from superbizagent.contract.evidence import Searched, ToolOutput
from superbizagent.contract.records import DiagnosisSession
from superbizagent.contract.vocabulary import EvidenceStatus, Lang, SessionStatus
from superbizagent.diagnosis.budget import QuestionBudget
from superbizagent.diagnosis.recorder import LARGEST_OUTPUT, ToolInvocationRecorder
from superbizagent.ports import Event
from superbizagent.rules.masking import Masker
from superbizagent.store.memory import MemoryStore

NOW = datetime(2026, 11, 30, 23, 11, 5, tzinfo=UTC)
SESSION = "s-1"
POOL = "2026-11-30T23:10:19.078Z DEBUG shop - BluePool-1 - stats (total=50, active=50, idle=0, waiting=199)"


class StillClock:
    """Implements `ports.Clock`."""

    def now(self) -> datetime:
        return NOW


class SaidTool:
    """A tool that returns, or raises, what it was given; it counts how often it was asked."""

    def __init__(self, said: Any, name: str = "query_logs") -> None:
        self.name = name
        self.asked: list[Mapping[str, Any]] = []
        self._said = said

    async def ask(self, arguments: Mapping[str, Any]) -> ToolOutput:
        self.asked.append(arguments)
        if isinstance(self._said, BaseException):
            raise self._said
        assert isinstance(self._said, ToolOutput)
        return self._said


def logs(*records: str, matched: int | None = None, **changes: Any) -> ToolOutput:
    """What `query_logs` says when it found these records."""
    items = [{"record": record, "time": "2026-11-30T23:10:19.078Z"} for record in records]
    searched = Searched(source="folder", records_matched=matched, returned=len(items), terms={"pool": ["连接池"]})
    valid = {
        "collection": "logs",
        "evidence_status": EvidenceStatus.OK if items else EvidenceStatus.NO_EVIDENCE,
        "items": items,
        "searched": [searched],
    }
    return ToolOutput.model_validate({**valid, **changes})


async def opened() -> MemoryStore:
    """A store with one running session."""
    store = MemoryStore()
    await store.open_session(
        DiagnosisSession(
            id=SESSION,
            question="Is the pool exhausted?",
            lang=Lang.EN,
            engine="scripted",
            status=SessionStatus.RUNNING,
            created_at=NOW,
        )
    )
    return store


def recorder(
    store: MemoryStore,
    *tools: SaidTool,
    masker: Masker | None = None,
    events: list[Event] | None = None,
    largest_output: int = LARGEST_OUTPUT,
    calls: int = 8,
) -> ToolInvocationRecorder:
    """A recorder over these tools."""

    async def emit(event: Event) -> None:
        if events is not None:
            events.append(event)

    return ToolInvocationRecorder(
        session_id=SESSION,
        store=store,
        tools={tool.name: tool for tool in tools},
        clock=StillClock(),
        masker=masker or Masker(),
        budget=QuestionBudget(lambda: 0.0, calls=calls),
        emit=emit,
        largest_output=largest_output,
    )
