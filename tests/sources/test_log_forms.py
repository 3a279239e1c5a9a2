"""Logs as real programs wrote them: what a record is, when it was written, how bad it is, whose it is."""

import shutil
from datetime import UTC
from pathlib import Path

import pytest

from superbizagent.rules.refs import item_text
from tests.sources.opened import DATA, asked, written

EVALS = DATA.parents[1] / "evals"


async def test_journal_export_is_one_record_an_entry_with_level_service_and_time(tmp_path: Path) -> None:
    shutil.copy(DATA / "logs" / "journal.export", tmp_path)
    page = await asked(tmp_path)
    assert page.searched.records_searched == 4
    refused = page.items[1]
    assert refused["level"] == "ERROR"
    assert refused["service"] == "ledger"
    assert refused["time"] == "2026-12-01T03:00:01.962829Z"
    assert refused["message"] == "cannot reach peer 10.3.0.7:5432: Connection refused"
    assert "PRIORITY=3" in refused["record"]


async def test_journal_export_field_of_several_lines_stays_in_its_record(tmp_path: Path) -> None:
    shutil.copy(DATA / "logs" / "journal.export", tmp_path)
    page = await asked(tmp_path, "amount is negative")
    assert [item["level"] for item in page.items] == ["FATAL"]
    assert "unhandled error \\n Traceback (most recent call last): \\n" in page.items[0]["record"]


async def test_journal_json_is_one_record_a_line_with_level_service_and_time(tmp_path: Path) -> None:
    shutil.copy(DATA / "logs" / "journal.jsonl", tmp_path)
    page = await asked(tmp_path, "账本同步完成")
    assert page.searched.records_searched == 4
    (item,) = page.items
    assert (item["level"], item["service"], item["time"]) == ("INFO", "ledger", "2026-12-01T03:00:01.962882Z")
    assert item_text("logs", item).endswith("time=2026-12-01T03:00:01.962882Z")


async def test_python_traceback_belongs_to_its_record(tmp_path: Path) -> None:
    shutil.copy(DATA / "logs" / "python-traceback.log", tmp_path)
    page = await asked(tmp_path)
    assert page.searched.records_searched == 4
    failed = await asked(tmp_path, "no template for tenant 8")
    (item,) = failed.items
    assert item["level"] == "ERROR"
    assert "invoice 9008 not rendered" in item["record"]
    assert "RuntimeError: no template for tenant 8" in item["record"]


async def test_java_util_logging_has_its_level_in_the_second_line(tmp_path: Path) -> None:
    shutil.copy(DATA / "logs" / "java-util-logging.log", tmp_path)
    page = await asked(tmp_path)
    assert page.searched.records_searched == 3
    assert [item["level"] for item in page.items] == ["INFO", "ERROR", "WARN"]


async def test_long_trace_is_shortened_in_its_middle_and_keeps_its_causes(tmp_path: Path) -> None:
    shutil.copy(DATA / "logs" / "java-util-logging.log", tmp_path)
    page = await asked(tmp_path, "Broken pipe")
    (item,) = page.items
    assert "[… " in item["record"]
    assert " lines …]" in item["record"]
    assert "Caused by: java.io.IOException: Broken pipe" in item["record"]
    assert "\n" not in item["record"]


@pytest.mark.parametrize(
    ("folder", "file", "terms", "level"),
    [
        ("postgres-slots", "postgresql-15-main.log", "sorry, too many clients already", "FATAL"),
        ("redis-maxmemory", "session-store.log", "OOM command not allowed", "ERROR"),
        ("redis-maxmemory", "redis-server.log", "DB 0", "INFO"),
        ("tls-expired", "nginx-error.log", "certificate expired", "INFO"),
        ("disk-full", "syslog", "No space left on device", "ERROR"),
        ("jvm-oom", "gc.log", "Pause Full", "INFO"),
        ("misleading-leak", "mail-gateway.log", "ECONNREFUSED", "ERROR"),
        ("zh-breaker", "支付服务.log", "库存服务已熔断", "ERROR"),
    ],
)
async def test_level_of_a_real_record_is_read(tmp_path: Path, folder: str, file: str, terms: str, level: str) -> None:
    shutil.copy(EVALS / folder / "logs" / file, tmp_path)
    page = await asked(tmp_path, terms)
    assert page.items
    assert {item.get("level") for item in page.items} == {level}


async def test_word_of_a_message_is_no_level(tmp_path: Path) -> None:
    shutil.copy(EVALS / "haproxy-flap" / "logs" / "haproxy.log", tmp_path)
    page = await asked(tmp_path, "Connection refused")
    assert page.items
    assert all("level" not in item for item in page.items)


async def test_access_record_of_status_5xx_passes_the_error_level_without_having_one(tmp_path: Path) -> None:
    shutil.copy(DATA / "incidents" / "checkout-502" / "logs" / "nginx-access.log", tmp_path)
    page = await asked(tmp_path, level="error")
    assert page.items
    assert all('" 502 ' in item["record"] or '" 504 ' in item["record"] for item in page.items)
    assert all("level" not in item for item in page.items)


async def test_syslog_program_is_the_service_and_a_logger_behind_a_level_is_not(tmp_path: Path) -> None:
    written(
        tmp_path,
        {
            "a": "Nov 30 23:12:34 box-1 cron[12]: job started\n",
            "b": "2026-11-30T23:12:34.000Z ERROR report.job: region 17 failed\n",
        },
    )
    page = await asked(tmp_path)
    by_file = {item["file"]: item.get("service") for item in page.items}
    assert by_file == {"a": "cron", "b": None}


@pytest.mark.parametrize(
    ("record", "time"),
    [
        ('{"ts":1796080168.123,"level":"info","msg":"x"}', "2026-11-30T23:09:28.123Z"),
        ('{"ts":1.796080168123e+09,"level":"info","msg":"x"}', "2026-11-30T23:09:28.123Z"),
        ('{"t":{"$date":"2026-11-30T23:09:28.123+00:00"},"s":"I","msg":"x"}', "2026-11-30T23:09:28.123Z"),
        ('{"level":30,"time":1796080168123,"msg":"x"}', "2026-11-30T23:09:28.123Z"),
        ('{"log":"x\\n","stream":"stderr","time":"2026-11-30T23:09:28.123456789Z"}', "2026-11-30T23:09:28.123456Z"),
        ("ts=2026-11-30T23:09:28.123Z level=info msg=x", "2026-11-30T23:09:28.123Z"),
        ("level=info ts=2026-11-30T23:09:28.123Z msg=x", "2026-11-30T23:09:28.123Z"),
        ("2026-11-30T23:09:28.123+0800\tINFO\tmain.go:1\tx", "2026-11-30T15:09:28.123Z"),
        ("2026-11-30T23:09:28.123456789Z stderr F x", "2026-11-30T23:09:28.123456Z"),
        ("[2026-11-30T23:09:28,123Z][INFO ][o.e.n.Node] x", "2026-11-30T23:09:28.123Z"),
        ("1796080168.123 42 10.0.0.1 TCP_MISS/200 x", "2026-11-30T23:09:28.123Z"),
    ],
)
async def test_time_of_a_record_is_read_in_utc(tmp_path: Path, record: str, time: str) -> None:
    written(tmp_path, {"app.log": f"{record}\n" * 3})
    page = await asked(tmp_path, "x")
    assert {item["time"] for item in page.items} == {time}


async def test_stamp_without_zone_has_no_time_unless_a_zone_is_configured(tmp_path: Path) -> None:
    written(tmp_path, {"app.log": "2026-11-30 23:09:28,123 INFO started\n"})
    assert "time" not in (await asked(tmp_path)).items[0]
    assert (await asked(tmp_path, zone=UTC)).items[0]["time"] == "2026-11-30T23:09:28.123Z"


async def test_rest_of_a_panic_belongs_to_the_stamped_record_before_it(tmp_path: Path) -> None:
    lines = [f"2026-11-30T23:09:{second:02d}Z INFO step {second}" for second in range(10)]
    written(
        tmp_path,
        {"app.log": "\n".join([*lines, "panic: assignment to entry in nil map", "", "goroutine 1 [running]:"])},
    )
    page = await asked(tmp_path, "nil map")
    assert page.searched.records_searched == 10
    assert page.items[0]["record"].startswith("2026-11-30T23:09:09Z INFO step 9 \\n panic: ")


async def test_plain_lines_are_records_of_their_own(tmp_path: Path) -> None:
    written(tmp_path, {"app.log": "started\nlistening\n  on port 80\nstopped\n"})
    page = await asked(tmp_path)
    assert [item["record"] for item in page.items] == ["started", "listening \\n on port 80", "stopped"]


@pytest.mark.parametrize("between", [" stderr F ", " "])
async def test_trace_of_which_every_line_is_stamped_belongs_to_its_record(tmp_path: Path, between: str) -> None:
    lines = [
        "ERROR order 1 failed",
        "\tat a.B.c(B.java:1)",
        "\tat a.B.d(B.java:2)",
        "Caused by: java.io.IOException: Broken pipe",
        "INFO next",
    ]
    text = "".join(f"2026-11-30T23:09:2{number}.123456789Z{between}{line}\n" for number, line in enumerate(lines))
    written(tmp_path, {"app.log": text})
    page = await asked(tmp_path, "broken pipe")
    assert page.searched.records_searched == 2
    assert page.items[0]["level"] == "ERROR"
    assert "order 1 failed" in page.items[0]["record"]


@pytest.mark.parametrize(
    ("record", "level"),
    [
        ('{"log":"2026-11-30 23:09:28 ERROR disk gone\\n","stream":"stdout","time":"2026-11-30T23:09:28Z"}', "ERROR"),
        ('{"log":"WARN: disk full\\n","stream":"stdout","time":"2026-11-30T23:09:28Z"}', "WARN"),
        ('{"level":50,"time":1796080168123,"msg":"disk"}', "ERROR"),
        ('{"severity":"CRITICAL","message":"disk"}', "FATAL"),
        ('{"t":"2026-11-30T23:09:28Z","s":"E","msg":"disk"}', "ERROR"),
        ("I, [2026-11-30T23:12:34.056789 #123]  INFO -- : disk", "INFO"),
        ("2026-11-30 23:12:34 - app - WARNING - disk", "WARN"),
        ("[Mon Nov 30 23:12:34.056 2026] [core:error] disk", "ERROR"),
        ("E1130 23:12:34.056   1 x.go:1] disk", "ERROR"),
        ("<131>1 2026-11-30T23:12:34Z h app 1 - - disk", "ERROR"),
        ("2026-11-30T23:12:34.0Z 0 [Note] [MY-1] [Server] disk", "INFO"),
        ("time=2026-11-30T23:12:34Z level=warning msg=disk", "WARN"),
    ],
)
async def test_level_stands_where_its_form_has_it(tmp_path: Path, record: str, level: str) -> None:
    written(tmp_path, {"app.log": f"{record}\n"})
    (item,) = (await asked(tmp_path, "disk")).items
    assert item["level"] == level
