"""Stamps of log records: which are read, what they say, and what is not guessed."""

import time
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbizagent.rules.timestamps import read_head, read_stamp, rfc3339

BEFORE = datetime(2026, 12, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("line", "iso", "had_zone"),
    [
        ("2026-11-30T23:09:18.491Z DEBUG x", "2026-11-30T23:09:18.491000+00:00", True),
        ("2026-11-30T23:09:18.491+0800\tERROR", "2026-11-30T23:09:18.491000+08:00", True),
        ("2026-11-30 23:09:18 -0500 x", "2026-11-30T23:09:18-05:00", True),
        ("2026-11-30 23:12:30.626 UTC [12] ERROR:", "2026-11-30T23:12:30.626000+00:00", True),
        ("2026-11-30 23:12:30.626 JST [12] LOG:", "2026-11-30T23:12:30.626000+09:00", True),
        ("2026-11-30 23:12:34,056 INFO x", "2026-11-30T23:12:34.056000", False),
        ("2026-11-30 23:12:34 - 5 items", "2026-11-30T23:12:34", False),
        ("2026/11/30 23:11:54 [error] 1#1", "2026-11-30T23:11:54", False),
        ("[2026-11-30T23:12:34,056][INFO ][o.e]", "2026-11-30T23:12:34.056000", False),
        ('127.0.0.1 - - [30/Nov/2026:23:11:54 +0800] "GET', "2026-11-30T23:11:54+08:00", True),
        ("<34>1 2026-11-30T23:12:30.626+08:00 h", "2026-11-30T23:12:30.626000+08:00", True),
        ("<34>Nov 30 23:12:34 host app[1]: x", "2026-11-30T23:12:34", False),
        ("123:M 30 Nov 2026 23:12:30.626 * Ready", "2026-11-30T23:12:30.626000", False),
        ("[Mon Nov 30 23:12:34.056 2026] [core:error]", "2026-11-30T23:12:34.056000", False),
        ("Mon Nov 30 23:12:34 UTC 2026 x", "2026-11-30T23:12:34+00:00", True),
        ("Mon, 30 Nov 2026 23:12:34 GMT", "2026-11-30T23:12:34+00:00", True),
        ("Nov 30, 2026 11:12:34 PM com.foo", "2026-11-30T23:12:34", False),
        ("Dec 01, 2026 3:00:30 AM Jul main", "2026-12-01T03:00:30", False),
        ("E1130 23:12:34.056   1 x.go:1] foo", "2026-11-30T23:12:34.056000", False),
        ("11-30 23:12:34.056  123  456 E Tag", "2026-11-30T23:12:34.056000", False),
        ("2026年11月30日 23时12分34秒 错误", "2026-11-30T23:12:34", False),
        ("2026年11月30日 下午3:12:34 x", "2026-11-30T15:12:34", False),
        ("20261130T231234Z x", "2026-11-30T23:12:34+00:00", True),
        ("26/11/30 23:12:34 INFO", "2026-11-30T23:12:34", False),
        ("1796080168 x", "2026-11-30T23:09:28+00:00", True),
        ("1796080168.123 x", "2026-11-30T23:09:28.123000+00:00", True),
        ("1796080168123 x", "2026-11-30T23:09:28.123000+00:00", True),
        ("1796080168123456 x", "2026-11-30T23:09:28.123456+00:00", True),
        ("1.796080168123e+09 x", "2026-11-30T23:09:28.123000+00:00", True),
        ("INFO  [2026-11-30 23:12:34,056] com", "2026-11-30T23:12:34.056000", False),
        ("ts=2026-11-30T23:12:34Z level=x", "2026-11-30T23:12:34+00:00", True),
        ("web-1  | 2026-11-30 23:12:34 x", "2026-11-30T23:12:34", False),
        ("2026-12-31T23:59:60Z leap", "2027-01-01T00:00:00+00:00", True),
    ],
)
def test_stamp_at_the_head_of_a_record_is_read(line: str, iso: str, had_zone: bool) -> None:
    stamp = read_head(line, before=BEFORE)
    assert stamp is not None
    assert (stamp.when.isoformat(), stamp.had_zone) == (iso, had_zone)


@pytest.mark.parametrize(
    "line",
    [
        "no stamp",
        "10.0.0.1 x",
        "2026-13-30T23:09:18Z",
        "2026-11-31T23:09:18Z",
        "23:12:30.626 [main] INFO",
        "1796080168123.45.6 x",
        "12345 x",
        "",
    ],
)
def test_what_is_no_date_is_not_read(line: str) -> None:
    assert read_head(line, before=BEFORE) is None


@pytest.mark.parametrize("word", ["CST", "IST", "BST"])
def test_zone_word_that_names_several_zones_is_no_zone(word: str) -> None:
    stamp = read_head(f"2026-11-30 23:12:30 {word} x")
    assert stamp is not None
    assert not stamp.had_zone
    assert stamp.when.tzinfo is None


def test_stamp_without_a_year_is_no_date_without_a_moment_before_which_it_lies() -> None:
    assert read_head("Nov 30 23:12:34 host") is None


@pytest.mark.parametrize(
    ("line", "year"),
    [
        ("Nov 30 23:12:34 h", 2026),
        ("Dec  1 23:12:34 h", 2026),
        ("Dec  3 23:12:34 h", 2025),
        ("Jan  1 00:00:00 h", 2026),
    ],
)
def test_year_is_the_last_one_in_which_the_stamp_does_not_lie_ahead(line: str, year: int) -> None:
    stamp = read_head(line, before=BEFORE)
    assert stamp is not None
    assert stamp.when.year == year


def test_configured_zone_applies_to_stamps_without_one_only() -> None:
    shanghai = ZoneInfo("Asia/Shanghai")
    naive, aware = (read_head(line, zone=shanghai) for line in ("2026-12-01 07:09:28 x", "2026-12-01 07:09:28Z x"))
    assert naive is not None
    assert aware is not None
    assert (rfc3339(naive.when), rfc3339(aware.when)) == ("2026-11-30T23:09:28Z", "2026-12-01T07:09:28Z")


def test_stamp_is_the_whole_text() -> None:
    assert read_stamp("2026-11-30T23:09:28Z") is not None
    assert read_stamp("2026-11-30T23:09:28Z x") is None


@pytest.mark.parametrize(("micro", "text"), [(0, "28Z"), (120_000, "28.120Z"), (123_456, "28.123456Z")])
def test_rfc3339_has_the_digits_that_are_needed(micro: int, text: str) -> None:
    assert rfc3339(datetime(2026, 11, 30, 23, 9, 28, micro, tzinfo=UTC)) == f"2026-11-30T23:09:{text}"


MOMENTS = st.datetimes(datetime(2002, 1, 1), datetime(2200, 1, 1))  # noqa: DTZ001 - the strategy wants naive bounds


@given(MOMENTS, st.integers(-14 * 60, 14 * 60), st.sampled_from("T "))
def test_iso_stamp_of_any_moment_and_offset_is_read_back(moment: datetime, minutes: int, separator: str) -> None:
    aware = moment.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    stamp = read_head(aware.isoformat(sep=separator, timespec="microseconds") + " INFO x")
    assert stamp is not None
    assert stamp.when == aware


@given(st.text(max_size=300))
def test_any_text_is_read_without_fault(text: str) -> None:
    stamp = read_head(text, before=BEFORE)
    assert stamp is None or 0 <= stamp.start < stamp.end <= len(text)


@pytest.mark.parametrize(
    "line", ["1" * 1_000_000, "[" * 1_000_000, "a " * 500_000, " " * 1_000_000, "2026-11-30" * 100_000, "<1>" * 300_000]
)
def test_long_line_is_read_in_linear_time(line: str) -> None:
    started = time.process_time()
    read_head(line, before=BEFORE)
    assert time.process_time() - started < 5
