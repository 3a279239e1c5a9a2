"""Moments: stamps in claims and records, and whether one names the instant of the other.

Decides: what a written stamp says (date, clock, precision, zone), and whether a claimed one is a recorded one. A stamp
without a zone gives no zone: comparing it with a claim that names one is `NO_ZONE`. Refuses: to guess a missing date
or zone. Protocol: section 7, rows `time_unsupported` and `time_contradicted`.
"""

import re
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import NamedTuple

_DAY = 86400
_MONTHS_A_YEAR = 12
_DAYS_A_MONTH = 31
_MONTHS = {name: number for number, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)}
_MONTH_WORDS = (
    "January|February|March|April|May|June|July|August|September|October|November|December"
    "|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec"
)
_CLOCK = r"(?P<h>[01]?\d|2[0-3]):(?P<mi>[0-5]\d)(?::(?P<s>[0-5]\d|60)(?:[.,](?P<f>\d{1,9}))?)?"
_CLOCK_ZH = r"(?P<h>[01]?\d|2[0-3]) ?[点时](?P<mi>[0-5]?\d)?(?(mi) ?分)(?:(?P<s>[0-5]?\d) ?秒)?"
_ZONE = r"(?: ?(?P<z>Z|UTC|GMT)(?![A-Za-z+-])|(?P<o> ?(?:UTC|GMT)?[+-]\d{2}:?\d{2}(?!\d)))?"
_EDGE = r"(?![\w:]|\.\d)"
_FORMS = tuple(
    re.compile(form)
    for form in (
        rf"(?P<y>\d{{4}})[-/](?P<mo>\d\d)[-/](?P<d>\d\d)[T ]{_CLOCK}{_ZONE}{_EDGE}",
        r"(?P<y>\d{4})(?P<mo>\d\d)(?P<d>\d\d)T(?P<h>[01]\d|2[0-3])(?P<mi>[0-5]\d)(?P<s>[0-5]\d)(?P<z>Z)?(?!\w)",
        rf"(?P<d>\d\d)/(?P<mon>[A-Z][a-z]{{2}})/(?P<y>\d{{4}}):{_CLOCK}{_ZONE}{_EDGE}",
        rf"(?P<mon>[A-Z][a-z]{{2}}) {{1,2}}(?P<d>\d{{1,2}}) {_CLOCK} (?P<y>\d{{4}}){_ZONE}{_EDGE}",
        rf"(?P<mon>[A-Z][a-z]{{2}}) {{1,2}}(?P<d>\d{{1,2}})(?:,? (?P<y>\d{{4}}))? {_CLOCK}{_ZONE}{_EDGE}",
        rf"(?P<d>\d{{1,2}}) (?P<mon>[A-Z][a-z]{{2}}) (?P<y>\d{{4}}) {_CLOCK}{_ZONE}{_EDGE}",
        r"(?P<y>\d{4})[-/](?P<mo>\d\d)[-/](?P<d>\d\d)(?![\w-])",
        r"(?P<y>\d{4}) ?年 ?(?P<mo>\d{1,2}) ?月 ?(?P<d>\d{1,2}) ?[日号]",
        r"(?P<mo>\d{1,2}) ?月 ?(?P<d>\d{1,2}) ?[日号]",
        rf"(?P<d>\d{{1,2}})(?:st|nd|rd|th)? (?P<mon>{_MONTH_WORDS})(?:,? (?P<y>\d{{4}}))?(?![\w:])",
        rf"(?P<mon>{_MONTH_WORDS}) (?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?:,? (?P<y>\d{{4}}))?(?![\w:]|\.\d)",
        rf"{_CLOCK}{_ZONE}{_EDGE}",
        _CLOCK_ZH,
    )
)
_NAMED_ZONE = re.compile(r"\(?(?:UTC|GMT)(?P<sign>[+-])(?P<h>\d{1,2})(?::?(?P<m>\d\d))?\)?(?!\d)|(?:北京时间|东八区)")
_BARE_UTC = re.compile(r"\(?(?:UTC|GMT|世界时)\)?(?![A-Za-z0-9+-])")


class Stamp(NamedTuple):
    """A written moment. `clock` is seconds since midnight, `step` its precision in seconds, `offset` minutes.

    `month_day` is what a date gives whose year is not written.
    """

    day: date | None
    clock: Decimal | None
    step: Decimal
    offset: int | None
    text: str
    month_day: tuple[int, int] | None = None


class Same(StrEnum):
    """How a claimed moment relates to a recorded one."""

    SAME = "same"
    DIFFERS = "differs"
    NO_ZONE = "no_zone"
    UNKNOWN = "unknown"


def read_at(text: str, start: int) -> tuple[Stamp, int] | None:
    """The stamp that begins at `text[start]`, and the index behind it; None when none does."""
    if start and (text[start - 1].isalnum() and text[start - 1].isascii()):
        return None
    for form in _FORMS:
        found = form.match(text, start)
        if found is not None:
            stamp = _read(found)
            if stamp is not None:
                return stamp, found.end()
    return None


def zone_at(text: str, start: int) -> tuple[int, int] | None:
    """A zone on its own (`(UTC+8)`, `UTC`, `北京时间`): its offset in minutes, and the index behind it."""
    found = _NAMED_ZONE.match(text, start)
    if found is not None:
        if found.group("h") is None:
            return 480, found.end()
        minutes = int(found.group("h")) * 60 + int(found.group("m") or 0)
        return (-minutes if found.group("sign") == "-" else minutes), found.end()
    bare = _BARE_UTC.match(text, start)
    return (0, bare.end()) if bare is not None else None


def _read(found: re.Match[str]) -> Stamp | None:
    parts = found.groupdict()
    day, month_day = None, None
    if parts.get("d") is not None:
        month = _MONTHS.get(parts["mon"].lower()[:3], 0) if parts.get("mon") else int(parts["mo"])
        if parts.get("y") is None:
            month_day = (month, int(parts["d"]))
            if not (1 <= month <= _MONTHS_A_YEAR and 1 <= month_day[1] <= _DAYS_A_MONTH):
                return None
        else:
            try:
                day = date(int(parts["y"]), month, int(parts["d"]))
            except ValueError:
                return None
    clock, step = None, Decimal(_DAY)
    if parts.get("h") is not None:
        clock, step = _clock(parts)
    return Stamp(day, clock, step, _offset(parts), found.group(), month_day)


def _clock(parts: dict[str, str | None]) -> tuple[Decimal, Decimal]:
    clock = Decimal(parts["h"] or 0) * 3600
    step = Decimal(3600)
    if parts["mi"] is not None:
        clock += Decimal(parts["mi"]) * 60
        step = Decimal(60)
    if parts["s"] is not None:
        clock += Decimal(parts["s"])
        step = Decimal(1)
    fraction = parts.get("f")
    if fraction is not None:
        clock += Decimal("0." + fraction)
        step = Decimal(1).scaleb(-len(fraction))
    return clock, step


def _offset(parts: dict[str, str | None]) -> int | None:
    if parts.get("z"):
        return 0
    written = parts.get("o")
    if not written:
        return None
    digits = re.sub(r"[^\d]", "", written)
    minutes = int(digits[:2]) * 60 + int(digits[2:])
    return -minutes if "-" in written else minutes


def instant(stamp: Stamp) -> Decimal | None:
    """Seconds on one common line (as if UTC where no zone is written); None without a date and a clock."""
    if stamp.day is None or stamp.clock is None:
        return None
    return Decimal(stamp.day.toordinal() * _DAY) + stamp.clock - Decimal((stamp.offset or 0) * 60)


def compare(claimed: Stamp, recorded: Stamp, *, about: bool = False) -> Same:
    """Whether the recorded moment is the claimed one, to the precision that the claim shows."""
    day, clock = recorded.day, recorded.clock
    if claimed.offset is not None and claimed.clock is not None:
        if recorded.offset is None:
            return Same.NO_ZONE
        shift = Decimal((claimed.offset - recorded.offset) * 60)
        if clock is not None and shift:
            clock += shift
            days = int(clock // _DAY)
            clock -= days * _DAY
            day = date.fromordinal(day.toordinal() + days) if day is not None else None
    if claimed.month_day is not None:
        given = (day.month, day.day) if day is not None else recorded.month_day
        if given is None:
            return Same.UNKNOWN
        if given != claimed.month_day:
            return Same.DIFFERS
    if claimed.day is not None:
        if day is None:
            return Same.UNKNOWN
        if day != claimed.day:
            return Same.DIFFERS
    if claimed.clock is None:
        return Same.SAME if claimed.day is not None or claimed.month_day is not None else Same.UNKNOWN
    if clock is None:
        return Same.UNKNOWN
    if recorded.step > claimed.step:
        return Same.UNKNOWN
    low = claimed.clock - (60 if about else 0)
    high = claimed.clock + claimed.step + (60 if about else 0)
    return Same.SAME if low <= clock < high else Same.DIFFERS
