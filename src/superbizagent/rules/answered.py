"""Answered? Whether a proven statement is about what was asked.

Decides, from the question's text and the statements that passed: whether the question is answered (`yes`, `partly`,
`no`), which statement decides it, and whether that one affirms or denies what a yes/no question asks. Refuses: to look
at anything that did not pass, and to judge whether a statement is true. Protocol: section 7 ("Answered?").

A statement answers when, in this order:

1. it is of the asked kind: guidance for a how-to, an alert's state for alerts, else an observation;
2. it is about each asked entity: named in the statement, or in the record of its proof when the statement names no
   other of the same shape, or tied to it by the labels of a proven alert;
3. it states each asked predicate (state, event, label, symptom) or its opposite, of the asked one, in the same clause,
   as it and as its whole record tell it (`superbizagent.rules.telling`); a number alone states no state;
4. it, or its record, bears on the asked subjects and words;
5. it gives what the kind of question wants: a number, a time, a reason.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import islice, pairwise
from typing import NamedTuple

from superbizagent.contract.plan import Entity, Intent
from superbizagent.contract.vocabulary import Answered
from superbizagent.rules.asking_words import asks, word_set
from superbizagent.rules.bearing import bears_on, kind_of, word_stems
from superbizagent.rules.entities import find_name
from superbizagent.rules.lexicon import stem
from superbizagent.rules.literals import has_literal, names_product
from superbizagent.rules.question import AnswerKind, Asked, Aspect, AspectKind, read_question
from superbizagent.rules.settling import OPPOSITES, acts_of, counts_in_clause, reading_of, tells_all, tells_none
from superbizagent.rules.settling import Passed as Passed  # noqa: PLC0414 - part of this module's interface
from superbizagent.rules.telling import Reading

_NEGATION = re.compile(
    r"\b(?:not|no|never|without|isn't|wasn't|weren't|aren't|didn't|doesn't|hasn't|haven't|cannot|neither|nor)\b"
    r"|没有|并未|尚未|从未|没|未|不|无"
)
_LONGEST_STATEMENT = 4000
_MOST_MARKS = 20
_GUIDANCE_SAYS = re.compile(
    r"\b(?:runbooks?|playbook|guide|guidance|documents?|documentation|knowledge base)\b|手册|文档|预案|知识库|指南"
)
_ALERT_PROOF = re.compile(r"\S{1,200} (?:firing|pending|resolved|suppressed)(?:,|;|$)")
_OPEN_ALERT = re.compile(r"\S{1,200} (?:firing|pending)(?:,|;|$)")
_ALERT_WORDS = re.compile(r"\b(?:firing|pending|resolved|suppressed|alerts?)\b|告警|报警|触发")
_REASON_MARK = re.compile(
    r"\b(?:because|caused by|due to|reason|err(?:or)?)\b ?[=:\"]|\b(?:because|caused by|due to)\b|原因|由于|因为|导致"
)
_FAILED_COLON = re.compile(
    r"(?:\bfail(?:ed|ure|s|ing)?\b|\berror\b|cannot|can't|could not|unable|not [a-z]{3,20}|refused|rejected|exception"
    r"|失败|无法|未能|报错)"
    r"[^\n]{0,160}?[:：(（] ?\S"
)
_REASON_SPLIT = re.compile(
    r"[:：(（]|\b(?:because|caused by|due to|reason|err(?:or)?)\b|原因|由于|因为|导致", re.IGNORECASE
)
# What a record names without its kind: `n1 is down` tells of a node.
_HOSTS = frozenset({"node", "host", "pod", "container", "server", "device", "database", "connection", "network"})
_WORDS_OF_CAUSE = frozenset({"fail"})
_TIME = re.compile(
    r"(?<![\d.:])\d{1,2}:\d{2}(?!\d)|\d{4}-\d{2}-\d{2}|[0-9]{1,2}[点时]"
    r"|\bsince=|\bduration=|\d ?(?:minutes|hours|分钟|小时)"
)
_PRONOUN = re.compile(r"\b(?:it|this|that)\b|它|这")
_LONGEST_JOINER = 40
_JOINERS = re.compile(
    r"[\s,，、/&]*(?:(?:and|or|as well as|nor|和|与|或者|或|还是|以及|跟)?[\s,，、]*)"
    r"(?:both |the |node |host |service |pool |节点|服务|连接池|主机|实例)?\s?"
)
_NUMBER = re.compile(r"\d")
_NO_COUNT = re.compile(
    r"\d{4}-\d{2}-\d{2}[t ]?[\d:.,z+-]*|\d{1,2}:\d{2}(?::\d{2})?|\d{1,3}(?:\.\d{1,4}){2,3}(?::\d+)?"
    r"|[a-z_][a-z_.-]{0,60}\d[\w.-]{0,60}|\b\d+[a-z]*-[\w-]{1,60}"
)
_NAMED_NUMBER = re.compile(r"([a-z]{3,20}|订单|批次|请求|任务|工单) #?(\d{1,15})(?![\d.,%])")
_PLAIN_WORD = re.compile(r"[a-z]{3,20}|[\u3400-\u9fff]{2}")
_FEWEST_ID_DIGITS = 3
_LEVEL_OF_ERROR = re.compile(r"\b(?:ERROR|FATAL|CRIT(?:ICAL)?|SEVERE|EMERG|PANIC|error|fatal|crit)\b|\bE\d{4}\b")
_LABEL = re.compile(r"([A-Za-z_][\w.]{0,60})=([^\s,;]{1,120})")
_LINKING_LABELS = frozenset({"pool", "pod", "instance", "container", "host", "node", "database", "queue", "topic"})


class Stance(StrEnum):
    """What the deciding statement says to a yes/no question as it was asked."""

    AFFIRMS = "affirms"
    DENIES = "denies"


class Extent(StrEnum):
    """How much of what was asked the deciding statements tell."""

    WHOLE = "whole"
    SOME_OF_ALL = "some_of_all"
    NOT_ONE_OF_ANY = "not_one_of_any"
    MIXED = "mixed"
    PARTS = "parts"


class Bearing(NamedTuple):
    """Whether the question is answered, the indices of the statements that answer it (best first), the stance of
    the first (None where the question is no yes/no question, or the answer is neither yes nor no), and the extent."""

    answered: Answered
    deciding: tuple[int, ...] = ()
    stance: Stance | None = None
    extent: Extent = Extent.WHOLE


def question_answered(question: str, passed: Sequence[Passed]) -> Answered:
    """Whether the statements that passed answer the question; usable with nothing but its text."""
    return bearing(read_question(question), passed).answered


def bearing(asked: Asked, passed: Sequence[Passed]) -> Bearing:
    """Which statements answer `asked`, and how.

    A question for all is answered with yes by a statement about all only, with no by a single one that is not so; what
    else is proven answers it partly. A question for several names or states has an answer for each.
    """
    links = _alert_links(passed)
    whole = tuple(i for i, statement in enumerate(passed) if answers(asked, statement, links))
    if whole:
        return _of_all(asked, passed, whole, links) if asked.about_all else _of_one(asked, passed, whole, links)
    parts = split(asked)
    if len(parts) == 1:
        return Bearing(Answered.NO)
    met = [tuple(i for i, statement in enumerate(passed) if answers(part, statement, links)) for part in parts]
    deciding = tuple(dict.fromkeys(i for some in met for i in some))
    if not deciding:
        return Bearing(Answered.NO)
    stances = [_stance(part, passed[some[0]], links) for part, some in zip(parts, met, strict=True) if some]
    if all(met) or asked.either:
        return _of_parts(asked, deciding, stances, all_met=all(met))
    return Bearing(Answered.PARTLY, deciding, None, Extent.PARTS)


def _of_one(
    asked: Asked, passed: Sequence[Passed], whole: tuple[int, ...], links: frozenset[tuple[str, str]]
) -> Bearing:
    """By the first; where the others say the opposite of it, by none."""
    stances = {_stance(asked, passed[i], links) for i in whole}
    if asked.about_any and stances == {Stance.DENIES} and not any(tells_none(asked, passed[i]) for i in whole):
        return Bearing(Answered.PARTLY, whole, None, Extent.NOT_ONE_OF_ANY)
    if asked.about_any and Stance.AFFIRMS in stances:
        first = tuple(i for i in whole if _stance(asked, passed[i], links) is Stance.AFFIRMS)
        return Bearing(Answered.YES, first, Stance.AFFIRMS)
    if len(stances) > 1:
        return Bearing(Answered.PARTLY, whole, None, Extent.MIXED)
    return Bearing(Answered.YES, whole, stances.pop())


def _of_all(
    asked: Asked, passed: Sequence[Passed], whole: tuple[int, ...], links: frozenset[tuple[str, str]]
) -> Bearing:
    against = Stance.AFFIRMS if asked.negated else Stance.DENIES
    denying = tuple(i for i in whole if _stance(asked, passed[i], links) is against)
    if denying:
        return Bearing(Answered.YES, denying, against)
    telling_all = tuple(i for i in whole if tells_all(asked, passed[i]))
    if telling_all or (asked.intent is Intent.ALERTS and len(asked.entities) > 1):
        return Bearing(Answered.YES, telling_all or whole, _stance(asked, passed[(telling_all or whole)[0]], links))
    return Bearing(Answered.PARTLY, whole, None, Extent.SOME_OF_ALL)


def _of_parts(asked: Asked, deciding: tuple[int, ...], stances: Sequence[Stance | None], *, all_met: bool) -> Bearing:
    """Every part is met, or any one is enough: yes, no, or a part each way."""
    if asked.kind is not AnswerKind.YES_NO:
        return Bearing(Answered.YES, deciding)
    if asked.either and Stance.AFFIRMS in stances:
        first = deciding[list(stances).index(Stance.AFFIRMS)] if all_met else deciding[0]
        return Bearing(Answered.YES, (first, *(i for i in deciding if i != first)), Stance.AFFIRMS)
    if len(set(stances)) == 1 and all_met:
        return Bearing(Answered.YES, deciding, stances[0])
    extent = Extent.MIXED if len(set(stances)) > 1 else Extent.PARTS
    return Bearing(Answered.YES if all_met else Answered.PARTLY, deciding, None, extent)


def answers(asked: Asked, statement: Passed, links: frozenset[tuple[str, str]] = frozenset()) -> bool:
    """Whether one statement answers `asked` as a whole (the module's five conditions).

    `links` pairs a service with what a proven alert ties to it (`service=` and `pool=` of one alert).
    """
    if not _right_kind(asked, statement):
        return False
    if not all(entity.known and is_about(entity, statement, links) for entity in asked.entities):
        return False
    if asked.intent is Intent.SWEEP:
        return True
    if len(asked.entities) > 1 and not _joined_names(asked) and not _compares_alike(asked, statement):
        return False
    if not _bears(asked, statement, links) or not _is_readable(asked, statement):
        return False
    return _gives_what_is_asked(asked, statement)


def _is_readable(asked: Asked, statement: Passed) -> bool:
    """Whether a yes/no question asks for a state, event or literal that can be read, or only whether something is
    there; to "can n3 reach n4" a record that names both says neither yes nor no."""
    if asked.kind is not AnswerKind.YES_NO or asked.intent is not Intent.SYMPTOM or asked.about_cause:
        return True
    if asked.of_kind(AspectKind.PREDICATE, AspectKind.LITERAL):
        return True
    return asks("is_there", asked.text.lower()) and not _NEGATION.search(statement.text.lower())


def is_about(entity: Entity, statement: Passed, links: frozenset[tuple[str, str]] = frozenset()) -> bool:
    """Whether a statement is about a named entity (condition 2)."""
    name = entity.name.lower()
    claim = statement.text.lower()
    if find_name(claim, name) is not None:
        return True
    if any(service == name and find_name(claim, other) is not None for service, other in links):
        return True
    if any(other != name and _same_shape(other, name) for other in _names(claim)):
        return False
    return any(find_name(proof.lower(), name) is not None for proof in statement.proofs)


def gives_reason(text: str) -> bool:
    """Whether a statement gives a reason for something: `because`, `error=`, `X failed: Y`."""
    lowered = text.lower()
    return bool(_REASON_MARK.search(lowered) or _FAILED_COLON.search(lowered))


def is_guidance(statement: Passed) -> bool:
    """Whether a statement tells what somebody wrote beforehand."""
    return bool(_GUIDANCE_SAYS.search(statement.text.lower()))


def states(aspect: Aspect, text: str) -> bool:
    """Whether a text itself states an aspect, or its opposite."""
    if aspect.id == "error":
        return bool(_LEVEL_OF_ERROR.search(text)) or bool({"error", "exception", "fatal"} & bears_on(text))
    if aspect.kind is AspectKind.LITERAL:
        return has_literal(aspect.id, text)
    if aspect.kind is AspectKind.WORD:
        return aspect.id in word_stems(text) or (not aspect.id.isascii() and aspect.id in text)
    ids = bears_on(text)
    if aspect.id in ids or any(opposite in ids for opposite in OPPOSITES.get(aspect.id, ())):
        return True
    return stem(aspect.id) in word_stems(text)


def _settles(asked: Asked, aspect: Aspect, statement: Passed, links: frozenset[tuple[str, str]]) -> bool:
    """Whether a statement says an asked predicate as the kind of question needs it: yes or no, or that it is so."""
    kind = asked.kind
    either_way = aspect.kind is not AspectKind.PREDICATE or aspect.id == "error" or kind is AnswerKind.YES_NO
    if not states(aspect, statement.text):
        return False
    if not (either_way or asked.says_not or _says_it(aspect, statement.text)):
        return False
    if kind is AnswerKind.WHAT and not asked.asks_which:
        return True
    if kind_of(aspect.id) == "label" or asked.about_cause or aspect in acts_of(asked):
        return True
    reading = reading_of(asked, aspect, statement, links)
    if reading is None:
        return kind is not AnswerKind.YES_NO or _says_plainly(aspect, statement.text)
    if kind in (AnswerKind.YES_NO, AnswerKind.HOW_MANY):
        return reading is not Reading.OPEN
    return reading is (Reading.DENIED if asked.says_not else Reading.AFFIRMED)


def _says_it(aspect: Aspect, text: str) -> bool:
    """Whether a text has an asked predicate itself, not only its opposite."""
    return aspect.id in bears_on(text) or stem(aspect.id) in word_stems(text)


def _says_plainly(aspect: Aspect, text: str) -> bool:
    """For a predicate that a text says without any of its words: an error, by its level, with no negation beside it."""
    return aspect.id == "error" and not _NEGATION.search(text.lower())


def _right_kind(asked: Asked, statement: Passed) -> bool:
    if asked.wants_guidance:
        return is_guidance(statement)
    if is_guidance(statement):
        return False
    if asked.intent is not Intent.ALERTS:
        return not _asks_present_state(asked) or _shows_present(statement)
    if statement.proofs and not any(_ALERT_PROOF.match(proof) for proof in statement.proofs):
        return False
    ids = bears_on(statement.text)
    wanted = asked.alert_state or "firing"
    if asked.kind is AnswerKind.YES_NO:
        return bool({wanted, *OPPOSITES.get(wanted, ())} & ids)
    return wanted in ids and _ALERT_WORDS.search(statement.text.lower()) is not None


def _asks_present_state(asked: Asked) -> bool:
    asked_states = [aspect for aspect in asked.of_kind(AspectKind.PREDICATE) if kind_of(aspect.id) != "label"]
    return asked.about_now and asked.kind is AnswerKind.YES_NO and bool(asked_states)


def _shows_present(statement: Passed) -> bool:
    """Only an alert that is not over tells a present state; a log record tells its own moment."""
    return any(_OPEN_ALERT.match(proof) for proof in statement.proofs)


def _bears(asked: Asked, statement: Passed, links: frozenset[tuple[str, str]]) -> bool:
    """Conditions 3 and 4."""
    texts = (statement.text, *statement.proofs)
    predicates = asked.of_kind(AspectKind.PREDICATE)
    if asked.wants_guidance:
        firm = [aspect for aspect in asked.aspects if aspect.kind is not AspectKind.WORD]
        wanted = firm or [aspect for aspect in asked.aspects if aspect.id not in word_set("guidance_word")]
        return not wanted or any(states(aspect, text) for aspect in wanted for text in texts)
    if asked.intent is Intent.ALERTS and not asked.aspects:
        return True
    stated = [_settles(asked, aspect, statement, links) for aspect in predicates]
    if predicates and not (any(stated) if asked.either else all(stated)):
        return False
    if not all(states(a, statement.text) or _in_proofs(a, statement) for a in asked.of_kind(AspectKind.LITERAL)):
        return False
    if not all(any(names_product(a.id, text) for text in texts) for a in asked.of_kind(AspectKind.PRODUCT)):
        return False
    return _subjects_met(asked, texts, has_predicate=bool(predicates))


def _in_proofs(aspect: Aspect, statement: Passed) -> bool:
    return any(states(aspect, proof) for proof in statement.proofs)


def _subjects_met(asked: Asked, texts: Sequence[str], *, has_predicate: bool) -> bool:
    listed = [one for one in asked.of_kind(AspectKind.LIGHT) if asked.asks_which and one.id not in _HOSTS]
    subjects = (*asked.of_kind(AspectKind.SUBJECT), *listed)
    met = sum(any(states(aspect, text) for text in texts) for aspect in subjects)
    if met < (len(subjects) + 1) // 2 or (not has_predicate and met < len(subjects)):
        return False
    english = any(text.isascii() for text in texts)
    open_words = [w for w in asked.of_kind(AspectKind.WORD) if w.id.isascii() or not english]
    found = sum(any(states(word, text) for text in texts) for word in open_words)
    if found < (len(open_words) + 1) // 2:
        return False
    unread = [word for word in asked.of_kind(AspectKind.WORD) if not word.id.isascii() and english]
    if asked.asks_which and not has_predicate and (unread or not (subjects or found)):
        return False
    firm = has_predicate or bool(subjects) or bool(asked.of_kind(AspectKind.LITERAL)) or found > 0
    if firm or (asked.entities and not unread):
        return True
    light = asked.of_kind(AspectKind.LIGHT)
    named = bool(asked.of_kind(AspectKind.PRODUCT)) and not unread
    return named or (bool(light) and all(any(states(aspect, text) for text in texts) for aspect in light))


def _gives_what_is_asked(asked: Asked, statement: Passed) -> bool:
    """Condition 5."""
    if asked.wants_guidance:
        return True
    if asked.about_cause and not gives_reason(statement.text):
        return False
    effect = asked.of_kind(AspectKind.PREDICATE, AspectKind.LITERAL, AspectKind.WORD)
    if asked.about_cause and not effect and asked.intent is not Intent.SWEEP:
        return False
    if asked.about_cause and asked.kind is AnswerKind.YES_NO:
        return _joins_as_cause(asked, statement.text)
    if asked.kind is AnswerKind.HOW_MANY:
        return _gives_number(asked, statement.text)
    if asked.kind is AnswerKind.WHEN and _asks_of_nothing(asked):
        return False
    if asked.kind is AnswerKind.WHEN:
        return bool(_TIME.search(statement.text.lower()))
    return True


def _joins_as_cause(asked: Asked, text: str) -> bool:
    """Whether one reason in the statement joins all that the question supposes: something asked on both its sides."""
    wanted = [a for a in asked.aspects if a.kind is not AspectKind.PRODUCT and a.id not in _WORDS_OF_CAUSE]
    text = text[:_LONGEST_STATEMENT]
    for mark in islice(_REASON_SPLIT.finditer(text), _MOST_MARKS):
        left, right = text[: mark.start()], text[mark.end() :]
        sides = [(states(aspect, left), states(aspect, right)) for aspect in wanted]
        if wanted and all(any(side) for side in sides) and any(s[0] for s in sides) and any(s[1] for s in sides):
            return True
    return False


def _asks_of_nothing(asked: Asked) -> bool:
    """Whether a question for a time names nothing but *it* ("when did it start?"): any start would seem to answer."""
    named = asked.entities or any(aspect.id not in word_set("scaffold_event") for aspect in asked.aspects)
    return not named and _PRONOUN.search(asked.text.lower()) is not None


def _gives_number(asked: Asked, text: str) -> bool:
    """Whether a statement has a number that may count or measure: none in a name, an address, a time or a version, none
    that names one thing (`order 88101`), and for a state or event that is counted, one in its own clause or field."""
    counted = [a for a in asked.of_kind(AspectKind.PREDICATE) if kind_of(a.id) in {"state", "event"}]
    if counted and not any(counts_in_clause(asked, aspect, text, _NO_COUNT) for aspect in counted):
        return False
    bare = _NO_COUNT.sub(" ", _without_names(asked, text))
    things = {stem(form) for aspect in asked.aspects for form in _PLAIN_WORD.findall(aspect.form.lower())}
    for noun, number in _NAMED_NUMBER.findall(bare):
        if stem(noun) in things and (len(number) >= _FEWEST_ID_DIGITS or noun == stem(noun)):
            bare = bare.replace(f"{noun} {number}", " ")
    return bool(_NUMBER.search(bare))


def _without_names(asked: Asked, text: str) -> str:
    lowered = text.lower()
    for entity in asked.entities:
        lowered = lowered.replace(entity.name.lower(), " ")
    return lowered


def split(asked: Asked) -> list[Asked]:
    """The parts of a question that asks for several things: one for each entity, else for each predicate."""
    if asked.about_cause or (len(asked.entities) > 1 and not _joined_names(asked)):
        return [asked]
    if len(asked.entities) > 1:
        return [replace(asked, entities=(entity,), about_all=False) for entity in asked.entities]
    predicates = asked.of_kind(AspectKind.PREDICATE)
    if len(predicates) > 1:
        others = tuple(aspect for aspect in asked.aspects if aspect.kind is not AspectKind.PREDICATE)
        return [replace(asked, aspects=(*others, predicate)) for predicate in predicates]
    return [asked]


def _compares_alike(asked: Asked, statement: Passed) -> bool:
    """Whether a statement compares or orders where the question does: "n1 and n2 failed" does not say which first."""
    return not asks("compare", asked.text.lower()) or asks("compare", statement.text.lower())


def _joined_names(asked: Asked) -> bool:
    """Whether the question names its names side by side (`n1, n2 and n3`), so that it asks the same of each."""
    lowered = asked.text.lower()
    places = sorted((at, at + len(e.name)) for e in asked.entities if (at := lowered.find(e.name.lower())) >= 0)
    between = [lowered[first[1] : second[0]] for first, second in pairwise(places)]
    return all(len(part) <= _LONGEST_JOINER and _JOINERS.fullmatch(part) for part in between)


def _names(lowered: str) -> list[str]:
    """The joined names in a lower-cased text: services, hosts, pools."""
    return re.findall(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)+", lowered)


def _same_shape(other: str, name: str) -> bool:
    """Whether two names are of one kind: joined words with the same last word (`cart-api`, `user-api`)."""
    if "-" not in name or "-" not in other:
        return False
    return other.rsplit("-", 1)[1] == name.rsplit("-", 1)[1] and not other.startswith(name) and name not in other


def _alert_links(passed: Sequence[Passed]) -> frozenset[tuple[str, str]]:
    """Pairs (service, other) that one proven alert ties together by its labels."""
    links: set[tuple[str, str]] = set()
    for proof in (proof for statement in passed for proof in statement.proofs):
        if not _ALERT_PROOF.match(proof):
            continue
        labels = {key.lower(): value.lower() for key, value in _LABEL.findall(proof[:4000])}
        if "service" in labels:
            links.update((labels["service"], value) for key, value in labels.items() if key in _LINKING_LABELS)
    return frozenset(links)


def _stance(asked: Asked, statement: Passed, links: frozenset[tuple[str, str]]) -> Stance | None:
    if asked.kind is not AnswerKind.YES_NO:
        return None
    denies = _denies(asked, statement, links)
    return Stance.DENIES if denies != asked.negated else Stance.AFFIRMS


def _denies(asked: Asked, statement: Passed, links: frozenset[tuple[str, str]]) -> bool:
    """Whether the statement says the opposite of what is asked: of an alert's state, or of a predicate."""
    if asked.intent is Intent.ALERTS:
        wanted, ids = asked.alert_state or "firing", bears_on(statement.text)
        if wanted not in ids and any(opposite in ids for opposite in OPPOSITES.get(wanted, ())):
            return True
    acts = acts_of(asked)
    predicates = [aspect for aspect in asked.of_kind(AspectKind.PREDICATE) if aspect not in acts]
    readings = [reading_of(asked, aspect, statement, links) for aspect in predicates]
    if asked.either:
        return Reading.AFFIRMED not in readings and Reading.DENIED in readings
    return Reading.DENIED in readings
