"""Timestamps at the head of log records: which forms are read, and what they say.

Decides where a stamp stands at the head of a line, which instant or wall-clock time it names, and whether it names
its own zone. A stamp without a zone stays naive unless the caller gives the zone that was configured; a stamp without
a year is no date unless the caller gives the moment it must lie before. It refuses to guess: zone words that name
several zones (CST, IST, BST) are no zone, and days that could be months are not read. Protocol: section 3 (`time=` in
UTC when a zone is configured for a stamp without one) and section 11 (log files as found).

Patterns are written in ASCII so that they compile for text and for bytes alike, are anchored by their users, and hold
bounded quantifiers only: reading is linear in the length of the head.
"""

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache
from typing import NamedTuple

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

# Zone words that name one offset everywhere (RFC 5322, section 4.3, plus those of one country). CST, IST, BST, AST,
# MST and their like name several zones and are read as no zone.
ZONE_WORDS = {
    "z": 0,
    "utc": 0,
    "gmt": 0,
    "est": -300,
    "edt": -240,
    "cdt": -300,
    "mdt": -360,
    "pst": -480,
    "pdt": -420,
    "cet": 60,
    "cest": 120,
    "eet": 120,
    "eest": 180,
    "msk": 180,
    "hkt": 480,
    "sgt": 480,
    "jst": 540,
    "kst": 540,
    "aest": 600,
    "aedt": 660,
    "nzst": 720,
    "nzdt": 780,
}
_AMBIGUOUS_ZONES = ("CST", "IST", "BST", "AST", "MST", "WIB", "CAT", "WET")

_MONTH = (
    "(?:[Jj][Aa][Nn]|[Ff][Ee][Bb]|[Mm][Aa][Rr]|[Aa][Pp][Rr]|[Mm][Aa][Yy]|[Jj][Uu][NnLl]|"
    "[Aa][Uu][Gg]|[Ss][Ee][Pp]|[Oo][Cc][Tt]|[Nn][Oo][Vv]|[Dd][Ee][Cc])"
)
_DAY_NAME = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? "
_CLOCK = "[0-2][0-9]:[0-5][0-9]:[0-6][0-9]"
_FRACTION = "(?:[.,:][0-9]{1,9})?"
_WORDS = "|".join(
    sorted({word.upper() for word in ZONE_WORDS if word != "z"} | set(_AMBIGUOUS_ZONES), key=lambda w: (-len(w), w))
)
_ZONE = f"(?: ?(?:[Zz](?![A-Za-z0-9_])|[+-][0-1][0-9]:?[0-5][0-9](?![0-9:])|(?:{_WORDS})(?![A-Za-z0-9_])))?"
# End of a bare number: an epoch is a whole token.
_END = "(?![0-9A-Za-z_.:/-])"


class Form(NamedTuple):
    """One way to write a stamp. `before` and `after` are what stands before and behind the fraction of a second."""

    name: str
    before: str
    fraction: str
    after: str

    @property
    def pattern(self) -> str:
        """The form as a pattern with two groups: all but the fraction names one second."""
        return f"({self.before}){self.fraction}({self.after})"


FORMS: tuple[Form, ...] = (
    Form("iso", f"[12][0-9]{{3}}[-/.][01][0-9][-/.][0-3][0-9](?:[Tt_ ]|  ){_CLOCK}", _FRACTION, _ZONE),
    Form("iso_minute", "[12][0-9]{3}-[01][0-9]-[0-3][0-9][Tt ][0-2][0-9]:[0-5][0-9](?!:)", "", _ZONE),
    Form("clf", f"[0-3][0-9]/{_MONTH}/[12][0-9]{{3}}:{_CLOCK}", "(?:\\.[0-9]{1,9})?", _ZONE),
    Form("day_month", f"(?:{_DAY_NAME})?[0-3]?[0-9][ -/]{_MONTH}[ -/][12][0-9]{{3}} {_CLOCK}", _FRACTION, _ZONE),
    Form(
        "month_day_year",
        f"{_MONTH} [0-3]?[0-9], [12][0-9]{{3}},? [0-2]?[0-9]:[0-5][0-9]:[0-6][0-9]",
        _FRACTION,
        "(?: [AP]M)?",
    ),
    Form(
        "ctime",
        f"(?:{_DAY_NAME})?{_MONTH} [ 0-3]?[0-9] {_CLOCK}",
        "(?:\\.[0-9]{1,9})?",
        "(?: (?:UTC |GMT )?[12][0-9]{3}(?![0-9:]))?",
    ),
    Form(
        "chinese",
        "[12][0-9]{3}年[01]?[0-9]月[0-3]?[0-9]日 ?"
        "(?:[0-2]?[0-9]时[0-5]?[0-9]分[0-6]?[0-9]秒|(?:上午|下午)?[0-2]?[0-9]:[0-5][0-9]:[0-6][0-9])",
        "(?:[.,][0-9]{1,9})?",
        _ZONE,
    ),
    Form(
        "compact", "[12][0-9]{3}[01][0-9][0-3][0-9][Tt ][0-2][0-9]:?[0-5][0-9]:?[0-6][0-9](?![0-9])", _FRACTION, _ZONE
    ),
    Form("short_year", f"[0-9]{{2}}[/-]?[01][0-9][/-]?[0-3][0-9] {_CLOCK}", _FRACTION, _ZONE),
    Form("klog", f"[IWEF][01][0-9][0-3][0-9] {_CLOCK}", "\\.[0-9]{1,9}", ""),
    Form("logcat", f"[01][0-9]-[0-3][0-9] {_CLOCK}", "\\.[0-9]{3,6}", ""),
    Form("epoch", "[0-9]{10}", "(?:\\.[0-9]{1,9}|[0-9]{3}(?:\\.[0-9]{1,6})?|[0-9]{6}|[0-9]{9})?", _END),
    Form("epoch_e", "[0-9]\\.[0-9]{9}", "[0-9]{0,9}", "e\\+?0?9" + _END),
    Form("clock", _CLOCK, "[.,][0-9]{1,9}", ""),
)

# What may stand before the stamp of a record: syslog's priority, brackets and quotes, a key, a level word, Redis' role,
# an access log's three fields, a composer's or kubectl's prefix. Each with bounded length.
PREFIXES: tuple[str, ...] = (
    '[\\[(<"]?',
    "<[0-9]{1,3}>(?:1 )?",
    '(?:ts|time|timestamp|t|date|datetime|@timestamp)="?',
    "\\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|SEVERE|"
    "trace|debug|info|notice|warn|warning|error|fatal|critical)\\]?:? {0,6}\\[?",
    "[0-9]{1,8}:[A-Z] ",
    "[^ \\[]{1,200} [^ \\[]{1,80} [^\\[]{1,80} ?\\[",
    "[A-Z], \\[",
    "[A-Za-z0-9_.-]{1,80} {0,20}\\| ",
    "\\[[a-z]{1,12}/[^\\] ]{1,200}\\] ",
    '(?:level|lvl|severity)=[A-Za-z"]{1,12} (?:ts|time|timestamp|t)="?',
)


class Stamp(NamedTuple):
    """A stamp that was read: its moment (aware when a zone is known), its own zone or none, and where it stands."""

    when: datetime
    had_zone: bool
    form: str
    start: int
    end: int


@cache
def _heads() -> tuple[tuple[Form, re.Pattern[str]], ...]:
    prefix = "(?:" + "|".join(PREFIXES) + ")"
    return tuple((form, re.compile(f"{prefix}(?P<stamp>{form.pattern})")) for form in FORMS)


@cache
def _whole(form: Form) -> re.Pattern[str]:
    return re.compile(f"(?P<stamp>{form.pattern})")


def read_head(line: str, *, zone: tzinfo | None = None, before: datetime | None = None) -> Stamp | None:
    """Read the stamp at the head of a log line, or None.

    `zone` is the configured zone of stamps without one: with it the moment is aware, without it naive. `before` is an
    aware moment that a stamp without a year must not lie after (by more than a day): it chooses the year. A form that
    is a head but no date (a clock without a day, a yearless stamp without `before`) gives None.
    """
    best: Stamp | None = None
    for form, pattern in _heads():
        found = pattern.match(line)
        if found is None:
            continue
        stamp = _stamp(form, found, zone, before)
        if stamp is not None and (best is None or stamp.start < best.start):
            best = stamp
    return best


def read_stamp(text: str, *, zone: tzinfo | None = None, before: datetime | None = None) -> Stamp | None:
    """Read a text that is a stamp (the value of a `time` field, say); nothing but white space may follow it."""
    text = text.strip()
    for form in FORMS:
        found = _whole(form).fullmatch(text)
        if found is not None:
            stamp = _stamp(form, found, zone, before)
            if stamp is not None:
                return stamp
    return None


def from_epoch(digits: str) -> datetime | None:
    """An epoch of 10 digits (s), 13 (ms), 16 (µs) or 19 (ns), with or without a fraction; None out of 2001 … 2286."""
    whole, _, fraction = digits.partition(".")
    if not (whole.isascii() and whole.isdigit()) or len(whole) not in (10, 13, 16, 19):
        return None
    micro = (whole + (fraction if len(whole) <= 13 else ""))[10:16].ljust(6, "0")
    if not micro.isdigit():
        return None
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=int(whole[:10]), microseconds=int(micro))


def rfc3339(when: datetime) -> str:
    """An aware moment in UTC as RFC 3339: `2026-11-30T23:12:30.626Z`, with milli- or microseconds only where needed."""
    when = when.astimezone(UTC)
    spec = "seconds" if when.microsecond == 0 else "milliseconds" if when.microsecond % 1000 == 0 else "microseconds"
    return when.replace(tzinfo=None).isoformat(timespec=spec) + "Z"


def _stamp(form: Form, found: re.Match[str], zone: tzinfo | None, before: datetime | None) -> Stamp | None:
    text = found["stamp"]
    try:
        read = _read_form(form, text, before)
    except (ValueError, OverflowError):
        return None
    if read is None:
        return None
    when, had_zone = read
    if when.tzinfo is None and zone is not None:
        when = when.replace(tzinfo=zone)
    return Stamp(when, had_zone, form.name, found.start("stamp"), found.end("stamp"))


def _read_form(form: Form, text: str, before: datetime | None) -> tuple[datetime, bool] | None:
    if form.name == "epoch":
        when = from_epoch(text)
        return None if when is None else (when, True)
    if form.name == "epoch_e":
        digits = text.partition("e")[0].replace(".", "")
        when = from_epoch(f"{digits[:10]}.{digits[10:] or '0'}")
        return None if when is None else (when, True)
    if form.name == "clock":
        return None
    text, offset = _split_zone(text)
    numbers = re.findall("[0-9]+", text)
    day = _day(form, text, numbers, before)
    if day is None:
        return None
    (year, month, dom), rest = day
    clock = [int(number) for number in rest[:3]]
    hour, minute, second = [*clock, 0, 0][:3]
    lowered = text.lower()
    if "pm" in lowered or "下午" in text:
        hour = hour % 12 + 12
    elif " am" in lowered:
        hour %= 12
    micro = int(rest[3][:6].ljust(6, "0")) if len(rest) > 3 else 0
    when = datetime(year, month, dom, hour, minute, min(second, 59), micro)  # noqa: DTZ001 - naive until a zone is known
    if second == 60:
        when += timedelta(seconds=1)
    return (when, False) if offset is None else (when.replace(tzinfo=timezone(timedelta(minutes=offset))), True)


def _day(
    form: Form, text: str, numbers: list[str], before: datetime | None
) -> tuple[tuple[int, int, int], list[str]] | None:
    """Year, month and day of a form's text, and the numbers behind them (hour, minute, second, fraction)."""
    match form.name:
        case "iso" | "iso_minute" | "chinese":
            return (int(numbers[0]), int(numbers[1]), int(numbers[2])), numbers[3:]
        case "compact":
            digits = numbers[0]
            clock = (
                numbers[1:] if len(numbers[1]) == 2 else [numbers[1][:2], numbers[1][2:4], numbers[1][4:], *numbers[2:]]
            )
            return (int(digits[:4]), int(digits[4:6]), int(digits[6:])), clock
        case "short_year":
            parts = numbers if len(numbers[0]) == 2 else [numbers[0][:2], numbers[0][2:4], numbers[0][4:], *numbers[1:]]
            return (2000 + int(parts[0]), int(parts[1]), int(parts[2])), parts[3:]
        case "clf" | "day_month":
            return (int(numbers[1]), _month(text), int(numbers[0])), numbers[2:]
        case "month_day_year":
            return (int(numbers[1]), _month(text), int(numbers[0])), numbers[2:]
        case "ctime":
            if len(numbers[-1]) == 4 and len(numbers) > 4 and text.endswith(numbers[-1]) and text[-5] == " ":
                return (int(numbers[-1]), _month(text), int(numbers[0])), numbers[1:-1]
            return _with_year((_month(text), int(numbers[0])), numbers[1:], before)
        case "klog":
            return _with_year((int(numbers[0][:2]), int(numbers[0][2:])), numbers[1:], before)
        case "logcat":
            return _with_year((int(numbers[0]), int(numbers[1])), numbers[2:], before)
        case _:
            return None


def _with_year(
    day: tuple[int, int], rest: list[str], before: datetime | None
) -> tuple[tuple[int, int, int], list[str]] | None:
    """The latest year in which the day does not lie more than a day after `before`."""
    if before is None:
        return None
    limit = before + timedelta(days=1)
    year = limit.year if (day[0], day[1]) <= (limit.month, limit.day) else limit.year - 1
    return (year, *day), rest


def _month(text: str) -> int:
    lowered = text.lower()
    found = re.search(_MONTH, lowered)
    if found is None:
        raise ValueError("no month")
    return MONTHS.index(found[0]) + 1


_ZONE_AT_END = re.compile("(?: ?([Zz]|[+-][0-9]{2}:?[0-9]{2})| ?([A-Za-z]{3,4}))$")
_GMT_YEAR = re.compile(" (UTC|GMT) ([12][0-9]{3})$")


def _split_zone(text: str) -> tuple[str, int | None]:
    """The text without its zone, and the zone's offset in minutes (None: no zone, or a word that names several)."""
    year_behind = _GMT_YEAR.search(text)
    if year_behind is not None:
        return text[: year_behind.start()] + " " + year_behind[2], 0
    found = _ZONE_AT_END.search(text)
    if found is None:
        return text, None
    if found[2] is not None:
        word = found[2].lower()
        known = word in ZONE_WORDS or word.upper() in _AMBIGUOUS_ZONES
        return (text[: found.start()], ZONE_WORDS.get(word)) if known else (text, None)
    word = found[1].lower()
    if word == "z":
        return text[: found.start()], 0
    if ":" not in text[: found.start()] and len(re.findall("[0-9]+", text[: found.start()])) < 3:
        return text, None
    sign = -1 if word[0] == "-" else 1
    return text[: found.start()], sign * (int(word[1:3]) * 60 + int(word[-2:]))
