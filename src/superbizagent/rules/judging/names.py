"""Names in a claim: services, hosts, pools, classes, versions, ids, paths.

Decides: whether the cited records name what the claim names, who did what to whom where two names are told in an
order, and whether a name is only carried by a thread or logger while the message names another. Refuses: to accept a
part of a name. Protocol: section 7, `identifier_unsupported` and `untrusted_text`; 7.3.
"""

import itertools
import re

from superbizagent.contract.vocabulary import ReasonCode
from superbizagent.rules.derivability.context import TRIED, ZERO
from superbizagent.rules.derivability.places import Name
from superbizagent.rules.derivability.reading import Kind, Unit, keys_of
from superbizagent.rules.derivability.record import Record
from superbizagent.rules.judging.claim import Claim
from superbizagent.rules.judging.nouns import noun_before

_FAULT_CLASS = re.compile(r"(?:Error|Exception|Throwable|Fault)$")
_VERSION = re.compile(r"v?\d+(?:\.\d+)+(?:-[\w.]+)?")
_APPOSING = frozenset({"at", "(", "named", "called", "为", '"', "'", "是", "即", "with", "address", "地址"})
_FEWEST_PARTS = 2
_SIDE_BY_SIDE = 20
_IP = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?")
_INTRANSITIVE = frozenset(
    "c:time_out c:fail c:exit c:start c:complete c:succeed c:request_timeout c:connection_timed_out c:upstream_timeout "
    "c:connection_refused c:restart c:terminate c:read_timeout".split()
)


def check_names(claim: Claim) -> None:
    """Account for every name that the records give; fault the others."""
    for place, unit in enumerate(claim.units):
        if unit.kind is not Kind.NAME or place in claim.accounted:
            continue
        found = [
            (record, record.names[unit.text.lower()]) for record in claim.records if unit.text.lower() in record.names
        ]
        if not found and any(_has_port_apart(record, unit.text) for record in claim.records):
            claim.account(place, f"named in the record: {unit.text}")
            continue
        if not found and unit.keys and any(_has_parts(record, unit) for record in claim.records):
            claim.account(place, f"named in the record: {unit.text}")
            continue
        if not found:
            message = f"the cited records do not name `{unit.text}`"
            claim.fault(ReasonCode.IDENTIFIER_UNSUPPORTED, message, place)
            continue
        trusted = [(record, [entry for entry in entries if entry.trusted]) for record, entries in found]
        trusted = [(record, entries) for record, entries in trusted if entries]
        if not trusted:
            claim.fault(
                ReasonCode.UNTRUSTED_TEXT, f"`{unit.text}` stands only in text that a user may have written", place
            )
        elif not any(
            entry.header or entry.start < record.head_end for record, entries in trusted for entry in entries
        ) and all(
            entry.context.modes - claim.modes(place) - {"advice", ZERO, TRIED}
            for _, entries in trusted
            for entry in entries
        ):
            message = f"the records name `{unit.text}` only in a guess, condition, exercise or alternative"
            claim.fault(ReasonCode.ALTERNATIVE_UNSUPPORTED, message, place)
        elif not _is_called_so(claim, place, trusted):
            message = f"the records do not call `{unit.text}` so"
            claim.fault(ReasonCode.IDENTIFIER_UNSUPPORTED, message, place)
        elif not _is_told(unit.text, trusted):
            claim.fault(ReasonCode.IDENTIFIER_UNSUPPORTED, f"the excerpts do not give `{unit.text}`", place)
        elif not _says_thread(claim, place) and all(
            _is_header_only(unit.text, record, entries) for record, entries in trusted
        ):
            message = f"only a thread or logger is called `{unit.text}`; the message names another"
            claim.fault(ReasonCode.IDENTIFIER_UNSUPPORTED, message, place)
        else:
            claim.account(place, f"named in the record: {unit.text}")
    _check_order(claim)


def _has_port_apart(record: Record, name: str) -> bool:
    """`10.0.0.4:6379` of a record that says `10.0.0.4 6379`."""
    host, colon, port = name.lower().rpartition(":")
    if not colon or not port.isdigit():
        return False
    places = [at for at, unit in enumerate(record.units[:-1]) if unit.kind is Kind.NAME and unit.text.lower() == host]
    return any(
        record.units[at + 1].text == port and record.units[at + 1].start == record.units[at].end + 1 for at in places
    )


def _has_parts(record: Record, unit: Unit) -> bool:
    """库存服务 of a record that says `inventory service`: its parts stand side by side."""
    concepts = sorted(key for key in unit.keys if key.startswith("c:"))
    places = [sorted(spot.start for spot in record.places(key)) for key in concepts]
    if len(concepts) < _FEWEST_PARTS or not all(places):
        return False
    return any(
        all(any(abs(start - first) <= _SIDE_BY_SIDE for start in starts) for starts in places[1:])
        for first in places[0]
    )


def _says_thread(claim: Claim, place: int) -> bool:
    """Whether the claim itself calls the name a thread or a logger."""
    before = claim.units[place - 1].text.lower() if place else ""
    return before in ("thread", "logger", "线程", "class", "类")


def _is_called_so(claim: Claim, place: int, found: list[tuple[Record, list[Name]]]) -> bool:
    """`queue c-7`, `c-7 is a producer`: not what the record calls another name, and a field's key where it has one."""
    nouns = [at for at in (_apposed(claim, place), _said_to_be(claim, place)) if at >= 0 and _is_noun(claim, at)]
    return all(any(_fits_noun(claim, at, record, entries) for record, entries in found) for at in nouns)


def _apposed(claim: Claim, place: int) -> int:
    """The place of the noun that says what a name is: `queue c-7`, `the upstream at 10.8.3.21`, 上游（10.8.3.21）."""
    at = place - 1
    while at > 0 and claim.units[at].text.lower() in _APPOSING:
        at -= 1
    return at


def _said_to_be(claim: Claim, place: int) -> int:
    texts = [unit.text.lower() for unit in claim.units[place + 1 : place + 4]]
    is_said = len(texts) == 3 and texts[0] in ("is", "was") and texts[1] in ("a", "an", "the")
    return place + 3 if is_said else -1


def _is_noun(claim: Claim, place: int) -> bool:
    unit = claim.units[place]
    return unit.kind is Kind.WORD and bool(unit.kinds) and unit.kinds <= {"thing", "unit"}


def _fits_noun(claim: Claim, noun: int, record: Record, entries: list[Name]) -> bool:
    keys = claim.units[noun].keys
    if any(keys & keys_of(entry.key) for entry in entries if entry.key):
        return True
    beside = [spot for key in keys for spot in record.places(key)]
    if any(0 <= entry.start - spot.end <= 2 for entry in entries for spot in beside):
        return True
    own = {entry.start for entry in entries}
    of_others = any(
        (entry.key and keys & keys_of(entry.key)) or any(0 <= entry.start - spot.end <= 2 for spot in beside)
        for places in record.names.values()
        for entry in places
        if entry.start not in own
    )
    return not of_others and not any(
        record.text[spot.end : spot.end + 3].lstrip('"')[:1] in ("=", ":") for spot in beside
    )


def _is_told(name: str, found: list[tuple[Record, list[Name]]]) -> bool:
    """A fault class or a version is *what* happened: the excerpt must have it; other names say *who*."""
    is_what = _FAULT_CLASS.search(name) or (_VERSION.fullmatch(name) and not _IP.fullmatch(name))
    return not is_what or any(entry.inside for _, entries in found for entry in entries)


def _is_header_only(name: str, record: Record, entries: list[Name]) -> bool:
    if not all(entry.header for entry in entries):
        return False
    return any(
        other != name.lower() and not _FAULT_CLASS.search(other) and any(not entry.header for entry in places)
        for other, places in record.names.items()
    )


def _check_order(claim: Claim) -> None:
    """Two names with a verb between them: the record must tell them in the same order (or the claim says *by*)."""
    for places in claim.statements:
        names = [place for place in places if claim.units[place].kind is Kind.NAME and place in claim.accounted]
        for first, second in itertools.pairwise(names):
            verb = _verb_between(claim, first, second)
            if verb is None:
                continue
            subject, target = claim.units[first].text.lower(), claim.units[second].text.lower()
            passive = any(claim.units[place].text.lower() in ("by", "被", "由") for place in range(first, second))
            if passive:
                subject, target = target, subject
            if not any(_told_in_order(record, subject, target, claim.units[verb].keys) for record in claim.records):
                message = f"no record tells `{subject}` and `{target}` in this order"
                claim.fault(ReasonCode.STATE_UNSUPPORTED, message, verb)


def _verb_between(claim: Claim, first: int, second: int) -> int | None:
    """The event between two names of one shape or of services; None for a plain list or qualification."""
    for place in range(first + 1, second):
        if claim.units[place].keys & _INTRANSITIVE:
            continue
        unit = claim.units[place]
        unknown = unit.kind is Kind.WORD and not unit.kinds and not unit.classes and unit.text not in ("'", '"')
        if unknown or "event" in claim.units[place].kinds or "blocked" in claim.units[place].text.lower():
            return place
    return None


def _told_in_order(record: Record, subject: str, target: str, verb: frozenset[str]) -> bool:
    subjects = [entry.start for entry in record.names.get(subject, ())]
    targets = [entry.start for entry in record.names.get(target, ())]
    verbs = [spot.start for key in verb for spot in record.places(key)]
    if not subjects or not targets:
        return False
    if not verbs:
        return min(subjects) < max(targets)
    passive = [
        spot for key in verb for spot in record.places(key) if record.text[spot.end :].lstrip()[:3].lower() == "by "
    ]
    if passive:
        owners = [noun_before(record, spot) for spot in passive]
        return any(
            spot.start < max(subjects) and owner is not None and owner.start in targets
            for spot, owner in zip(passive, owners, strict=True)
        )
    ordered = any(min(subjects) < spot < max(targets) for spot in verbs)
    # `X failed: Y …`, `connect() failed … upstream: Z`: the one who logs stands before both.
    return ordered or (min(subjects) < min(verbs) and min(subjects) < min(targets))
