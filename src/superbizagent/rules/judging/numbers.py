"""Numbers in a claim: value, unit, label, role and record belong together.

Decides: whether one recorded number is the told one, contradicts it, or is not there; counts of cited records; and
what may be derived from two labelled numbers of one entity (difference, percentage points, half, span of time).
Refuses: to mix the numbers of two records, and to read an id as a count or a count as an id. Protocol: section 7.4-5.
"""

from superbizagent.contract.vocabulary import ReasonCode
from superbizagent.rules import quantities
from superbizagent.rules.derivability.places import Number
from superbizagent.rules.derivability.reading import Kind
from superbizagent.rules.derivability.record import Record
from superbizagent.rules.judging.claim import Claim
from superbizagent.rules.judging.derived import account_keys, is_code, is_counted, is_derived
from superbizagent.rules.judging.labels import aliases, all_hold, contradicts, holds
from superbizagent.rules.judging.told import Told, told_number, told_numbers
from superbizagent.rules.quantities import Fit, Quantity, Relation

_POOL_PART = frozenset({"c:active", "c:idle", "c:waiting", "c:total", "c:used"})
_ROLE_CLASSES = frozenset("role_for role_within role_every role_ago role_after role_took after".split())
_ID_WORDS = frozenset("w:id w:no w:number c:id".split())


def check_numbers(claim: Claim) -> None:
    """Account for every number that a record gives or that follows from its numbers; fault the others."""
    for place, unit in enumerate(claim.units):
        if unit.kind is Kind.NUMBER and isinstance(unit.value, Quantity) and place not in claim.accounted:
            _check(claim, told_number(claim, place, unit.value))


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
    supporting = [number for number in numbers if holds(claim, told, number, numbers)]
    denied = _is_denied(claim, told.place)
    if supporting and denied:
        other = supporting[0]
        message = f"the record gives {other.quantity.text}, which the claim denies"
        claim.fault(ReasonCode.QUANTITY_CONTRADICTED, message, told.place, other.quantity.text)
        return
    if supporting and all_hold(told, numbers):
        claim.sources[told.place] = [(record, number) for record, number in pairs if number in supporting]
        claim.account(told.place, f"recorded: {supporting[0].quantity.text}")
        _account_around(claim, told, supporting[0])
        return
    if not denied and (
        is_code(claim, told, records) or is_derived(claim, told, records, numbers) or is_counted(claim, told, records)
    ):
        return
    against = [number for number in numbers if contradicts(told, number)]
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


def _is_named(claim: Claim, told: Told, numbers: list[Number]) -> bool:
    """`order 88101`: a number that names; it is there or it is not, and it is never more or less."""
    same = [number for number in numbers if number.noun & told.noun - _ID_WORDS]
    if not same:
        return False
    wanted = told.quantity.text
    if any(number.quantity.text == wanted for number in same):
        claim.account(told.place, f"recorded: {wanted}")
        account_keys(claim, told, frozenset().union(*(number.noun for number in same)))
    else:
        claim.fault(ReasonCode.IDENTIFIER_UNSUPPORTED, "the cited records name another number", told.place)
    return True


def _account_around(claim: Claim, told: Told, number: Number | None) -> None:
    """The words that told what the number is: its label, role, and the noun that it counts."""
    for place in claim.statements[claim.statement_of(told.place)]:
        unit = claim.units[place]
        beside = abs(place - told.place) <= 3
        if "share" in unit.classes or (unit.classes & _ROLE_CLASSES and beside):
            claim.account(place, "role of a number")
    if number is None:
        account_keys(claim, told, told.labels)
        return
    labels = aliases(number) | told.labels
    if number.labels & _POOL_PART:
        labels |= {"c:connection", "c:request", "c:waiting"} if "c:waiting" in number.labels else {"c:connection"}
    account_keys(claim, told, labels)
