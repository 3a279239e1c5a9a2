"""Belonging: is a word of state said of an asked name or thing, by where the two stand?

Decides: whether a subject stands in the clause of the word, in a head, field or clause that lends its subject to it,
and whether another name is nearer. Refuses: to guess; where two names compete the word belongs to neither.
Protocol: section 7 ("Answered?").
"""

import re
from typing import NamedTuple

from superbizagent.rules.clauses import Boundary, Clause, clause_at, clauses_of
from superbizagent.rules.lexicon import concepts_in

_NAME = re.compile(r"[a-z0-9_][a-z0-9_./:@\\-]{0,120}")
_PURE = re.compile(r"[\d.,:/%-]+|\d+(?:\.\d+)?(?:ms|s|m|h|d|kb|mb|gb|tb|kib|mib|gib|%|x)")
_PREPOSITION = re.compile(
    r"(?:(?<![\w-])(?:on|in|at|of|for|from|to|with|by|via|against|through|into|over|under|near)"
    r"(?: (?:the|a|an|node|host|server|pod|service|pool|instance|process|step|job))?"
    r"|到|向|调用|连接|访问|从|在|对|由|通过) ?$"
)
_LIGHT = frozenset(
    "it which that who this these those is was were are be been being has have had did does do then also again now "
    "just already still finally suddenly and the a an process service server application app instance container pod "
    "node host program system worker machine request operation command call attempt task job its all warning error "
    "info fatal level msg message err".split()
)
_LIGHT_ZH = frozenset("已又也则再曾被均都了的服务进程应用实例容器节点主机系统程序本机请求操作它其该此并经过")
_LIGHT_PARTS = re.compile(r"[a-z][a-z'-]*|[\u3400-\u9fff]")
_ALERT_STATES = frozenset({"firing", "pending", "resolved", "suppressed", "alert"})
_HEAD_EVENTS = frozenset({"log_event", "report", "start", "say", "answer", "complete", "return_event", "detect"})
_BEINGS = frozenset(
    {"down", "crashed", "restart", "up", "running", "stopped", "unreachable", "unresponsive", "unhealthy", "healthy"}
    | {"kill", "exit", "terminate", "shutdown", "start", "oom_killed", "out_of_memory", "unavailable", "fail", "stop"}
)
_TRANSITIVE = frozenset({"restart", "kill", "stopped", "terminate", "evict", "reject", "refuse", "cancel", "crashed"})
_OBJECT = re.compile(
    r" (?:the |a |an |its )?(?:node |host |service |pod |container |process |server |job )?"
    r"(?P<name>[a-z0-9_][\w./:@-]{1,80})"
)
_PASSIVE = re.compile(r"(?:\b(?:was|were|been|is|are|being|got)|被|已) ?(?:\w+ly )?$")
_FIELD_BEFORE = re.compile(r"(?:[\w.\-]{1,40}[\"']?\s?[=:]\s?[\"']?(?:[\w.\-]{1,40}/){0,4}|\()$")


class Span(NamedTuple):
    """`text[start:end]`."""

    start: int
    end: int


class Subject(NamedTuple):
    """What a state is asked of: where it stands in the text; `name` for a name, empty for a thing, `is_act` for an
    event (the *call* of "did the call fail")."""

    spans: tuple[Span, ...]
    name: str = ""
    is_act: bool = False


class Place(NamedTuple):
    """Where a word of state stands: the reach of its clauses, its sentence, and whether inside a joined name."""

    start: int
    end: int
    first: int
    last: int
    sentence_start: int
    sentence_end: int
    in_name: bool


def place_of(span: Span, lowered: str) -> Place:
    """The clauses that a word of state reaches over."""
    clauses = clauses_of(lowered)
    first, last = clause_at(clauses, span.start), clause_at(clauses, max(span.start, span.end - 1))
    word = lowered[span.start : span.end]
    in_name = word.isascii() and " " not in word and not concepts_in(word)
    before = max((lowered.rfind(mark, 0, span.start) for mark in (";", "。", "；", ". ")), default=-1) + 1
    after = [at for mark in (";", "。", "；", ". ") if (at := lowered.find(mark, span.end)) >= 0]
    return Place(
        min(clauses[first].start, span.start),
        max(clauses[last].end, span.end),
        first,
        last,
        before,
        min(after, default=len(lowered)),
        in_name,
    )


class Word(NamedTuple):
    """A word of state: what it says, where, in which lower-cased text; `helped` when a thing that is asked about, too,
    stands in its clause (the *connection* to n3)."""

    concept: str
    span: Span
    place: Place
    lowered: str
    helped: bool = False


def belongs(subject: Subject, word: Word) -> bool:
    """Whether a word of state is said of the subject; a subject that is nowhere in the text is not."""
    clauses = clauses_of(word.lowered)
    place = word.place
    inside = [one for one in subject.spans if place.start <= one.start < place.end]
    if inside:
        return not subject.name or any(_is_nearest(subject, one, word) for one in inside)
    return any(_lends(subject, one, word, clauses) for one in subject.spans)


def _is_nearest(subject: Subject, one: Span, word: Word) -> bool:
    """Whether no other name of the clause is rather what the state is said of."""
    concept, span, place, lowered, helped = word
    if one.start <= span.start < one.end or span.start <= one.start < span.end:
        return True
    beings = concept in _BEINGS
    before = _names(lowered, place.start, span.start)
    heads = [name for name in before if not _PREPOSITION.search(lowered[place.start : name.start])]
    if one.start < span.start:
        if beings and not helped and _PREPOSITION.search(lowered[place.start : one.start]):
            return False
        if concept in _TRANSITIVE and not _PASSIVE.search(lowered[place.start : span.start]):
            target = _OBJECT.match(lowered, span.end, place.end)
            if target is not None and _is_name(target["name"]) and target["name"] != subject.name:
                return False
        others = [name for name in heads if name.start > one.start and lowered[name.start : name.end] != subject.name]
        joined = all(_is_joined(lowered[one.end : name.start]) for name in others)
        return not others or joined or not beings
    if concept == "fail" and not helped:
        return not _has_own_subject(lowered[place.start : span.start]) and not lowered.startswith(" to ", span.end)
    if concept in _TRANSITIVE or not beings:
        return True
    if not heads and _PREPOSITION.search(lowered[span.end : one.start]):
        return True
    return not _has_own_subject(lowered[place.start : span.start])


def _is_joined(between: str) -> bool:
    return between.strip(" ,，、/&") in {"", "and", "和", "与"}


def _names(lowered: str, start: int, end: int) -> list[Span]:
    """The identifier-like names in a stretch of a text."""
    found = (Span(match.start(), match.end()) for match in _NAME.finditer(lowered, start, end))
    return [one for one in found if _is_name(lowered[one.start : one.end])]


def _is_name(word: str) -> bool:
    word = word.strip(".:-/")
    if not word or _PURE.fullmatch(word) or "=" in word:
        return False
    has_letter = any(character.isalpha() for character in word)
    return (has_letter and any(character.isdigit() for character in word)) or ("-" in word and not _is_word(word))


def _is_word(word: str) -> bool:
    return any(found.start == 0 and found.end == len(word) for found in concepts_in(word))


def _lends(subject: Subject, one: Span, word: Word, clauses: tuple[Clause, ...]) -> bool:
    """Whether a subject outside the clause is what the clause speaks of."""
    concept, span, place, lowered, helped = word
    index = clause_at(clauses, one.start)
    own = _has_own_subject(lowered[place.start : span.start])
    strict = bool(subject.name) and concept in _BEINGS and own and not helped
    if _FIELD_BEFORE.search(lowered[max(0, one.start - 90) : one.start]) and not _in_alternation(lowered, one):
        return not strict
    if index > place.last:
        return False
    between = clauses[index : place.first]
    heads = [clause for clause in between if clause.ends_with is Boundary.HEAD]
    if heads and not _has_state(lowered, clauses[index]):
        later = [clause for clause in heads if clause.start > clauses[index].start]
        crossed = any(c.ends_with is not Boundary.HEAD for c in between[:-1]) and bool(later)
        names = [lowered[n.start : n.end] for c in heads for n in _names(lowered, c.start, c.end) if n.start > one.end]
        rival = crossed or (strict and bool(names))
        return not rival and not strict
    if all(_is_bare(lowered, clause, subject) for clause in between) and all(
        clause.ends_with is Boundary.LIST for clause in between
    ):
        return True
    if own or len(between) > 2:
        return False
    others = [
        n for n in _names(lowered, clauses[index].start, clauses[index].end) if not one.start <= n.start < one.end
    ]
    return not others or not subject.name


def _in_alternation(lowered: str, one: Span) -> bool:
    return lowered[one.end : one.end + 4] == " or "


def _has_state(lowered: str, clause: Clause) -> bool:
    """Whether a clause has a state or event of its own, beside an alert's state and a logger's verb."""
    found = concepts_in(lowered[clause.start : clause.end])
    passed_over = _ALERT_STATES | _HEAD_EVENTS
    return any(one.concept.kind in {"state", "event"} and one.concept.id not in passed_over for one in found)


def _is_bare(lowered: str, clause: Clause, subject: Subject) -> bool:
    """Whether a clause is a name of a list and nothing else: `n1` of "nodes n1, n2 and n3 are down"."""
    text = lowered[clause.start : clause.end]
    for found in sorted(concepts_in(text), key=lambda found: -found.start):
        if found.concept.kind == "thing":
            text = text[: found.start] + " " * (found.end - found.start) + text[found.end :]
    words = [word for word in text.replace("`", " ").split() if word not in {"the", "both", "all"}]
    return len(words) <= 1 and (not words or words[0] == subject.name or _is_name(words[0]))


def _has_own_subject(before: str) -> bool:
    """Whether something stands before a word of state, in its clause, that it is said of."""
    words = _LIGHT_PARTS.findall(before)
    return any(word not in _LIGHT and word not in _LIGHT_ZH for word in words) or bool(_names(before, 0, len(before)))
