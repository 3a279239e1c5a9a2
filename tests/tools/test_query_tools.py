"""The tools over sources: argument checks, the query language at work, several sources as one answer."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from superbizagent.contract.errors import SourceUnavailable, UsageError
from superbizagent.contract.evidence import ToolOutput
from superbizagent.contract.plan import EntityRole
from superbizagent.contract.vocabulary import EvidenceStatus
from superbizagent.ports import AlertQuery, LogQuery, Page
from superbizagent.sources.incident_folder import Incident, open_incident
from superbizagent.tools.known import KnownNames
from superbizagent.tools.query_logs import QueryLogs, merge_records
from superbizagent.tools.query_metrics import QueryMetrics
from tests.sources.opened import DATA, opened, written

NOW = datetime(2026, 11, 30, 23, 11, 5, tzinfo=UTC)
POOL = DATA / "incidents" / "order-service-pool"


class Down:
    """A source that cannot be asked."""

    name = "archive"

    async def query_logs(self, query: LogQuery) -> Page:
        raise SourceUnavailable("connection refused")

    async def query_alerts(self, query: AlertQuery) -> Page:
        raise SourceUnavailable("connection refused")

    async def known_entities(self) -> Mapping[EntityRole, frozenset[str]]:
        return {}


class At:
    """A clock that stands."""

    def now(self) -> datetime:
        return NOW


async def logs_tool(incident: Incident) -> QueryLogs:
    return QueryLogs(incident.log_sources, KnownNames(await incident.known_entities()))


async def asked(path: Path, **arguments: Any) -> ToolOutput:
    incident = await open_incident(path, now=NOW)
    return await (await logs_tool(incident)).ask(arguments)


@pytest.mark.parametrize(
    "query",
    [
        "HikariCP",
        "HikariPool",
        "connection pool",
        "数据库连接池",
        "连接池耗尽",
        "active=50/50",
        "waiting",
        "request timed out after 30000ms",
        '"request timed out after 30000ms"',
        "order-service",
    ],
)
async def test_each_way_to_name_a_pool_finds_its_records(query: str) -> None:
    output = await asked(POOL, query=query)
    assert output.evidence_status is EvidenceStatus.OK
    assert any(
        ("HikariPool-1" in item["record"] and "active=50, idle=0" in item["record"])
        or "Connection is not available" in item["record"]
        for item in output.items
    )


async def test_ratio_is_read_as_its_fields_and_that_is_said() -> None:
    output = await asked(POOL, query="active=50/50")
    assert all("total=50, active=50" in item["record"] for item in output.items)
    assert "total=50" in output.searched[0].terms["active=50/50"]
    assert any("active=50/50" in note for note in output.searched[0].notes)


async def test_phrase_that_stands_nowhere_falls_back_to_its_words_best_matches_first() -> None:
    output = await asked(POOL, query='"request timed out after 31337ms"', limit=3)
    assert all("request timed out after" in item["record"] for item in output.items)
    assert any("its parts were searched" in note for note in output.searched[0].notes)


async def test_service_in_the_query_chooses_its_file_and_that_is_said() -> None:
    output = await asked(POOL, query="order-service timeout", limit=5)
    assert output.searched[0].filters == {"file": "logs/order-service.log"}
    assert any("is the name of a service" in note for note in output.searched[0].notes)


async def test_no_hit_is_an_empty_list_and_no_evidence() -> None:
    output = await asked(POOL, query='"disk is full" AND quota')
    assert (output.items, output.evidence_status, output.error) == ([], EvidenceStatus.NO_EVIDENCE, None)
    assert output.as_json()["logs"] == []
    assert output.searched[0].records_searched == 761


async def test_service_that_no_source_knows_is_said_and_not_searched() -> None:
    output = await asked(POOL, query="HikariPool", service="ordr-service")
    assert output.evidence_status is EvidenceStatus.NO_EVIDENCE
    assert output.searched[0].unknown_entities == ["ordr-service"]
    assert output.searched[0].records_searched is None


@pytest.mark.parametrize(
    "arguments",
    [
        {"queri": "x"},
        {"query": 7},
        {"query": "x" * 5000},
        {"limit": 0},
        {"limit": True},
        {"limit": 10**9},
        {"limit": "many"},
        {"level": "loud"},
        {"since": "soon"},
        {"since": "2026-11-30T23:00:00Z", "until": "2026-11-30T22:00:00Z"},
        {"query": "error NOT timeout"},
        {"query": "AND"},
    ],
)
async def test_wrong_argument_is_refused_in_a_sentence(arguments: dict[str, Any]) -> None:
    with pytest.raises(UsageError) as raised:
        await asked(POOL, **arguments)
    assert "\n" not in str(raised.value)


async def test_answer_of_one_source_stays_when_another_is_down(tmp_path: Path) -> None:
    written(tmp_path, {"app.log": "2026-11-30T23:09:28Z disk gone\n"})
    output = await QueryLogs([Down(), opened(tmp_path)], KnownNames({})).ask({"query": "disk"})
    assert output.evidence_status is EvidenceStatus.OK
    assert output.error == "archive: connection refused"
    assert [one.source for one in output.searched] == ["archive", "logs"]


async def test_nothing_found_beside_a_source_that_is_down_is_unavailable_not_no_evidence(tmp_path: Path) -> None:
    written(tmp_path, {"app.log": "2026-11-30T23:09:28Z disk gone\n"})
    output = await QueryLogs([Down(), opened(tmp_path)], KnownNames({})).ask({"query": "quota"})
    assert (output.items, output.evidence_status) == ([], EvidenceStatus.UNAVAILABLE)
    assert output.error == "archive: connection refused"


async def test_all_sources_down_is_unavailable() -> None:
    for tool in (QueryLogs([Down()], KnownNames({})), QueryMetrics([Down()], At(), KnownNames({}))):
        output = await tool.ask({})
        assert output.evidence_status is EvidenceStatus.UNAVAILABLE
        assert output.error


async def test_records_of_several_sources_stand_in_the_order_of_their_times(tmp_path: Path) -> None:
    written(tmp_path / "a", {"a.log": "2026-11-30T23:09:01Z x 1\n2026-11-30T23:09:03Z x 3\n"})
    written(tmp_path / "b", {"b.log": "2026-11-30T23:09:02Z x 2\n"})
    tool = QueryLogs([opened(tmp_path / "a"), opened(tmp_path / "b")], KnownNames({}))
    output = await tool.ask({"query": "x"})
    assert [item["record"][-1] for item in output.items] == ["1", "2", "3"]


def test_severe_records_of_any_source_are_kept_when_the_list_is_cut() -> None:
    infos = [{"record": f"i{n}", "level": "INFO", "time": f"2026-11-30T23:09:0{n}Z"} for n in range(5)]
    errors = [{"record": "e", "level": "ERROR", "time": "2026-11-30T23:08:00Z"}]
    assert [item["record"] for item in merge_records([infos, errors], 2)] == ["e", "i4"]


async def test_alerts_of_several_sources_are_one_where_their_labels_are_equal() -> None:
    incident = await open_incident(POOL, now=NOW)
    tool = QueryMetrics([*incident.alert_sources, *incident.alert_sources], At(), KnownNames({}))
    output = await tool.ask({})
    assert [item["alertname"] for item in output.items] == ["HikariPoolExhausted", "OrderFailureRateHigh"]
    assert [item["duration"] for item in output.items] == ["1m21s", "41s"]
