"""Quantities: a number with its unit, as a value that can be compared.

Decides: what a written number and unit mean (`30001ms`, `1.5 GiB`, `4.2e+00`, `1.2万`, `91 %`), and whether one value
is, rounds to, or lies above or below another. Values are decimals, never floats. Refuses: to guess a unit that is not
written, and to read digit strings beyond `LONGEST_NUMBER` as numbers (they are names). Protocol: section 7.5.
"""

import itertools
import re
from collections.abc import Iterable
from decimal import Decimal, localcontext
from enum import StrEnum
from typing import NamedTuple

LONGEST_NUMBER = 24
"""More digits than this are a name, not a number: the default precision of decimals is 28."""

_ABOUT_TOLERANCE = Decimal("0.05")
_ROUNDING_TOLERANCE = Decimal("0.01")


class Family(StrEnum):
    """What a unit measures; values of different families are never compared."""

    COUNT = "count"
    TIME = "time"
    BYTES = "bytes"
    PERCENT = "percent"
    POINTS = "points"
    RATE = "rate"
    BYTE_RATE = "byte_rate"
    OTHER = "other"


class Relation(StrEnum):
    """How a claim puts its number: as it is, about, above, below, at least, at most."""

    IS = "is"
    ABOUT = "about"
    OVER = "over"
    UNDER = "under"
    AT_LEAST = "at_least"
    AT_MOST = "at_most"


class Fit(StrEnum):
    """How a recorded value answers a claimed one."""

    HOLDS = "holds"
    ROUNDS = "rounds"
    DIFFERS = "differs"
    INCOMPARABLE = "incomparable"


class Unit(NamedTuple):
    """A unit: its family and how many base units it is (seconds, bytes, per cent, per second)."""

    family: Family
    scale: Decimal


class Quantity(NamedTuple):
    """A written number: every reading of its digits, its unit (None: none written), and its text.

    `decimals` is how many decimals the text shows, `digits` its significant digits.
    """

    readings: tuple[Decimal, ...]
    unit: Unit | None
    unit_text: str
    decimals: int
    digits: int
    text: str

    @property
    def family(self) -> Family:
        """The family of the unit; a bare number is a count."""
        return self.unit.family if self.unit is not None else Family.COUNT


def _units() -> dict[str, Unit]:
    out: dict[str, Unit] = {}

    def add(family: Family, scale: str, names: str) -> None:
        for name in names.split():
            out[name.replace("_", " ")] = Unit(family, Decimal(scale))

    add(Family.TIME, "0.000000001", "ns nanosecond nanoseconds 纳秒")
    add(Family.TIME, "0.000001", "us µs μs microsecond microseconds 微秒")
    add(Family.TIME, "0.001", "ms msec msecs millis millisecond milliseconds 毫秒")
    add(Family.TIME, "1", "s sec secs second seconds 秒 秒钟")
    add(Family.TIME, "60", "m min mins minute minutes 分 分钟")
    add(Family.TIME, "3600", "h hr hrs hour hours 小时 个小时")
    add(Family.TIME, "86400", "d day days 天")
    add(Family.TIME, "604800", "w week weeks 周")
    add(Family.BYTES, "1", "B byte bytes 字节")
    for power, letter in enumerate("KMGTP", 1):
        add(Family.BYTES, str(1024**power), f"{letter}i {letter}iB")
        add(Family.BYTES, str(1000**power), f"{letter}B")
    add(Family.BYTES, "1024", "kB KiB")
    add(Family.BYTES, "1000000", "megabyte megabytes 兆字节")
    add(Family.BYTES, "1000000000", "gigabyte gigabytes")
    add(Family.PERCENT, "1", "% percent pct per_cent")
    add(Family.POINTS, "1", "percentage_points percentage_point pp 个百分点")
    add(Family.RATE, "1", "/s per_second qps rps tps ops/s req/s reqps 每秒 次/秒 个/秒 条/秒 Hz")
    add(Family.RATE, "0.016666666666666666666667", "/min per_minute 每分钟 次/分钟 次/分")
    add(Family.BYTE_RATE, "1", "B/s bytes/s")
    for power, letter in enumerate("KMG", 1):
        add(Family.BYTE_RATE, str(1000**power), f"{letter}B/s")
        add(Family.BYTE_RATE, str(1024**power), f"{letter}iB/s")
    for index, names in enumerate(("°C ℃", "°F", "V", "W", "rpm", "cores core", "kb", "mb", "gb", "tb", "M", "G", "T")):
        add(Family.OTHER, str(index + 1), names)  # a scale of its own: no two of these units are one
    return out


UNITS = _units()
_SCALES = {
    "万": Decimal(10000),
    "亿": Decimal(100000000),
    "千": Decimal(1000),
    "k": Decimal(1000),
    "K": Decimal(1000),
    "million": Decimal(1000000),
    "billion": Decimal(1000000000),
    "thousand": Decimal(1000),
}
_UNIT_ALTERNATIVES = "|".join(sorted(map(re.escape, UNITS), key=len, reverse=True))
_WHOLE = r"(?:\d{1,3}(?:[,_]\d{3}(?!\d)){1,12}|\d{1,40}(?:,\d{1,2}(?![\d,]))?)"
_NUMBER = rf"[-+\u2212]?{_WHOLE}(?:\.\d{{1,40}})?(?:[eE][-+]?\d{{1,3}}(?![A-Za-z0-9]))?"
QUANTITY = re.compile(
    rf"(?P<number>{_NUMBER})"
    rf"(?: ?(?P<scale>万|亿|千|million|billion|thousand|k|K)(?![A-Za-z]))?"
    rf"(?: ?(?P<unit>{_UNIT_ALTERNATIVES})(?![A-Za-z0-9_]|-[A-Za-z0-9]))?"
)
"""One number with an optional scale (万, k) and unit. The caller sees to it that it does not begin inside a name."""

_PART_UNIT = (
    "天|个小时|小时|分钟|分|秒钟|秒|毫秒|days?|hours?|hrs?|minutes?|mins?|seconds?|secs?|milliseconds?|ms|d|h|m|s"
)
_COMPOUND = re.compile(
    r"(?:\d{1,6}(?:\.\d{1,9})?(?:d|h|m|s|ms)){2,5}(?![A-Za-z0-9_])"
    rf"|\d{{1,6}} ?(?:{_PART_UNIT})(?:,? (?:and )?|零)?"
    rf"(?:\d{{1,6}}(?:\.\d{{1,9}})? ?(?:{_PART_UNIT})(?:,? (?:and )?)?){{1,3}}"
    r"(?<![ ,d])(?![A-Za-z0-9_])"
)
_COMPOUND_PART = re.compile(rf"(\d+(?:\.\d+)?) ?({_PART_UNIT})")
_CLOCKED = re.compile(r"(\d{1,4}):([0-5]\d):([0-5]\d(?:\.\d{1,9})?)(?![\w:]|\.\d)")
_THOUSANDS = re.compile(r"[-+]?\d{1,3}(?:[,_]\d{3}){1,12}(?:\.\d+)?$")


def read_at(text: str, start: int) -> tuple[Quantity, int] | None:
    """The quantity that begins at `text[start]`, and the index behind it; None when none does."""
    compound = _COMPOUND.match(text, start)
    if compound is not None:
        parts = _COMPOUND_PART.findall(compound.group())
        scales = [UNITS[unit].scale for _number, unit in parts]
        if all(larger > smaller for larger, smaller in itertools.pairwise(scales)):
            seconds = sum((Decimal(number) * UNITS[unit].scale for number, unit in parts), Decimal(0))
            written = compound.group()
            return Quantity((seconds,), UNITS["s"], "s", 0, len(written), written), compound.end()
    found = QUANTITY.match(text, start)
    if found is None:
        return None
    return _read(found), found.end()


def _read(found: re.Match[str]) -> Quantity:
    number = found.group("number").replace("\u2212", "-")
    scale = _SCALES.get(found.group("scale") or "", Decimal(1))
    unit_text = found.group("unit") or ""
    readings = tuple(value * scale for value in _readings(number))
    plain = number.lower().split("e")[0]
    decimals = 0 if scale != 1 or "e" in number.lower() else len(plain.partition(".")[2])
    digits = len(re.sub(r"[^0-9]", "", plain).lstrip("0")) or 1
    return Quantity(readings, UNITS.get(unit_text), unit_text, decimals, digits, found.group().strip())


def _readings(number: str) -> Iterable[Decimal]:
    """Thousands or decimal comma: both readings where the digits allow both, the thousands first."""
    plain = number.replace(",", "").replace("_", "")
    out = [Decimal(plain)]
    if number.count(",") == 1 and "." not in number and "_" not in number:
        decimal_comma = Decimal(number.replace(",", "."))
        if _THOUSANDS.match(number) is None:
            return [decimal_comma]
        out.append(decimal_comma)
    return out


def read_clocked(text: str, start: int) -> tuple[Quantity, int] | None:
    """A duration written as a clock (`0:00:00.003`), which only its label tells from a time of day."""
    found = _CLOCKED.match(text, start)
    if found is None:
        return None
    hours, minutes, seconds = (Decimal(part) for part in found.groups())
    written = found.group()
    value = hours * 3600 + minutes * 60 + seconds
    return Quantity((value,), UNITS["s"], "s", len(written.partition(".")[2]), len(written), written), found.end()


def is_ambiguous(quantity: Quantity) -> bool:
    """Whether the digits have two readings (`30,000`)."""
    return len(quantity.readings) > 1


def too_long(digits: str) -> bool:
    """Whether a digit string is beyond what is read as a number."""
    return sum(character.isdigit() for character in digits) > LONGEST_NUMBER


def base_values(quantity: Quantity) -> tuple[Decimal, ...]:
    """Each reading in the base unit of its family."""
    scale = quantity.unit.scale if quantity.unit is not None else Decimal(1)
    return tuple(value * scale for value in quantity.readings)


def compare(claimed: Quantity, relation: Relation, recorded: Quantity, *, as_ratio: bool = False) -> Fit:
    """How the recorded value answers the claimed one.

    `as_ratio` says that the record calls the value a ratio, rate, usage or per cent, so that 0.91 is 91 %. A number
    without a unit and one with a unit are incomparable otherwise.
    """
    recorded_values = base_values(recorded)
    claimed_unit, recorded_unit = claimed.unit, recorded.unit
    if as_ratio and claimed.family is Family.PERCENT and recorded_unit is None:
        recorded_values = tuple(value * 100 for value in recorded_values)
    elif as_ratio and recorded.family is Family.PERCENT and claimed_unit is None:
        recorded_values = tuple(value / 100 for value in recorded_values)
    elif claimed.family is not recorded.family:
        if claimed.unit_text.lower() != recorded.unit_text.lower() or not claimed.unit_text:
            return Fit.INCOMPARABLE
        claimed_unit = None  # `8.1gb` told as 8.1 GB: one unit in two spellings, which are never converted
        recorded_values = recorded.readings
    elif claimed.family is Family.OTHER and claimed_unit != recorded_unit:
        return Fit.INCOMPARABLE
    scale = claimed_unit.scale if claimed_unit is not None else Decimal(1)
    with localcontext() as context:
        context.prec = 2 * LONGEST_NUMBER + 12
        fits = [
            _compare(value, claimed, relation, recorded_value / scale)
            for value in claimed.readings
            for recorded_value in recorded_values
        ]
    for fit in (Fit.HOLDS, Fit.ROUNDS):
        if fit in fits:
            return fit
    return Fit.DIFFERS


def _compare(value: Decimal, claimed: Quantity, relation: Relation, recorded: Decimal) -> Fit:
    match relation:
        case Relation.OVER:
            return Fit.HOLDS if recorded > value else Fit.DIFFERS
        case Relation.UNDER:
            return Fit.HOLDS if recorded < value else Fit.DIFFERS
        case Relation.AT_LEAST:
            return Fit.HOLDS if recorded >= value else Fit.DIFFERS
        case Relation.AT_MOST:
            return Fit.HOLDS if recorded <= value else Fit.DIFFERS
        case Relation.ABOUT:
            if recorded == value:
                return Fit.HOLDS
            near = abs(recorded - value) <= abs(recorded) * _ABOUT_TOLERANCE
            if near and _rounds_to(recorded, value, claimed):
                return Fit.HOLDS
            return Fit.ROUNDS if near else Fit.DIFFERS
        case Relation.IS:
            return _is(value, claimed, recorded)


def _is(value: Decimal, claimed: Quantity, recorded: Decimal) -> Fit:
    if recorded == value:
        return Fit.HOLDS
    if claimed.decimals > 0 and round(recorded, claimed.decimals) == value:
        return Fit.HOLDS
    fractional = recorded != recorded.to_integral_value()
    near = abs(recorded - value) <= abs(recorded) * _ROUNDING_TOLERANCE
    return Fit.ROUNDS if fractional and (near or _rounds_to(recorded, value, claimed)) else Fit.DIFFERS


def _rounds_to(recorded: Decimal, value: Decimal, claimed: Quantity) -> bool:
    """Whether `recorded`, rounded at the last significant digit that the claim shows, is `value`."""
    if value == 0:
        return False
    if claimed.decimals:
        return round(recorded, claimed.decimals) == value
    exponent = value.normalize().adjusted() - len(value.normalize().as_tuple().digits) + 1
    step = Decimal(1).scaleb(max(exponent, 0))
    return abs(recorded - value) * 2 <= step
