"""The question: what is asked, of what, and what kind of answer it wants.

Decides, from the question's text and what the sources know by name: its language, its intent, the kind of answer, the
entities it names (and those that no source knows), and its aspects, which are the states, events and things it asks
for. Refuses: to search or to answer. Word lists hold words of asking only; names come from the sources or from their
shape. Protocol: sections 2 (unknown entities), 7 ("Answered?") and 8.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache

from superbizagent.contract.plan import Entity, EntityRole, Intent
from superbizagent.contract.vocabulary import Lang
from superbizagent.rules.asking_words import asks, first_word, word_set, words
from superbizagent.rules.bearing import asked_phrases, kind_of, named_concepts
from superbizagent.rules.entities import find_entities
from superbizagent.rules.lexicon import stem
from superbizagent.rules.windows import read_window

_NOW = datetime(2000, 1, 1, tzinfo=UTC)
_LONGEST = 4000
_QUOTED = re.compile(r"[\"“「『`]([^\"”」』`]{3,200})[\"”」』`]")
_WORD_EN = re.compile(r"[A-Za-z][A-Za-z']{1,40}")
_RUN_ZH = re.compile(r"[\u3400-\u9fff]{2,12}")
_STATUS = re.compile(r"(?<![\w./:=-])([1-5]\d\d|[45]xx)(?![\w./:=-])", re.IGNORECASE)
_CODE = re.compile(r"(?<![\w-])[A-Z]{5,30}(?![\w-])")
_NUMBER = re.compile(r"(?<![\w./:=-])\d{1,15}(?![\w./:=-])")
_POSSESSIVE = re.compile(r"['’]s\b")
_DEFINITE_PLURAL = re.compile(
    r"(?:are|were|have|aren't|weren't|haven't) (?:the|our|these|those|my|its) (?:[a-z]{2,20} ){0,2}"
    r"[a-z]{2,20}[a-rt-z]s\b"
)
_MASKED = re.compile(r"<masked:[a-z]{1,16}:[0-9]{1,6}>")
_FIELD = re.compile(r"[A-Za-z_][\w.]{0,40}=[^\s,;，。？?]{1,60}")

_AUXILIARIES = frozenset(
    "do does did doing done has have had is are was were be been being can could will would should may might".split()
)
_ALERT_IDS = frozenset({"alert", "firing", "resolved", "pending", "suppressed"})
_GENERAL_IDS = _ALERT_IDS | {"healthy", "exception"}
_STATES_OF_ALERTS = {"resolved": "resolved", "pending": "pending", "suppressed": "suppressed", "firing": "firing"}


class AnswerKind(StrEnum):
    """What kind of answer a question wants."""

    YES_NO = "yes_no"
    WHAT = "what"
    HOW_MANY = "how_many"
    WHEN = "when"
    WHY = "why"
    HOW_TO = "how_to"


class AspectKind(StrEnum):
    """How an aspect has to be met: a predicate by the statement itself, a subject by its record too."""

    PREDICATE = "predicate"
    SUBJECT = "subject"
    LIGHT = "light"
    PRODUCT = "product"
    WORD = "word"
    LITERAL = "literal"


@dataclass(frozen=True, slots=True)
class Aspect:
    """One thing that is asked for: a concept, an open word (its stem), or a literal phrase or number."""

    id: str
    kind: AspectKind
    form: str


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks.

    `negated` says that a yes/no question asks whether something is *not* so, `says_not` that any question speaks of
    what is not so; `about_cause` that it asks for, or supposes, a cause; `about_now` that it asks for the present,
    `about_past` for what has been; `either` that any one of its predicates answers it ("timeouts or refused
    connections"); `about_all` that it asks for all of several ("are both pools …?"), `about_any` for any of them;
    `asks_which` that it asks which ones; `earlier` and `this_time` that it asks for the last time, or for this one.
    """

    text: str
    lang: Lang
    intent: Intent
    kind: AnswerKind
    entities: tuple[Entity, ...] = ()
    aspects: tuple[Aspect, ...] = ()
    alert_state: str | None = None
    negated: bool = False
    says_not: bool = False
    about_cause: bool = False
    either: bool = False
    wants_list: bool = False
    wants_guidance: bool = False
    about_now: bool = False
    about_past: bool = False
    about_all: bool = False
    about_any: bool = False
    asks_which: bool = False
    earlier: bool = False
    this_time: bool = False

    def of_kind(self, *kinds: AspectKind) -> tuple[Aspect, ...]:
        """The aspects of these kinds, in the question's order."""
        return tuple(aspect for aspect in self.aspects if aspect.kind in kinds)


def is_masked(name: str) -> bool:
    """Whether a name of the question is a masked secret: no source has it as text, so it is never searched."""
    return _MASKED.fullmatch(name) is not None


def unmasked(text: str) -> str:
    """A text without its placeholders of masked secrets, as something to search for."""
    return " ".join(_MASKED.sub(" ", text).split())


def detect_lang(text: str) -> Lang:
    """Chinese as soon as the text has a CJK character outside quotation marks, else English."""
    bare = _QUOTED.sub(" ", text)
    return Lang.ZH if any("\u3400" <= character <= "\u9fff" for character in bare) else Lang.EN


def is_narrow(text: str) -> bool:
    """Whether the question asks for one fact: neither a sweep, nor a list, nor guidance."""
    asked = read_question(text)
    return asked.intent is not Intent.SWEEP and not asked.wants_list and not asked.wants_guidance


@lru_cache(maxsize=256)
def _read_alone(text: str) -> Asked:
    return _read(text, {}, _NOW, "UTC")


def read_question(
    text: str,
    known: Mapping[EntityRole, frozenset[str]] | None = None,
    at: datetime | None = None,
    zone: str = "UTC",
) -> Asked:
    """What `text` asks. `known` is what the sources know by name; without it names are known by their shape alone.

    Never raises; a text that asks nothing about a system is `Intent.OFF_SUBJECT`.
    """
    text = text[:_LONGEST]
    return _read_alone(text) if not known and at is None else _read(text, known or {}, at or _NOW, zone)


def _read(text: str, known: Mapping[EntityRole, frozenset[str]], at: datetime, zone: str) -> Asked:
    lang = detect_lang(text)
    spans = list(read_window(text, at, zone).spans)
    secrets = list(_MASKED.finditer(text))
    rest = _POSSESSIVE.sub("  ", _blank(text, [*spans, *(secret.span() for secret in secrets)]))
    entities, taken = find_entities(rest, known)
    taken += [secret.span() for secret in secrets]
    entities += tuple(Entity(name=secret[0], role=EntityRole.IDENTIFIER) for secret in secrets)
    rest = _blank(rest, taken)
    kind = _kind(text, rest, lang)
    aspects = _aspects(rest, lang)
    lowered = _blank(text, [*spans, *taken]).lower()
    ids = {aspect.id for aspect in aspects}
    state = next((state for name, state in _STATES_OF_ALERTS.items() if name in ids), None)
    wants_guidance = kind is AnswerKind.HOW_TO
    about_cause = not wants_guidance and (kind is AnswerKind.WHY or asks("cause", lowered))
    intent = _intent(lowered, entities, aspects, wants_guidance=wants_guidance)
    which = kind is AnswerKind.WHAT and not wants_guidance and _asks_which(lowered.strip(), lang)
    if intent is Intent.ALERTS:
        aspects = tuple(aspect for aspect in aspects if aspect.id not in _ALERT_IDS)
    else:
        aspects = tuple(aspect for aspect in aspects if aspect.id != "alert")
    return Asked(
        text=text,
        lang=lang,
        intent=intent,
        kind=kind,
        entities=entities,
        aspects=aspects,
        alert_state=state or ("firing" if intent is Intent.ALERTS else None),
        negated=kind is AnswerKind.YES_NO and not about_cause and _is_negated(lowered, lang),
        says_not=_is_negated(lowered, lang),
        about_cause=about_cause,
        either=bool(re.search(r"\bor\b|或者|或|还是", lowered)),
        wants_list=kind is not AnswerKind.YES_NO
        and (
            (intent is Intent.ALERTS and not _names_alert(entities)) or (which and _asks_several(lowered.strip(), lang))
        ),
        wants_guidance=wants_guidance,
        about_now=asks("now", text.lower()),
        about_past=first_word(lowered.strip()) in word_set("past_openers") or asks("past", text.lower()),
        about_all=kind is AnswerKind.YES_NO and _asks_all(lowered, aspects),
        about_any=kind is AnswerKind.YES_NO and not entities and asks("any", lowered),
        asks_which=which,
        earlier=asks("earlier", text.lower()),
        this_time=asks("this_time", text.lower()),
    )


def _asks_all(lowered: str, aspects: tuple[Aspect, ...]) -> bool:
    """Whether a yes/no question asks for all of several: by a word (all, both, 都), or by "are the pools exhausted"."""
    bare = lowered
    for phrase in words("not_all"):
        bare = bare.replace(phrase, " ")
    if asks("all", bare):
        return True
    states_asked = any(aspect.kind is AspectKind.PREDICATE and kind_of(aspect.id) == "state" for aspect in aspects)
    return states_asked and _DEFINITE_PLURAL.match(bare.strip()) is not None


def _asks_which(lowered: str, lang: Lang) -> bool:
    if lang is Lang.ZH and any(word in lowered for word in ("哪些", "哪几", "哪个", "哪台", "哪一", "谁")):
        return True
    return first_word(lowered) in {"which", "who"}


def _asks_several(lowered: str, lang: Lang) -> bool:
    """Whether "which …" asks for a list: `which nodes`, 哪些."""
    if lang is Lang.ZH and any(word in lowered for word in ("哪些", "哪几")):
        return True
    return re.match(r"\W*which (?:of the |other )?[a-z]{2,30}s\b(?! is\b| was\b| has\b)", lowered) is not None


def _names_alert(entities: tuple[Entity, ...]) -> bool:
    return any(entity.role is EntityRole.ALERT for entity in entities)


def _blank(text: str, spans: list[tuple[int, int]]) -> str:
    """The text with the spans blanked: every position stays what it was."""
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def _kind(text: str, rest: str, lang: Lang) -> AnswerKind:
    lowered = rest.lower().strip()
    if asks("guidance", lowered):
        return AnswerKind.HOW_TO
    yes_no_zh = lang is Lang.ZH and asks("yes_no", text)
    if asks("how_many", lowered):
        return AnswerKind.HOW_MANY
    if yes_no_zh:
        return AnswerKind.YES_NO
    if asks("when", lowered):
        return AnswerKind.WHEN
    if asks("why", lowered) or first_word(lowered) == "why" or "root cause" in lowered:
        return AnswerKind.WHY
    if first_word(lowered) in word_set("yes_no_openers"):
        return AnswerKind.YES_NO
    if re.search(r"\bwhat (?:caused|causes|is causing|made|is the (?:root )?(?:cause|reason))\b", lowered):
        return AnswerKind.WHY
    if re.search(r"\bwhy\b", lowered):
        return AnswerKind.WHY
    return AnswerKind.WHAT


def _intent(lowered: str, entities: tuple[Entity, ...], aspects: tuple[Aspect, ...], *, wants_guidance: bool) -> Intent:
    ids = {aspect.id for aspect in aspects}
    firm = [aspect for aspect in aspects if aspect.kind is not AspectKind.WORD]
    if asks("not_ours", lowered):
        return Intent.OFF_SUBJECT
    if wants_guidance and (firm or entities):
        return Intent.GUIDANCE
    sweeping = asks("sweep", lowered)
    specific = [a for a in firm if a.id not in _GENERAL_IDS and a.kind in (AspectKind.PREDICATE, AspectKind.SUBJECT)]
    if sweeping and not specific:
        return Intent.SWEEP
    if ids & _ALERT_IDS or _names_alert(entities):
        alerts_only = not specific or "alert" in ids or _names_alert(entities)
        return Intent.ALERTS if alerts_only else Intent.SYMPTOM
    if firm or (entities and not asks("greeting", lowered)):
        return Intent.SYMPTOM
    return Intent.OFF_SUBJECT


def _aspects(rest: str, lang: Lang) -> tuple[Aspect, ...]:
    """The aspects of a question whose window and entities are blanked, in the text's order."""
    found: list[tuple[int, Aspect]] = []
    taken: list[tuple[int, int]] = []
    for quoted in _QUOTED.finditer(rest):
        found.append((quoted.start(), Aspect(quoted[1].strip(), AspectKind.LITERAL, quoted[1].strip())))
        taken.append(quoted.span())
    rest = _blank(rest, taken)
    for asked in asked_phrases(rest):
        found += [(asked.start, _concept(concept, asked.form)) for concept in sorted(asked.concepts)]
        taken.append((asked.start, asked.end))
    rest = _blank(rest, [span for span in taken if span])
    for field in _FIELD.finditer(rest):
        found.append((field.start(), Aspect(field[0], AspectKind.LITERAL, field[0])))
        taken.append(field.span())
    rest = _blank(rest, taken)
    for named in named_concepts(rest):
        if named.form.lower() in _AUXILIARIES:
            continue
        found.append((named.start, _concept(named.concept.id, named.form)))
        taken.append((named.start, named.end))
    rest = _blank(rest, taken)
    for status in _STATUS.finditer(rest):
        found.append((status.start(), Aspect(f"status:{status[1].lower()}", AspectKind.LITERAL, status[1])))
        taken.append(status.span())
    rest = _blank(rest, taken)
    for code in _CODE.finditer(rest):
        if code[0].lower() not in word_set("stopword_en"):
            found.append((code.start(), Aspect(code[0], AspectKind.LITERAL, code[0])))
            taken.append(code.span())
    rest = _blank(rest, taken)
    found += [(number.start(), Aspect(number[0], AspectKind.LITERAL, number[0])) for number in _NUMBER.finditer(rest)]
    found += _open_words(rest, lang)
    found.sort(key=lambda entry: entry[0])
    aspects = dict.fromkeys(aspect for _, aspect in found if aspect.form.lower() not in {"mean", "means"})
    telling = tuple(aspect for aspect in aspects if not _is_scaffold(aspect))
    if any(aspect.kind is not AspectKind.PRODUCT for aspect in telling):
        return telling
    return (*telling, *(aspect for aspect in aspects if aspect.id in word_set("scaffold_event")))


def _is_scaffold(aspect: Aspect) -> bool:
    """Whether an aspect only carries the question: by the table, or a word of asking that is some row's verb, too."""
    if aspect.id in word_set("scaffold"):
        return True
    form = aspect.form.lower()
    stopwords = word_set("stopword_en") | word_set("stopword_zh")
    of_asking = form in stopwords or stem(form) in stopwords
    return of_asking and kind_of(aspect.id) in {"event", "thing"}


def _concept(concept_id: str, form: str) -> Aspect:
    kind = kind_of(concept_id)
    if kind in {"state", "event", "label", "level"} or concept_id in word_set("symptom_thing"):
        return Aspect(concept_id, AspectKind.PREDICATE, form)
    if kind == "product":
        return Aspect(concept_id, AspectKind.PRODUCT, form)
    if kind == "literal" and concept_id not in word_set("literal_thing"):
        return Aspect(concept_id, AspectKind.PREDICATE, form)
    return Aspect(concept_id, AspectKind.LIGHT if concept_id in word_set("light") else AspectKind.SUBJECT, form)


def _open_words(rest: str, lang: Lang) -> list[tuple[int, Aspect]]:
    """Content words that no table knows: English words by their stem, Chinese runs as they stand."""
    stopwords = word_set("stopword_en")
    found = [
        (word.start(), Aspect(stem(word[0]), AspectKind.WORD, word[0]))
        for word in _WORD_EN.finditer(rest)
        if word[0].lower() not in stopwords and stem(word[0]) not in stopwords
    ]
    if lang is Lang.ZH:
        for phrase in words("stopword_zh"):
            rest = rest.replace(phrase, " " * len(phrase))
        found += [(run.start(), Aspect(run[0], AspectKind.WORD, run[0])) for run in _RUN_ZH.finditer(rest)]
    return found


def _is_negated(lowered: str, lang: Lang) -> bool:
    """Whether a yes/no question asks for the negative; `是不是`, `有没有` and `isn't it` only ask."""
    if lang is Lang.ZH:
        bare = lowered
        for asking in ("是不是", "有没有", "能不能", "会不会", "是否", "有无", "对不对", "了没有", "没有吗"):
            bare = bare.replace(asking, "")
        return any(word in bare for word in ("没有", "没", "未", "不再", "无法"))
    return bool(re.search(r"\b(?:not|no longer|never|without)\b", lowered))
