"""What a text bears on: the concepts by which a reader finds a record, a statement or a question.

Decides: which concepts a record or statement bears on, which concepts a question asks for, and which words find the
records of a concept. Refuses: to prove anything with it; a text that bears on a concept may still say the opposite.
The tables run one way (a record's `OutOfMemoryError: Java heap space` bears on heap, memory and out of memory; the
word memory alone bears on neither). Protocol: sections 2 (searching) and 7 ("Answered?").
"""

import re
from functools import lru_cache
from importlib import resources
from typing import NamedTuple

from superbizagent.rules.lexicon import Found, concepts, concepts_in, matches_at, pieces, stem

_LONGEST_TEXT = 20_000
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z]+|[a-z]+")
_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_.]*[A-Za-z]")
_WORD = re.compile(r"[a-z0-9]+(?:'[a-z]+)?|[\u3400-\u9fff]")
_GAP_WORDS = 3
_CJK = "\u3400"
_MOST_PLACES = 12
_MOST_QUERY_TERMS = 16


class AskPhrase(NamedTuple):
    """A way to ask: its words (`None` is a gap of a few words) and the concepts that it asks for."""

    parts: tuple[str, ...]
    concepts: frozenset[str]


class _Tables(NamedTuple):
    phrases: tuple[tuple[str, frozenset[str], frozenset[str]], ...]
    implied: dict[str, frozenset[str]]
    asking: tuple[AskPhrase, ...]
    forms: dict[str, tuple[str, ...]]
    kinds: dict[str, str]


@lru_cache(maxsize=1)
def _tables() -> _Tables:
    phrases: list[tuple[str, frozenset[str], frozenset[str]]] = []
    implied: dict[str, frozenset[str]] = {}
    for key, ids in _rows("bearings.tsv"):
        if key.startswith("="):
            implied[key[1:]] = ids
        else:
            said = frozenset(concept for concept in ids if not concept.startswith("?"))
            phrases.append((key, frozenset(concept.lstrip("?") for concept in ids), said))
    asking = tuple(AskPhrase(tuple(part.strip() for part in key.split("&")), ids) for key, ids in _rows("asking.tsv"))
    forms = {concept.id: concept.forms for concept in concepts()}
    kinds = {concept.id: concept.kind for concept in concepts()}
    return _Tables(tuple(phrases), implied, asking, forms, kinds)


def _rows(name: str) -> list[tuple[str, frozenset[str]]]:
    text = resources.files("superbizagent.rules").joinpath("data", name).read_text(encoding="utf-8")
    lines = (line for line in text.splitlines() if line and not line.startswith("#"))
    return [(key, frozenset(ids.split())) for key, _, ids in (line.partition("\t") for line in lines)]


def kind_of(concept_id: str) -> str:
    """The lexicon's kind of a concept; `literal` for one that the lexicon does not have."""
    return _tables().kinds.get(concept_id, "literal")


def bears_on(text: str) -> frozenset[str]:
    """The concepts that a record or statement bears on: named ones, those of its fixed phrases, and wider ones."""
    return _concepts_of(text[:_LONGEST_TEXT])[0]


def says(text: str) -> frozenset[str]:
    """The concepts that a text says, and does not only speak of: a leak detection that was triggered is no leak."""
    return _concepts_of(text[:_LONGEST_TEXT])[1]


@lru_cache(maxsize=2048)
def _concepts_of(text: str) -> tuple[frozenset[str], frozenset[str]]:
    tables = _tables()
    named = _named_in(text) | _named_in(split_identifiers(text))
    lowered = " ".join(text.lower().split())
    for asked in tables.asking:
        if len(asked.parts) == 1 and contains_words(lowered, asked.parts[0]):
            named |= asked.concepts
    spoken, said = set(named), set(named)
    for phrase, ids, said_by_phrase in tables.phrases:
        if contains_words(lowered, phrase):
            spoken |= ids
            said |= said_by_phrase
    return _with_wider(spoken, tables), _with_wider(said, tables)


def _named_in(text: str) -> set[str]:
    """The concepts that a text names, with the states and events inside longer ones (`circuit breaker open`)."""
    named = {found.concept.id for found in concepts_in(text)}
    parts = pieces(text)
    for index in range(len(parts)):
        named.update(concept.id for concept, _ in matches_at(parts, index) if concept.kind in {"state", "event"})
    return named


def _with_wider(ids: set[str], tables: _Tables) -> frozenset[str]:
    for concept_id in list(ids):
        ids |= tables.implied.get(concept_id, frozenset())
    return frozenset(ids)


def split_identifiers(text: str) -> str:
    """The words inside the joined names of a text: `DiskFillsUp` gives `Disk Fills Up`."""
    out = []
    for found in _IDENTIFIER.finditer(text[:_LONGEST_TEXT]):
        words = _CAMEL.findall(found[0])
        if len(words) > 1:
            out.append(" ".join(words))
    return " | ".join(out)


def contains_words(lowered: str, phrase: str) -> bool:
    """Whether a lower-cased text has the phrase, not cut out of the end of a longer word."""
    start = lowered.find(phrase)
    while start >= 0:
        before = lowered[start - 1] if start else " "
        if not (before.isascii() and before.isalnum() and phrase[0].isalnum()) or before >= "\u3400":
            return True
        start = lowered.find(phrase, start + 1)
    return False


class AskedPhrase(NamedTuple):
    """Concepts that a question asks for by a phrase at `start:end`; `form` leaves out what stands between."""

    concepts: frozenset[str]
    form: str
    start: int
    end: int


def asked_phrases(text: str) -> list[AskedPhrase]:
    """The phrases of the table of asking that stand in a question, longest first where they overlap."""
    lowered = "".join(low if len(low := character.lower()) == 1 else character for character in text)
    found = []
    for phrase in _tables().asking:
        span = _find_parts(lowered, phrase.parts)
        if span is not None:
            apart = len(phrase.parts) > 1
            joined = ("" if phrase.parts[0] >= _CJK else " ").join(phrase.parts)
            found.append(AskedPhrase(phrase.concepts, joined if apart else text[span[0] : span[1]], *span))
    found.sort(key=lambda asked: (asked.start - asked.end, asked.start))
    out: list[AskedPhrase] = []
    for asked in found:
        if all(asked.end <= other.start or asked.start >= other.end for other in out):
            out.append(asked)
    return sorted(out, key=lambda asked: asked.start)


def _find_parts(lowered: str, parts: tuple[str, ...]) -> tuple[int, int] | None:
    first = _find_from(lowered, parts[0], 0)
    for _ in range(_MOST_PLACES):
        if first is None:
            return None
        end = first + len(parts[0])
        for part in parts[1:]:
            following = _find_from(lowered, part, end)
            if following is None or len(_WORD.findall(lowered[end:following])) > _GAP_WORDS + 1:
                break
            end = following + len(part)
        else:
            while lowered[end : end + 1].isascii() and lowered[end : end + 1].isalpha():
                end += 1
            return first, end
        first = _find_from(lowered, parts[0], first + 1)
    return None


def _find_from(lowered: str, part: str, start: int) -> int | None:
    position = lowered.find(part, start)
    while position >= 0:
        before = lowered[position - 1] if position else " "
        if not (before.isascii() and before.isalnum() and part[0].isascii()):
            return position
        position = lowered.find(part, position + 1)
    return None


def named_concepts(text: str) -> list[Found]:
    """The lexicon's concepts in a question, in order."""
    return concepts_in(text)


@lru_cache(maxsize=512)
def search_terms(concept_id: str) -> tuple[str, ...]:
    """The words and phrases that find records of a concept: its forms, and the phrases that bear on it."""
    tables = _tables()
    wide = {concept_id} | {narrow for narrow, ids in tables.implied.items() if concept_id in ids}
    ordered = [concept_id, *sorted(wide - {concept_id})]
    terms = [form for concept in ordered for form in tables.forms.get(concept, ())]
    if not tables.forms.get(concept_id) and concept_id.isascii() and "_" not in concept_id:
        terms.insert(0, concept_id)
    terms += [phrase for phrase, ids, _ in tables.phrases if concept_id in ids]
    by_lower: dict[str, str] = {}
    for term in terms:
        by_lower.setdefault(term.lower(), term)
    return tuple(by_lower.values())


@lru_cache(maxsize=512)
def query_terms(concept_id: str) -> tuple[str, ...]:
    """A few terms for a search that widens each by the lexicon: one form a concept, then the most telling phrases.

    A phrase tells the more, the fewer other concepts it bears on. A search costs time by the term.
    """
    tables = _tables()
    narrower = sorted(narrow for narrow, ids in tables.implied.items() if concept_id in ids)
    terms = [forms[0] for concept in (concept_id, *narrower) if (forms := tables.forms.get(concept))]
    if not tables.forms.get(concept_id) and concept_id.isascii() and "_" not in concept_id:
        terms.insert(0, concept_id)
    known = {form.lower() for concept in (concept_id, *narrower) for form in tables.forms.get(concept, ())}
    phrases = [(len(ids), phrase) for phrase, ids, _ in tables.phrases if concept_id in ids and phrase not in known]
    terms += [phrase for _, phrase in sorted(phrases, key=lambda entry: entry[0])]
    return tuple(dict.fromkeys(terms))[:_MOST_QUERY_TERMS]


def word_stems(text: str) -> frozenset[str]:
    """The stems of the words of a text, identifiers split too: for words that no table knows."""
    text = text[:_LONGEST_TEXT]
    words = _WORD.findall(text.lower()) + _WORD.findall(split_identifiers(text).lower())
    return frozenset(stem(word) for word in words)


def forms_of(concept_id: str) -> tuple[str, ...]:
    """The lexicon's forms of a concept, in the table's order; none for a concept of the other tables."""
    return _tables().forms.get(concept_id, ())


@lru_cache(maxsize=512)
def spans_of(concept_id: str, text: str) -> tuple[tuple[int, int], ...]:
    """Where a text says a concept: its forms and inflections, narrower ones, fixed phrases, joined names.

    A phrase that only speaks of a concept (`?` in the table) is none; overlapping places are one, the longest.
    """
    tables = _tables()
    wide = {concept_id} | {narrow for narrow, ids in tables.implied.items() if concept_id in ids}
    lowered = "".join(low if len(low := character.lower()) == 1 else character for character in text[:_LONGEST_TEXT])
    found = [(hit.start, hit.end) for hit in concepts_in(lowered) if hit.concept.id in wide]
    found += _inner_spans(lowered, wide)
    phrases = [phrase for phrase, _, said in tables.phrases if said & wide]
    phrases += [ask.parts[0] for ask in tables.asking if len(ask.parts) == 1 and ask.concepts & wide]
    for phrase in dict.fromkeys(phrases):
        start = lowered.find(phrase)
        while start >= 0:
            if _stands_alone(lowered, start, start + len(phrase)):
                found.append((start, start + len(phrase)))
            start = lowered.find(phrase, start + 1)
    for name in _IDENTIFIER.finditer(text[:_LONGEST_TEXT]):
        parts = _CAMEL.findall(name[0])
        if len(parts) > 1 and _named_in(" ".join(parts)) & wide:
            escaped = text[name.start() - 1 : name.start()] == "\\"
            found.append((name.start() + escaped, name.end()))
    found.sort(key=lambda span: (span[0] - span[1], span[0]))
    out: list[tuple[int, int]] = []
    for start, end in found:
        if all(end <= begin or start >= stop for begin, stop in out):
            out.append((start, end))
    return tuple(sorted(out))


def _inner_spans(lowered: str, wide: set[str]) -> list[tuple[int, int]]:
    """States and events inside longer concepts (`circuit breaker open`)."""
    parts = pieces(lowered)
    return [
        (parts[index].start, parts[end - 1].end)
        for index in range(len(parts))
        for concept, end in matches_at(parts, index)
        if concept.id in wide and concept.kind in {"state", "event"}
    ]


def _stands_alone(lowered: str, start: int, end: int) -> bool:
    before, after = lowered[start - 1 : start], lowered[end : end + 1]
    left = not (before.isascii() and before.isalnum() and lowered[start].isascii())
    following = lowered[end : end + 3]
    inflected = following.startswith(("s", "ed", "ing")) or lowered[start:end].endswith("o")
    right = not (after.isascii() and after.isalpha() and lowered[end - 1].isascii()) or inflected
    return left and right
