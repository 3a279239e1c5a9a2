"""Statements: what may be said of one candidate, each with the excerpt that proves it.

Decides: the formulations that are tried for a candidate, best first, and which of them the deterministic judge
supports. Refuses: to emit a formulation that its own judge does not support. Protocol: sections 4, 6.1 and 7.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from superbizagent.agents.extractive.candidates import Candidate
from superbizagent.agents.extractive.excerpts import (
    LONGEST_EXCERPT,
    Structured,
    fragments,
    main_clauses,
    sentences,
    shorten,
    structured,
    with_cause,
)
from superbizagent.agents.extractive.phrases import frames, state_word, word
from superbizagent.contract.plan import EntityRole
from superbizagent.contract.vocabulary import ClaimType, Lang, Outcome, Rule
from superbizagent.rules.bearing import forms_of
from superbizagent.rules.entities import has_name
from superbizagent.rules.excerpt import compare
from superbizagent.rules.judging import Proof, judge
from superbizagent.rules.literals import names_product
from superbizagent.rules.question import Asked, AspectKind
from superbizagent.rules.timestamps import read_head

_NAME = re.compile(r"(?<![\w./=:-])[A-Za-z][A-Za-z0-9]*(?:[-_.][A-Za-z0-9]+)*(?![\w/=-])")
_PRODUCTS = {"nginx": "nginx", "redis": "Redis", "postgresql": "PostgreSQL", "hikaricp": "HikariCP", "kafka": "Kafka"}
# A piece of a JSON record that ends one field and begins another is no quotation.
_CUT_FIELDS = re.compile(r"\"[,:] ?[\"{\[]|^[^(]{0,80}\)|\{[^}]{0,200}$")
_DATED = re.compile(r"\b[12]\d{3}\b.{0,12}\d{1,2}:\d{2}|\d{1,2}:\d{2}:\d{2} [12]\d{3}\b|\d{4}-\d{2}-\d{2}")
_NUMERIC = re.compile(r"[=:： \u3400-\u9fff]\d")
STATES_BY_NUMBERS = frozenset({"exhausted"})
"""States that a definition derives from a record's numbers."""
_SAYABLE_STATES = frozenset({"firing", "pending", "resolved", "suppressed"})
_MOST_VARIANTS = 60


@dataclass(frozen=True, slots=True)
class Statement:
    """A claim in the making: its text, its type, and the slice of the candidate's text that proves it.

    `beside` holds further candidates with their excerpts, for a statement that counts.
    """

    text: str
    claim_type: ClaimType
    candidate: Candidate
    excerpt: str
    beside: tuple[tuple[Candidate, str], ...] = ()

    @property
    def bindings(self) -> tuple[tuple[Candidate, str], ...]:
        """Every candidate with its excerpt, the first one first."""
        return ((self.candidate, self.excerpt), *self.beside)

    def is_supported(self) -> bool:
        """Whether each excerpt stands in its text, and the deterministic judge supports the statement by them."""
        if any(compare(excerpt, candidate.text).failed is not None for candidate, excerpt in self.bindings):
            return False
        proofs = [
            Proof(
                excerpt=excerpt,
                text=candidate.text,
                kind=candidate.kind,
                tool_name=candidate.tool_name,
                invocation_id=candidate.invocation_id,
                raw_path=candidate.raw_path,
            )
            for candidate, excerpt in self.bindings
        ]
        return judge(self.text, self.claim_type, proofs).outcome is Outcome.SUPPORTED


def counted_alerts(alerts: Sequence[Candidate], lang: Lang, state: str) -> Iterator[Statement]:
    """ "Two alerts are firing: A, B", bound to each of them."""
    names = [str(alert.item.get("alertname") or alert.text.split(" ", 1)[0]) for alert in alerts]
    excerpts = [alert.text.split(", ", 1)[0] for alert in alerts]
    for frame in frames(lang, "alert_count" if len(alerts) > 1 else "alert_count_one"):
        text = frame.format(n=len(alerts), names=word(lang, "list").join(names), state=state_word(lang, state))
        beside = tuple(zip(alerts[1:], excerpts[1:], strict=True))
        yield Statement(text, ClaimType.OBSERVATION, alerts[0], excerpts[0], beside)


def statements(candidate: Candidate, asked: Asked) -> Iterator[Statement]:
    """Every formulation for a candidate, best first; at most a few dozen."""
    if candidate.is_guidance:
        yield from _guidance(candidate, asked.lang)
    elif candidate.is_alert:
        yield from _alert(candidate, asked.lang)
    else:
        yield from _states(candidate, asked)
        yield from _quotes(candidate, asked)
        yield from _fragments(candidate, asked)


def supported(candidate: Candidate, asked: Asked) -> Iterator[Statement]:
    """The formulations for a candidate that the judge supports, best first."""
    return (s for s in islice(statements(candidate, asked), _MOST_VARIANTS) if s.is_supported())


def first_supported(candidate: Candidate, asked: Asked) -> Statement | None:
    """The best formulation for a candidate that the judge supports."""
    return next(supported(candidate, asked), None)


def supported_states(candidate: Candidate, asked: Asked) -> list[Statement]:
    """The statements of an asked state that the record's numbers support."""
    return [statement for statement in _states(candidate, asked) if statement.is_supported()]


def _states(candidate: Candidate, asked: Asked) -> Iterator[Statement]:
    """ "P was exhausted: total=…" and its negation, for each asked state, where the record has numbers."""
    fields = candidate.fields
    states = [aspect for aspect in asked.of_kind(AspectKind.PREDICATE) if aspect.id in STATES_BY_NUMBERS]
    if fields is None or not states or len(_NUMERIC.findall(fields)) < 2:
        return
    position = candidate.text.find(fields)
    for name, start in _names_for(candidate, asked):
        first = min(start, position) if 0 <= start < position + len(fields) and position - start < 200 else position
        end = position + len(fields)
        if candidate.text[end : end + 1] == ")" and "(" in candidate.text[first:position]:
            end += 1
        excerpt = candidate.text[first:end]
        for aspect in states:
            form = _state_form(aspect.id, aspect.form, asked.lang)
            for kind in ("state", "state_not"):
                for frame in frames(asked.lang, kind):
                    text = frame.format(name=name, state=form, fields=fields)
                    yield Statement(text, ClaimType.OBSERVATION, candidate, excerpt)


def _names_for(candidate: Candidate, asked: Asked) -> list[tuple[str, int]]:
    """What the record's fields are about, with its place: asked names in the message, joined names, asked things."""
    text, message = candidate.text, candidate.message
    base = max(text.find(message), 0)
    out = []
    for entity in asked.entities:
        position = message.lower().find(entity.name.lower())
        if position >= 0 and entity.role is not EntityRole.SERVICE:
            out.append((message[position : position + len(entity.name)], base + position))
    for found in _NAME.finditer(message[:400]):
        word = found[0]
        joined = any(mark in word for mark in "-_") or any(c.isdigit() for c in word)
        if joined and "." not in word and (word, base + found.start()) not in out:
            out.append((word, base + found.start()))
    for aspect in asked.of_kind(AspectKind.SUBJECT):
        for form in (aspect.form, *forms_of(aspect.id)):
            position = message.lower().find(form.lower())
            if position >= 0:
                out.append((message[position : position + len(form)], base + position))
    return out[:4]


def _state_form(concept: str, asked_form: str, lang: Lang) -> str:
    """The word of a state in the language of the answer; in Chinese without the mark of completion before it."""
    forms = forms_of(concept) or (asked_form,)
    if lang is Lang.ZH:
        chinese = [form for form in forms if not form.isascii()]
        plain = [form for form in chinese if not form.startswith(("已", "被", "正在"))]
        return (plain or chinese or [asked_form])[0]
    return next((form for form in forms if form.isascii()), asked_form)


def _quotes(candidate: Candidate, asked: Asked) -> Iterator[Statement]:
    whole = candidate.text
    parts = structured(candidate.message)
    if parts is not None:
        yield from _of_fields(candidate, asked, parts)
    traced = with_cause(candidate.message)
    if traced is not None and '"' not in "".join(traced):
        quote = " … ".join(traced)
        for who in _who(candidate, asked):
            for frame in frames(asked.lang, "quote"):
                yield Statement(frame.format(who=who, quote=quote), ClaimType.OBSERVATION, candidate, quote)
        for frame in frames(asked.lang, "quote_alone"):
            yield Statement(frame.format(quote=quote), ClaimType.OBSERVATION, candidate, quote)
    for quote in main_clauses(candidate.message):
        position = whole.find(quote)
        if position < 0:
            continue
        excerpt = _comparable(candidate, quote)
        kind = "quote_raw" if '"' in quote else "quote"
        for who in _who(candidate, asked):
            for frame in frames(asked.lang, kind):
                yield Statement(frame.format(who=who, quote=quote), ClaimType.OBSERVATION, candidate, excerpt)
        for frame in frames(asked.lang, "quote_alone"):
            if '"' not in quote or "“" in frame or frame == "{quote}":
                yield Statement(frame.format(quote=quote), ClaimType.OBSERVATION, candidate, excerpt)


def _comparable(candidate: Candidate, quote: str) -> str:
    """The quotation as an excerpt; with what stands before it in the record where alone it says too little."""
    if compare(quote, candidate.text).failed is not Rule.EXCERPT_COMPARABLE:
        return quote
    position = candidate.text.find(quote)
    return candidate.text[max(0, position - LONGEST_EXCERPT) : position + len(quote)]


def _fragments(candidate: Candidate, asked: Asked) -> Iterator[Statement]:
    """Parts of the main clause, where the judge cannot account for the whole of it; proven by the whole of it."""
    for clause in main_clauses(candidate.message)[:1]:
        for quote in (fragment for fragment in fragments(clause) if not _CUT_FIELDS.search(fragment)):
            for who in _who(candidate, asked)[:1]:
                for frame in frames(asked.lang, "quote_raw" if '"' in quote else "quote")[:1]:
                    text = frame.format(who=who, quote=quote)
                    yield Statement(text, ClaimType.OBSERVATION, candidate, clause)
            if '"' not in quote:
                frame = frames(asked.lang, "quote_alone")[0]
                yield Statement(frame.format(quote=quote), ClaimType.OBSERVATION, candidate, clause)


def _of_fields(candidate: Candidate, asked: Asked, parts: Structured) -> Iterator[Statement]:
    """What a structured record says by its message and its error, without the names of the fields."""
    kind = "quote_error" if parts.error else "quote"
    if '"' in parts.message + parts.error:
        return
    for who in _who(candidate, asked):
        for frame in frames(asked.lang, kind):
            text = frame.format(who=who, quote=shorten(parts.message), error=shorten(parts.error))
            yield Statement(text, ClaimType.OBSERVATION, candidate, shorten(parts.whole, LONGEST_EXCERPT))
        for alone in [part for part in (parts.message, parts.error) if part and parts.error]:
            for frame in frames(asked.lang, "quote"):
                text = frame.format(who=who, quote=shorten(alone))
                yield Statement(text, ClaimType.OBSERVATION, candidate, shorten(alone, LONGEST_EXCERPT))


def _who(candidate: Candidate, asked: Asked) -> list[str]:
    """Who logged it: an asked service that the record names, the record's own service, its product."""
    names = [
        entity.name
        for entity in asked.entities
        if entity.role is EntityRole.SERVICE and has_name(candidate.text, entity.name)
    ]
    if candidate.service:
        names.append(candidate.service)
    asked_products = {aspect.id for aspect in asked.of_kind(AspectKind.PRODUCT)}
    around = candidate.text.replace(candidate.message, " ", 1)
    products = [shown for product, shown in _PRODUCTS.items() if names_product(product, around)]
    first = [shown for product, shown in _PRODUCTS.items() if product in asked_products and shown in products]
    return list(dict.fromkeys([*first, *names, *products]))[:3]


def _alert(candidate: Candidate, lang: Lang) -> Iterator[Statement]:
    item = candidate.item
    labels = item.get("labels")
    labels = labels if isinstance(labels, dict) else {}
    alert = item.get("alertname") or labels.get("alertname") or candidate.text.split(" ", 1)[0]
    state = _alert_state(candidate)
    service = item.get("service") or labels.get("service")
    excerpt = candidate.text if len(candidate.text) <= LONGEST_EXCERPT else shorten(candidate.text, LONGEST_EXCERPT)
    summaries = _summaries(candidate, excerpt)
    if state is not None:
        kinds = ("alert", "alert_plain") if service else ("alert_plain",)
        if state == "resolved":
            kinds = ("alert_resolved",) if service else ("alert_plain",)
        for kind in kinds:
            for frame in frames(lang, kind):
                for summary in summaries if "{quote}" in frame else [""]:
                    text = frame.format(
                        alert=alert, state=state_word(lang, state), service=service, quote=summary.rstrip(".。")
                    )
                    yield Statement(text, ClaimType.OBSERVATION, candidate, excerpt)
    for summary in summaries:
        for frame in frames(lang, "alert_quote"):
            if '"' not in summary or "“" in frame:
                text = frame.format(alert=alert, quote=summary)
                yield Statement(text, ClaimType.OBSERVATION, candidate, excerpt)


def statements_with_time(candidate: Candidate, asked: Asked) -> Iterator[Statement]:
    """Formulations that give the time, for questions that ask when: since when an alert, or a record's own stamp."""
    if candidate.is_alert:
        yield from _alert_since(candidate, asked.lang)
        return
    time = _own_time(candidate)
    if time is None or _DATED.search(candidate.message):
        return
    for quote in main_clauses(candidate.message):
        for who in _who(candidate, asked):
            for frame in frames(asked.lang, "when"):
                text = frame.format(time=time, who=who, quote=quote)
                yield Statement(text, ClaimType.OBSERVATION, candidate, _comparable(candidate, quote))
        for frame in frames(asked.lang, "when_alone"):
            text = frame.format(time=time, quote=quote)
            yield Statement(text, ClaimType.OBSERVATION, candidate, _comparable(candidate, quote))


def _own_time(candidate: Candidate) -> str | None:
    """The record's time as its text writes it: with a zone where it has one."""
    given = candidate.item.get("time")
    if isinstance(given, str) and given in candidate.text:
        return given
    head = read_head(candidate.text)
    return candidate.text[head.start : head.end] if head is not None else None


def _alert_since(candidate: Candidate, lang: Lang) -> Iterator[Statement]:
    since = re.search(r"\bsince=([^\s,;]+)", candidate.text)
    state = _alert_state(candidate)
    if since is None or state is None:
        return
    labels = candidate.item.get("labels")
    labels = labels if isinstance(labels, dict) else {}
    service = candidate.item.get("service") or labels.get("service")
    alert = candidate.item.get("alertname") or labels.get("alertname")
    excerpt = shorten(candidate.text, LONGEST_EXCERPT)
    for frame in frames(lang, "alert_since"):
        if service or "{service}" not in frame:
            text = frame.format(alert=alert, state=state_word(lang, state), since=since[1], service=service)
            yield Statement(text, ClaimType.OBSERVATION, candidate, excerpt)


def _alert_state(candidate: Candidate) -> str | None:
    words = candidate.text[:300].replace(",", " ").replace(";", " ").split()
    return next((word for word in words[1:3] if word in _SAYABLE_STATES), None)


def _summaries(candidate: Candidate, excerpt: str) -> list[str]:
    """The alert's own remarks, as slices of its text."""
    parts = excerpt.split("; ")[1:]
    return [shorten(part.strip()) for part in parts if len(part.strip()) > 3][:3]


def _guidance(candidate: Candidate, lang: Lang) -> Iterator[Statement]:
    title, body = _block(candidate)
    for quote in _guidance_quotes(body):
        position = candidate.text.find(quote)
        if position < 0:
            continue
        excerpt = candidate.text[: position + len(quote)] if position < 200 else quote
        for frame in frames(lang, "guidance"):
            if not title and "{title}" in frame:
                continue
            yield Statement(frame.format(title=title, quote=quote), ClaimType.GUIDANCE, candidate, excerpt)


def _guidance_quotes(body: str) -> list[str]:
    """The block whole, then its beginning, then its sentences one by one."""
    told = sentences(body[:LONGEST_EXCERPT])
    return list(dict.fromkeys([shorten(body, LONGEST_EXCERPT), shorten(body), *told]))


def _block(candidate: Candidate) -> tuple[str, str]:
    """A block's title, and its own text as a slice of the ref's."""
    title, heading = candidate.item.get("title"), candidate.item.get("heading")
    head = " > ".join(part for part in (title, heading) if isinstance(part, str) and part)
    if head and candidate.text.startswith(f"{head}: "):
        return str(title or heading), candidate.text[len(head) + 2 :]
    first, mark, body = candidate.text.partition(": ")
    return (first.split(" > ", 1)[0], body) if mark and len(first) < 300 else ("", candidate.text)
