"""Incident folders, plain folders and files: what is opened, and what "now" is."""

import os
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from superbizagent.contract.errors import UnreadableInput
from superbizagent.contract.plan import EntityRole
from superbizagent.ports import LogQuery
from superbizagent.sources.incident_folder import open_incident, open_logs
from tests.sources.opened import AT, DATA, written

NOW = datetime(2027, 1, 1, tzinfo=UTC)
LINE = "2026-11-30T23:09:28Z ERROR disk is gone\n"


async def test_shipped_folder_is_opened_with_all_its_parts() -> None:
    incident = await open_incident(DATA / "incidents" / "order-service-pool", now=NOW)
    assert incident.title == "order-service runs out of database connections"
    assert incident.at == datetime(2026, 11, 30, 23, 11, 5, tzinfo=UTC)
    assert [case.id for case in incident.cases] == [
        "pool-exhausted-en",
        "pool-exhausted-zh",
        "pool-alert",
        "no-oom",
        "runbook",
    ]
    assert incident.cases[0].cites[0]["tool"] == "query_logs"
    assert [file.name for file in incident.runbooks] == ["runbooks/connection-pool.md", "runbooks/连接池耗尽.md"]
    assert incident.runbooks[1].text.startswith("# 数据库连接池耗尽")
    assert incident.metrics == ["metrics/hikaricp_connections_active.json"]
    known = await incident.known_entities()
    assert known[EntityRole.SERVICE] == {"order-service"}
    assert known[EntityRole.FILE] == {"order-service"}
    assert known[EntityRole.POOL] == {"HikariPool-1"}


async def test_folder_without_alerts_has_no_alert_source() -> None:
    incident = await open_incident(DATA / "incidents" / "checkout-502", now=NOW)
    assert incident.alert_sources == []
    assert len(incident.log_sources) == 1


async def test_plain_folder_takes_the_newest_records_time_as_now_and_says_so(tmp_path: Path) -> None:
    written(tmp_path, {"a/app.log": LINE, "readme.md": "# no log"})
    incident = await open_incident(tmp_path, now=NOW)
    assert incident.at == AT.replace(minute=9, second=28)
    assert any("newest record's time, 2026-11-30T23:09:28Z, is taken as now" in note for note in incident.notes)
    page = await incident.log_sources[0].query_logs(LogQuery())
    assert [item["file"] for item in page.items] == ["a/app.log"]


async def test_folder_without_any_time_takes_the_callers_now(tmp_path: Path) -> None:
    written(tmp_path, {"app.log": "no time here\n"})
    assert (await open_incident(tmp_path, now=NOW)).at == NOW


async def test_incident_folder_reads_logs_below_logs_only(tmp_path: Path) -> None:
    written(tmp_path, {"incident.yaml": "title: x\n", "logs/app.log": LINE, "notes.log": LINE})
    incident = await open_incident(tmp_path, now=NOW)
    page = await incident.log_sources[0].query_logs(LogQuery())
    assert [item["file"] for item in page.items] == ["logs/app.log"]


async def test_skills_are_the_skill_files_of_skill_folders(tmp_path: Path) -> None:
    written(tmp_path, {"incident.yaml": "title: x\n", "skills/a/SKILL.md": "x", "skills/a/more.md": "y"})
    incident = await open_incident(tmp_path, now=NOW)
    assert [(file.name, file.text) for file in incident.skills] == [("skills/a/SKILL.md", "x")]


@pytest.mark.parametrize(
    ("services", "found"),
    [
        ("services: [pay]", {"logs/pay.log": "pay", "logs/b.log": "pay"}),
        ("services: pay", {"logs/pay.log": "pay", "logs/b.log": "pay"}),
        ("services: [pay, stock]", {"logs/pay.log": None, "logs/b.log": None}),
        ("services: {pay: pay*.log, stock: [b.log]}", {"logs/pay.log": "pay", "logs/b.log": "stock"}),
        ("services: [{name: pay, logs: 'logs/b*'}]", {"logs/pay.log": None, "logs/b.log": "pay"}),
    ],
)
async def test_service_of_a_file_is_what_the_manifest_says(
    tmp_path: Path, services: str, found: dict[str, str | None]
) -> None:
    written(tmp_path, {"incident.yaml": services, "logs/pay.log": LINE, "logs/b.log": LINE})
    incident = await open_incident(tmp_path, now=NOW)
    page = await incident.log_sources[0].query_logs(LogQuery())
    assert {item["file"]: item.get("service") for item in page.items} == found


async def test_zone_of_the_manifest_is_that_of_stamps_without_one(tmp_path: Path) -> None:
    written(tmp_path, {"incident.yaml": "zone: Asia/Shanghai\n", "logs/app.log": "2026-12-01 07:09:28 x\n"})
    incident = await open_incident(tmp_path, now=NOW)
    (item,) = (await incident.log_sources[0].query_logs(LogQuery())).items
    assert item["time"] == "2026-11-30T23:09:28Z"


async def test_stamps_without_a_zone_lie_in_the_zone_of_the_incidents_now_for_windows_only(tmp_path: Path) -> None:
    at = "2026-12-01T07:10:00+08:00"
    written(tmp_path, {"incident.yaml": f"at: {at}\n", "logs/app.log": "2026-12-01 07:09:28 x\n"})
    incident = await open_incident(tmp_path, now=NOW)
    assert incident.at == datetime.fromisoformat(at)
    assert incident.at.utcoffset() == timedelta(hours=8)
    window = {"since": incident.at - timedelta(minutes=5), "until": incident.at}
    page = await incident.log_sources[0].query_logs(LogQuery(window=LogQuery().window.model_copy(update=window)))
    assert len(page.items) == 1
    assert "time" not in page.items[0]
    assert page.searched.notes == ["stamps without a zone were read as UTC+08:00: logs/app.log"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: [", "cannot be read as YAML"),
        ("- a\n- b\n", "must hold keys and values"),
        ("at: soon\n", "`at` must be a time"),
        ("at: [1]\n", "`at` must be a time"),
        ("title: [x]\n", "`title` must be text"),
        ("zone: Mars/North\n", "`zone` must be a time zone"),
        ("services: 7\n", "`services` must be a list"),
        ("services: [[a]]\n", "`services` must be a list"),
        ("cases: 7\n", "`cases` must be a list"),
        ("cases: [7]\n", "case 1 must hold keys and values"),
        ("cases: [{id: a}]\n", "case 1 has no `question`"),
        ("cases: [{question: q, cites: [7]}]\n", "case 1: `cites`"),
        ("cases: [{question: q, never: [7]}]\n", "case 1: `never`"),
        ("a: &a [x]\nb: *a\n", "aliases are not read"),
        ("a: !!python/object/apply:os.system ['true']\n", "cannot be read as YAML"),
        ("a: " + "[" * 100 + "]" * 100 + "\n", "nested too deeply"),
        ("a: " + "[" * 100_000 + "\n", "cannot be read as YAML"),
        ("at: 9999999999-01-01\n", "`at` must be a time"),
        ("a: \x01\n", "cannot be read as YAML"),
        ("x" * ((1 << 20) + 1), "larger than 1024 KiB"),
    ],
)
async def test_manifest_that_cannot_be_read_is_refused_in_one_sentence(tmp_path: Path, text: str, words: str) -> None:
    written(tmp_path, {"incident.yaml": text, "logs/app.log": LINE})
    with pytest.raises(UnreadableInput, match=re.escape(words)) as raised:
        await open_incident(tmp_path, now=NOW)
    assert "\n" not in str(raised.value)


async def test_yaml_bomb_is_refused(tmp_path: Path) -> None:
    rows = ["a0: &a0 [x, x]"] + [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 60)]
    written(tmp_path, {"incident.yaml": "\n".join(rows)})
    with pytest.raises(UnreadableInput, match="aliases are not read"):
        await open_incident(tmp_path, now=NOW)


async def test_empty_manifest_is_an_incident_of_the_folders_name(tmp_path: Path) -> None:
    written(tmp_path / "outage", {"incident.yaml": "", "logs/app.log": LINE})
    assert (await open_incident(tmp_path / "outage", now=NOW)).title == "outage"


async def test_runbook_that_cannot_be_read_is_noted_and_the_rest_stays(tmp_path: Path) -> None:
    written(tmp_path, {"runbooks/a.md": b"\0\1", "runbooks/b.md": "# B", "runbooks/c.md": "# 磁盘".encode("gb18030")})
    incident = await open_incident(tmp_path, now=NOW)
    assert [(file.name, file.text) for file in incident.runbooks] == [
        ("runbooks/b.md", "# B"),
        ("runbooks/c.md", "# 磁盘"),
    ]
    assert "runbooks/a.md is a binary file, not a text" in incident.notes


async def test_missing_folder_is_refused_with_a_hint(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match="does not exist") as raised:
        await open_logs([tmp_path / "gone"], now=NOW)
    assert raised.value.hint


async def test_named_files_and_folders_are_one_source(tmp_path: Path) -> None:
    written(tmp_path, {"a.log": LINE, "more/b.log": LINE})
    incident = await open_logs([tmp_path / "a.log", tmp_path / "more"], now=NOW, service="pay")
    page = await incident.log_sources[0].query_logs(LogQuery(service="pay"))
    assert [(item["file"], item["service"]) for item in page.items] == [("a.log", "pay"), ("more/b.log", "pay")]


async def test_one_named_folder_is_an_incident_folder(tmp_path: Path) -> None:
    written(tmp_path, {"incident.yaml": "title: x\n"})
    assert (await open_logs([tmp_path], now=NOW)).title == "x"


async def test_named_pipe_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UnreadableInput, match="pipe is a pipe, not a regular file"):
        await open_logs([tmp_path / "pipe"], now=NOW)
