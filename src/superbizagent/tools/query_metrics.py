"""`query_metrics`: which alerts are there, in which state, since when.

The same alert of two sources (equal labels) is one item; alerts are never merged by name. Protocol: section 2.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from superbizagent.contract.evidence import Searched, ToolOutput
from superbizagent.contract.tools import QUERY_METRICS
from superbizagent.contract.vocabulary import EvidenceStatus
from superbizagent.ports import AlertQuery, AlertSource, Clock
from superbizagent.tools.arguments import Arguments
from superbizagent.tools.known import KnownNames
from superbizagent.tools.merging import ask_all

STATES = ("firing", "pending", "resolved", "suppressed", "inactive")
_DEFAULT_LIMIT = 50


class QueryMetrics:
    """Implements `ports.Tool` over alert sources; `clock` gives the "now" for durations."""

    name = QUERY_METRICS

    def __init__(self, sources: Sequence[AlertSource], clock: Clock, known: KnownNames) -> None:
        self._sources = sources
        self._clock = clock
        self._known = known

    async def ask(self, arguments: Mapping[str, Any]) -> ToolOutput:
        """Arguments: `service`, `alertname`, `state`, `limit`.

        Raises:
            UsageError: an argument is unknown or wrong.
        """
        given = Arguments(arguments)
        query = AlertQuery(
            at=self._clock.now(),
            service=given.text("service"),
            alertname=given.text("alertname"),
            state=given.choice("state", STATES),
            limit=given.limit(_DEFAULT_LIMIT),
        )
        given.done()
        if query.service is not None and self._sources and not self._known.has_service(query.service):
            searched = [
                Searched(
                    source=source.name, unknown_entities=[query.service], notes=[self._known.sentence(query.service)]
                )
                for source in self._sources
            ]
            return ToolOutput(collection="alerts", evidence_status=EvidenceStatus.NO_EVIDENCE, searched=searched)
        return await ask_all(
            "alerts",
            self._sources,
            lambda source: source.query_alerts(query),
            lambda source: source.name,
            merge_alerts,
            query.limit,
            "no source of alerts is configured, and the folder holds none",
        )


def merge_alerts(pages: list[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Alerts with equal labels are one; what only the later source knows is added, nothing is overwritten."""
    merged: dict[tuple[tuple[str, str], ...], dict[str, Any]] = {}
    for page in pages:
        for alert in page:
            labels = alert.get("labels")
            key = (
                tuple(sorted((str(name), str(value)) for name, value in labels.items()))
                if isinstance(labels, dict)
                else ()
            )
            merged[key] = {**alert, **merged.get(key, {})}
    return list(merged.values())
