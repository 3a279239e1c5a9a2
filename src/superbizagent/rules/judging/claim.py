"""A claim, read for judgement: its units in statements, and what has been accounted for so far.

Decides: which statements a claim makes, and which records each of them speaks of (by its names, else those of the
statement before). Refuses: to judge. Protocol: sections 7.4 and 7.10.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from superbizagent.contract.results import Reason
from superbizagent.contract.vocabulary import EvidenceKind, ReasonCode
from superbizagent.rules.derivability.context import COMPARED, ZERO, Context
from superbizagent.rules.derivability.places import Name, Number, Place
from superbizagent.rules.derivability.reading import Kind, Unit
from superbizagent.rules.derivability.record import Record, read_record


@dataclass(slots=True)
class Claim:
    """The claim's units with their contexts, the statements as lists of unit places, and the ledger.

    `accounted` says for each place what accounts for it; `reasons` what speaks against the claim.
    """

    record: Record
    units: list[Unit]
    contexts: list[Context]
    statements: list[list[int]]
    records: Sequence[Record]
    accounted: dict[int, str] = field(default_factory=dict)
    reasons: list[Reason] = field(default_factory=list)
    times: dict[int, list[Record]] = field(default_factory=dict)
    sources: dict[int, list[tuple[Record, Number]]] = field(default_factory=dict)
    statement_numbers: list[int] = field(default_factory=list)
    usable: dict[tuple[int, int, frozenset[str]], list[Number]] = field(default_factory=dict)
    names: dict[int, list[str]] = field(default_factory=dict)

    def account(self, place: int, by: str) -> None:
        """The unit at `place` is accounted for; the first account stays."""
        self.accounted.setdefault(place, by)

    def account_all(self, places: Iterable[int], by: str) -> None:
        """Each unit of `places` is accounted for."""
        for place in places:
            self.account(place, by)

    def fault(self, code: ReasonCode, message: str, place: int | None = None, evidence: str | None = None) -> None:
        """Something speaks against the claim; the unit at `place` needs no further account."""
        word = self.units[place].text if place is not None else None
        if place is not None:
            self.account(place, code.value)
        reason = Reason(code=code, message=message, claim_word=word, evidence_word=evidence)
        if reason not in self.reasons:
            self.reasons.append(reason)

    def has_fault(self, code: ReasonCode) -> bool:
        """Whether a reason of this code was given."""
        return any(reason.code is code for reason in self.reasons)

    def statement_of(self, place: int) -> int:
        """The number of the statement that a unit stands in."""
        return self.statement_numbers[place]

    def names_in(self, statement: int) -> list[str]:
        """The lower-case names of a statement, else of the nearest statement before that has some."""
        if statement in self.names:
            return self.names[statement]
        found = self._names_in(statement)
        self.names[statement] = found
        return found

    def numbered_in(self, statement: int) -> list[Number]:
        """The numbers of a statement that name something (`order 88101`)."""
        starts = {self.units[place].start for place in self.statements[statement]}
        return [number for number in self.record.numbers if number.noun and number.start in starts]

    def _names_in(self, statement: int) -> list[str]:
        for number in range(statement, -1, -1):
            names = [self.units[place].text.lower() for place in self.statements[number] if self._is_name(place)]
            if names:
                return names
        return []

    def chosen(self, statement: int) -> list[Record]:
        """The records that a statement speaks of: those with all its names, and of its time."""
        names = self.names_in(statement)
        pool = next((self.times[number] for number in range(statement, -1, -1) if number in self.times), self.records)
        every = [record for record in pool if all(name in record.names for name in names)]
        return every or [record for record in pool if any(name in record.names for name in names)] or list(pool)

    def modes(self, place: int) -> frozenset[str]:
        """How the word is told; what is denied may be told of none (`none of the 6 nodes was available`)."""
        modes = self.contexts[place].modes
        if self.contexts[place].negated:
            modes |= {ZERO}
        before = (self.units[at] for at in self.statements[self.statement_of(place)] if at < place)
        return modes | {COMPARED} if any(unit.classes & _COMPARING for unit in before) else modes

    def negation(self, place: int) -> int:
        """0 plain, 1 negated, 2 could not, 3 two negations; a word with its negation inside counts."""
        negated = self.contexts[place].negated
        if self.units[place].negated:
            return 1 if negated == 0 else 3
        return negated

    def class_places(self, *classes: str) -> list[int]:
        """The places of the units that stand in one of the closed lists."""
        wanted = frozenset(classes)
        return [place for place, unit in enumerate(self.units) if unit.classes & wanted]

    def _is_name(self, place: int) -> bool:
        unit = self.units[place]
        if unit.kind is Kind.NAME:
            return True
        before = self.units[place - 1] if place else None
        titled = any(unit.text.lower() in record.titled for record in self.records)
        return titled and before is not None and "thing" in before.kinds


COULD_NOT = 2
FAILURE_TOLD = "the record tells a failure"
_COMPARING = frozenset({"over", "under", "than", "at_least", "at_most"})
_DIGITS = re.compile(r"\d+")


def family(name: str) -> str:
    """What names of one kind share: `pool-1` and `pool-2`, `pay-service` and `cart-service`."""
    shape = _DIGITS.sub("#", name)
    return shape if "#" in shape else "-" + shape.rpartition("-")[2]


def belongs(claim: Claim, record: Record, place: int, position: int) -> bool:
    """Whether what stands at `position` of a record is of the claim's names, and not of another one of their kind."""
    statement = claim.statement_of(place)
    numbered = claim.numbered_in(statement)
    alone = [number for number in numbered if sum(bool(number.noun & other.noun) for other in numbered) == 1]
    return belongs_to(claim.names_in(statement), record, position) and all(
        _is_of_number(record, number, position) for number in alone if number.start != claim.units[place].start
    )


def _is_of_number(record: Record, claimed: Number, position: int) -> bool:
    """Whether what stands at `position` is of the claim's `order 88101` and not of another order."""
    same = [number for number in record.numbers if number.noun & claimed.noun]
    own = [number.start for number in same if number.quantity.text == claimed.quantity.text]
    others = [number.start for number in same if number.quantity.text != claimed.quantity.text]
    if not own or not others:
        return True
    before = [start for start in (*own, *others) if start <= position]
    return (max(before) if before else min((*own, *others))) in own


def belongs_to(names: list[str], record: Record, position: int) -> bool:
    """Whether what stands at `position` of a record is of these names, and not of another one of their kind."""
    own, others = _rivals(record, tuple(names))
    if not others:
        return True
    behind = _object(record, position)
    if behind is not None and (behind in own or behind in others):
        return behind in own
    before_own, before_other = bisect_right(own, position), bisect_right(others, position)
    if before_own or before_other:
        nearest_own = own[before_own - 1] if before_own else -1
        return nearest_own >= (others[before_other - 1] if before_other else -1)
    return bool(own) and own[0] <= others[0]


def _title(record: Record, entry: Name) -> str:
    """What the record calls a name: its field's key, or the noun directly before it (`queue a-1`, `queue b-2`)."""
    if entry.key:
        return entry.key
    index = bisect_right(record.units, entry.start, key=lambda unit: unit.start) - 2
    before = record.units[index] if index >= 0 else None
    if before is None or before.kind is not Kind.WORD or not before.kinds & {"thing", "unit"}:
        return ""
    return before.text.lower().split()[-1] if entry.start - before.end <= 1 else ""


def _object(record: Record, position: int) -> int | None:
    """Where the name stands that a verb at `position` has as its object: `fenced db-1`."""
    index = bisect_right(record.units, position, key=lambda unit: unit.start) - 1
    for unit in record.units[index + 1 : index + 4] if index >= 0 and "event" in record.units[index].kinds else ():
        if unit.kind is Kind.NAME:
            return unit.start
        if (
            unit.kind is not Kind.WORD
            or unit.kinds & {"event", "state"}
            or unit.text.lower() in ("by", "被", "to", "from")
        ):
            return None
    return None


def _rivals(record: Record, names: tuple[str, ...]) -> tuple[list[int], list[int]]:
    """Where these names stand in a record, and where other names of their kinds do; both sorted, headers left out."""
    if names in record.rivals:
        return record.rivals[names]
    families = {family(name) for name in names if name in record.names}
    titles = {_title(record, entry) for name in names for entry in record.names.get(name, ())} - {""}
    others = [
        entry.start
        for name, entries in record.names.items()
        if families and name not in names and not _is_form_of(name, names)
        for entry in entries
        if not entry.header and (family(name) in families or _title(record, entry) in titles)
    ]
    own = [entry.start for name in names for entry in record.names.get(name, ()) if not entry.header]
    record.rivals[names] = (sorted(own), sorted(others))
    return record.rivals[names]


def same_polarity(negation: int, record: Record, spot: Place) -> bool:
    """Whether a word told under `negation` is what the record tells at `spot` (see `Context.negated`)."""
    recorded = spot.context.negated
    if ZERO in spot.context.modes and recorded == 0 and negation == 1:
        return True
    if recorded == 3:
        return False
    if negation == recorded:
        return True
    if negation == 2:
        return spot.context.statement in record.failing and recorded == 0
    return negation == 1 and recorded == 2


def fails_alike(claim: Claim, place: int, spot: Place) -> bool:
    """`启动失败` is `failed to start`: the claim's statement tells the failure that the record's *could not* tells."""
    context = claim.contexts[place]
    return context.negated == 0 and spot.context.negated == COULD_NOT and context.statement in claim.record.failing


def _is_form_of(name: str, names: Sequence[str]) -> bool:
    return any(name in other or other in name for other in names)


def read_claim(text: str, records: Sequence[Record]) -> Claim:
    """The claim's text, read with the same eyes as a record."""
    record = read_record(text, text, EvidenceKind.INCIDENT, "")
    statements: list[list[int]] = []
    last = -1
    for place, context in enumerate(record.contexts):
        if context.statement != last:
            statements.append([])
            last = context.statement
        statements[-1].append(place)
    numbers = [number for number, places in enumerate(statements) for _place in places]
    return Claim(record, record.units, record.contexts, statements, records, statement_numbers=numbers)
