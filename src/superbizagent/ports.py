"""Ports: what the product needs from the outside, as small Protocols.

Sources answer queries and never judge; a source that cannot be asked raises `SourceUnavailable`. The store persists
and never decides. Agents think and never touch a source except through `ToolCalls`, which records first and shows
afterwards. Everything that waits is async; the rules never are.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from superbizagent.contract.evidence import Searched, ToolOutput, Window
from superbizagent.contract.plan import EntityRole, Plan, Question
from superbizagent.contract.records import DiagnosisSession, ToolInvocation


class AlertQuery(NamedTuple):
    """Which alerts are asked for. None means any; `at` is "now" for durations."""

    at: datetime
    service: str | None = None
    alertname: str | None = None
    state: str | None = None
    limit: int = 50


class LogQuery(NamedTuple):
    """Which log records are asked for.

    `groups` is a conjunction of disjunctions of terms: every group must have one of its terms in the record, each
    term as a whole (case-insensitive); no groups match every record. `level` is the least severe level wanted.
    `bearing` groups do not decide what matches: the more of them a record has a term of, the better it matches.
    """

    groups: Sequence[Sequence[str]] = ()
    service: str | None = None
    level: str | None = None
    window: Window = Window()
    limit: int = 20
    bearing: Sequence[Sequence[str]] = ()


class Page(NamedTuple):
    """What one source answered: its items, most worth keeping first cut, and what was asked and counted."""

    items: list[dict[str, Any]]
    searched: Searched


class AlertSource(Protocol):
    """Answers alert queries. An item has `alertname, state, labels, annotations, value?, active_at?, ...`."""

    @property
    def name(self) -> str: ...
    async def query_alerts(self, query: AlertQuery) -> Page: ...
    async def known_entities(self) -> Mapping[EntityRole, frozenset[str]]: ...


class LogSource(Protocol):
    """Answers log queries. An item has `record` (as the source has it) and what is known beside it."""

    @property
    def name(self) -> str: ...
    async def query_logs(self, query: LogQuery) -> Page: ...
    async def known_entities(self) -> Mapping[EntityRole, frozenset[str]]: ...


class KnowledgeBase(Protocol):
    """Answers knowledge queries. An item has `title, heading, text, source`."""

    @property
    def name(self) -> str: ...
    async def search(self, query: str, limit: int) -> Page: ...


class SkillLibrary(Protocol):
    """Named skills: guidance that is read and never cited."""

    @property
    def name(self) -> str: ...
    async def names(self) -> Sequence[str]: ...
    async def read(self, name: str) -> str | None: ...


class Tool(Protocol):
    """One tool: arguments in, output out. `ask` may raise; the recorder turns that into `unavailable`."""

    @property
    def name(self) -> str: ...
    async def ask(self, arguments: Mapping[str, Any]) -> ToolOutput: ...


class ToolCalls(Protocol):
    """Recorded tools, for Executors: what is handed back is what was persisted."""

    async def call(self, call_key: str, tool_name: str, arguments: Mapping[str, Any]) -> ToolInvocation: ...


class RecordStore(Protocol):
    """The two tables. Every call is one short transaction; ids are handed out once and never reused."""

    async def open_session(self, session: DiagnosisSession) -> None: ...
    async def update_session(self, session: DiagnosisSession) -> None: ...
    async def get_session(self, session_id: str, owner: str = "local") -> DiagnosisSession | None: ...
    async def list_sessions(
        self, owner: str = "local", limit: int = 50, conversation_id: str | None = None
    ) -> list[DiagnosisSession]: ...
    async def record_invocation(self, invocation: ToolInvocation) -> ToolInvocation:
        """Persist a call and return it with its id; a row with the same (session_id, call_key) is returned instead."""
        ...

    async def find_invocation(self, session_id: str, call_key: str) -> ToolInvocation | None: ...
    async def session_invocations(self, session_id: str) -> list[ToolInvocation]: ...
    async def load_invocations(self, ids: Sequence[int], owner: str = "local") -> list[ToolInvocation]:
        """The rows with these ids, over all sessions of the owner; another owner's row does not exist."""
        ...

    async def seal_session(self, session: DiagnosisSession) -> DiagnosisSession:
        """Store the finished session and seal it in the same transaction; returns it with its seal."""
        ...

    async def renew_lease(self, session_id: str, at: datetime) -> None:
        """A sign of life of whoever runs the session."""
        ...

    async def unfinished_sessions(self) -> list[str]:
        """The ids of all sessions that are not finished and sealed, oldest first."""
        ...

    async def abandoned_sessions(self, at: datetime) -> list[tuple[DiagnosisSession, str]]:
        """The unfinished sessions whose process is gone, each with how that is known, in words."""
        ...

    async def close(self) -> None: ...


class Clock(Protocol):
    """The time of the machine, aware and in UTC."""

    def now(self) -> datetime: ...


class Budget(Protocol):
    """What a question may use. `spend_*` raises `BudgetExceeded` when it is used up."""

    def spend_call(self) -> None: ...
    def spend_round(self) -> None: ...
    @property
    def seconds_left(self) -> float: ...


class Event(NamedTuple):
    """Something that happened on the way, for progress and streams: a name of a closed list and its data."""

    name: str
    data: Mapping[str, Any]


EventSink = Callable[[Event], Awaitable[None]]


class Planner(Protocol):
    """Chooses what to ask."""

    async def plan(self, question: Question, entities: Mapping[EntityRole, frozenset[str]]) -> Plan: ...


class Executor(Protocol):
    """Asks, and states micro-facts. Returns its output as it would send it: an object or text; the hook reads it."""

    @property
    def engine(self) -> str: ...
    async def execute(
        self, question: Question, plan: Plan, tools: ToolCalls, budget: Budget
    ) -> Mapping[str, Any] | str: ...
