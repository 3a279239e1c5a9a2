"""Numbers in a claim: value, unit, label, role and record belong together.

Decides: whether one recorded number is the told one, contradicts it, or is not there; counts of cited records; and
what may be derived from two labelled numbers of one entity (difference, percentage points, half, span of time).
Refuses: to mix the numbers of two records, and to read an id as a count or a count as an id. Protocol: section 7.4-5.
"""

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import NamedTuple

from superbizagent.contract.vocabulary import ReasonCode
from superbizagent.rules import quantities
from superbizagent.rules.derivability.context import OLD, ZERO
from superbizagent.rules.derivability.reading import Kind, Unit, compact_keys, keys_of
from superbizagent.rules.derivability.record import NOT_COUNTS, Number, Record
from superbizagent.rules.judging.claim import Claim, belongs
from superbizagent.rules.judging.times import own_instant
from superbizagent.rules.quantities import Family, Fit, Quantity, Relation

WHOLE = frozenset({"c:total", "c:maximum", "c:limit", "c:size", "c:capacity", "c:pool_size", "c:quota"})
_POOL_PART = frozenset({"c:active", "c:idle", "c:waiting", "c:total", "c:used"})
_CODE_WORDS = frozenset(
    "c:error c:error_code w:cod w:errno c:exit_code c:status_code w:signal w:sqlstat c:exit".split()
)
_STATUS_WORDS = frozenset(
    "c:answer c:return_event c:status_code c:http w:status w:cod w:http w:get w:with w:respons c:response".split()
)
_ROLE_CLASSES = frozenset("role_for role_within role_every role_ago role_after role_took after".split())
_OWNERS = frozenset({"its", "the", "all", "their", "last", "past", "at most", "up to", "最多", "共"})
_DIFFERENCE_CLASSES = frozenset({"up_trend", "down_trend"})
_LIMITS = frozenset("c:threshold c:limit c:maximum c:quota c:watermark c:timeout_setting c:time_out c:capacity".split())
_UNIT_WORDS = {"B": frozenset({"w:byt"}), "ms": frozenset({"w:ms", "w:milli"}), "s": frozenset({"w:second", "w:sec"})}
_ID_WORDS = frozenset("w:id w:no w:number c:id".split())
_AND = frozenset({"and", "和", "与", "及", "、"})
_LABEL_WEIGHT = 2
_SIDE = 2
_LABEL_WORDS = 4
_NAME_WEIGHT = 3
_BOUNDING = frozenset("timeout limit max maximum threshold interval quota capacity min minimum".split())
_TOTAL_TIME = frozenset("c:total c:duration c:elapsed w:elapsed w:total w:duration".split())
_OF_THE_NEXT = frozenset("against with while and but versus vs where when compared 而 且 并且 但 以及".split())
_TIMEOUT_LABELS = frozenset({"c:timeout_setting", "c:time_out"})
_SHARED = frozenset("w:the w:a w:of".split())
_TIMED = frozenset({"for", "ago", "within", "every", "after", "in"})


class Told(NamedTuple):
    """One number of the claim with what is told of it."""

    place: int
    quantity: Quantity
    relation: Relation
    role: str
    labels: frozenset[str]
    near: frozenset[str]
    field: bool
    noun: frozenset[str]
    words: tuple[tuple[frozenset[str], int], ...]
    named: frozenset[str]
    counted: frozenset[str]
    whole: bool
    negated: int


def check_numbers(claim: Claim) -> None:
    """Account for every number that a record gives or that follows from its numbers; fault the others."""
    for place, unit in enumerate(claim.units):
        if unit.kind is Kind.NUMBER and isinstance(unit.value, Quantity) and place not in claim.accounted:
            _check(claim, _told(claim, place, unit.value))


def _is_light_two(claim: Claim, told: Told) -> bool:
    """`between two calls`, 两次调用之间: one and the next, and no count."""
    words = {claim.units[place].text.lower() for place in claim.statements[claim.statement_of(told.place)]}
    return (
        told.quantity.text == "2"
        and told.place in _number_words(claim)
        and bool(words & {"between", "之间", "间隔", "apart"})
    )


def _number_words(claim: Claim) -> set[int]:
    return {place for place, unit in enumerate(claim.units) if unit.kind is Kind.NUMBER and not unit.text[:1].isdigit()}


def _is_joined_name(claim: Claim, told: Told, records: list[Record]) -> bool:
    """`layer 4` of a record that says `Layer4`, `node 3` of `node-3`."""
    before = claim.units[told.place - 1] if told.place else None
    if before is None or before.kind is not Kind.WORD or not told.quantity.text.isdigit():
        return False
    forms = {before.text.lower() + joint + told.quantity.text for joint in ("", "-", "_", "#")}
    if not any(entry.inside for record in records for form in forms for entry in record.names.get(form, ())):
        return False
    claim.account(told.place, f"named in the record: {before.text}{told.quantity.text}")
    claim.account(told.place - 1, f"named in the record: {before.text}{told.quantity.text}")
    return True


def _check(claim: Claim, told: Told) -> None:
    records = claim.chosen(claim.statement_of(told.place))
    pairs = [(record, number) for record in records for number in told_numbers(claim, record, told.place)]
    numbers = [number for _record, number in pairs]
    if _is_light_two(claim, told):
        claim.account(told.place, "one and the next")
        return
    if told.noun and told.quantity.unit is None and _is_named(claim, told, numbers):
        return
    if _is_joined_name(claim, told, records):
        return
    supporting = [number for number in numbers if _holds(claim, told, number, numbers)]
    denied = _is_denied(claim, told.place)
    if supporting and denied:
        other = supporting[0]
        message = f"the record gives {other.quantity.text}, which the claim denies"
        claim.fault(ReasonCode.QUANTITY_CONTRADICTED, message, told.place, other.quantity.text)
        return
    if supporting and _all_hold(told, numbers):
        claim.sources[told.place] = [(record, number) for record, number in pairs if number in supporting]
        claim.account(told.place, f"recorded: {supporting[0].quantity.text}")
        _account_around(claim, told, supporting[0])
        return
    if not denied and (
        _is_code(claim, told, records) or _derived(claim, told, records, numbers) or _counts(claim, told, records)
    ):
        return
    against = [number for number in numbers if _contradicts(told, number)]
    if not told.field and not told.labels and _stands_elsewhere(told, records):
        against = []  # the record has this number: it is not known that another one was meant
    if against:
        other = against[0]
        message = f"the record gives {other.quantity.text}" + (f" for {other.key}" if other.key else "")
        claim.fault(ReasonCode.QUANTITY_CONTRADICTED, message, told.place, other.quantity.text)
    else:
        claim.fault(ReasonCode.QUANTITY_UNSUPPORTED, "no excerpt gives this number for what is told", told.place)
    _account_around(claim, told, None)


def _stands_elsewhere(told: Told, records: list[Record]) -> bool:
    return any(
        quantities.compare(told.quantity, Relation.IS, number.quantity, as_ratio=number.ratio) is Fit.HOLDS
        for record in records
        for number in record.numbers
    )


def _is_denied(claim: Claim, place: int) -> bool:
    """`is not at 96%`: a negation with nothing but light words between it and the number."""
    at = place - 1
    passed = {"light", "over", "under", "about"}
    while at >= 0 and claim.units[at].classes & passed and "neg" not in claim.units[at].classes:
        at -= 1
    return at >= 0 and "neg" in claim.units[at].classes and claim.contexts[at].segment == claim.contexts[place].segment


def usable_numbers(claim: Claim, record: Record, place: int) -> list[Number]:
    """The record's numbers that the excerpt has, that a program wrote, and that are told as fact, not as a bound."""
    return [number for number in told_numbers(claim, record, place) if not number.relation]


def told_numbers(claim: Claim, record: Record, place: int) -> list[Number]:
    """The usable numbers and bounds (`more than 15 s`)."""
    modes = claim.modes(place) | {ZERO}
    memo = (id(record), claim.statement_of(place), modes)
    if memo not in claim.usable:
        claim.usable[memo] = [
            number
            for number in record.numbers
            if number.inside
            and number.trusted
            and number.context.modes <= modes | {"advice"}
            and (OLD in number.context.modes or OLD not in modes or not _has_old(record))
            and belongs(claim, record, place, number.start)
        ]
    return claim.usable[memo]


def _has_old(record: Record) -> bool:
    return any(OLD in number.context.modes for number in record.numbers)


def _told(claim: Claim, place: int, quantity: Quantity) -> Told:
    own = claim.record.number_at(claim.units[place].start)
    left, right = _words(claim, place, -1), _words(claim, place, 1)
    pair = _pair(claim, place)
    whole = pair == "whole"
    if pair == "part":
        second = _next_number(claim, place)
        right = [*right, *(_words(claim, second, 1) if second is not None else [])]
    near = left + right
    field_key = bool(own.key)
    labels = own.labels if field_key else _label_keys(claim, left, right)
    if whole:
        labels = WHOLE
    return Told(
        place=place,
        quantity=_with_unit(claim, place, own.quantity if field_key else quantity, pair),
        relation=_relation(claim, place),
        role=_role(claim, place, own.role),
        labels=labels,
        near=frozenset().union(*(claim.units[word].keys for word in near)) if near else frozenset(),
        field=field_key,
        noun=own.noun | _identifying(claim, place),
        words=_told_words(claim, place, near),
        named=frozenset(key for key in own.labels if key.startswith("n:")),
        counted=_counted(claim, place, right),
        whole=whole,
        negated=max(
            (claim.contexts[at].negated for at in claim.statements[claim.statement_of(place)] if at >= place), default=0
        ),
    )


def _with_unit(claim: Claim, place: int, quantity: Quantity, pair: str) -> Quantity:
    """`4.6 of 5.4 MiB`: the part has the unit of the whole."""
    second = _next_number(claim, place) if pair == "part" and quantity.unit is None else None
    whole = claim.units[second].value if second is not None else None
    if not isinstance(whole, Quantity) or whole.unit is None:
        return quantity
    return quantity._replace(unit=whole.unit, unit_text=whole.unit_text)


def _identifying(claim: Claim, place: int) -> frozenset[str]:
    """`8080 端口`, `16 号区域`: in Chinese, what a number names may stand behind it."""
    behind = claim.units[place + 1] if place + 1 < len(claim.units) else None
    if behind is None or behind.kind is not Kind.WORD or behind.text[:1] < "\u3400":
        return frozenset()
    if behind.text == "号" and place + 2 < len(claim.units):
        return claim.units[place + 2].keys
    inner = behind.keys | keys_of(behind.text)
    return inner if inner & NOT_COUNTS else frozenset()


def _told_words(claim: Claim, place: int, near: list[int]) -> tuple[tuple[frozenset[str], int], ...]:
    """What each word and name beside a number may be compared by, and its weight, to find whose number it is."""
    units = [claim.units[at] for at in near if not claim.units[at].classes & {"neg", "inable"}]
    words = [(unit.keys, _LABEL_WEIGHT if "label" in unit.kinds else 1) for unit in units]
    names = claim.record.number_at(claim.units[place].start).labels
    named = [
        (frozenset({key}), _NAME_WEIGHT) for key in sorted(names | _listed_names(claim, place)) if key.startswith("n:")
    ]
    return (*words, *named)


def _listed_names(claim: Claim, place: int) -> frozenset[str]:
    """`web-1 and web-2 cpu 95%`: a number behind a list of names is told of each of them."""
    before = [at for at in claim.statements[claim.statement_of(place)] if at < place]
    names = [at for at in before if claim.units[at].kind is Kind.NAME]
    joined = [
        at for at in names if any(claim.units[at + step].text.lower() in _AND for step in (-1, 1) if at + step >= 0)
    ]
    return frozenset(f"n:{claim.units[at].text.lower()}" for at in joined)


def _words(claim: Claim, place: int, step: int) -> list[int]:
    """The content words beside a number, nearest first, up to the next number or the end of its statement."""
    statement = claim.contexts[place].statement
    found: list[int] = []
    at = place + step
    while 0 <= at < len(claim.units) and claim.contexts[at].statement == statement:
        unit = claim.units[at]
        if unit.kind is Kind.NUMBER or (step > 0 and unit.text.lower() in _OF_THE_NEXT):
            break
        if step > 0 and unit.text == "(" and any(other.kind is Kind.NUMBER for other in claim.units[at + 1 : at + 4]):
            break
        if unit.kind is Kind.WORD and "light" not in unit.classes:
            found.append(at)
        at += step
    return found


def _label_keys(claim: Claim, left: list[int], right: list[int]) -> frozenset[str]:
    """The keys of the nearest word that says what a number measures, behind it first, else before it."""
    for words in (right, left):
        for word in words[:_LABEL_WORDS]:
            unit = claim.units[word]
            if unit.keys & {"c:duration"}:
                break  # it says that the number is a duration, and no other word says of what
            if "label" in unit.kinds:
                return unit.keys
    return frozenset()


def _pair(claim: Claim, place: int) -> str:
    """`25 of 50`, `25/50`: the first is the part, the second the whole."""
    behind = [claim.units[at] for at in range(place + 1, min(place + 6, len(claim.units)))]
    before = [claim.units[at] for at in range(place - 1, max(place - 6, -1), -1)]
    if behind and _is_share(claim, place + 1) and _number_first(behind[1:]):
        return "part"
    owned = next((at for at, unit in enumerate(before) if unit.text.lower() not in _OWNERS), len(before))
    if len(before) > owned + 1 and _is_share(claim, place - 1 - owned):
        rest = before[owned + 1 : owned + 3]
        if rest[0].kind is Kind.NUMBER or (len(rest) > 1 and rest[1].kind is Kind.NUMBER and "label" in rest[0].kinds):
            return "whole"
    return ""


def _number_first(units: list[Unit]) -> bool:
    """Whether a number comes first, or behind *its, the, all*."""
    rest = next((unit for unit in units if unit.text.lower() not in _OWNERS), None)
    return rest is not None and rest.kind is Kind.NUMBER


def _is_share(claim: Claim, place: int) -> bool:
    return claim.units[place].text.lower() in ("of", "/", "out of", "among", "中的")


def _next_number(claim: Claim, place: int) -> int | None:
    return next((at for at in range(place + 1, len(claim.units)) if claim.units[at].kind is Kind.NUMBER), None)


def _counted(claim: Claim, place: int, right: list[int]) -> frozenset[str]:
    """The noun that the number counts: the word behind it (`50 connections`)."""
    return claim.units[right[0]].keys if right and right[0] - place <= 2 else frozenset()


def _relation(claim: Claim, place: int) -> Relation:
    if any(isinstance(unit.value, Quantity) and unit.value.family is Family.POINTS for unit in claim.units[:place]):
        return Relation.IS
    words = {"over": Relation.OVER, "under": Relation.UNDER, "at_least": Relation.AT_LEAST, "at_most": Relation.AT_MOST}
    at = place - 1
    while at >= 0 and at >= place - 3:
        classes = claim.units[at].classes
        for name, relation in words.items():
            if name in classes and claim.contexts[at].statement == claim.contexts[place].statement:
                claim.account(at, relation.value)
                return relation
        if "about" in classes:
            claim.account(at, "about")
            return Relation.ABOUT
        if not classes & {"light", "role_for", "role_after", "role_within"}:
            break
        at -= 1
    if place + 1 < len(claim.units) and claim.units[place + 1].text == "左右":
        claim.account(place + 1, "about")
        return Relation.ABOUT
    return Relation.IS


def _role(claim: Claim, place: int, own: str) -> str:
    """A duration *within* which something did not come is one *after* which it timed out."""
    if not own:
        for at in range(place - 1, max(place - 6, -1), -1):
            unit = claim.units[at]
            if unit.kind is Kind.NUMBER or claim.contexts[at].statement != claim.contexts[place].statement:
                break
            if "role_took" in unit.classes:
                return "in"
    if own == "within" and any(
        claim.contexts[at].negated for at in claim.statements[claim.statement_of(place)] if at > place
    ):
        return "after"
    return own


def _holds(claim: Claim, told: Told, number: Number, numbers: list[Number]) -> bool:
    relation = told.relation
    if number.relation:
        if relation.value != number.relation:
            return False
        relation = Relation.IS  # `more than 15 s` of a record that tells more than 15 s
    elif relation is Relation.OVER and _is_bound(claim, told, number):
        relation = Relation.IS  # `exceeded the limit of 90 %`
    elif relation is Relation.OVER and number.role == "within" and claim.units[told.place - 1].text == "over":
        relation = Relation.IS  # `3 times over 46 minutes`
    if quantities.compare(told.quantity, relation, number.quantity, as_ratio=number.ratio) is not Fit.HOLDS:
        return False
    if any(number in record.numbers and _same_surroundings(claim, told, record, number) for record in claim.records):
        return True
    if _is_rivalled(claim, told, number):
        return False
    if _role_fits(told, number) and _label_fits(claim, told, number):
        return True
    return _is_unlabelled(claim, told, number, numbers) or _is_only_one(claim, told, number, numbers)


def _same_surroundings(claim: Claim, told: Told, record: Record, number: Number) -> bool:
    """The units on both sides of the number, or two on one side, are the record's own."""
    at = next(place for place, unit in enumerate(record.units) if unit.start <= number.start < unit.end)
    if record.units[at].start != number.start:
        return False
    sides = []
    for step in (-1, 1):
        alike: list[bool] = []
        for away in range(1, _SIDE + 1):
            mine, other = told.place + step * away, at + step * away
            if not (0 <= mine < len(claim.units) and 0 <= other < len(record.units)):
                break
            if not _alike(claim.units[mine], record.units[other]):
                break
            alike.append(claim.units[mine].kind in (Kind.WORD, Kind.NAME) and "light" not in claim.units[mine].classes)
        sides.append(alike)
    left, right = sides
    if number.key == "total" and not left:
        return False  # `40 requests failed` of a record that tells 12 of 40
    return (bool(left) and bool(right) and any(left + right)) or sum(left) >= _SIDE or sum(right) >= _SIDE


def _alike(claimed: Unit, recorded: Unit) -> bool:
    return claimed.text.lower() == recorded.text.lower() or bool(claimed.keys & recorded.keys)


def _is_bound(claim: Claim, told: Told, number: Number) -> bool:
    """The claim exceeds a limit, and the recorded number is that limit."""
    shared = number.labels & _LIMITS
    units = [claim.units[place] for place in claim.statements[claim.statement_of(told.place)]]
    near = told.near.union(*(keys_of(unit.text) for unit in units if unit.keys & told.near))
    return bool(shared & near) or bool(shared & _TIMEOUT_LABELS and near & _TIMEOUT_LABELS)


def _is_rivalled(claim: Claim, told: Told, number: Number) -> bool:
    """A word or name told beside the number is one of another recorded number, and not of this one."""
    own = _aliases(number) | number.noun | frozenset({f"w:{number.key}"})
    if told.whole or number.key in ("total", "max", "size", "limit"):
        return False
    for record in claim.records:
        if number not in record.numbers:
            continue
        rivals = [
            other
            for other in record.numbers
            if other is not number
            and other.quantity.readings != number.quantity.readings
            and not other.noun
            and other.quantity.family is number.quantity.family
        ]
        labelled = any(weight == _LABEL_WEIGHT and keys & own for keys, weight in told.words)
        matched = sum(weight for keys, weight in told.words if keys & own)
        for rival in rivals:
            of_it = [(keys, weight) for keys, weight in told.words if _tells(record, keys, number, rival)]
            if sum(weight for _keys, weight in of_it) >= matched and any(not keys & own for keys, _weight in of_it):
                return True
            if not labelled and any(weight == _LABEL_WEIGHT and not keys & own for keys, weight in of_it):
                return True
    return False


def _tells(record: Record, keys: frozenset[str], number: Number, rival: Number) -> bool:
    shared = keys & rival.labels
    if not shared or _common(shared):
        return False
    if not all(key.startswith("n:") for key in shared):
        return True
    alike = any(key.startswith("c:") for key in number.labels & rival.labels)
    return (
        (alike or number.context.sentence == rival.context.sentence)
        and not number.noun
        and min(number.start, rival.start) >= record.message_start
    )


def _common(keys: frozenset[str]) -> bool:
    """Words that many numbers of a record share, and that tell none from another."""
    return keys <= _SHARED


def _is_to_come(record: Record, number: Number) -> bool:
    """`retrying in 5s`, against `Started in 38 s`."""
    if not _only_in(record, number):
        return False
    statement = number.context.statement
    words = [
        unit.text.lower()
        for unit, context in zip(record.units, record.contexts, strict=True)
        if context.statement == statement and unit.start < number.start and unit.kinds & {"event", "state"}
    ]
    return not any(word.endswith(("ed", "ound", "ent")) for word in words)


def _only_in(record: Record, number: Number) -> bool:
    """`retrying in 5s` does not tell how long anything took."""
    return record.text[: number.start].rstrip(" [").lower().endswith(" in")


def _is_unlabelled(claim: Claim, told: Told, number: Number, numbers: list[Number]) -> bool:
    """A quantity that the claim gives no label (`with 18.2 GB`), the only one of its kind in the excerpt."""
    if told.quantity.unit is None or told.labels or told.named or number.noun:
        return False
    if told.role and told.role == number.role:
        if any(number in record.numbers and _only_in(record, number) for record in claim.records):
            return False
        return (
            sum(other.role == told.role and other.quantity.family is number.quantity.family for other in numbers) == 1
        )
    if told.role not in ("", number.role) or any(keys & number.beside for keys, _weight in told.words) != bool(
        told.words
    ):
        return False
    same = [other for other in numbers if other.quantity.family is number.quantity.family]
    return all(other.quantity.readings == number.quantity.readings for other in same)


def _is_only_one(claim: Claim, told: Told, number: Number, numbers: list[Number]) -> bool:
    """A number with a unit that nothing labels (`Pause Full … 4.710ms`), the only one of its kind."""
    if told.quantity.unit is None or number.relation or number.noun or number.key:
        return False
    if told.role not in ("", number.role) and {told.role, number.role} - {"", "in", "for"}:
        return False
    if any(not key.startswith("n:") for key in number.labels) or told.labels:
        return False
    if any(number in record.numbers and not _is_bare(record, number) for record in claim.records):
        return False
    return sum(other.quantity.family is number.quantity.family for other in numbers) == 1


def _is_bare(record: Record, number: Number) -> bool:
    """No word directly before the number, which would say what it is (`by 300ms`)."""
    before = record.text[: number.start].rstrip()
    return not before or not before[-1].isalnum()


def _all_hold(told: Told, numbers: Iterable[Number]) -> bool:
    """A bound (`at most 199`) must hold of every recorded number of this label."""
    if told.relation not in (Relation.AT_LEAST, Relation.AT_MOST) or not told.labels:
        return True
    same = [number for number in numbers if number.labels & told.labels]
    fits = (quantities.compare(told.quantity, told.relation, number.quantity) for number in same)
    return all(fit is not Fit.DIFFERS for fit in fits)


def _role_fits(told: Told, number: Number) -> bool:
    if number.role == "for" and number.key and told.role in ("in", "for"):
        return True
    if number.role == "since_ago":
        return told.role in ("", "for", "ago")
    if told.role in ("for", "in") and not number.role and number.key and told.near & number.labels & _TOTAL_TIME:
        return True
    if number.role == "in" and told.role in ("in", "within") and not told.negated:
        return True
    if told.negated and {told.role, number.role} <= {"within", "after"} and told.role and number.role:
        return True
    if told.labels & number.labels and not told.role and number.role == "for" and number.key:
        return True
    if told.quantity.family is not Family.TIME and number.quantity.family is not Family.TIME:
        return (
            told.role == number.role or not {told.role, number.role} & _TIMED or told.role in ("", "after", "in", "for")
        )
    return told.role == number.role


def _label_fits(claim: Claim, told: Told, number: Number) -> bool:
    """The recorded number is a number of what the claim tells."""
    if number.noun and not number.key:
        return bool(told.noun & number.noun)
    if _names_unit(told, number) and not told.labels:
        return True
    if told.whole:
        return bool(number.labels & WHOLE) or number.role == "within" or number.key in ("total", "max", "size", "limit")
    if told.field and number.key and not told.labels & _key_labels(number.key):
        return bool(told.labels & _aliases(number)) and number.key in ("current", "value", "last", "total", "status")
    if told.labels:
        return bool(told.labels & _aliases(number)) or _inner_label_fits(claim, told, number)
    if _names_alert(claim, number):
        return True
    if told.near & _aliases(number):
        return True
    if told.named & number.labels and not told.near:
        return True
    alike = told.role == number.role or (told.role == "in" and number.role == "for" and bool(number.key))
    return bool(told.role) and alike and _shares_event(claim, told, number)


def _names_unit(told: Told, number: Number) -> bool:
    """The recorded number's label is its unit (`bytes=37`)."""
    unit = number.quantity.unit_text
    return (
        number.quantity.family is told.quantity.family
        and bool(unit)
        and bool(_UNIT_WORDS.get(unit, frozenset()) & number.labels)
    )


def _inner_label_fits(claim: Claim, told: Told, number: Number) -> bool:
    """`queue depth` is the depth of a record about a queue; a percentage is a usage."""
    for place in claim.statements[claim.statement_of(told.place)]:
        unit = claim.units[place]
        if unit.keys != told.labels:
            continue
        inner = {key for key in keys_of(unit.text) - unit.keys if key.startswith("c:")}
        if number.quantity.family is Family.PERCENT or number.ratio:
            inner -= {"c:usage", "c:used"}
        records = [record for record in claim.records if number in record.numbers]
        if any(unit.keys & other.labels for record in records for other in record.numbers if other is not number):
            continue
        if (
            len(inner) >= 1
            and inner & _aliases(number)
            and all(key in number.labels or any(record.places(key) for record in records) for key in inner)
        ):
            return True
    return False


def _key_labels(key: str) -> frozenset[str]:
    """What a field's own key is called, without the words before it."""
    words = re.findall(r"[A-Za-z]+", key.lower())
    if len(words) > 1 and words[-1] in _BOUNDING:
        return keys_of(" ".join(words)) - keys_of(" ".join(words[:-1]))
    labels = keys_of(re.sub(r"[^A-Za-z0-9\u3400-\u9fff]+", " ", key)) | compact_keys(key)
    return labels | {"c:used"} if "c:active" in labels else labels


def _aliases(number: Number) -> frozenset[str]:
    """What else a pool's number is called: what is active is in use."""
    return number.labels | {"c:used"} if "c:active" in number.labels else number.labels


def _names_alert(claim: Claim, number: Number) -> bool:
    """`SlowResponse: 4.2`: the alert's value, told beside its name."""
    if number.key not in ("current", "value", "last"):
        return False
    names = {unit.text.lower() for unit in claim.units if unit.kind is Kind.NAME}
    return any(record.is_alert and record.alert_name in names and number in record.numbers for record in claim.records)


def _shares_event(claim: Claim, told: Told, number: Number) -> bool:
    """The claim's own words, or its alert's state, are those that the recorded duration stands with."""
    if number.key == "duration" and any(record.is_alert and number in record.numbers for record in claim.records):
        return True
    if number.role == "for" and number.key:
        return True
    if _named_beside(claim, told, number):
        return True
    statement = claim.statements[claim.statement_of(told.place)]
    words = frozenset().union(*(claim.units[place].keys for place in statement))
    if told.role == number.role and words & number.beside and number.quantity.unit is not None:
        return not any(number in record.numbers and _is_to_come(record, number) for record in claim.records)
    return bool(words & number.labels) or bool(told.negated and "c:time_out" in number.labels)


def _named_beside(claim: Claim, told: Told, number: Number) -> bool:
    """A name of the claim stands in the number's own statement of the record (`GET /users took 5321 ms`)."""
    names = claim.names_in(claim.statement_of(told.place))
    return any(
        entry.context.sentence == number.context.sentence
        for record in claim.records
        if number in record.numbers
        for name in names
        for entry in record.names.get(name, ())
        if not entry.header
    )


def _contradicts(told: Told, number: Number) -> bool:
    """The same label, role and unit family, and another number."""
    if told.field or told.labels or told.whole:
        labels = WHOLE if told.whole else told.labels
        same = bool(labels & _aliases(number)) and not (number.noun and not number.key)
    else:
        same = bool(told.role) and told.role == number.role and bool(told.near & number.labels) and not number.noun
        same |= bool(number.key) and bool(told.near & number.labels) and number.key not in ("current", "value", "last")
        same |= number.key in ("current", "value", "last") and bool(told.near & number.labels)
    if not same or (told.quantity.family is Family.TIME and told.role != number.role):
        return False
    return quantities.compare(told.quantity, told.relation, number.quantity, as_ratio=number.ratio) is Fit.DIFFERS


def _is_named(claim: Claim, told: Told, numbers: list[Number]) -> bool:
    """`order 88101`: a number that names; it is there or it is not, and it is never more or less."""
    same = [number for number in numbers if number.noun & told.noun - _ID_WORDS]
    if not same:
        return False
    wanted = told.quantity.text
    if any(number.quantity.text == wanted for number in same):
        claim.account(told.place, f"recorded: {wanted}")
        _account_keys(claim, told, frozenset().union(*(number.noun for number in same)))
    else:
        claim.fault(ReasonCode.IDENTIFIER_UNSUPPORTED, "the cited records name another number", told.place)
    return True


def _is_code(claim: Claim, told: Told, records: list[Record]) -> bool:
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
                _account_keys(claim, told, _STATUS_WORDS | _CODE_WORDS)
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


def _derived(claim: Claim, told: Told, records: list[Record], numbers: list[Number]) -> bool:
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
                _account_keys(claim, told, value.labels | threshold.labels)
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
        _account_keys(claim, told, told.near)
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


def _counts(claim: Claim, told: Told, records: list[Record]) -> bool:
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


def _account_around(claim: Claim, told: Told, number: Number | None) -> None:
    """The words that told what the number is: its label, role, and the noun that it counts."""
    for place in claim.statements[claim.statement_of(told.place)]:
        unit = claim.units[place]
        beside = abs(place - told.place) <= 3
        if "share" in unit.classes or (unit.classes & _ROLE_CLASSES and beside):
            claim.account(place, "role of a number")
    if number is None:
        _account_keys(claim, told, told.labels)
        return
    labels = _aliases(number) | told.labels
    if number.labels & _POOL_PART:
        labels |= {"c:connection", "c:request", "c:waiting"} if "c:waiting" in number.labels else {"c:connection"}
    _account_keys(claim, told, labels)


def _account_keys(claim: Claim, told: Told, keys: frozenset[str]) -> None:
    for place in claim.statements[claim.statement_of(told.place)]:
        unit = claim.units[place]
        if unit.kind is Kind.WORD and unit.keys & keys and unit.kinds and not unit.kinds & {"state", "event"}:
            claim.account(place, "label of a number")
