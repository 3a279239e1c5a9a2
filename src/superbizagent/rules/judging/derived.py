"""Numbers that no record writes and that follow from those it writes.

Decides: a difference in points, a change between two records, a span between two stamps, a count of cited records, and
codes and lists that stand without a label. Refuses: to mix the numbers of two entities. Protocol: section 7.4.
"""

from collections.abc import Iterable
from decimal import Decimal

from superbizagent.rules import quantities
from superbizagent.rules.derivability.context import ZERO
from superbizagent.rules.derivability.places import Number
from superbizagent.rules.derivability.reading import Kind
from superbizagent.rules.derivability.record import Record
from superbizagent.rules.judging.claim import Claim
from superbizagent.rules.judging.times import own_instant
from superbizagent.rules.judging.told import Told
from superbizagent.rules.quantities import Family, Relation

_CODE_WORDS = frozenset(
    "c:error c:error_code w:cod w:errno c:exit_code c:status_code w:signal w:sqlstat c:exit".split()
)
_STATUS_WORDS = frozenset(
    "c:answer c:return_event c:status_code c:http w:status w:cod w:http w:get w:with w:respons c:response".split()
)
_DIFFERENCE_CLASSES = frozenset({"up_trend", "down_trend"})


def is_code(claim: Claim, told: Told, records: list[Record]) -> bool:
    """An error, exit or status code: the same digits, where the record has a code."""
    if told.quantity.unit is not None or not told.quantity.text.isdigit():
        return _is_listed(claim, told, records)
    words = told.near | told.noun | told.labels
    for record in records:
        for number in record.numbers:
            if number.quantity.text != told.quantity.text or not number.inside or not number.trusted:
                continue
            if not number.context.modes <= claim.modes(told.place) | {ZERO, "advice"}:
                continue
            is_status = bool(number.labels & {"c:status_code"}) or bool(number.labels & {"w:get", "w:cod"})
            behind = record.text[number.end : number.end + 1]
            before = record.text[max(0, number.start - 1) : number.start]
            is_error = bool(number.labels & _CODE_WORDS) or (before == "(" and behind == ":")
            is_error &= not _counts_behind(record, number)
            if record.access and number.key == "status" and _is_request(claim, told):
                claim.account(told.place, f"recorded status: {number.quantity.text}")
                return True
            if is_status and _is_answer(claim, told):
                claim.account(told.place, f"recorded status: {number.quantity.text}")
                return True
            if (is_status and words & _STATUS_WORDS) or (is_error and words & _CODE_WORDS):
                claim.account(told.place, f"recorded code: {number.quantity.text}")
                account_keys(claim, told, _STATUS_WORDS | _CODE_WORDS)
                return True
    return _is_listed(claim, told, records)


def _is_answer(claim: Claim, told: Told) -> bool:
    """`got a 404`, 返回 404: nothing is counted."""
    before = [claim.units[at].text.lower() for at in range(max(0, told.place - 2), told.place)]
    return not told.counted and bool(set(before[-1:]) & {"a", "an", "http", "返回", "返回了", "报"} or "code" in before)


def _is_request(claim: Claim, told: Told) -> bool:
    """`GET /item/90 got a 503`: a method, a path or a request stands in the statement, and nothing is counted."""
    places = claim.statements[claim.statement_of(told.place)]
    units = [claim.units[place] for place in places]
    asked = any(unit.keys & {"c:request"} or "method" in unit.kinds or unit.text.startswith("/") for unit in units)
    return asked and not told.counted


def _counts_behind(record: Record, number: Number) -> bool:
    """`3 errors`: the number counts what stands behind it and is no code of it."""
    behind = next((unit for unit in record.units if unit.start >= number.end), None)
    return behind is not None and behind.kind is Kind.WORD and bool(behind.keys & number.labels)


def _is_listed(claim: Claim, told: Told, records: list[Record]) -> bool:
    """`Two orders failed: 88101 and 88102`: ids told behind the noun that they belong to."""
    if told.counted or told.labels or told.field or told.quantity.unit is not None:
        return False
    words = frozenset().union(*(claim.units[place].keys for place in range(told.place)), frozenset())
    for record in claim.records:
        for number in record.numbers:
            if number.quantity.text == told.quantity.text and number.inside and number.trusted and number.noun & words:
                claim.account(told.place, f"recorded: {number.quantity.text}")
                return True
    return False


def is_derived(claim: Claim, told: Told, records: list[Record], numbers: list[Number]) -> bool:
    """A difference in points from a threshold, a change between two records, a span between two stamps."""
    if told.quantity.family is Family.POINTS:
        return _points(claim, told, numbers)
    if told.quantity.family is Family.TIME and told.role in ("within", "in", "after"):
        return _span(claim, told, records)
    places = claim.statements[claim.statement_of(told.place)]
    change = [place for place in places if claim.units[place].classes & _DIFFERENCE_CLASSES]
    by = told.place > 0 and claim.units[told.place - 1].text.lower() in ("by", "了")
    return bool(change) and by and _change(claim, told, records, change[0])


def _points(claim: Claim, told: Told, numbers: list[Number]) -> bool:
    percents = [number for number in numbers if number.quantity.family is Family.PERCENT]
    thresholds = [number for number in percents if "c:threshold" in number.labels]
    values = [number for number in percents if number not in thresholds]
    above = any(
        claim.units[place].text.lower() in ("above", "over", "高于", "超过")
        for place in range(told.place, len(claim.units))
    )
    for value in values:
        for threshold in thresholds:
            difference = quantities.base_values(value.quantity)[0] - quantities.base_values(threshold.quantity)[0]
            if told.quantity.readings[0] == abs(difference) and (difference > 0) == above:
                claim.account(told.place, f"{value.quantity.text} - {threshold.quantity.text}")
                claim.account_all(claim.class_places("over", "under"), "difference")
                account_keys(claim, told, value.labels | threshold.labels)
                return True
    return False


def _span(claim: Claim, told: Told, records: list[Record]) -> bool:
    instants = sorted(instant for record in records if (instant := own_instant(record)) is not None)
    if len(instants) < 2 or told.quantity.unit is None:
        return False
    span = instants[-1] - instants[0]
    told_span = quantities.base_values(told.quantity)[0]
    close = told_span >= span >= told_span - max(Decimal(1), told_span / 20)
    if (told.role == "within" and close) or (told.role != "within" and abs(told_span - span) <= Decimal("0.5")):
        claim.account(told.place, f"between two records: {span} s")
        claim.account_all(claim.class_places("role_within"), "span")
        return True
    return False


def _change(claim: Claim, told: Told, records: list[Record], trend: int) -> bool:
    points = label_points(claim, told.near, records)
    if len(points) < 2:
        return False
    difference = points[-1][1] - points[0][1]
    rises = "up_trend" in claim.units[trend].classes
    if abs(difference) == told.quantity.readings[0] and (difference > 0) == rises:
        claim.account(told.place, f"{points[0][1]} to {points[-1][1]}")
        account_keys(claim, told, told.near)
        return True
    return False


def label_points(claim: Claim, keys: frozenset[str], records: Iterable[Record]) -> list[tuple[Decimal, Decimal]]:
    """(instant, value) of the one label that `keys` name, over the records, in the order of time."""
    points = []
    for record in records:
        instant = own_instant(record)
        found = [n for n in record.numbers if n.inside and n.trusted and n.key and n.labels & keys]
        if instant is not None and len(found) == 1:
            points.append((instant, quantities.base_values(found[0].quantity)[0]))
    return sorted(points)


def is_counted(claim: Claim, told: Told, records: list[Record]) -> bool:
    """N cited records of a thing prove *N of the cited*."""
    if (
        not told.counted
        or told.labels
        or told.role
        or told.quantity.unit is not None
        or told.relation is not Relation.IS
    ):
        return False
    places = claim.statements[claim.statement_of(told.place)]
    words = [claim.units[p].keys for p in places if p > told.place and claim.units[p].kind is Kind.WORD
             and "light" not in claim.units[p].classes]  # fmt: skip
    having = {record.text for record in records if all(_told_of(record, keys) for keys in words)}
    value = told.quantity.readings[0]
    if value < 2 or len(having) != value:
        return False
    claim.account(told.place, f"{len(having)} cited records")
    return True


def _told_of(record: Record, keys: frozenset[str]) -> bool:
    """Whether the excerpt tells one of the words as fact."""
    spots = (spot for key in keys for spot in record.places(key))
    return any(spot.inside and spot.trusted and not spot.context.modes for spot in spots)


def account_keys(claim: Claim, told: Told, keys: frozenset[str]) -> None:
    for place in claim.statements[claim.statement_of(told.place)]:
        unit = claim.units[place]
        if unit.kind is Kind.WORD and unit.keys & keys and unit.kinds and not unit.kinds & {"state", "event"}:
            claim.account(place, "label of a number")
