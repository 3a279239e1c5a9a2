"""Which records match a query, and that each of them is counted."""

import gzip
import random
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from superbizagent.contract.errors import SourceUnavailable
from superbizagent.contract.evidence import Window
from superbizagent.contract.plan import EntityRole
from superbizagent.ports import LogQuery
from tests.sources.opened import AT, asked, opened, written

LINE = "2026-11-30T23:09:{second:02d}.000Z {level} {message}\n"


def log(*messages: str, level: str = "INFO") -> str:
    return "".join(LINE.format(second=second, level=level, message=message) for second, message in enumerate(messages))


@pytest.mark.parametrize(
    ("term", "message"),
    [
        ("timeout", "a Timeout of 3 s"),
        ("HIKARIPOOL", "HikariPool-1 - x"),
        ("connection pool", "the connection-pool is empty"),
        ("connection pool", "connection\tpool"),
        ("active=50", "(total=50, active=50)"),
        ("连接池", "数据库连接池已耗尽"),
        ("超时", "请求timeout超时"),
        ("timeout", "请求timeout超时"),
        ("straße", "in der STRASSE nein, Straße ja"),
        ("a.b", "class a.b"),
    ],
)
async def test_whole_term_is_found(tmp_path: Path, term: str, message: str) -> None:
    written(tmp_path, {"app.log": log(message)})
    assert (await asked(tmp_path, term)).searched.records_matched == 1


@pytest.mark.parametrize(
    ("term", "message"),
    [
        ("50", "active=500"),
        ("50", "took 1.50 s"),
        ("active=50", "active=50.5"),
        ("active=50", "inactive=50"),
        ("pool", "spooling"),
        ("a.b", "class aXb"),
        ("30000ms", "after 130000ms"),
        (".*", "anything"),
    ],
)
async def test_part_of_a_word_or_number_is_not_found(tmp_path: Path, term: str, message: str) -> None:
    written(tmp_path, {"app.log": log(message)})
    page = await asked(tmp_path, term)
    assert (page.items, page.searched.records_matched, page.searched.records_searched) == ([], 0, 1)


async def test_every_group_must_have_one_of_its_terms(tmp_path: Path) -> None:
    written(tmp_path, {"app.log": log("pool timeout", "pool ok", "queue timeout", "queue ok")})
    query = LogQuery(groups=[["pool", "queue"], ["timeout"]])
    page = await opened(tmp_path).query_logs(query)
    assert [item["record"].split(" ", 2)[2] for item in page.items] == ["pool timeout", "queue timeout"]


async def test_group_may_be_satisfied_by_a_line_of_the_trace(tmp_path: Path) -> None:
    text = log("order 1 failed", "order 2 ok").replace(
        "1 failed\n", "1 failed\njava.io.IOException: Broken pipe\n\tat a.B.c(B.java:1)\n"
    )
    written(tmp_path, {"app.log": text})
    page = await opened(tmp_path).query_logs(LogQuery(groups=[["order"], ["broken pipe"]]))
    assert page.searched.records_matched == 1
    assert "order 1 failed" in page.items[0]["record"]


async def test_counts_are_those_of_a_plain_count_over_many_blocks(tmp_path: Path) -> None:
    rng = random.Random(7)
    words = ["alpha", "beta timeout", "gamma", "delta refused", "epsilon"]
    start = datetime(2026, 11, 30, 22, 0, tzinfo=UTC)
    lines = []
    for number in range(40_000):
        when = start + timedelta(milliseconds=number * 100 + rng.randrange(3000))
        lines.append(
            f"{when:%Y-%m-%dT%H:%M:%S}.{when.microsecond // 1000:03d}Z INFO {rng.choice(words)} {number} {'x' * rng.randrange(90)}"
        )
        if rng.random() < 0.02:
            lines += ["java.lang.IllegalStateException: refused", "\tat a.B.c(B.java:1)"]
    text = "\n".join(lines) + "\n"
    written(tmp_path, {"app.log": text, "packed/app.log.gz": gzip.compress(text.encode())})
    since, until = "2026-11-30T22:10:00.250+00:00", "2026-11-30T22:40:00.750+00:00"
    records: list[str] = []
    for line in lines:
        if line.startswith("2026"):
            records.append(line)
        else:
            records[-1] += "\n" + line
    inside = [one for one in records if since[:23] <= one[:23] <= until[:23]]
    matching = [one for one in inside if re.search(r"(?<!\w)(refused|timeout)(?!\w)", one)]
    source = opened(tmp_path)
    query = LogQuery(
        groups=[["refused", "timeout"]],
        window=Window(since=datetime.fromisoformat(since), until=datetime.fromisoformat(until)),
    )
    for _ in range(2):
        page = await source.query_logs(query)
        assert (page.searched.records_searched, page.searched.records_matched) == (2 * len(inside), 2 * len(matching))
    everything = await source.query_logs(LogQuery(limit=3))
    assert everything.searched.records_searched == everything.searched.records_matched == 2 * len(records)
    assert (everything.searched.truncated, everything.searched.returned) == (True, 3)


async def test_line_number_is_that_of_the_record_in_its_file(tmp_path: Path) -> None:
    text = "".join(f"2026-11-30T23:09:28Z INFO {'filler ' * 20}{number}\n" for number in range(20_000))
    written(tmp_path, {"app.log": text})
    page = await asked(tmp_path, "19876")
    assert page.items[0]["line"] == 19_877


async def test_window_ends_belong_to_the_window(tmp_path: Path) -> None:
    written(tmp_path, {"app.log": log("a", "b", "c", "d")})
    page = await asked(tmp_path, since="2026-11-30T23:09:01+00:00", until="2026-11-30T23:09:02+00:00")
    assert [item["record"][-1] for item in page.items] == ["b", "c"]
    assert page.searched.records_searched == 2


async def test_record_without_a_time_is_in_no_window_and_is_counted(tmp_path: Path) -> None:
    written(tmp_path, {"a.log": log("a"), "b.log": "no stamp here\nnor here\n"})
    page = await asked(tmp_path, since="2026-11-30T00:00:00+00:00")
    assert [item["file"] for item in page.items] == ["a.log"]
    assert "2 records without a readable time are in no window and were left out" in page.searched.notes


async def test_stamp_without_a_zone_is_read_as_utc_and_that_is_said(tmp_path: Path) -> None:
    written(tmp_path, {"a.log": "2026-11-30 23:09:28 INFO a\n"})
    page = await asked(tmp_path, since="2026-11-30T23:00:00+00:00")
    assert len(page.items) == 1
    assert any("without a zone were read as UTC: a.log" in note for note in page.searched.notes)


async def test_configured_zone_decides_the_window_of_stamps_without_one(tmp_path: Path) -> None:
    written(tmp_path, {"a.log": "2026-12-01 07:09:28 INFO a\n"})
    page = await asked(
        tmp_path, zone=ZoneInfo("Asia/Shanghai"), since="2026-11-30T23:00:00+00:00", until="2026-11-30T23:30:00+00:00"
    )
    assert page.items[0]["time"] == "2026-11-30T23:09:28Z"


async def test_level_is_the_least_severe_level_wanted(tmp_path: Path) -> None:
    text = "".join(log("x", level=level) for level in ("DEBUG", "INFO", "WARN", "ERROR", "FATAL"))
    written(tmp_path, {"a.log": text, "b.log": "x without a level\n"})
    page = await asked(tmp_path, "x", level="warn")
    assert sorted(item["level"] for item in page.items) == ["ERROR", "FATAL", "WARN"]
    assert "1 matching records name no level and were left out by the level filter" in page.searched.notes


async def test_level_that_is_none_is_said(tmp_path: Path) -> None:
    written(tmp_path, {"a.log": log("x")})
    with pytest.raises(SourceUnavailable, match="'loud' is no level"):
        await asked(tmp_path, level="loud")


async def test_service_is_a_field_of_the_record(tmp_path: Path) -> None:
    rows = "".join(
        f'{{"ts":"2026-11-30T23:09:{second:02d}Z","service":"{service}","msg":"failed"}}\n'
        for second, service in enumerate(["Pay", "stock", "pay", "payroll"])
    )
    written(tmp_path, {"all.jsonl": rows})
    page = await asked(tmp_path, "failed", service="pay")
    assert [item["service"] for item in page.items] == ["Pay", "pay"]
    assert page.searched.filters == {"service": "pay"}
    assert (await opened(tmp_path).known_entities())[EntityRole.SERVICE] == {"Pay", "stock", "pay", "payroll"}


async def test_service_of_a_files_name_chooses_the_file_and_is_no_statement_about_its_records(tmp_path: Path) -> None:
    written(tmp_path, {"pay.log": log("a"), "pay.log.1": log("b"), "stock.log": log("c")})
    page = await asked(tmp_path, service="pay")
    assert [item["file"] for item in page.items] == ["pay.log", "pay.log.1"]
    assert page.searched.filters == {"file": "pay.log, pay.log.1"}
    assert all("service" not in item for item in page.items)


async def test_service_without_field_or_file_is_looked_for_in_the_records(tmp_path: Path) -> None:
    written(tmp_path, {"gateway.log": log("call to pay failed", "call to stock failed")})
    page = await asked(tmp_path, "failed", service="pay")
    assert [item["record"].split(" ", 2)[2] for item in page.items] == ["call to pay failed"]
    assert page.searched.filters == {"mentions": "pay"}
    assert page.searched.unknown_entities == []


async def test_service_that_nothing_mentions_is_unknown(tmp_path: Path) -> None:
    written(tmp_path, {"gateway.log": log("call to pay failed")})
    page = await asked(tmp_path, "failed", service="payy")
    assert (page.items, page.searched.unknown_entities) == ([], ["payy"])


async def test_service_that_only_another_window_mentions_is_not_unknown(tmp_path: Path) -> None:
    written(tmp_path, {"gateway.log": log("call to pay failed", "fine")})
    page = await asked(tmp_path, service="pay", since="2026-11-30T23:09:01+00:00")
    assert (page.items, page.searched.unknown_entities) == ([], [])


async def test_one_different_error_is_not_crowded_out_by_equal_ones(tmp_path: Path) -> None:
    lines = [
        f"2026-11-30T23:{number // 60:02d}:{number % 60:02d}Z ERROR order {number} failed: timed out after {30000 + number}ms"
        for number in range(300)
    ]
    lines.insert(150, "2026-11-30T23:02:30Z ERROR disk /dev/sdb is read-only")
    written(tmp_path, {"app.log": "\n".join(lines)})
    page = await asked(tmp_path, limit=4)
    records = [item["record"] for item in page.items]
    assert any("read-only" in record for record in records)
    assert [item["similar"] for item in page.items if "failed" in item["record"]] == [300, 300, 300]
    assert any("order 299 failed" in record for record in records)
    assert any("order 0 failed" in record for record in records)
    assert page.searched.records_matched == 301
    assert page.searched.kept


async def test_ids_spelled_with_letters_do_not_make_new_templates(tmp_path: Path) -> None:
    rng = random.Random(3)
    lines = [
        f"2026-11-30T23:09:00Z WARN slow call of user {rng.getrandbits(96):x} by {rng.choice(['anna', 'bob', 'chen'])}"
        for _ in range(2000)
    ]
    lines.append("2026-11-30T23:09:00Z WARN certificate of bank.example ends soon")
    written(tmp_path, {"app.log": "\n".join(lines)})
    page = await asked(tmp_path, limit=5)
    assert any("certificate" in item["record"] for item in page.items)


async def test_severe_records_are_kept_before_others_and_returned_in_time_order(tmp_path: Path) -> None:
    lines = [
        f"2026-11-30T23:09:{number:02d}Z {'ERROR' if number == 5 else 'INFO'} {word}"
        for number, word in enumerate("abcdefghij")
    ]
    written(tmp_path, {"app.log": "\n".join(lines)})
    page = await asked(tmp_path, limit=3)
    # The error, the newest of the rest, and the rest's first.
    assert [item["record"][-1] for item in page.items] == ["a", "f", "j"]


async def test_records_that_have_more_of_the_bearing_groups_are_kept_first(tmp_path: Path) -> None:
    written(
        tmp_path,
        {
            "app.log": log("disk ok", "disk full on node", "node full", "disk node", "full disk")
            + log("disk", level="ERROR")
        },
    )
    query = LogQuery(groups=[["disk", "full", "node"]], bearing=[["disk"], ["full"], ["node"]], limit=1)
    page = await opened(tmp_path).query_logs(query)
    assert page.items[0]["record"].endswith("disk full on node")
    assert "best matches" in page.searched.kept


async def test_same_query_gives_the_same_page(tmp_path: Path) -> None:
    written(tmp_path, {"a.log": log(*"abcdefgh"), "b.log": log(*"ijklmnop", level="ERROR")})
    pages = [await asked(tmp_path, limit=5) for _ in range(2)]
    assert pages[0] == pages[1]


async def test_file_that_changed_is_read_again(tmp_path: Path) -> None:
    written(tmp_path, {"app.log": log("first")})
    source = opened(tmp_path)
    assert (await source.query_logs(LogQuery())).searched.records_searched == 1
    written(tmp_path, {"app.log": log("first", "second")})
    assert (await source.query_logs(LogQuery(groups=[["second"]]))).searched.records_matched == 1


async def test_pools_hosts_and_files_are_known_by_name(tmp_path: Path) -> None:
    written(
        tmp_path,
        {
            "shop.log": log("BlueLagoonPool-3 - stats (total=1)", "[pool-1-thread-7] x"),
            "box.log": "Nov 30 23:12:34 box-1 cron[12]: x\n",
        },
    )
    known = await opened(tmp_path).known_entities()
    assert known[EntityRole.POOL] == {"BlueLagoonPool-3"}
    assert known[EntityRole.HOST] == {"box-1"}
    assert known[EntityRole.FILE] == {"shop", "box"}


async def test_newest_record_is_found_whatever_its_place(tmp_path: Path) -> None:
    written(tmp_path, {"a.log": "2026-11-30T23:09:28Z a\n2026-11-30T23:29:28Z b\n2026-11-30T23:19:28Z c\n"})
    assert opened(tmp_path).newest() == AT - timedelta(seconds=32)


@pytest.mark.parametrize(
    ("newest", "fraction"),
    [
        ("2026-11-30 23:29:28.456 b", 456000),
        ("2026-11-30 23:29:28,456789 b", 456789),
        ('{"ts": "2026-11-30T23:29:28.5Z", "msg": "b"}', 500000),
        ('{"ts": 1764545368.25, "msg": "b"}', 250000),
        ("2026-11-30 23:29:28 b", 0),
    ],
)
async def test_window_that_ends_with_the_newest_record_has_it_in_it(tmp_path: Path, newest: str, fraction: int) -> None:
    other = newest.replace("23:29:28", "23:29:27").replace("1764545368", "1764545367")
    written(tmp_path, {"a.log": f"{other}\n{newest}\n{other}\n"})
    moment = opened(tmp_path).newest()
    assert moment is not None
    assert moment.microsecond == fraction
    page = await asked(tmp_path, until=moment.isoformat())
    assert page.searched.records_searched == 3
