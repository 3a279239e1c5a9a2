"""Moments in a sentence: where a text names a time, and which moment it means.

Decides: which stretches of a text are a point in time (ISO times, `10:15`, `3pm`, `昨天下午3点`) and what they mean,
given the asker's zone and "now". Refuses: to read a clock, and to guess a point that is not written.
What one or two points mean as a window is `superbizagent.rules.windows`. Protocol: sections 8 and 10.

A point is written as up to four pieces, in this order: a day, a part of the day, a clock time, a zone. Each piece has
one small pattern, and the scanner takes them one after the other.
"""

import re
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

_DIGITS_ZH = {
    "零": 0,
    "〇": 0,
    "一": 1,
    "二": 2,
    "两": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
    "七": 7,
    "八": 8,
    "九": 9,
}
NUMBER_ZH = "[零〇一二两三四五六七八九十百]{1,5}"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WEEKDAYS_ZH = "一二三四五六日"

DAY_PARTS: dict[str, tuple[int, int]] = {
    "morning": (0, 12),
    "afternoon": (12, 18),
    "evening": (18, 24),
    "night": (18, 30),
    "凌晨": (0, 6),
    "早上": (0, 12),
    "早晨": (0, 12),
    "清晨": (0, 12),
    "上午": (0, 12),
    "中午": (11, 14),
    "下午": (12, 18),
    "傍晚": (17, 20),
    "晚上": (18, 24),
    "夜里": (18, 24),
    "夜间": (18, 24),
}
"""The part of a day that a word names: its first hour, and the hour behind its last (30 is 6 of the next morning)."""

_DAY_WORDS = {
    "today": 0,
    "yesterday": -1,
    "tomorrow": 1,
    "今天": 0,
    "今日": 0,
    "昨天": -1,
    "昨日": -1,
    "前天": -2,
    "明天": 1,
}
_DAYS_WITH_PART = {
    "今早": (0, "早上"),
    "今晚": (0, "晚上"),
    "昨晚": (-1, "晚上"),
    "昨夜": (-1, "晚上"),
    "this morning": (0, "morning"),
    "this afternoon": (0, "afternoon"),
    "this evening": (0, "evening"),
    "tonight": (0, "night"),
    "last night": (-1, "night"),
    "last evening": (-1, "evening"),
}
_MONTH = "(?P<name>" + "|".join(_MONTHS) + ")[a-z]{0,6}"
_DATES = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?P<y>\d{4})[-/.](?P<mo>\d{1,2})[-/.](?P<d>\d{1,2})(?![\d.-])",
        r"(?:(?P<y>\d{4}) ?年 ?)?(?P<mo>\d{1,2}) ?月 ?(?P<d>\d{1,2}) ?[日号]",
        rf"(?P<d>\d{{1,2}})[ /-]{_MONTH}(?:[ /-](?P<y>\d{{4}}))?(?![a-z])",
        rf"{_MONTH}\.? (?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?:,? (?P<y>\d{{4}}))?(?![\d:])",
    )
)
_DAY = re.compile(
    "|".join(sorted([*_DAYS_WITH_PART, *_DAY_WORDS], key=len, reverse=True))
    + "|(?:last |on )?(?:" + "|".join(_WEEKDAYS) + ")|上?(?:周|星期)[一二三四五六日天]"
)  # fmt: skip
_PART = re.compile("(?:in the )?(" + "|".join(DAY_PARTS) + ")")
_CLOCKS = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?P<h>\d{1,2})[:：](?P<m>\d{2})(?:[:：](?P<s>\d{2})(?:[.,](?P<f>\d{1,9}))?)?"
        r"(?: ?(?P<half>am|pm|a\.m\.|p\.m\.))?(?![\d:])",
        r"(?P<h>\d{1,2}) ?(?P<half>am|pm|a\.m\.|p\.m\.)(?![a-z])",
        rf"(?P<h>\d{{1,2}}|{NUMBER_ZH}) ?[点时](?!间)"
        rf"(?:整|(?P<bit>半|[一三]刻)|(?P<m>\d{{1,2}}|{NUMBER_ZH}) ?分?(?!钟))?",
        r"(?P<named>noon|midnight)",
    )
)
_ZONE = re.compile(r" ?(?:utc|gmt) ?[+-] ?\d{1,2}(?::?\d{2})?(?!\d)| ?(?:utc|gmt|z)(?![a-z0-9])| beijing time")
_OFFSET = re.compile(r" ?[+-]\d{2}:?\d{2}(?!\d)")
_BEIJING = re.compile("北京时间 ?")
_NOW = re.compile("now|现在|此刻")
_GAP = re.compile(r"t(?=\d)|,? at |, | |的")
_MINUTES_OF_BIT = {"半": 30, "一刻": 15, "三刻": 45}
_ZONE_WORDS = {"utc": 0, "z": 0, "gmt": 0, "北京时间": 480, "beijing time": 480}


@dataclass(frozen=True, slots=True)
class Point:
    """A moment that a text names at `start:end`, as far as it is written.

    `day` is None when only a clock time stands there; `clock` is None for a whole day or a `part` of one.
    `half_known` says that the clock time needs no part of the day to be read (`3pm`, `15:00`).
    """

    start: int
    end: int
    day: date | None = None
    part: str | None = None
    clock: time | None = None
    zone: tzinfo | None = None
    is_now: bool = False
    half_known: bool = False

    def inherit(self, other: "Point") -> "Point":
        """This point with the day, part of the day and zone of `other` where it has none of its own."""
        clock, part = self.clock, self.part or other.part
        if clock is not None and self.part is None and not self.half_known:
            clock = _in_part(clock, part)
        return replace(self, day=self.day or other.day, part=part, clock=clock, zone=self.zone or other.zone)


def find_points(text: str, at: datetime, zone: tzinfo) -> list[Point]:
    """Every point that `text` names, in order. `at` gives "today" in `zone`; impossible dates and hours are none."""
    lowered = _lowered(text)
    today = at.astimezone(zone).date()
    points: list[Point] = []
    position = 0
    while position < len(lowered):
        behind_point = bool(points) and points[-1].end == position - 1
        begins = behind_point or _may_begin(lowered, position)
        point = _point_at(lowered, position, today) if begins else None
        if point is None:
            position += 1
        else:
            points.append(point)
            position = point.end
    return points


def moment(point: Point, at: datetime, zone: tzinfo, *, end: bool = False) -> datetime:
    """The instant that a point means; `end` asks for the end of a whole day or part of one.

    A clock time without a day is today's, in the point's own zone or else in `zone`.
    """
    if point.is_now:
        return at
    own = point.zone or zone
    day = point.day or at.astimezone(own).date()
    if point.clock is not None:
        return datetime.combine(day, point.clock, tzinfo=own)
    first, last = DAY_PARTS[point.part] if point.part else (0, 24)
    return datetime.combine(day, time(), tzinfo=own) + timedelta(hours=last if end else first)


def read_zone(name: str) -> tzinfo | None:
    """The zone that `name` names (`Asia/Shanghai`, `UTC`, `+08:00`, `UTC+8`); None when nobody knows it."""
    word = name.strip().lower()
    offset = re.fullmatch(r"(?:utc|gmt)? ?([+-]) ?(\d{1,2})(?::?(\d{2}))?", word)
    if offset:
        minutes = int(offset[2]) * 60 + int(offset[3] or 0)
        return None if minutes > 14 * 60 else timezone(timedelta(minutes=minutes if offset[1] == "+" else -minutes))
    if word in _ZONE_WORDS:
        return timezone(timedelta(minutes=_ZONE_WORDS[word]))
    try:
        return ZoneInfo(name.strip())
    except (OSError, ValueError, KeyError):
        return None


def number_zh(text: str) -> int | None:
    """The number below 1000 that ASCII digits or Chinese numerals write; None when it is none."""
    if text.isascii() and text.isdigit():
        return int(text) if len(text) <= 9 else None
    total, digit = 0, 0
    for character in text:
        if character in _DIGITS_ZH:
            digit = _DIGITS_ZH[character]
        elif character in "十百":
            total, digit = total + (digit or 1) * (10 if character == "十" else 100), 0
        else:
            return None
    return total + digit if text else None


def _lowered(text: str) -> str:
    """Lower case, character by character, so that every position stays the same."""
    return "".join(low if len(low := character.lower()) == 1 else character for character in text)


def _may_begin(text: str, position: int) -> bool:
    """A point begins at the edge of a word or number, never inside an address, a version or a key's value."""
    if position == 0:
        return True
    here, before = text[position], text[position - 1]
    if here.isascii() and before.isascii() and here.isalnum():
        return not (before.isalnum() or before in "_.:/=-+@#")
    return True


def _point_at(text: str, start: int, today: date) -> Point | None:
    if now := _NOW.match(text, start):
        return Point(start, now.end(), is_now=True) if _ends_well(text, now.end()) else None
    point, end = Point(start, start), start
    if beijing := _BEIJING.match(text, end):
        point, end = replace(point, zone=read_zone("北京时间")), beijing.end()
    try:
        point, end = _take_day(text, point, end, today)
        point, end = _take_part(text, point, end)
        point, end = _take_clock(text, point, end)
    except ValueError:
        return None
    point, end = _take_zone(text, point, end)
    nothing = point.day is None and point.clock is None
    return None if nothing or not _ends_well(text, end) else replace(point, end=end)


def _take_day(text: str, point: Point, end: int, today: date) -> tuple[Point, int]:
    for pattern in _DATES:
        if found := pattern.match(text, end):
            groups = found.groupdict()
            month = _MONTHS.index(groups["name"]) + 1 if groups.get("name") else int(groups.get("mo") or 0)
            day = date(int(groups["y"] or today.year), month, int(groups["d"]))
            if groups["y"] is None and day > today:
                day = date(today.year - 1, month, int(groups["d"]))
            return replace(point, day=day), found.end()
    found = _DAY.match(text, end)
    if found is None:
        return point, end
    word = found[0]
    if word in _DAYS_WITH_PART:
        days, part = _DAYS_WITH_PART[word]
        return replace(point, day=today + timedelta(days=days), part=part), found.end()
    if word in _DAY_WORDS:
        return replace(point, day=today + timedelta(days=_DAY_WORDS[word])), found.end()
    return replace(point, day=_weekday(word, today)), found.end()


def _weekday(word: str, today: date) -> date:
    """The latest such day before today; 上周三 is the Wednesday of the week before this one."""
    name = word.rsplit(maxsplit=1)[-1]
    if name in _WEEKDAYS:
        return today - timedelta(days=(today.weekday() - _WEEKDAYS.index(name)) % 7 or 7)
    weekday = _WEEKDAYS_ZH.index("日" if word[-1] == "天" else word[-1])
    monday = today - timedelta(days=today.weekday() + (7 if word[0] == "上" else 0))
    return monday + timedelta(days=weekday)


def _take_part(text: str, point: Point, end: int) -> tuple[Point, int]:
    begin = _behind_gap(text, point, end)
    found = _PART.match(text, begin)
    if found is None:
        return point, end
    word = found[1]
    if point.day is None and word.isascii():
        return point, end
    return replace(point, part=word), found.end()


def _take_clock(text: str, point: Point, end: int) -> tuple[Point, int]:
    begin = _behind_gap(text, point, end)
    for pattern in _CLOCKS:
        if found := pattern.match(text, begin):
            clock, half_known = _clock(found.groupdict())
            if point.day is not None and clock.hour == 12 and DAY_PARTS.get(point.part or "", (0, 0))[0] >= 17:
                point = replace(point, day=point.day + timedelta(days=1))
            return replace(point, clock=_in_part(clock, point.part), half_known=half_known), found.end()
    if point.part is not None and point.day is None:
        return point, point.start
    return point, end


def _take_zone(text: str, point: Point, end: int) -> tuple[Point, int]:
    """A bare offset is taken behind a dated time only: `10:15-10:30` is two times."""
    if point.clock is None:
        return point, end
    found = _ZONE.match(text, end)
    if found is None and point.day is not None and (text[end : end + 1] == "+" or point.clock.second):
        found = _OFFSET.match(text, end)
    return (replace(point, zone=read_zone(found[0]) or point.zone), found.end()) if found else (point, end)


def _behind_gap(text: str, point: Point, end: int) -> int:
    gap = _GAP.match(text, end) if end > point.start else None
    return gap.end() if gap else end


def _clock(groups: dict[str, str | None]) -> tuple[time, bool]:
    """The clock time, and whether it says which half of the day. Raises ValueError for no time of any day."""
    if groups.get("named"):
        return time(12 if groups["named"] == "noon" else 0), True
    hour = number_zh(groups["h"] or "")
    minute = _MINUTES_OF_BIT.get(groups.get("bit") or "") or number_zh(groups.get("m") or "0")
    if hour is None or minute is None:
        raise ValueError("no number")
    half = (groups.get("half") or "").replace(".", "")
    if half:
        if not 1 <= hour <= 12:
            raise ValueError("no hour of a 12-hour face")
        hour = hour % 12 + (12 if half == "pm" else 0)
    if hour == 24 and minute == 0:
        hour = 0
    micros = int((groups.get("f") or "0").ljust(6, "0")[:6])
    return time(hour, minute, int(groups.get("s") or 0), micros), bool(half) or hour > 12


def _in_part(clock: time, part: str | None) -> time:
    """`clock` read on a 12-hour face within a part of the day: 3 in the afternoon is 15."""
    if part is None or clock.hour > 12:
        return clock
    first, _last = DAY_PARTS[part]
    if part == "中午":
        return clock.replace(hour=clock.hour + 12) if clock.hour <= 3 else clock
    if first < 12:
        return clock.replace(hour=0) if clock.hour == 12 else clock
    if clock.hour == 12:
        return clock if first == 12 else clock.replace(hour=0)
    return clock.replace(hour=clock.hour + 12)


def _ends_well(text: str, end: int) -> bool:
    """A point ends at the edge of a word or number, and is no key, address or part of an identifier."""
    if end >= len(text):
        return True
    before, here = text[end - 1], text[end]
    if here in "=/@_" or (
        here in ".:-" and end + 1 < len(text) and text[end + 1].isascii() and text[end + 1].isalnum()
    ):
        return here == "-" and text[end + 1].isdigit()
    return not (before.isascii() and here.isascii() and before.isalnum() and here.isalnum())
