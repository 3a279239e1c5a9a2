"""The one place that picks implementations: from what was asked and the settings to a diagnosis.

Decides which sources, store, engine and clock serve a question. Demo data is chosen only when it is asked for.
Everything here is put together from parts that know nothing of each other.
"""

import re
import time
import uuid
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import BinaryIO
from zoneinfo import ZoneInfo

from pydantic import ValidationError

from superbizagent.contract.errors import StoreFailed, UnreadableInput, UsageError
from superbizagent.contract.evidence import Window
from superbizagent.contract.plan import EntityRole, Question
from superbizagent.contract.records import DiagnosisSession
from superbizagent.contract.tools import LOOKUP_KNOWLEDGE, QUERY_LOGS, QUERY_METRICS, READ_SKILL
from superbizagent.contract.vocabulary import Lang
from superbizagent.diagnosis.budget import QuestionBudget
from superbizagent.diagnosis.evaluation import CaseResult, EvaluationCase, judge_case
from superbizagent.diagnosis.run import Diagnosis, Parts, close_abandoned, diagnose, ignore_event
from superbizagent.knowledge.blocks import Document
from superbizagent.knowledge.index import KnowledgeIndex
from superbizagent.knowledge.skills import Skills
from superbizagent.ports import Clock, EventSink, Executor, Planner, RecordStore, Tool
from superbizagent.rules.lexicon import widen
from superbizagent.rules.question import detect_lang
from superbizagent.rules.windows import read_window
from superbizagent.settings import BudgetSettings, Settings, is_zone, load_settings
from superbizagent.sources.incident_folder import Incident, open_incident, open_logs
from superbizagent.sources.log_stream import open_stream
from superbizagent.sources.regular_files import one_file
from superbizagent.store.memory import MemoryStore
from superbizagent.store.sqlite import SqlStore, open_store
from superbizagent.tools.guidance import LookupKnowledge, ReadSkill
from superbizagent.tools.known import KnownNames
from superbizagent.tools.query_logs import QueryLogs
from superbizagent.tools.query_metrics import QueryMetrics

STANDARD_INPUT = "-"
_SHORTEST_SESSION_PREFIX = 4
_LENGTH = re.compile(r"\d{1,6} ?(?:s|m|h|d|min|minutes?|hours?|days?|分钟|小时|天)")
_MOST_SESSIONS = 1_000_000


@dataclass(frozen=True, slots=True)
class Asked:
    """What a door was asked, as it came: nothing is parsed or checked yet."""

    question: str
    paths: tuple[str, ...] = ()
    since: str | None = None
    until: str | None = None
    at: str | None = None
    service: str | None = None
    zone: str | None = None
    demo: bool = False
    demo_incident: str = ""


class SystemClock:
    """Implements `ports.Clock` by the machine's clock."""

    def now(self) -> datetime:
        """Now, in UTC."""
        return datetime.now(UTC)


class FixedClock:
    """Implements `ports.Clock` by one moment: the "now" of an incident."""

    def __init__(self, moment: datetime) -> None:
        self._moment = moment

    def now(self) -> datetime:
        """The moment."""
        return self._moment


async def open_diagnosis(asked: Asked, stdin: BinaryIO, emit: EventSink = ignore_event) -> Diagnosis:
    """Answer what was asked, with the settings in force, and keep it in the store.

    Raises:
        SbaError: wrong usage, unreadable input, or work that could not be done.
    """
    settings = load_settings()
    incident = await open_sources(asked, settings, stdin)
    question = read_asked(asked, settings, incident.at)
    async with opened_store(settings) as store:
        parts = await make_parts(incident, question.at, store, settings)
        return await diagnose(question, new_session_id(), parts, emit)


async def open_sources(asked: Asked, settings: Settings, stdin: BinaryIO) -> Incident:
    """The sources that the question names.

    Raises:
        UsageError: none is named, or they exclude each other.
        UnreadableInput: they cannot be read.
    """
    now = SystemClock().now()
    zone = ZoneInfo(settings.log_zone) if settings.log_zone is not None else None
    if asked.demo:
        if asked.paths:
            raise UsageError("--demo and a path exclude each other", "Leave one of them out.")
        path = demo_path(asked.demo_incident or next(iter(demo_names())))
        return await open_incident(path, now=now, zone=zone)
    if not asked.paths:
        raise UsageError(
            "there is nothing to ask: no path was named and no source is configured",
            'Name an incident folder, logs, or `-`: sba diagnose "…" ./incident. To look around: sba demo.',
        )
    if STANDARD_INPUT in asked.paths:
        if len(asked.paths) > 1:
            raise UsageError("`-` stands alone", "Name files, or pipe into the command, not both.")
        return await open_stream(stdin, now=now, zone=zone, service=asked.service)
    paths = [Path(path) for path in asked.paths]
    if len(paths) == 1 and (paths[0].is_dir() or not paths[0].exists()):
        return await open_incident(paths[0], now=now, zone=zone)
    return await open_logs(paths, now=now, zone=zone, service=asked.service)


def read_asked(asked: Asked, settings: Settings, at: datetime) -> Question:
    """The question with its window and zone.

    Raises:
        UsageError: a time, a zone or the question itself cannot be read.
    """
    text = asked.question.strip()
    if not text:
        raise UsageError("the question is empty", 'Ask something: sba diagnose "why do orders fail?" ./logs')
    zone = asked.zone or settings.zone
    if not is_zone(zone):
        raise UsageError(f"{zone!r} is no time zone", "Name one as in Asia/Shanghai or UTC.")
    lang = detect_lang(text)
    if asked.at is not None:
        at = read_moment("--at", asked.at, at, zone)
    since = None if asked.since is None else read_moment("--since", asked.since, at, zone)
    until = None if asked.until is None else read_moment("--until", asked.until, at, zone)
    if since is not None and (until or at) < since:
        raise UsageError("the window ends before it begins", "Look at --since, --until and --at.")
    given = since is not None or until is not None
    window = Window(since=since, until=until or at) if given else Window()
    return Question(text=text, lang=lang, at=at, window=window, service=asked.service, zone=zone, demo=asked.demo)


def read_moment(option: str, given: str, at: datetime, zone: str) -> datetime:
    """A time as an option gives it: ISO, a clock time or words in the reader's zone, or a length before `at`.

    Raises:
        UsageError: it is no time.
    """
    text = given.strip()
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        before = f"last {text}" if _LENGTH.fullmatch(text) else f"since {text}"
        found = read_window(before, at, zone).window.since
        if found is None:
            hint = "Write 10:15, 15m, or 2026-11-30T23:11:05Z."
            raise UsageError(f"{option} {given!r} is no time", hint) from None
        return found
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=ZoneInfo(zone))


async def make_parts(incident: Incident, at: datetime, store: RecordStore, settings: Settings) -> Parts:
    """The parts of a diagnosis over an opened incident."""
    entities = await incident.known_entities()
    budget = settings.budget
    return Parts(
        store=store,
        tools=make_tools(incident, FixedClock(at), entities),
        entities=entities,
        planner=_planner(),
        executor=_executor(settings),
        clock=SystemClock(),
        budget=QuestionBudget(time.monotonic, rounds=budget.rounds, calls=budget.calls, seconds=budget.seconds),
        budget_seconds=budget.seconds,
    )


def make_tools(incident: Incident, clock: Clock, entities: Mapping[EntityRole, frozenset[str]]) -> dict[str, Tool]:
    """The four tools over an incident's sources; `clock` is the question's "now"."""
    known = KnownNames(entities)
    runbooks = KnowledgeIndex([Document(*document) for document in incident.runbooks], widen=widen)
    return {
        QUERY_METRICS: QueryMetrics(incident.alert_sources, clock, known),
        QUERY_LOGS: QueryLogs(incident.log_sources, known),
        LOOKUP_KNOWLEDGE: LookupKnowledge([runbooks] if incident.runbooks else []),
        READ_SKILL: ReadSkill([Skills([Document(*document) for document in incident.skills])]),
    }


def _planner() -> Planner:
    from superbizagent.agents.extractive.planner import ExtractivePlanner

    return ExtractivePlanner()


def _executor(settings: Settings) -> Executor:
    if settings.engine == "scripted":
        from superbizagent.agents.scripted import ScriptedExecutor, read_script

        if settings.engine_script is None:
            raise UsageError("engine `scripted` needs a script", "Set engine_script (SBA_ENGINE_SCRIPT) to a file.")
        one_file(settings.engine_script)  # a pipe or a device could be waited for without end
        return ScriptedExecutor(read_script(settings.engine_script))
    from superbizagent.agents.extractive.executor import ExtractiveExecutor

    return ExtractiveExecutor()


async def evaluate_folder(folder: Path) -> list[CaseResult]:
    """The results of an incident folder's cases; nothing is written to the store.

    Raises:
        UnreadableInput: the folder or a case cannot be read, or there are no cases.
    """
    settings = Settings.model_construct(budget=BudgetSettings(), zone="UTC", engine="extractive", log_zone=None)
    incident = await open_incident(folder, now=SystemClock().now())
    if not incident.cases:
        raise UnreadableInput(f"{folder} holds no cases", "Write them under `cases` in incident.yaml.")
    results = []
    for case in incident.cases:
        try:
            expected = EvaluationCase.model_validate(case._asdict())
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(str(part) for part in first["loc"])
            raise UnreadableInput(f"{folder}: case {case.id}: {where}: {first['msg']}", "Correct the case.") from None
        question = Question(text=case.question, lang=Lang(expected.lang), at=incident.at, zone="UTC")
        parts = await make_parts(incident, question.at, MemoryStore(), settings)
        results.append(judge_case(incident.name, expected, await diagnose(question, new_session_id(), parts)))
    return results


@asynccontextmanager
async def opened_store(settings: Settings | None = None) -> AsyncIterator[SqlStore]:
    """The store that the settings name, closed at the end; first it closes what killed processes left unfinished."""
    store = await open_store((settings or load_settings()).store)
    try:
        # A store that cannot be written can still be read; what is unfinished is counted by `sba audit`.
        with suppress(StoreFailed):
            await close_abandoned(store, SystemClock())
        yield store
    finally:
        await store.close()


async def find_session(store: SqlStore, named: str) -> DiagnosisSession:
    """The session of this id, or the only one whose id begins so.

    Raises:
        UsageError: there is none, or more than one.
    """
    exact = await store.get_session(named)
    if exact is not None:
        return exact
    if len(named) >= _SHORTEST_SESSION_PREFIX:
        found = [session for session in await store.list_sessions(limit=_MOST_SESSIONS) if session.id.startswith(named)]
        if len(found) == 1:
            return found[0]
        if found:
            raise UsageError(f"{len(found)} sessions begin with {named}", "Give more of the id; see `sba sessions`.")
    raise UsageError(f"there is no session {named}", "See `sba sessions`.")


def new_session_id() -> str:
    """An id for a new session: no meaning, no guess."""
    return uuid.uuid4().hex


def demo_names() -> list[str]:
    """The shipped incidents, the first one first."""
    folder = Path(str(files("superbizagent") / "demo_data"))
    return sorted(path.name for path in folder.iterdir() if (path / "incident.yaml").is_file())


def demo_path(name: str) -> Path:
    """Where a shipped incident is.

    Raises:
        UsageError: there is none of this name.
    """
    if name not in demo_names():
        raise UsageError(f"there is no shipped incident `{name}`", "See `sba demo --list`.")
    return Path(str(files("superbizagent") / "demo_data" / name))


async def demo_questions() -> dict[str, Sequence[str]]:
    """The shipped incidents and the questions of their cases."""
    now = SystemClock().now()
    opened = {name: await open_incident(demo_path(name), now=now) for name in demo_names()}
    return {name: [case.question for case in incident.cases] for name, incident in opened.items()}
