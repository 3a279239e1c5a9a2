"""Windows in a question: which span of time it asks about, in English and Chinese.

Decides: the window that words such as "last 15 minutes", "between 10:15 and 10:30" or "昨天下午3点到4点" mean, given
"now" and the asker's zone. A window that cannot be (it ends before it begins, it lies in the future) is a sentence
and no window. Refuses: to invent a window where none is written. Protocol: sections 8 and 10.

The rules, in order:

1. A length behind *last, past, 最近, 过去* …, or before *内, 以内*, is the time up to now.
2. Two points joined by *to, until, and, 到, 至* … are a span; the second takes day and part of the day from the first.
3. One point is a beginning behind *since, after, from* or before *之后, 以来, 起*; an end behind *before, until* or
   before *之前*; a day or a part of one is itself; a clock time is itself with five minutes on each side.
4. A clock time without a day is the latest one that is not in the future, if that is at most twelve hours ago or
   today; one that is still to come within twelve hours is in the future.
"""

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import pairwise
from typing import NamedTuple

from superbizagent.contract.evidence import Window
from superbizagent.contract.vocabulary import Lang
from superbizagent.rules.time_points import NUMBER_ZH, Point, find_points, moment, number_zh, read_zone

DEFAULT_LENGTH = timedelta(hours=1)
AROUND = timedelta(minutes=5)
_HALF_DAY = timedelta(hours=12)
_LONGEST = timedelta(days=3660)

_UNIT_SECONDS = {
    **dict.fromkeys(("second", "seconds", "sec", "secs", "s", "秒", "秒钟"), 1),
    **dict.fromkeys(("minute", "minutes", "min", "mins", "m", "分钟", "分"), 60),
    **dict.fromkeys(("hour", "hours", "hr", "hrs", "h", "小时", "个小时", "钟头", "个钟头"), 3600),
    **dict.fromkeys(("day", "days", "d", "天"), 86400),
    **dict.fromkeys(("week", "weeks", "w", "周", "个星期", "星期"), 604800),
}
_COUNT_WORDS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "five": 5, "ten": 10, "fifteen": 15, "thirty": 30}
_COUNT_WORDS |= {"couple of": 2, "few": 5, "several": 5}
_UNIT_EN = "(?P<unit>seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|[smhdw])(?![a-z0-9])"
_COUNT_EN = (
    r"(?P<count>\d{1,6}|half an?|half|an? couple of|couple of|an? few|few|several|an?"
    r"|one|two|three|five|ten|fifteen|thirty)"
)
_LENGTH_EN = rf"(?:{_COUNT_EN}[ -]?)?{_UNIT_EN}"
_UNIT_ZH = "(?P<unit>秒钟?|分钟?|个?小时|个?钟头|天|周|个?星期)"
_LENGTH_ZH = rf"(?P<count>\d{{1,6}}|半个?|{NUMBER_ZH}) ?(?P<half>个半)?{_UNIT_ZH}"
_LENGTHS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?<![a-z])(?:(?:in|over|for|within|during) )?(?:the )?(?:last|past|previous|recent) {_LENGTH_EN}",
        rf"(?<![a-z])within {_LENGTH_EN}(?! of)",
        rf"(?:最近|过去|近|前|刚过去)的? ?{_LENGTH_ZH}(?:之?内|以内|里|来)?",
        rf"{_LENGTH_ZH}(?:之内|以内|内)",
    )
)
_AGO = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?P<since>(?<![a-z])(?:since|from|after) )?(?:about |around )?{_LENGTH_EN} ago(?![a-z])(?P<till>)",
        rf"(?P<since>从 ?)?{_LENGTH_ZH}(?:之前|以前|前)(?P<till>开始|起|以来|到现在|至今)?",
    )
)
_JUST_NOW = re.compile(r"刚才|刚刚|just now")
_BETWEEN = re.compile(r" ?(?:to|until|till|and|through|-|–|—|~|～|到|至|和|与|跟)(?: the)? ?")
_OPENING = re.compile(
    r"(?:(?:^|[^a-z])(?P<since>since|after|from|starting(?: at)?)"
    r"|(?:^|[^a-z])(?P<until>before|until|till|by|up to)|从|自从|自)(?: about| around)? ?$"
)
_CLOSING = re.compile(r" ?的?(?:(?P<since>之后|以后|后|以来|开始|起|onwards?)|(?P<until>之前|以前|前|为止))")
_BARE_TO = re.compile(r"(?<![\w.:/-])(?P<hour>\d{1,2}) ?(?:to|until|-|–) ?(?=\d{1,2}(?::\d{2})? ?(?P<half>am|pm))")


class ReadWindow(NamedTuple):
    """What was read: the window (both ends None when none is written or it is wrong), sentences about it, and where
    in the text it stands. `wrong` says that a window was asked for that cannot be."""

    window: Window
    notes: list[str]
    spans: list[tuple[int, int]]
    wrong: bool = False


def read_window(text: str, at: datetime, zone: str, lang: Lang = Lang.EN) -> ReadWindow:
    """The window that `text` asks for, seen at `at` (aware) by somebody in `zone` (an IANA name or an offset).

    The window's ends are in UTC. Notes are sentences in `lang`. Never raises.
    """
    known = read_zone(zone)
    notes = [] if known is not None else [_SENTENCES["zone"][lang].format(zone=zone[:40])]
    reader = _Reader(_lower(text), at, known or UTC, lang)
    for attempt in (reader.length, reader.ago, reader.points, reader.just_now):
        try:
            found = attempt()
        except OverflowError:  # a day at the edge of the calendar, to which no hour can be added
            continue
        if found is not None:
            return ReadWindow(found.window, notes + found.notes, found.spans, found.wrong)
    return ReadWindow(Window(), notes, [])


def default_window(at: datetime) -> Window:
    """The last hour before `at`: what is searched when no window is asked for."""
    return Window(since=(at - DEFAULT_LENGTH).astimezone(UTC), until=at.astimezone(UTC))


@dataclass(frozen=True, slots=True)
class _Reader:
    text: str
    at: datetime
    zone: tzinfo
    lang: Lang

    def length(self) -> ReadWindow | None:
        for pattern in _LENGTHS:
            if (found := pattern.search(self.text)) and (length := _length(found)):
                return self._window(self.at - length, self.at, [found.span()])
        return None

    def ago(self) -> ReadWindow | None:
        for pattern in _AGO:
            if (found := pattern.search(self.text)) and (length := _length(found)):
                start = self.at - length
                if found["since"] or found["till"]:
                    return self._window(start, self.at, [found.span()])
                around = max(AROUND, length / 10)
                return self._window(start - around, min(self.at, start + around), [found.span()])
        return None

    def just_now(self) -> ReadWindow | None:
        found = _JUST_NOW.search(self.text)
        return self._window(self.at - timedelta(minutes=15), self.at, [found.span()]) if found else None

    def points(self) -> ReadWindow | None:
        points = find_points(self.text, self.at, self.zone)
        if bare := _BARE_TO.search(self.text):
            points = _with_bare_hour(points, bare)
        points = [point for point in points if not point.is_now or len(points) > 1]
        points = _with_day_apart(points)
        for first, second in pairwise(points):
            if _BETWEEN.fullmatch(self.text, first.end, second.start) or first.end == second.start:
                return self._span(first, second)
        return self._single(points[0]) if points else None

    def _span(self, first: Point, second: Point) -> ReadWindow:
        begin = self.text[: first.start]
        start = first.start - (len(begin) - len(begin.rstrip()))
        spans = [(start, second.end)]
        if not second.is_now:
            second = second.inherit(first)
        else:
            return self._window(self._moment(first), self.at, spans)
        bare = first.day is None and second.day is None
        since, until = self._moment(first), moment(second, self.at, self.zone, end=True)
        if bare:
            until = datetime.combine(since.astimezone(until.tzinfo).date(), until.timetz())
            if until < since and since - until > _HALF_DAY:
                until += timedelta(days=1)
        return self._window(since, until, spans)

    def _single(self, point: Point) -> ReadWindow:
        opening = _OPENING.search(self.text[: point.start])
        closing = _CLOSING.match(self.text, point.end)
        start = opening.start() if opening else point.start
        spans = [(start, closing.end() if closing else point.end)]
        marks = [mark for mark in (closing, opening) if mark is not None]
        if any(mark["until"] for mark in marks):
            end = self._moment(point)
            return self._window(end - DEFAULT_LENGTH, end, spans)
        if marks:
            return self._window(self._moment(point), self.at, spans)
        if point.clock is None:
            since, until = moment(point, self.at, self.zone), moment(point, self.at, self.zone, end=True)
            return self._window(since, min(until, self.at) if since < self.at else until, spans)
        middle = self._moment(point)
        if middle > self.at:
            return self._window(middle, middle, spans)
        return self._window(middle - AROUND, min(middle + AROUND, self.at), spans)

    def _moment(self, point: Point) -> datetime:
        """The instant a point means; a clock time without a day is yesterday's when today's is far in the future."""
        instant = moment(point, self.at, self.zone)
        if point.day is None and not point.is_now and instant - self.at > _HALF_DAY:
            return instant - timedelta(days=1)
        return instant

    def _window(self, since: datetime, until: datetime, spans: list[tuple[int, int]]) -> ReadWindow:
        said = {"since": self._shown(since), "until": self._shown(until), "at": self._shown(self.at)}
        if since > self.at:
            return ReadWindow(Window(), [_SENTENCES["future"][self.lang].format(**said)], spans, wrong=True)
        if until <= since:
            return ReadWindow(Window(), [_SENTENCES["reversed"][self.lang].format(**said)], spans, wrong=True)
        notes = []
        if until > self.at:
            notes.append(_SENTENCES["cut"][self.lang].format(**said))
            until = self.at
        return ReadWindow(Window(since=since.astimezone(UTC), until=until.astimezone(UTC)), notes, spans)

    def _shown(self, instant: datetime) -> str:
        return instant.astimezone(self.zone).isoformat(sep=" ", timespec="seconds")


_SENTENCES: dict[str, dict[Lang, str]] = {
    "zone": {
        Lang.EN: "No time zone is called {zone}; times are read as UTC.",
        Lang.ZH: "没有名为 {zone} 的时区，时间按 UTC 理解。",
    },
    "future": {
        Lang.EN: "The asked window begins at {since}, which is after the question's time {at}.",
        Lang.ZH: "所问的时间段从 {since} 开始，晚于提问时刻 {at}。",
    },
    "reversed": {
        Lang.EN: "The asked window ends at {until}, which is not after its beginning {since}.",
        Lang.ZH: "所问的时间段在 {until} 结束，不晚于它的开始时刻 {since}。",
    },
    "cut": {
        Lang.EN: "The asked window reaches beyond the question's time; it was read as ending at {at}.",
        Lang.ZH: "所问的时间段超出了提问时刻，按到 {at} 为止理解。",
    },
}


def _length(found: re.Match[str]) -> timedelta | None:
    """The length that a pattern found; None for nothing, or for more than ten years."""
    count, unit = found["count"] or "1", found["unit"]
    seconds = _UNIT_SECONDS.get(unit)
    if seconds is None:
        return None
    if count.startswith(("half", "半")):
        number = 0.5
    else:
        word = count.removeprefix("a ") if count not in {"a", "an"} else count
        counted = _COUNT_WORDS.get(word, number_zh(word))
        if not counted:
            return None
        number = counted + (0.5 if found.groupdict().get("half") else 0)
    if seconds * number > _LONGEST.total_seconds():
        return None
    return timedelta(seconds=seconds * number)


def _with_day_apart(points: list[Point]) -> list[Point]:
    """Clock times take the one day that stands apart from them: "on Nov 29 from 22:00 to 23:00"."""
    days = [point for point in points if point.day is not None and point.clock is None and not point.is_now]
    clocks = [point for point in points if point.clock is not None]
    if len(days) != 1 or not clocks or any(point.day is not None for point in clocks):
        return points
    return [point.inherit(days[0]) if point.clock is not None else point for point in points if point is not days[0]]


def _with_bare_hour(points: list[Point], bare: re.Match[str]) -> list[Point]:
    """The points with the `3` of "yesterday 3 to 4pm" among them: it takes its half of the day from the other."""
    index = next((i for i, point in enumerate(points) if point.start == bare.end()), None)
    if index is None or (other := points[index]).clock is None:
        return points
    hour = int(bare["hour"]) % 12 + (12 if bare["half"] == "pm" else 0)
    clock = other.clock.replace(hour=hour, minute=0, second=0, microsecond=0)
    first = Point(bare.start(), bare.end("hour"), other.day, None, clock, other.zone, half_known=True)
    before = points[:index]
    if before and before[-1].clock is None and bare.start() - before[-1].end <= 4:
        first = replace(first.inherit(before[-1]), start=before[-1].start)
        before.pop()
    return [*before, first, *points[index:]]


def _lower(text: str) -> str:
    return "".join(low if len(low := character.lower()) == 1 else character for character in text)
