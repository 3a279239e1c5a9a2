"""Frames: a noun with the name it carries, and the phase that an event fell in.

Decides, once every word is accounted for: whether `table orders` of a record is told as `table api`; whether something
is told of the program that wrote the record which the record tells of another; whether `while connecting` is told where
the record has `while reading`. It only takes support away. Refuses: to contradict. Protocol: sections 7.1 and 7.3.
"""

import re

from superbizagent.contract.vocabulary import ReasonCode
from superbizagent.rules.derivability.reading import Kind, Unit
from superbizagent.rules.derivability.record import Record
from superbizagent.rules.judging.claim import Claim

_TYPE_NOUNS = frozenset(
    "c:table c:topic c:queue c:consumer_group c:group c:database c:user c:index_db c:collection c:bucket "
    "c:namespace c:pod c:container c:job c:task c:stage c:step c:service c:node c:host c:cluster c:server "
    "c:shard c:partition c:channel c:tenant c:backend c:listener c:exchange c:role c:volume c:device "
    "c:interface c:process c:module w:table w:topic w:queu w:group w:databas w:user w:index w:collection "
    "w:bucket w:namespac w:pod w:container w:job w:task w:stag w:step w:servic w:nod w:host w:cluster w:server "
    "w:channel w:tenant w:backend w:role w:region".split()
)
_TOWARDS = frozenset({"to", "into", "from", "towards", "到", "向", "给", "从"})
_CARRIED = re.compile(r"['\"]?\s?[=:]?\s?['\"(\[]?([A-Za-z][\w.-]*)")
_PHASES = frozenset({"while", "when", "during"})


def check_frames(claim: Claim) -> None:
    """Leave undetermined what no record tells of this noun, of this one, or in this phase."""
    for place in range(len(claim.units)):
        if _carries_another(claim, place) or _is_the_writer(claim, place) or _is_another_phase(claim, place):
            message = "the records tell this of another, or in another phase"
            claim.fault(ReasonCode.WORDING_UNDETERMINED, message, place)
            return


def _carries_another(claim: Claim, place: int) -> bool:
    """`table api`: the record has the noun, and with it always another name."""
    noun = claim.units[place]
    carried = claim.units[place + 1] if place + 1 < len(claim.units) else None
    keys = noun.keys & _TYPE_NOUNS
    if not keys or carried is None or not _is_plain_name(carried):
        return False
    if claim.record.text[noun.end : carried.start].strip(" '\"(["):
        return False
    word = carried.text.lower()
    for record in claim.chosen(claim.statement_of(place)):
        found = [_carried_by(record, spot.end) for key in keys for spot in record.places(key) if not spot.implied]
        names = {name for name in found if name}
        if not names or any(word == name or word in re.split(r"[./:_-]", name) for name in names):
            return False
    return True


def _is_plain_name(unit: Unit) -> bool:
    if not unit.text.isascii() or unit.kind is not Kind.WORD:
        return False
    return not unit.classes and not unit.kinds & {"event", "state", "label"}


def _carried_by(record: Record, end: int) -> str:
    """The name directly behind a noun: quoted, a field's value, or a word that is nothing else."""
    found = _CARRIED.match(record.text, end)
    if found is None:
        return ""
    word = found.group(1)
    separator = record.text[end : found.start(1)]
    if separator.strip():
        return word.lower()
    units = [unit for unit in record.units if unit.start == found.start(1)]
    named = bool(units) and (units[0].kind is Kind.NAME or _is_plain_name(units[0]))
    return word.lower() if named else ""


def _is_the_writer(claim: Claim, place: int) -> bool:
    """`connection refused to web`: only the writer of the record is called so, and it acts upon another."""
    unit = claim.units[place]
    if unit.kind is not Kind.WORD or unit.kinds & {"event", "state", "label"} or unit.classes or not place:
        return False
    before = claim.units[place - 1]
    if before.text.lower() not in _TOWARDS and not (before.kinds & {"event"} and before.text.lower().endswith("ed")):
        return False
    word = unit.text.lower()
    records = [
        record for record in claim.chosen(claim.statement_of(place)) if record.places(f"w:{word}") or word in record.who
    ]
    return bool(records) and all(
        all(spot.start < record.head_end for key in unit.keys for spot in record.places(key)) for record in records
    )


def _is_another_phase(claim: Claim, place: int) -> bool:
    """`while connecting` where the record has `while reading`."""
    doing = _doing(claim.units, place)
    if doing is None:
        return False
    recorded = [
        phase
        for record in claim.chosen(claim.statement_of(place))
        for at in range(len(record.units))
        if (phase := _doing(record.units, at)) is not None
    ]
    return bool(recorded) and not any(doing.keys & phase.keys for phase in recorded)


def _doing(units: list[Unit], place: int) -> Unit | None:
    if units[place].text.lower() not in _PHASES or place + 1 >= len(units):
        return None
    following = units[place + 1]
    return following if following.text.lower().endswith("ing") else None
