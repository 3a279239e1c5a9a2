"""Whether a recorded number is the number of what a claim tells.

Decides: by label, role, unit and surroundings whether a record's number is the told one, and whether a word told beside
it belongs to another number of the record. Refuses: a number that another one rivals. Protocol: section 7.4-5.
"""

import re
from collections.abc import Iterable

from superbizagent.rules import quantities
from superbizagent.rules.derivability.places import Number
from superbizagent.rules.derivability.reading import Kind, Unit, compact_keys, keys_of
from superbizagent.rules.derivability.record import Record
from superbizagent.rules.judging.claim import Claim
from superbizagent.rules.judging.told import LABEL_WEIGHT, WHOLE, Told
from superbizagent.rules.quantities import Family, Fit, Relation

_LIMITS = frozenset("c:threshold c:limit c:maximum c:quota c:watermark c:timeout_setting c:time_out c:capacity".split())
_UNIT_WORDS = {"B": frozenset({"w:byt"}), "ms": frozenset({"w:ms", "w:milli"}), "s": frozenset({"w:second", "w:sec"})}
_SIDE = 2
_BOUNDING = frozenset("timeout limit max maximum threshold interval quota capacity min minimum".split())
_TOTAL_TIME = frozenset("c:total c:duration c:elapsed w:elapsed w:total w:duration".split())
_TIMEOUT_LABELS = frozenset({"c:timeout_setting", "c:time_out"})
_SHARED = frozenset("w:the w:a w:of".split())
_TIMED = frozenset({"for", "ago", "within", "every", "after", "in"})


def holds(claim: Claim, told: Told, number: Number, numbers: list[Number]) -> bool:
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
    own = aliases(number) | number.noun | frozenset({f"w:{number.key}"})
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
        labelled = any(weight == LABEL_WEIGHT and keys & own for keys, weight in told.words)
        matched = sum(weight for keys, weight in told.words if keys & own)
        for rival in rivals:
            of_it = [(keys, weight) for keys, weight in told.words if _tells(record, keys, number, rival)]
            if sum(weight for _keys, weight in of_it) >= matched and any(not keys & own for keys, _weight in of_it):
                return True
            if not labelled and any(weight == LABEL_WEIGHT and not keys & own for keys, weight in of_it):
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


def all_hold(told: Told, numbers: Iterable[Number]) -> bool:
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
        return bool(told.labels & aliases(number)) and number.key in ("current", "value", "last", "total", "status")
    if told.labels:
        return bool(told.labels & aliases(number)) or _inner_label_fits(claim, told, number)
    if _names_alert(claim, number):
        return True
    if told.near & aliases(number):
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
            and inner & aliases(number)
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


def aliases(number: Number) -> frozenset[str]:
    """What else a pool's number is called: what is active is in use."""
    if "c:active" in number.labels:
        return number.labels | {"c:used"}
    return number.labels | {"c:remaining"} if "c:free" in number.labels else number.labels


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


def contradicts(told: Told, number: Number) -> bool:
    """The same label, role and unit family, and another number."""
    if told.field or told.labels or told.whole:
        labels = WHOLE if told.whole else told.labels
        same = bool(labels & aliases(number)) and not (number.noun and not number.key)
    else:
        same = bool(told.role) and told.role == number.role and bool(told.near & number.labels) and not number.noun
        same |= bool(number.key) and bool(told.near & number.labels) and number.key not in ("current", "value", "last")
        same |= number.key in ("current", "value", "last") and bool(told.near & number.labels)
    if not same or (told.quantity.family is Family.TIME and told.role != number.role):
        return False
    return quantities.compare(told.quantity, told.relation, number.quantity, as_ratio=number.ratio) is Fit.DIFFERS
