"""`query_logs`: which log records have these terms, in this window, of this service and level.

No hit is `logs=[]` and `no_evidence`, never a placeholder. Protocol: section 2.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from superbizagent.contract.evidence import Searched, ToolOutput
from superbizagent.contract.tools import QUERY_LOGS
from superbizagent.contract.vocabulary import EvidenceStatus
from superbizagent.ports import LogQuery, LogSource, Page
from superbizagent.tools.arguments import Arguments
from superbizagent.tools.known import KnownNames
from superbizagent.tools.log_terms import LogTerms, loosened, read_query
from superbizagent.tools.merging import ask_all, concatenated

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
        written = given.text("query")
        terms = read_query(written)
        query = LogQuery(
            groups=terms.groups,
            service=given.text("service"),
            level=given.level(),
            window=given.window(),
            limit=given.limit(_DEFAULT_LIMIT),
        )
        given.done()
        if query.service is not None and self._sources and not self._known.has_service(query.service):
            return self._unknown(query.service)
        output = await self._search(query, terms, written or "")
        loose = loosened(terms)
        if output.evidence_status is EvidenceStatus.NO_EVIDENCE and loose is not None:
            output = await self._search(query._replace(groups=loose.groups), loose, written or "")
        return output

    async def _search(self, query: LogQuery, terms: LogTerms, written: str) -> ToolOutput:
        async def ask(source: LogSource) -> Page:
            page = await source.query_logs(query)
            searched = page.searched.model_copy(
                update={"query": written, "terms": terms.widened, "notes": [*page.searched.notes, *terms.notes]}
            )
            return Page(page.items, searched)

        return await ask_all(
            "logs",
            self._sources,
            ask,
            lambda source: source.name,
            concatenated,
            query.limit,
            "no source of logs is configured, and the folder holds none",
        )

    def _unknown(self, service: str) -> ToolOutput:
        searched = [
            Searched(source=source.name, unknown_entities=[service], notes=[self._known.sentence(service)])
            for source in self._sources
        ]
        return ToolOutput(collection="logs", evidence_status=EvidenceStatus.NO_EVIDENCE, searched=searched)
