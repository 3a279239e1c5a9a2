"""`query_logs`: which log records have these terms, in this window, of this service and level.

No hit is `logs=[]` and `no_evidence`, never a placeholder. Protocol: section 2.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from superbizagent.contract.evidence import Searched, ToolOutput
from superbizagent.contract.tools import QUERY_LOGS
from superbizagent.contract.vocabulary import EvidenceStatus
from superbizagent.ports import LogQuery, LogSource, Page
from superbizagent.rules.lexicon import concepts_in
from superbizagent.tools.arguments import Arguments
from superbizagent.tools.known import KnownNames
from superbizagent.tools.log_terms import LogTerms, loosened, narrowed, read_query
from superbizagent.tools.merging import ask_all

_DEFAULT_LIMIT = 20


class QueryLogs:
    """Implements `ports.Tool` over log sources."""

    name = QUERY_LOGS

    def __init__(self, sources: Sequence[LogSource], known: KnownNames) -> None:
        self._sources = sources
        self._known = known

    async def ask(self, arguments: Mapping[str, Any]) -> ToolOutput:
        """Arguments: `query`, `service`, `level`, `since`, `until`, `limit`.

        Raises:
            UsageError: an argument is unknown or wrong.
        """
        given = Arguments(arguments)
        written = given.text("query") or ""
        query = LogQuery(
            service=given.text("service"), level=given.level(), window=given.window(), limit=given.limit(_DEFAULT_LIMIT)
        )
        given.done()
        terms = read_query(written)
        if query.service is None:
            terms, service = self._named_service(terms)
            query = query._replace(service=service)
        if query.service is not None and self._sources and not self._known.has_service(query.service):
            return self._unknown(query.service)
        output = await self._search(query, terms, written)
        for reading in (narrowed, loosened):
            other = reading(terms)
            if output.evidence_status is EvidenceStatus.NO_EVIDENCE and other is not None:
                output = await self._search(query, other, written)
        return output

    def _named_service(self, terms: LogTerms) -> tuple[LogTerms, str | None]:
        """A term that is no word but the name of a known service chooses where to look, and is not searched as text."""
        names = {
            term
            for group in terms.groups
            for term in group
            if (terms.plain or len(group) == 1) and self._known.has_service(term) and not concepts_in(term)
        }
        if len(names) != 1:
            return terms, None
        name = names.pop()
        groups = [kept for group in terms.groups if (kept := [term for term in group if term != name])]
        bearing = [group for group in terms.bearing if name not in group]
        note = f"`{name}` is the name of a service: its records were searched"
        return terms._replace(groups=groups, bearing=bearing, notes=[*terms.notes, note]), name

    async def _search(self, query: LogQuery, terms: LogTerms, written: str) -> ToolOutput:
        async def ask(source: LogSource) -> Page:
            page = await source.query_logs(query._replace(groups=terms.groups, bearing=terms.bearing))
            searched = page.searched.model_copy(
                update={"query": written, "terms": terms.widened, "notes": [*page.searched.notes, *terms.notes]}
            )
            return Page(page.items, searched)

        return await ask_all(
            "logs",
            self._sources,
            ask,
            lambda source: source.name,
            lambda pages: merge_records(pages, query.limit),
            query.limit,
            "no source of logs is configured, and the folder holds none",
        )

    def _unknown(self, service: str) -> ToolOutput:
        searched = [
            Searched(source=source.name, unknown_entities=[service], notes=[self._known.sentence(service)])
            for source in self._sources
        ]
        return ToolOutput(collection="logs", evidence_status=EvidenceStatus.NO_EVIDENCE, searched=searched)


_LEVELS = ("FATAL", "ERROR", "WARN", "INFO", "DEBUG", "TRACE")


def merge_records(pages: list[list[dict[str, Any]]], limit: int) -> list[dict[str, Any]]:
    """The records of several sources in the order of their times; over the limit, the most severe and newest stay.

    One source's records keep its order, and a record without a time stays behind the record before it.
    """
    filled = [page for page in pages if page]
    if len(filled) < 2:
        return filled[0] if filled else []
    timed: list[tuple[str, dict[str, Any]]] = []
    for page in filled:
        last = ""
        for item in page:
            last = item["time"] if isinstance(item.get("time"), str) else last
            timed.append((last, item))
    if len(timed) > limit:
        timed = sorted(sorted(timed, key=lambda pair: pair[0], reverse=True), key=lambda pair: _rank(pair[1]))[:limit]
    return [item for _, item in sorted(timed, key=lambda pair: pair[0])]


def _rank(item: Mapping[str, Any]) -> int:
    level = item.get("level")
    return _LEVELS.index(level) if level in _LEVELS else _LEVELS.index("INFO")
