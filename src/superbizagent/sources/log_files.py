"""Log files as a source: which records match a query, how many, and the ones worth keeping.

Decides which records of the files match (whole terms, level, service, window), counts them all, and keeps a chosen few
as items. It refuses to guess: a service that no record names is looked for as the name of a file and then as a word of
the records, and `searched.filters` says which; a record without a time is in no bounded window, and is counted; what
was not read is said. Reading is blocking and runs in a thread; a search that takes too long stops and says so.
Protocol: section 2 (`query_logs`, `searched`), section 3 (log record), section 11 (log files as found).
"""

import asyncio
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from typing import NamedTuple, TypeVar

from superbizagent.contract.errors import SourceUnavailable
from superbizagent.contract.evidence import Searched
from superbizagent.contract.plan import EntityRole
from superbizagent.ports import LogQuery, Page
from superbizagent.sources.log_forms import Seconds
from superbizagent.sources.log_index import FileIndex, build_index, identity_of
from superbizagent.sources.log_items import item_of
from superbizagent.sources.log_levels import level_named
from superbizagent.sources.log_search import Scope, Seen, Wanted, bounds_of, last_micro, search_file
from superbizagent.sources.log_selection import Selection
from superbizagent.sources.log_terms import Term, terms_of
from superbizagent.sources.regular_files import FoundFile

PATIENCE = 20.0
"""Seconds after which a search stops and says how far it came."""

_NAMES_SHOWN = 5
_Result = TypeVar("_Result")


class LogFile(NamedTuple):
    """A file of records; `service` is the service of all of them where the caller knows it, never guessed."""

    file: FoundFile
    service: str | None = None


class _Stopped(Exception):
    """The search ran out of patience, or nobody waits for it any more."""


class _Scopes(NamedTuple):
    """Which files are searched for a service, and what `searched.filters` says about it."""

    scopes: list[Scope]
    service: str | None
    mention: str | None
    filters: dict[str, str]


class LogFiles:
    """Answers log queries over files; see `superbizagent.ports.LogSource`.

    `zone` is the configured zone of stamps without one. Where none is configured, windows read them in `assumed_zone`
    (UTC by default), which is said, and items give no time for them. `before` bounds the year of stamps without one;
    `notes` are sentences about what is not among the files.
    """

    def __init__(
        self,
        name: str,
        files: Sequence[LogFile],
        *,
        zone: tzinfo | None = None,
        assumed_zone: tzinfo = UTC,
        before: datetime | None = None,
        notes: Sequence[str] = (),
        patience: float = PATIENCE,
    ) -> None:
        self._name = name
        self._files = list(files)
        self._zone = zone
        self._assumed_zone = assumed_zone
        self._before = before
        self._notes = list(notes)
        self._patience = patience
        self._indexes: dict[int, FileIndex] = {}
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """The source's name, for `searched.source`."""
        return self._name

    async def query_logs(self, query: LogQuery) -> Page:
        """The matching records, chosen and in time order. Raises `SourceUnavailable` for a level that is none."""
        return await self._in_thread(lambda check: self._search(query, check))

    async def known_entities(self) -> Mapping[EntityRole, frozenset[str]]:
        """Services, hosts and pools that the records name, and the stems of the files' names."""
        indexes = await self._in_thread(self._all_indexes)
        services = {name for index in indexes for name in index.services}
        services |= {one.service for one in self._files if one.service is not None}
        return {
            EntityRole.SERVICE: frozenset(services),
            EntityRole.HOST: frozenset(name for index in indexes for name in index.hosts),
            EntityRole.POOL: frozenset(name for index in indexes for name in index.pools),
            EntityRole.FILE: frozenset(one.file.stem for one in self._files),
        }

    def newest(self) -> datetime | None:
        """The time of the newest record with its fraction, or None when no record has a time. Blocking.

        A window that ends here has that record in it: its second alone would leave it out.
        """
        indexes = self._all_indexes(_until(time.monotonic() + self._patience, threading.Event()))
        second = max((index.newest for index in indexes if index.newest is not None), default=None)
        if second is None:
            return None
        micros = (
            last_micro(one.file, index, second)
            for one, index in zip(self._files, indexes, strict=False)
            if index.newest == second
        )
        return datetime.fromtimestamp(second, UTC).replace(microsecond=max(micros, default=0))

    async def _in_thread(self, work: Callable[[Callable[[], None]], _Result]) -> _Result:
        """Run blocking work in a thread; it is told to stop when nobody waits for it any more."""
        cancelled = threading.Event()
        try:
            return await asyncio.to_thread(work, _until(time.monotonic() + self._patience, cancelled))
        except asyncio.CancelledError:
            cancelled.set()
            raise

    def _all_indexes(self, check: Callable[[], None]) -> list[FileIndex]:
        indexes: list[FileIndex] = []
        try:
            indexes.extend(self._index(number, check) for number in range(len(self._files)))
        except _Stopped:
            # What was passed over so far is known; a later search goes on from there.
            return indexes
        return indexes

    def _index(self, number: int, check: Callable[[], None]) -> FileIndex:
        """The file's index, built anew when the file has changed."""
        file = self._files[number].file
        with self._lock:
            known = self._indexes.get(number)
            if known is not None and _unchanged(file, known):
                return known
            built = self._indexes[number] = build_index(file, self._seconds(), check)
            return built

    def _seconds(self) -> Seconds:
        return Seconds(self._zone, self._before, self._assumed_zone)

    def _search(self, query: LogQuery, check: Callable[[], None]) -> Page:
        level = None if query.level is None else level_named(query.level)
        if query.level is not None and level is None:
            raise SourceUnavailable(f"{query.level!r} is no level; levels are fatal, error, warn, info, debug, trace")
        seen = Seen()
        selection = Selection(query.limit, by_match=bool(query.bearing))
        stopped: str | None = None
        indexes: list[FileIndex] = []
        scopes = _Scopes([], None, None, {})
        wanted = _wanted(query, level, None)
        done = 0
        try:
            indexes = [self._index(number, check) for number in range(len(self._files))]
            scopes = self._scopes(query.service, indexes)
            wanted = _wanted(query, level, scopes)
            for scope in scopes.scopes:
                search_file(scope, wanted, selection, seen, check)
                done += 1
        except _Stopped:
            stopped = (
                f"the search was stopped after {self._patience:g} s: {done} of {len(self._files)} files were "
                "searched to their end; name a smaller window or fewer files"
            )
        unknown = self._unknown_service(scopes, selection, indexes, check)
        kept = selection.kept()
        by_number = {scope.number: scope for scope in scopes.scopes}
        items = [
            item_of(one, by_number[one.candidate.place[0]], wanted.patterns, self._zone, self._before) for one in kept
        ]
        searched = Searched(
            source=self._name,
            filters={**scopes.filters, **({"level": query.level} if query.level is not None else {})},
            window=query.window,
            records_searched=seen.searched,
            records_matched=selection.matched,
            returned=len(items),
            truncated=len(items) < selection.matched or stopped is not None,
            kept=selection.kept_by if len(items) < selection.matched else "",
            unknown_entities=unknown,
            notes=[*([stopped] if stopped else []), *self._said(indexes, seen, wanted)],
        )
        return Page(items, searched)

    def _scopes(self, service: str | None, indexes: Sequence[FileIndex]) -> _Scopes:
        """The files to search: for a service by the records' own field, else by the files' names, else by mention."""
        everything = [
            Scope(number, one.file, index, one.service, whole=service is None)
            for number, (one, index) in enumerate(zip(self._files, indexes, strict=True))
        ]
        if service is None:
            return _Scopes(everything, None, None, {})
        wanted = service.casefold()
        by_name = {scope.number for scope in everything if scope.file.stem.casefold() == wanted}
        by_field = {
            scope.number
            for scope in everything
            if wanted in {name.casefold() for name in (*scope.facts.services, scope.service or "")}
        }
        if by_field or by_name:
            chosen = [
                scope._replace(whole=scope.number in by_name and scope.number not in by_field)
                for scope in everything
                if scope.number in by_field | by_name
            ]
            filters = {"service": service} if by_field else {}
            if by_name - by_field:
                filters["file"] = ", ".join(_few([scope.file.name for scope in chosen if scope.whole]))
            return _Scopes(chosen, wanted, None, filters)
        # No field and no file has the name: what is left is the records that speak of it.
        mentioning = [scope._replace(whole=True) for scope in everything]
        return _Scopes(mentioning, None, service, {"mentions": service})

    def _unknown_service(
        self, scopes: _Scopes, selection: Selection, indexes: Sequence[FileIndex], check: Callable[[], None]
    ) -> list[str]:
        """The service, when nothing was found and no record of any time so much as mentions it."""
        if scopes.mention is None or selection.matched:
            return []
        mention = _wanted(LogQuery(groups=[[scopes.mention]]), None, None)
        any_mention = Selection(1, by_match=False)
        try:
            for scope in scopes.scopes:
                search_file(scope, mention, any_mention, Seen(), check)
                if any_mention.matched:
                    return []
        except _Stopped:
            return []
        return [scopes.mention]

    def _said(self, indexes: Sequence[FileIndex], seen: Seen, wanted: Wanted) -> list[str]:
        """What has to be said about the search beside its counts."""
        notes = list(self._notes)
        for index in indexes:
            notes += index.notes
        assumed = [one.file.name for one, index in zip(self._files, indexes, strict=False) if index.seconds.assumed]
        if assumed and wanted.bounds.bounded:
            notes.append(f"stamps without a zone were read as {self._assumed_zone}: {', '.join(_few(assumed))}")
        if seen.untimed and wanted.bounds.bounded:
            notes.append(f"{seen.untimed} records without a readable time are in no window and were left out")
        if seen.without_level:
            notes.append(f"{seen.without_level} matching records name no level and were left out by the level filter")
        if seen.of_no_service:
            notes.append(
                f"{seen.of_no_service} matching records name no service and were left out by the service filter"
            )
        return notes


def _until(deadline: float, cancelled: threading.Event) -> Callable[[], None]:
    """A check that raises when the time is up or nobody waits any more."""

    def check() -> None:
        if cancelled.is_set() or time.monotonic() > deadline:
            raise _Stopped

    return check


def _wanted(query: LogQuery, level: int | None, scopes: _Scopes | None) -> Wanted:
    groups = [terms_of(group) for group in query.groups]
    if scopes is not None and scopes.mention is not None:
        groups.append([Term(scopes.mention)])
    return Wanted(
        groups=sorted(groups, key=len),
        bearing=[terms_of(group) for group in query.bearing],
        level=level,
        bounds=bounds_of(query.window),
        service=None if scopes is None else scopes.service,
    )


def _unchanged(file: FoundFile, index: FileIndex) -> bool:
    try:
        return identity_of(file) == index.identity
    except OSError:
        return index.identity == (-1, -1)


def _few(names: Sequence[str]) -> list[str]:
    more = len(names) - _NAMES_SHOWN
    return [*names[:_NAMES_SHOWN], *([f"and {more} more"] if more > 0 else [])]
