"""Recorded answers of Prometheus and Alertmanager: which alerts there are, in which state."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from superbizagent.contract.errors import SourceUnavailable
from superbizagent.contract.plan import EntityRole
from superbizagent.ports import AlertQuery, Page
from superbizagent.rules.refs import item_text
from superbizagent.sources.alert_files import AlertFiles
from superbizagent.sources.regular_files import find_files
from tests.sources.opened import DATA, written

AT = datetime(2026, 11, 30, 23, 11, 5, tzinfo=UTC)
START = "2026-11-30T22:56:05Z"


def prometheus(*alerts: dict[str, Any]) -> str:
    return json.dumps({"status": "success", "data": {"alerts": alerts}})


def rule(name: str = "HighMemoryUsage", state: str = "firing", value: str = "9.1e+01", **labels: str) -> dict[str, Any]:
    labels = {"alertname": name, "service": "pay", **labels}
    return {"labels": labels, "annotations": {"summary": "s"}, "state": state, "activeAt": START, "value": value}


def notified(
    name: str = "HighMemoryUsage", state: str = "active", ends: str = "2026-11-30T23:15:00Z", **more: Any
) -> dict[str, Any]:
    status = {"state": state, "silencedBy": more.pop("silenced", []), "inhibitedBy": more.pop("inhibited", [])}
    labels = {"alertname": name, "service": "pay", **more}
    return {"labels": labels, "annotations": {"description": "d"}, "status": status, "startsAt": START, "endsAt": ends}


async def asked(folder: Path, files: dict[str, str], at: datetime = AT, **query: Any) -> Page:
    written(folder, files)
    return await AlertFiles("alerts", find_files(folder).files).query_alerts(AlertQuery(at=at, **query))


async def test_shipped_bodies_are_two_alerts_with_what_both_know() -> None:
    folder = DATA / "incidents" / "order-service-pool"
    files = find_files(folder, lambda name: name.startswith("alert")).files
    page = await AlertFiles("alerts", files).query_alerts(AlertQuery(at=AT))
    assert [item["alertname"] for item in page.items] == ["HikariPoolExhausted", "OrderFailureRateHigh"]
    assert page.items[0]["fingerprint"] == "1b5dfc3eaddb657b"
    assert page.items[0]["file"] == "alertmanager.json, alerts.json"
    assert item_text("alerts", page.items[1]) == (
        "OrderFailureRateHigh firing, service=order-service, instance=127.0.0.1:9405, job=order-service, severity=warning, "
        "current=4.607142857142857, since=2026-11-30T23:10:23.18908375Z, duration=41s; orders fail at 4.61 per second"
    )


async def test_equal_labels_are_one_alert_that_keeps_what_each_answer_knows(tmp_path: Path) -> None:
    page = await asked(tmp_path, {"a.json": prometheus(rule()), "b.json": json.dumps([notified()])})
    (item,) = page.items
    assert item["value"] == "9.1e+01"
    assert item["annotations"] == {"summary": "s", "description": "d"}
    assert (item["state"], item["duration"]) == ("firing", "15m")


async def test_alerts_of_one_name_and_other_labels_stay_apart(tmp_path: Path) -> None:
    page = await asked(tmp_path, {"a.json": prometheus(rule(pod="a"), rule(pod="b"))})
    assert len(page.items) == 2


@pytest.mark.parametrize(
    ("alert", "state"),
    [
        (notified(), "firing"),
        (notified(state="suppressed", silenced=["s-1"]), "suppressed"),
        (notified(ends="0001-01-01T00:00:00Z"), "firing"),
        (notified(ends="2026-11-30T23:11:05Z"), "resolved"),
        (notified(ends="2026-11-30T23:11:06Z"), "firing"),
    ],
)
async def test_state_of_alertmanager_is_told_at_the_moment_asked_about(
    tmp_path: Path, alert: dict[str, Any], state: str
) -> None:
    (item,) = (await asked(tmp_path, {"a.json": json.dumps([alert])})).items
    assert item["state"] == state
    assert ("resolved_at" in item) == (state == "resolved")


async def test_rule_that_still_fires_is_not_ended_by_alertmanagers_guess(tmp_path: Path) -> None:
    files = {"a.json": prometheus(rule()), "b.json": json.dumps([notified(ends="2026-11-30T23:00:00Z")])}
    (item,) = (await asked(tmp_path, files)).items
    assert item["state"] == "firing"
    assert "resolved_at" not in item


async def test_silenced_alert_that_fires_is_found_as_firing_and_as_suppressed(tmp_path: Path) -> None:
    files = {"a.json": prometheus(rule()), "b.json": json.dumps([notified(state="suppressed", silenced=["s-1"])])}
    for state in ("firing", "suppressed"):
        (item,) = (await asked(tmp_path, files, state=state)).items
        assert "suppressed_by=silence s-1" in item_text("alerts", item)


async def test_webhook_tells_a_resolved_alert_with_its_end(tmp_path: Path) -> None:
    alert = {
        "status": "resolved",
        "labels": {"alertname": "A"},
        "annotations": {},
        "startsAt": START,
        "endsAt": "2026-11-30T23:00:05Z",
    }
    (item,) = (await asked(tmp_path, {"a.json": json.dumps({"status": "resolved", "alerts": [alert]})})).items
    assert item_text("alerts", item) == f"A resolved, since={START}, resolved_at=2026-11-30T23:00:05Z, duration=4m"


async def test_alert_that_ended_later_was_firing_at_the_moment_asked_about(tmp_path: Path) -> None:
    alert = {"status": "resolved", "labels": {"alertname": "A"}, "startsAt": START, "endsAt": "2026-11-30T23:30:00Z"}
    (item,) = (await asked(tmp_path, {"a.json": json.dumps({"alerts": [alert]})})).items
    assert item["state"] == "firing"


async def test_later_webhook_of_one_alert_goes_first(tmp_path: Path) -> None:
    labels = {"alertname": "A"}
    first = {"status": "firing", "labels": labels, "startsAt": START, "endsAt": "0001-01-01T00:00:00Z"}
    second = {"status": "resolved", "labels": labels, "startsAt": START, "endsAt": "2026-11-30T23:00:05Z"}
    for files in ({"1.json": first, "2.json": second}, {"1.json": second, "2.json": first}):
        bodies = {name: json.dumps({"alerts": [alert]}) for name, alert in files.items()}
        (item,) = (await asked(tmp_path, bodies)).items
        assert (item["state"], item["resolved_at"]) == ("resolved", "2026-11-30T23:00:05Z")


@pytest.mark.parametrize(
    ("query", "count"),
    [({"service": "PAY"}, 2), ({"alertname": "b"}, 1), ({"state": "pending"}, 1), ({"service": "x"}, 0)],
)
async def test_filters_compare_whole_values_in_any_case(tmp_path: Path, query: dict[str, Any], count: int) -> None:
    body = prometheus(rule("A"), rule("B", state="pending"), rule("C", service="stock"))
    page = await asked(tmp_path, {"a.json": body}, **query)
    assert len(page.items) == page.searched.records_matched == count
    assert page.searched.records_searched == 3
    assert page.searched.unknown_entities == (["x"] if query.get("service") == "x" else [])


async def test_service_is_the_job_or_app_where_no_label_says_service(tmp_path: Path) -> None:
    one = {"labels": {"alertname": "A", "job": "node"}, "state": "firing"}
    two = {"labels": {"alertname": "B", "app": "web"}, "state": "firing"}
    page = await asked(tmp_path, {"a.json": prometheus(one, two)}, service="node")
    assert [item["service"] for item in page.items] == ["node"]


async def test_limit_keeps_the_most_urgent_and_says_so(tmp_path: Path) -> None:
    body = prometheus(rule("A", state="pending"), rule("B", severity="info"), rule("C", severity="critical"))
    page = await asked(tmp_path, {"a.json": body}, limit=2)
    assert [item["alertname"] for item in page.items] == ["C", "B"]
    assert page.searched.truncated
    assert page.searched.kept


async def test_alert_that_begins_later_is_said(tmp_path: Path) -> None:
    page = await asked(tmp_path, {"a.json": prometheus(rule())}, at=AT - timedelta(hours=1))
    assert page.searched.notes == ["1 alerts began after the moment that is asked about"]
    assert "duration" not in page.items[0]


async def test_names_of_the_labels_are_known(tmp_path: Path) -> None:
    written(tmp_path, {"a.json": prometheus(rule("A", instance="box:1", pool="P-1"))})
    known = await AlertFiles("alerts", find_files(tmp_path).files).known_entities()
    assert known[EntityRole.ALERT] == {"A"}
    assert known[EntityRole.SERVICE] == {"pay"}
    assert known[EntityRole.HOST] == {"box:1"}
    assert known[EntityRole.POOL] == {"P-1"}


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("{", "not JSON"),
        ("", "not JSON"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
        ("42", "no body of"),
        ('{"status":"error","error":"query timed out"}', "query timed out"),
        ('{"status":"success","data":{"alerts":7}}', "no body of"),
        ('[{"labels":7}]', "entry 0 is no alert"),
        ('{"data":{"alerts":[{"labels":{"alertname":NaN}}]}}', "not JSON"),
        ("\0\1\2", "binary"),
    ],
)
async def test_body_that_cannot_be_read_makes_the_source_unavailable(tmp_path: Path, body: str, words: str) -> None:
    with pytest.raises(SourceUnavailable, match=words):
        await asked(tmp_path, {"alerts.json": body})
    assert (await AlertFiles("alerts", find_files(tmp_path).files).known_entities())[EntityRole.ALERT] == frozenset()


@pytest.mark.parametrize(
    "alert",
    [
        {"labels": {}, "state": None, "activeAt": 7, "value": None},
        {
            "labels": {"alertname": "A", "x": None, "y": [1]},
            "annotations": "no",
            "state": "firing",
            "activeAt": "yesterday",
        },
        {"labels": {"alertname": "A" * 10_000}, "state": "firing", "value": "1e999999999"},
    ],
)
async def test_odd_values_of_an_alert_are_left_out(tmp_path: Path, alert: dict[str, Any]) -> None:
    (item,) = (await asked(tmp_path, {"a.json": prometheus(alert)})).items
    assert isinstance(item_text("alerts", item), str)
    assert "duration" not in item
