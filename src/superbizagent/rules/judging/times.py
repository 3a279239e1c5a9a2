"""Times in a claim: a moment, a zone, and one thing before or after another.

Decides: whether a cited record is of the told moment (and then narrows the statement to these records), whether
*since* and *resolved* name the right one of an alert's moments, and whether two records stand in the told order.
Refuses: to give a zone to a stamp that has none. Protocol: section 7, `time_unsupported` and `time_contradicted`.
"""

import re
from decimal import Decimal

from superbizagent.contract.vocabulary import ReasonCode
from superbizagent.rules.derivability import moments
from superbizagent.rules.derivability.moments import Same, Stamp
from superbizagent.rules.derivability.places import Moment
from superbizagent.rules.derivability.reading import Kind, Unit
from superbizagent.rules.derivability.record import Record
from superbizagent.rules.judging.claim import Claim

_SINCE_ROLES = frozenset({"since", "activeat", "startsat", "active_at", "starts_at"})
_FEW = 8
_RESOLVED_ZH = re.compile(r"(?:时|时刻)?(?:已|被)?(?:恢复|解除|消除)")
_SINCE_ZH = re.compile(r"(?:时|时刻)?(?:起|开始|以来|触发)")
_OWN_ROLES = frozenset({"", "time", "ts", "timestamp", "@timestamp", "t", "at", "date"})


def check_times(claim: Claim) -> None:
    """Account for the moments that the records give; fault the others."""
    for number, places in enumerate(claim.statements):
        written = [
            place
            for place in places
            if claim.units[place].kind in (Kind.TIME, Kind.ZONE) and place not in claim.accounted
        ]
        stamps = [place for place in written if claim.units[place].kind is Kind.TIME]
        if not stamps:
            if written:
                claim.fault(ReasonCode.TIME_UNSUPPORTED, "a zone is told without a time", written[0])
            continue
        if len([place for place in stamps if _clock(claim, place) is not None]) > 1:
            _check_several(claim, stamps)
            continue
        _check_moment(claim, number, written)
    _check_order(claim)


def _clock(claim: Claim, place: int) -> Decimal | None:
    value = claim.units[place].value
    return value.clock if isinstance(value, Stamp) else None


def _merged(claim: Claim, written: list[int]) -> Stamp:
    """A clock, a date and a zone that are written apart, as one stamp."""
    day, clock, step, offset, text, month_day = None, None, Decimal(86400), None, [], None
    for place in written:
        value = claim.units[place].value
        text.append(claim.units[place].text)
        if isinstance(value, Stamp):
            day = value.day or day
            month_day = value.month_day or month_day
            if value.clock is not None:
                clock, step = value.clock, value.step
            offset = value.offset if value.offset is not None else offset
        elif isinstance(value, int):
            offset = value
    return Stamp(day, clock, step, offset, " ".join(text), month_day)


def _check_moment(claim: Claim, number: int, written: list[int]) -> None:
    claimed = _merged(claim, written)
    around = list(range(max(0, written[0] - 3), written[0]))
    classes = frozenset().union(*(claim.units[place].classes for place in around)) if around else frozenset()
    texts = {claim.units[place].text.lower() for place in around}
    since = "since" in classes
    shifted = ("before" in classes or "after" in classes) and not since
    resolved = bool(texts & {"resolved", "ended", "recovered"}) or any(
        "恢复" in text or "解除" in text for text in texts
    )
    behind = claim.record.text[claim.units[written[-1]].end : claim.units[written[-1]].end + _FEW]
    resolved |= _RESOLVED_ZH.match(behind.strip()) is not None
    if any(record.is_alert for record in claim.records):
        since |= _SINCE_ZH.match(behind.strip()) is not None or bool(texts & {"started", "fired", "触发于"})
    roles = _SINCE_ROLES if since else _OWN_ROLES
    answers: list[tuple[Record, Same]] = []
    for record in claim.chosen(number):
        for moment in _moments(record, roles, resolved=resolved):
            if shifted:
                answers.append((record, _side(claimed, moment.stamp, later="after" in classes)))
            else:
                answers.append((record, moments.compare(claimed, moment.stamp, about="about" in classes)))
    same = [record for record, answer in answers if answer is Same.SAME]
    if not same and claimed.clock is None and any(_gives_day(claimed, record) for record in claim.chosen(number)):
        claim.account_all(written, "a date that the record gives")
        return
    if same and not since and not resolved and all(_is_of_another(claim, number, claimed, record) for record in same):
        claim.fault(ReasonCode.TIME_UNSUPPORTED, "the record gives another time for this", written[0])
        claim.account_all(written, "time")
        return
    if same:
        claim.account_all(written, f"the record's time: {claimed.text}")
        claim.account_all(
            [place for place in around if claim.units[place].classes & {"since", "before", "after"}], "time"
        )
        claim.times[number] = same
    elif (
        answers
        and all(answer is Same.DIFFERS for _, answer in answers)
        and not shifted
        and not any(_gives(claimed, record) for record in claim.chosen(number))
    ):
        claim.fault(ReasonCode.TIME_CONTRADICTED, f"no cited record is of {claimed.text}", written[0])
        claim.account_all(written, "time")
    else:
        message = f"the records do not give the time {claimed.text} in this zone or role"
        claim.fault(ReasonCode.TIME_UNSUPPORTED, message, written[0])
        claim.account_all(written, "time")


def _is_of_another(claim: Claim, number: int, claimed: Stamp, record: Record) -> bool:
    """`finished at 09:55, started at 09:10`: the record itself says when each came, and the claim swaps them."""
    for place in claim.statements[number]:
        unit = claim.units[place]
        if unit.kind is not Kind.WORD or not unit.kinds & {"event", "state"}:
            continue
        spots = [spot for key in unit.keys for spot in record.places(key) if spot.inside and not spot.implied]
        own = [
            [moment for moment in record.moments if _is_beside(record, moment, spot.context.statement)]
            for spot in spots
        ]
        if (
            own
            and all(own)
            and not any(moments.compare(claimed, moment.stamp) is Same.SAME for stamps in own for moment in stamps)
        ):
            return True
    return False


def _is_beside(record: Record, moment: Moment, statement: int) -> bool:
    return moment.start > record.head_end and record.context_at(moment.start).statement == statement and not moment.role


def _gives_day(claimed: Stamp, record: Record) -> bool:
    """A day without a clock that the excerpt gives under a key of its own (`账单日=2025-12-07`)."""
    days = [moment for moment in record.moments if moment.role and record.inside(moment.start)]
    return any(moment.stamp.day == claimed.day and moment.stamp.clock is None for moment in days)


def _gives(claimed: Stamp, record: Record) -> bool:
    """Whether the record has the clock time in another role (`notAfter=…`): nothing is contradicted then."""
    if claimed.clock is None:
        days = [moment.stamp.day for moment in record.moments if moment.stamp.day is not None]
        return claimed.day in days or claimed.month_day in [(day.month, day.day) for day in days]
    return claimed.clock in (moment.stamp.clock for moment in record.moments)


def _moments(record: Record, roles: frozenset[str], *, resolved: bool) -> list[Moment]:
    if resolved:
        return [moment for moment in record.moments if moment.role.lower() == "resolved_at"]
    return [moment for moment in record.moments if moment.role.lower() in roles]


def _side(claimed: Stamp, recorded: Stamp, *, later: bool) -> Same:
    """Whether the recorded moment lies on the told side of the claimed one; only within one zone and day."""
    if claimed.offset is not None and recorded.offset is None:
        return Same.NO_ZONE
    if claimed.clock is None or recorded.clock is None or (claimed.day is not None and claimed.day != recorded.day):
        return Same.UNKNOWN
    shift = Decimal(((claimed.offset or 0) - (recorded.offset or 0)) * 60) if claimed.offset is not None else Decimal(0)
    difference = recorded.clock + shift - claimed.clock
    return Same.SAME if (difference > 0) == later and difference != 0 else Same.DIFFERS


def _check_several(claim: Claim, stamps: list[int]) -> None:
    """Several moments in one statement: each must be the own stamp of a cited record."""
    for place in stamps:
        value = claim.units[place].value
        if not isinstance(value, Stamp):
            continue
        answers = [
            moments.compare(value, moment.stamp)
            for record in claim.records
            for moment in record.moments
            if moment.role.lower() in _OWN_ROLES | _SINCE_ROLES
        ]
        if Same.SAME in answers:
            claim.account(place, "a record's time")
        else:
            claim.fault(ReasonCode.TIME_UNSUPPORTED, f"the records do not give the time {value.text}", place)


def own_instant(record: Record) -> Decimal | None:
    """When the record was written, in seconds on one line; None when it does not say."""
    for moment in record.moments:
        if moment.role.lower() in _OWN_ROLES:
            return moments.instant(moment.stamp)
    return None


def _check_order(claim: Claim) -> None:
    """`A before B`, `first A then B`: two records whose stamps stand in this order, or one that tells it so."""
    for place in claim.class_places("before", "after", "then", "role_after"):
        if place in claim.accounted or "light" in claim.units[place].classes:
            continue
        if _is_role(claim, place):
            continue
        if claim.units[place].text.lower() in ("last", "最后", "最近") and any(
            record.alert_state == "resolved" for record in claim.records
        ):
            claim.account(place, "the alert's last value")
            continue
        if _record_tells(claim, place) or any(_tells_order(claim, place, record) for record in claim.records):
            claim.account(place, "told by the record")
            continue
        answer = _ordered(claim, place)
        word = claim.units[place].text
        if answer is None:
            claim.fault(ReasonCode.TIME_UNSUPPORTED, f"the records do not give the order that `{word}` tells", place)
        elif answer:
            claim.account(place, "the records' times stand in this order")
        else:
            claim.fault(
                ReasonCode.TIME_CONTRADICTED, f"the records' times stand the other way than `{word}` tells", place
            )


def _is_role(claim: Claim, place: int) -> bool:
    """Whether the word belongs to a number (`after about 30 s`, `30 万行之后`)."""
    at = place + 1
    while at < len(claim.units) and claim.units[at].classes & {"about", "over", "under", "at_least", "at_most"}:
        at += 1
    if at < len(claim.units) and claim.units[at].kind is Kind.NUMBER:
        return True
    is_zh = claim.units[place].text[:1] > "\u3400" and "then" not in claim.units[place].classes
    return is_zh and any(claim.units[before].kind is Kind.NUMBER for before in range(max(0, place - 2), place))


def _record_tells(claim: Claim, place: int) -> bool:
    """One record has the word itself, between what the claim has before and behind it."""
    keys = claim.units[place].keys | {f"w:{claim.units[place].text.lower()}"}
    before, behind = _content(claim, range(place)), _content(claim, range(place + 1, len(claim.units)))
    for record in claim.records:
        for key in keys:
            for spot in record.places(key):
                if (
                    spot.inside
                    and spot.trusted
                    and _all_on(record, before, 0, spot.start)
                    and _all_on(record, behind, spot.end, len(record.text))
                ):
                    return True
    return False


def _tells_order(claim: Claim, place: int, record: Record) -> bool:
    """One record tells with an *after* or *before* of its own which of the two came first."""
    unit = claim.units[place]
    if "then" in unit.classes:
        return False
    sentence = [at for at, context in enumerate(claim.contexts) if context.sentence == claim.contexts[place].sentence]
    before = _what(claim, [at for at in sentence if at < place])
    behind = _what(claim, [at for at in sentence if at > place])
    earlier, later = (before, behind) if _earlier_stands_first(unit) else (behind, before)
    if not earlier or not later:
        return False
    for link, context in zip(record.units, record.contexts, strict=True):
        if not link.classes & {"before", "after", "role_after"} or not record.inside(link.start) or context.modes:
            continue
        head, tail = (earlier, later) if _earlier_stands_first(link) else (later, earlier)
        if _all_on(record, head, 0, link.start) and _all_on(record, tail, link.end, len(record.text)):
            return True
    return False


def _earlier_stands_first(link: Unit) -> bool:
    """`A before B` and A 之后 B tell the earlier first; `B after A` and A 之前 B the later."""
    return ("before" in link.classes) != (link.text[:1] > "\u3400")


def _what(claim: Claim, places: list[int]) -> list[frozenset[str]]:
    return [
        _keys(claim, place)
        for place in places
        if claim.units[place].kind in (Kind.WORD, Kind.NUMBER) and not claim.units[place].classes & {"light", "conj"}
    ]


def _content(claim: Claim, places: range) -> list[frozenset[str]]:
    kinds = (Kind.WORD, Kind.NAME, Kind.NUMBER)
    return [
        _keys(claim, place)
        for place in places
        if claim.units[place].kind in kinds and "light" not in claim.units[place].classes
    ]


def _keys(claim: Claim, place: int) -> frozenset[str]:
    unit = claim.units[place]
    if unit.kind is Kind.WORD:
        return unit.keys
    return frozenset({f"n:{unit.text.lower()}"})


def _all_on(record: Record, wanted: list[frozenset[str]], start: int, end: int) -> bool:
    return all(any(start <= spot < end for spot in _spots(record, keys)) for keys in wanted)


def _spots(record: Record, keys: frozenset[str]) -> list[int]:
    spots: list[int] = []
    for key in keys:
        if key.startswith("n:"):
            name = key[2:]
            spots.extend(entry.start for entry in record.names.get(name, ()))
            spots.extend(number.start for number in record.numbers if number.quantity.text.lower() == name)
        else:
            spots.extend(spot.start for spot in record.places(key) if spot.trusted)
    return spots


def _ordered(claim: Claim, place: int) -> bool | None:
    """Whether the only records of the two sides stand in the told order; None when that cannot be told."""
    unit = claim.units[place]
    if "then" in unit.classes:
        return None
    sides = [_content(claim, range(place)), _content(claim, range(place + 1, len(claim.units)))]
    holders = [
        [record for record in claim.records if _all_on(record, side, 0, len(record.text))] if side else []
        for side in sides
    ]
    if any(len(side) != 1 for side in holders) or holders[0][0] is holders[1][0]:
        return None
    first, second = own_instant(holders[0][0]), own_instant(holders[1][0])
    if first is None or second is None or first == second:
        return None
    return (first < second) == ("before" in unit.classes)
