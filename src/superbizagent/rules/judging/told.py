"""A number of a claim, with what the claim tells of it.

Decides: its relation (over, about), its role (for, after, within), the words and names beside it, whether it is a part
or a whole, and which numbers of a record may answer for it. Refuses: to compare. Protocol: section 7.4-5.
"""

from typing import NamedTuple

from superbizagent.rules.derivability.context import OLD, ZERO
from superbizagent.rules.derivability.places import NOT_COUNTS, Number
from superbizagent.rules.derivability.reading import Kind, Unit, keys_of
from superbizagent.rules.derivability.record import Record
from superbizagent.rules.judging.claim import Claim, belongs
from superbizagent.rules.quantities import Family, Quantity, Relation

WHOLE = frozenset({"c:total", "c:maximum", "c:limit", "c:size", "c:capacity", "c:pool_size", "c:quota"})
_OWNERS = frozenset({"its", "the", "all", "their", "last", "past", "at most", "up to", "最多", "共"})
_AND = frozenset({"and", "和", "与", "及", "、"})
LABEL_WEIGHT = 2
_LABEL_WORDS = 4
_NAME_WEIGHT = 3
_OF_THE_NEXT = frozenset("against with while and but versus vs where when compared 而 且 并且 但 以及".split())


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


def told_number(claim: Claim, place: int, quantity: Quantity) -> Told:
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
    words = [(unit.keys, LABEL_WEIGHT if "label" in unit.kinds else 1) for unit in units]
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
