"""Roles: who did what to whom, where a record names several.

Decides: whether each name of a statement stands in the claim under the same preposition as in the record, and whether
what is told of it is told of *this* name: in the record's order, with no other name between. Only prose is looked at;
fields say themselves whose value they are. What does not fit is left undetermined: it takes support away and never
contradicts. Also here: something that was only under way (*starting*, 正在) is not told as done. Protocol: section 7.3.
"""

import itertools
import re
from collections.abc import Sequence

from superbizagent.contract.vocabulary import ReasonCode
from superbizagent.rules.derivability.places import Name
from superbizagent.rules.derivability.reading import Kind
from superbizagent.rules.derivability.record import Record
from superbizagent.rules.judging.claim import Claim

# One sense a row, so that a Chinese claim can be compared with an English record.
_PREPOSITIONS: dict[str, str] = {
    word: sense
    for sense, words in {
        "from": "from 从 自",
        "to": "to into onto 到 至 向 给 往",
        "by": "by 被 由",
        "on": "on at in 在 于",
        "with": "with 与 和",
        "for": "for",
        "against": "against",
        "via": "via through 通过 经",
    }.items()
    for word in words.split()
}
_ADDRESS = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}|[\w-]+(?:\.[\w-]+)*:\d{2,5}$|[\w.]*\w+-\w+")
_FROM_KEYS = frozenset({"from", "source", "src", "client", "caller"})
_TO_KEYS = frozenset({"to", "target", "dst", "dest", "destination", "callee"})
_CLASS_NAME = re.compile(r"(?:[a-z_]\w*\.){1,12}[A-Za-z_$]\w*(?:@\w+)?")
_BARE_NUMBER = re.compile(r"(?!\d{1,3}(?:\.\d{1,3}){3})[\d.:,+-]+")
_ONGOING_EXEMPT = frozenset("listening running waiting pending missing firing remaining following".split())
_TYPE_NOUNS_AWAY = 2
_SAME_BEGINNING = 3
_MOST_NAMES = 40
_LETTERS = re.compile(r"[a-z]+|[\u3400-\u9fff]+")
_JOINERS = re.compile(r"[^\w]")
_DIGITS = re.compile(r"\d+")


def check_roles(claim: Claim) -> None:
    """Leave undetermined what is told of another name than the record's, or as done when it was under way."""
    _check_under_way(claim)
    if any(_against_key(claim, place) for place in range(len(claim.units))):
        claim.fault(ReasonCode.WORDING_UNDETERMINED, "the record's field gives this name the other role")
        return
    for number in range(len(claim.statements)):
        records = claim.chosen(number)
        if records and all(_misplaces(claim, number, record) for record in records):
            claim.fault(ReasonCode.WORDING_UNDETERMINED, "no record tells this of this name, in this role")


def _against_key(claim: Claim, place: int) -> bool:
    """`to s3-a` of a record that has `from=s3-a`."""
    unit = claim.units[place]
    if unit.kind is not Kind.NAME:
        return False
    wanted = _sense_before([other.text for other in claim.units[max(0, place - 4) : place + 3]], min(place, 4))
    against = {"to": _FROM_KEYS, "from": _TO_KEYS}.get(wanted)
    entries = [entry for record in claim.records for entry in record.names.get(unit.text.lower(), ())]
    return against is not None and bool(entries) and all(entry.key in against for entry in entries)


def _misplaces(claim: Claim, number: int, record: Record) -> bool:
    names = _names_of(record)
    if len({text for _, text in names}) < 2 or record.access:
        return False
    told = [place for place in claim.statements[number] if _is_prose_name(claim, place, record)]
    if not told:
        return False
    if any(not _same_preposition(claim, place, record, names) for place in told):
        return True
    distinct = sorted({text for _, text in names})
    competing = any(_compete(first, second) for first, second in itertools.combinations(distinct[:_MOST_NAMES], 2))
    return competing and _out_of_order(claim, number, record, names)


def _names_of(record: Record) -> list[tuple[int, str]]:
    """(place in the units, name) of the record's prose names: no fields, headers, classes or plain numbers."""
    found = []
    for place, unit in enumerate(record.units):
        if unit.kind is not Kind.NAME or _CLASS_NAME.fullmatch(unit.text) or _BARE_NUMBER.fullmatch(unit.text):
            continue
        entries = [entry for entry in record.names.get(unit.text.lower(), ()) if entry.start == unit.start]
        if entries and _is_prose(record, entries[0]):
            found.append((place, unit.text.lower()))
    return found


def _is_prose_name(claim: Claim, place: int, record: Record) -> bool:
    unit = claim.units[place]
    if unit.kind is not Kind.NAME or unit.text.lower() not in record.names:
        return False
    return any(_is_prose(record, entry) for entry in record.names[unit.text.lower()])


def _is_prose(record: Record, entry: Name) -> bool:
    """In a sentence of the excerpt: no field's value, no header, not inside a quoted value."""
    quoted = record.text.count('"', 0, entry.start) % 2 == 1
    return entry.inside and not entry.key and not entry.header and not quoted


def _same_preposition(claim: Claim, place: int, record: Record, names: Sequence[tuple[int, str]]) -> bool:
    wanted = _sense_before([unit.text for unit in claim.units], place)
    if any(entry.key for entry in record.names[claim.units[place].text.lower()]):
        return True  # a field says itself whose it is
    is_zh = any("\u3400" <= character <= "\u9fff" for character in claim.record.text)
    if is_zh and wanted in ("", "on"):
        return True  # 在 may only say that something goes on, and a Chinese verb takes its object without a preposition
    recorded = {
        _sense_before([unit.text for unit in record.units], at)
        for at, name in names
        if name == claim.units[place].text.lower()
    }
    if wanted in ("on", "for") and "" in recorded:
        return True  # the place or purpose that a record gives by position: `node-7 kernel: …`, `SET session:60 -> …`
    return not recorded or wanted in recorded


def _sense_before(texts: Sequence[str], place: int) -> str:
    """The sense of the preposition that a name stands under, at most two type nouns away; "" for none.

    An arrow says it too: `a -> b` goes from a to b.
    """
    if list(texts[place + 1 : place + 3]) == ["-", ">"] and _ADDRESS.match("".join(texts[place + 3 : place + 4])):
        return "from"
    if place > 2 and list(texts[place - 2 : place]) == ["-", ">"] and _ADDRESS.match(texts[place - 3]):
        return "to"
    for at in range(place - 1, max(place - 2 - _TYPE_NOUNS_AWAY, -1), -1):
        word = texts[at].lower()
        if word in _PREPOSITIONS:
            return _PREPOSITIONS[word]
        if not word.isalpha():
            return ""
    return ""


def _out_of_order(claim: Claim, number: int, record: Record, names: Sequence[tuple[int, str]]) -> bool:
    """Whether the statement's names and events cannot be found in the record's order without passing another name."""
    own = {claim.units[place].text.lower() for place in claim.statements[number]}
    told = [name for _, name in names if name in own]
    foreign = [
        record.units[at].start for at, name in names if name not in own and any(_compete(name, other) for other in told)
    ]
    last = -1
    for place in claim.statements[number]:
        spots = _spots(claim, place, record)
        if not spots:
            continue
        later = [spot for spot in spots if spot > last]
        if last >= 0 and not later:
            return True
        nearest = min(later)
        if last >= 0 and any(last < other < nearest for other in foreign):
            return True
        last = nearest
    return False


def _compete(name: str, other: str) -> bool:
    """Whether two names are of one sort, so that one could be told in place of the other: `redis-a`, `redis-b`."""
    if _JOINERS.findall(name) != _JOINERS.findall(other):
        return False
    return _shape(name) == _shape(other) or name[:_SAME_BEGINNING] == other[:_SAME_BEGINNING]


def _shape(name: str) -> str:
    return _DIGITS.sub("#", _LETTERS.sub("a", name))


def _spots(claim: Claim, place: int, record: Record) -> list[int]:
    unit = claim.units[place]
    if _is_prose_name(claim, place, record):
        return [entry.start for entry in record.names[unit.text.lower()] if _is_prose(record, entry)]
    tells = unit.kinds & {"event", "state"} or not unit.kinds or claim.negation(place) == 2
    if unit.kind is Kind.WORD and tells and "light" not in unit.classes:
        return [
            spot.start
            for key in unit.keys
            for spot in record.places(key)
            if spot.inside and spot.trusted and not spot.implied
        ]
    return []


def _check_under_way(claim: Claim) -> None:
    """`Starting …` does not tell that it started."""
    for place, unit in enumerate(claim.units):
        done = unit.text.lower().endswith("ed") or claim.record.text[max(0, unit.start - 1) : unit.start] == "已"
        if unit.kind is not Kind.WORD or not (unit.kinds & {"event", "state"} or done):
            continue
        if unit.text[:1] > "\u3400" and not (done or _is_done_zh(claim.record.text, unit.start, unit.end)):
            continue  # a bare Chinese verb has no tense
        if _is_under_way(claim.record.text, unit.start, unit.end) or claim.negation(place) == 2:
            continue
        spots = [
            (record, spot)
            for record in claim.chosen(claim.statement_of(place))
            for key in unit.keys
            for spot in record.places(key)
            if spot.inside and not spot.implied
        ]
        if spots and all(_is_under_way(record.text, spot.start, spot.end) for record, spot in spots):
            claim.fault(ReasonCode.WORDING_UNDETERMINED, f"the record tells `{unit.text}` only as under way", place)


def _is_done_zh(text: str, start: int, end: int) -> bool:
    if text[start : start + 1] in ("已", "被"):
        return True
    return text[end : end + 1] == "了" or text[end - 1 : end] == "了" or text[max(0, start - 1) : start] in ("已", "被")


def _is_under_way(text: str, start: int, end: int) -> bool:
    word = text[start:end].lower()
    first = word.split(" ")[0]
    ongoing = first.isascii() and first.endswith("ing") and len(first) > 5 and first not in _ONGOING_EXEMPT
    return (
        ongoing or text[max(0, start - 2) : start] == "正在" or text[end : end + 1] == "中" or word.startswith("正在")
    )
