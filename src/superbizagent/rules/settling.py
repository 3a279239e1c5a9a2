"""Settling: what a proven statement, with its records, says of what a question asks.

Decides, for one asked state or event: whether the statement affirms it, denies it or leaves it open, of the names and
things that the question asks it of, and whether the records say the same around the statement. Refuses: to read what
the records leave open. Protocol: section 7 ("Answered?").
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from superbizagent.rules.bearing import forms_of, kind_of, spans_of
from superbizagent.rules.belonging import Span, Subject, place_of
from superbizagent.rules.entities import find_all
from superbizagent.rules.lexicon import stem
from superbizagent.rules.question import Asked, Aspect, AspectKind
from superbizagent.rules.telling import Reading, Told, combined, told

OPPOSITES = {
    "down": ("up", "running", "reachable"),
    "fail": ("succeed",),
    "unreachable": ("reachable",),
    "unavailable": ("available",),
    "expired": ("valid",),
    "exhausted": ("available",),
    "valid": ("expired", "invalid", "certificate_expired"),
    "available": ("exhausted", "unavailable", "not_available"),
    "up": ("down", "crashed", "stopped"),
    "running": ("stopped", "crashed", "exit"),
    "reachable": ("unreachable", "connection_refused", "host_unreachable", "network_unreachable"),
    "succeed": ("fail",),
    "enabled": ("disabled",),
    "ready": ("unready",),
    "firing": ("resolved", "pending", "suppressed"),
    "resolved": ("firing",),
    "pending": ("firing", "resolved"),
}
"""What says that a state is not so. `fail` and `succeed` turn each other; a wider word turns no narrower one."""
_OUTCOMES = frozenset({"fail", "succeed", "complete", "time_out", "cancel", "skip", "abort", "reject", "refuse"})
_LONGEST = 4000
_MOST_PLACES = 40
_NONE = re.compile(r"\b(?:no|none|zero)\b(?! longer)|(?<![=\d.])\b0 (?:of )?[a-z]|没有|无任何|均未|都未|全未")
_COUNT = re.compile(
    r"(?<![\w.#])\d[\d,.]*(?:(?P<unit> ?%| ?(?:times|x|ms|s|sec|seconds?|minutes?|min|m|hours?|h|days?|[kmgt]i?b)\b"
    r"| ?(?:[个次条笔台起件例项秒分小天]|毫秒|微秒))| (?:[a-z]{2,20} ){0,2}?(?P<noun>[a-z]{2,20}))"
)
_NUMBER_BEHIND = re.compile(r" ?(?:了)? ?\d[\d,]*(?![\w.#])(?: ?[个次条笔台起件例项]| times|$|[,，.;)])")
_FIELD_NUMBER = re.compile(r"[\w.]{0,30}[\"']?\s?[=:：]\s?[\"']?\d")
_WORD_EN = re.compile(r"[A-Za-z]{2,40}")


class Passed(NamedTuple):
    """A statement whose verdict is PASS, and the system-side texts of its verified bindings."""

    text: str
    proofs: tuple[str, ...] = ()


def reading_of(asked: Asked, aspect: Aspect, statement: Passed, links: frozenset[tuple[str, str]]) -> Reading | None:
    """What a statement and its records say of one asked predicate, of what it is asked of; None where no word says it.

    A record that tells it otherwise, or leaves it open, takes the statement's word away.
    """
    opposites = OPPOSITES.get(aspect.id, ())
    when = {"earlier": asked.earlier, "this_time": asked.this_time}
    subjects = subjects_in(asked, statement.text, links)
    found = told(aspect.id, opposites, statement.text, [s for s in subjects if s.spans])
    reading = combined(found, **when)
    if reading is None or reading is Reading.OPEN:
        return reading
    missing = {place for place, subject in enumerate(subjects) if not subject.spans}
    for proof in statement.proofs:
        there = subjects_in(asked, proof, links)
        held = [s for place, s in enumerate(there) if place in missing and s.spans]
        in_record = told(aspect.id, opposites, proof, held, excepted=[s for s in there if s.spans])
        if in_record and (reading not in {one.reading for one in in_record} or _at_two_times(asked, in_record)):
            return Reading.OPEN
    return reading


def _at_two_times(asked: Asked, in_record: Sequence[Told]) -> bool:
    """Whether a record tells of the last time and of this one, otherwise, and the question does not say which."""
    if asked.earlier or asked.this_time:
        return False
    return len({one.earlier for one in in_record}) > 1 and len({one.reading for one in in_record}) > 1


def tells_all(asked: Asked, statement: Passed) -> bool:
    """Whether a statement tells an asked state of all: in the clause of the state, without an exception."""
    predicates = asked.of_kind(AspectKind.PREDICATE)
    found = [told(aspect.id, (), statement.text) for aspect in predicates]
    return bool(found) and all(any(one.of_all and one.reading is Reading.AFFIRMED for one in group) for group in found)


def tells_none(asked: Asked, statement: Passed) -> bool:
    """Whether a statement denies an asked state of all: "no pool is exhausted", "0 failed", `crashed=no`."""
    return bool(_NONE.search(statement.text.lower()[:_LONGEST])) or not asked.of_kind(AspectKind.SUBJECT)


def counts_in_clause(asked: Asked, aspect: Aspect, text: str, names: re.Pattern[str]) -> bool:
    """Whether a number counts or measures an asked state or event: one of the asked things, of times or of a unit in
    its clause (`3 requests failed`, 失败 3 笔), directly behind it, or the value of its field."""
    lowered = text[:_LONGEST].lower()
    things = [one for one in asked.aspects if one.kind is not AspectKind.PREDICATE]
    counted = {stem(word) for one in things for word in (*_WORD_EN.findall(one.form.lower()), *forms_of(one.id))}
    for start, end in spans_of(aspect.id, text[:_LONGEST])[:_MOST_PLACES]:
        place = place_of(Span(start, end), lowered)
        if _FIELD_NUMBER.match(lowered, end) or _NUMBER_BEHIND.match(lowered, end):
            return True
        clause = names.sub(" ", lowered[place.start : place.end])
        if any(found["unit"] or stem(found["noun"] or "") in counted for found in _COUNT.finditer(clause)):
            return True
    return False


def subjects_in(asked: Asked, text: str, links: frozenset[tuple[str, str]]) -> list[Subject]:
    """Where a text has the names and things that a state is asked of; the order is the same for every text."""
    lowered = text[:_LONGEST].lower()
    out = []
    for entity in asked.entities:
        name = entity.name.lower()
        names = {name, *(other for service, other in links if service == name)}
        out.append(Subject(tuple(Span(*span) for one in sorted(names) for span in find_all(lowered, one)), name))
    cut, acts = text[:_LONGEST], acts_of(asked)
    things = (*asked.of_kind(AspectKind.SUBJECT, AspectKind.LIGHT, AspectKind.WORD), *acts)
    return out + [
        Subject(tuple(Span(*span) for span in _thing_spans(thing, cut)), is_act=thing in acts) for thing in things
    ]


def acts_of(asked: Asked) -> tuple[Aspect, ...]:
    """The asked events of which an outcome is asked: the *read* of "did the read fail" is a thing."""
    predicates = asked.of_kind(AspectKind.PREDICATE)
    if not any(aspect.id in _OUTCOMES for aspect in predicates):
        return ()
    return tuple(aspect for aspect in predicates if kind_of(aspect.id) == "event" and aspect.id not in _OUTCOMES)


def _thing_spans(thing: Aspect, text: str) -> list[tuple[int, int]]:
    """Where a thing stands, as a word and not as a key."""
    if thing.kind is not AspectKind.WORD:
        found = list(spans_of(thing.id, text))
    elif thing.id.isascii():
        found = [word.span() for word in _WORD_EN.finditer(text) if stem(word[0]) == thing.id]
    else:
        found = [(at, at + len(thing.id)) for at in range(len(text)) if text.startswith(thing.id, at)]
    return [span for span in found if text[span[1] : span[1] + 1] != "="]
