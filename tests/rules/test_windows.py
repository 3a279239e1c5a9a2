"""Windows of questions, in both languages and two zones."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbizagent.contract.vocabulary import Lang
from superbizagent.rules.windows import default_window, read_window

AT = datetime(2026, 11, 30, 23, 11, 5, tzinfo=UTC)
SHANGHAI = "Asia/Shanghai"


def bounds(text: str, zone: str = "UTC") -> tuple[str, str] | None:
    window = read_window(text, AT, zone).window
    if window.since is None or window.until is None:
        return None
    return (f"{window.since:%m-%d %H:%M:%S}", f"{window.until:%m-%d %H:%M:%S}")


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("errors in the last 15 minutes", "11-30 22:56:05", "11-30 23:11:05"),
        ("what happened in the past 2h?", "11-30 21:11:05", "11-30 23:11:05"),
        ("errors of the last half hour", "11-30 22:41:05", "11-30 23:11:05"),
        ("最近半小时有没有报错", "11-30 22:41:05", "11-30 23:11:05"),
        ("过去一个半小时的错误", "11-30 21:41:05", "11-30 23:11:05"),
        ("三天内有没有重启", "11-27 23:11:05", "11-30 23:11:05"),
        ("since 10:15", "11-30 10:15:00", "11-30 23:11:05"),
        ("10:15 之后有没有超时", "11-30 10:15:00", "11-30 23:11:05"),
        ("between 10:15 and 10:30", "11-30 10:15:00", "11-30 10:30:00"),
        ("从10点到10点半", "11-30 10:00:00", "11-30 10:30:00"),
        ("10:15-10:30 的日志", "11-30 10:15:00", "11-30 10:30:00"),
        ("yesterday 3pm to 4pm", "11-29 15:00:00", "11-29 16:00:00"),
        ("yesterday 3 to 4pm", "11-29 15:00:00", "11-29 16:00:00"),
        ("昨天下午3点到4点", "11-29 15:00:00", "11-29 16:00:00"),
        ("昨天", "11-29 00:00:00", "11-30 00:00:00"),
        ("before 22:00", "11-30 21:00:00", "11-30 22:00:00"),
        ("at 22:10", "11-30 22:05:00", "11-30 22:15:00"),
        ("30分钟前发生了什么", "11-30 22:36:05", "11-30 22:46:05"),
        ("since 2026-11-30T22:00:00Z", "11-30 22:00:00", "11-30 23:11:05"),
        ("from 2026-11-30 22:00 UTC+8 until now", "11-30 14:00:00", "11-30 23:11:05"),
        ("what happened on Nov 29 from 22:00 to 23:00?", "11-29 22:00:00", "11-29 23:00:00"),
    ],
)
def test_window_in_words_is_the_span_that_it_names(text: str, since: str, until: str) -> None:
    assert bounds(text) == (since, until)


def test_clock_times_are_those_of_the_askers_zone() -> None:
    assert bounds("between 06:00 and 06:30", SHANGHAI) == ("11-30 22:00:00", "11-30 22:30:00")
    assert bounds("昨天下午3点到4点", SHANGHAI) == ("11-30 07:00:00", "11-30 08:00:00")


def test_span_over_midnight_ends_on_the_next_day() -> None:
    assert bounds("between 23:50 and 00:10", SHANGHAI) == ("11-30 15:50:00", "11-30 16:10:00")


@pytest.mark.parametrize(
    "text",
    [
        "is the pool exhausted?",
        "request timed out after 30000ms",
        "127.0.0.1:9701 refused",
        "version 2.14.3",
        "the last 5 errors",
        "前 10 条日志",
        "order 88101 failed after 3 retries",
        "firing for 15m",
        "active=50/50",
        "0001/1/1T0:00:00",
    ],
)
def test_numbers_that_are_no_times_give_no_window(text: str) -> None:
    read = read_window(text, AT, "UTC")
    assert (read.window.since, read.window.until, read.notes, read.wrong) == (None, None, [], False)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("between 22:30 and 22:15", "not after its beginning"),
        ("since 23:30", "after the question's time"),
        ("tomorrow", "after the question's time"),
    ],
)
def test_window_that_cannot_be_is_a_sentence_and_no_window(text: str, word: str) -> None:
    read = read_window(text, AT, "UTC")
    assert read.wrong
    assert read.window.since is None
    assert word in read.notes[0]


def test_wrong_window_is_told_in_chinese_to_a_chinese_asker() -> None:
    assert "不晚于" in read_window("10点半到10点15分", AT, "UTC", Lang.ZH).notes[0]


def test_unknown_zone_is_said_and_times_are_utc() -> None:
    read = read_window("since 10:15", AT, "Mars/Base")
    assert "Mars/Base" in read.notes[0]
    assert read.window.since == datetime(2026, 11, 30, 10, 15, tzinfo=UTC)


def test_window_that_reaches_beyond_now_is_cut_and_said() -> None:
    read = read_window("between 23:00 and 23:30", AT, "UTC")
    assert read.window.until == AT
    assert read.notes


def test_span_is_where_the_window_stands_in_the_text() -> None:
    text = "Why did it fail between 10:15 and 10:30 today?"
    start, end = read_window(text, AT, "UTC").spans[0]
    assert "10:15 and 10:30" in text[start:end]


def test_default_window_is_the_last_hour() -> None:
    window = default_window(AT)
    assert (window.since, window.until) == (datetime(2026, 11, 30, 22, 11, 5, tzinfo=UTC), AT)


@given(st.text(max_size=120))
def test_any_text_gives_a_window_in_order_or_none(text: str) -> None:
    window = read_window(text, AT, "UTC").window
    if window.since is not None and window.until is not None:
        assert window.since < window.until <= AT
