"""Disagreement: why an excerpt that is not contained in its text says what the text does not.

Decides: whether a fact of the excerpt is not the text's own; then the excerpt is false, however alike the two look. It
is false when

    a number, with its comparator and unit, is not in the text, or its key or word labels another number there;
    an identifier (service, host, pool, class, version, id, path) or time is not in the text;
    a field has another value in the text, or its value belongs to another key;
    a cause is not in the text;
    a state or level of the closed lists is not in the text;
    a negation is not in the text with the word that it negates;
    a negation of the text is left out of the span that the excerpt covers;
    a name, state or number of the text is replaced by another word;
    nothing is shared: no fact and no three tokens in a row.

Refuses: to call alike what is not the same, and to compare more than `_MOST_TOKENS` tokens of an excerpt or
`_MOST_CELLS` pairs of tokens: what is too long to be compared fails. Protocol: section 6.1, step 5.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from superbizagent.rules.alignment import Pair, align
from superbizagent.rules.facts import STATE_ROWS, Denial, FactText, NumberUse
from superbizagent.rules.normal_form import NormalText
from superbizagent.rules.tokens import Kind, begins_class_name, is_cjk, kind_of, split_number, token_start
from superbizagent.rules.wordlists import AMBIGUOUS_STATES, FUNCTION_WORDS, FUNCTION_WORDS_ZH

_MOST_TOKENS = 4_000
_MOST_CELLS = 48_000_000
_MOST_TYPOS = 2
_SHORTEST_TYPO = 5
_MIXED_SCRIPTS = re.compile("[a-z][\u0370-\u052f]|[\u0370-\u052f][a-z]")
"""Latin next to Greek or Cyrillic letters."""


def disagreement(excerpt: FactText, text: FactText, also_numbers: frozenset[str] = frozenset()) -> str | None:
    """Why the excerpt says what the text does not, in one sentence; None when all its facts agree.

    `also_numbers` are numbers that the text gives in another reading (`200,404` as one number).
    """
    tokens, recorded = len(excerpt.words), len(text.words)
    if tokens > _MOST_TOKENS or tokens * recorded > _MOST_CELLS:
        return f"the excerpt of {tokens} words is not in the recorded text and is too long to be compared word by word"
    checks = (
        _false_number(excerpt, text, also_numbers),
        _foreign_name(excerpt, text),
        _false_field(excerpt, text),
        _foreign_cause(excerpt, text),
        _foreign_state(excerpt, text),
    )
    return next((problem for problem in checks if problem is not None), None) or _false_order(excerpt, text)


def _false_order(excerpt: FactText, text: FactText) -> str | None:
    """What needs the alignment of the two: negations, replaced words, and whether anything is shared at all."""
    words = [word if word in text.places else _dotted_name(word, text.text) or word for word in excerpt.words]
    pairs = align(words, text.words, text.places)
    return _false_negation(excerpt, text, pairs) or _replaced(excerpt, text, pairs) or _shares_nothing(excerpt, text)


# --- numbers, names, fields -------------------------------------------------------------------------------------


def _false_number(excerpt: FactText, text: FactText, also: frozenset[str]) -> str | None:
    for number, uses in excerpt.numbers.items():
        recorded = text.uses(number)
        for use in uses:
            shown = f"{use.key}={number}" if use.key else f"{use.comparator}{number}"
            if not recorded:
                if number in also:
                    continue
                label = use.key or use.before or use.behind
                own = sorted(text.beside(label))[:3] if label else []
                hint = f" ({', '.join(f'{use.key}={value}' if use.key else value for value in own)})" if own else ""
                return f"{shown} is not in the recorded text{hint}"
            if not any(other.comparator == use.comparator for other in recorded):
                own_sign = recorded[0].comparator or "no comparison and "
                return f"{shown} is not in the recorded text: there it has {own_sign}{number}"
            if not any(other.scale == use.scale for other in recorded):
                told, own_scale = f"{number} {use.scale}".strip(), f"{number} {recorded[0].scale}".strip()
                return f"{told} is not in the recorded text ({own_scale})"
            problem = _false_label(number, use, text, shown, recorded)
            if problem is not None:
                return problem
    return None


def _false_label(number: str, use: NumberUse, text: FactText, shown: str, recorded: Sequence[NumberUse]) -> str | None:
    for label in (use.key,) if use.key else (use.before, use.behind):
        own = text.beside(label) if label else set()
        if own and number not in own:
            return f"{shown} is not in the recorded text: there {label} has {', '.join(sorted(own)[:3])}"
    if use.key and not text.beside(use.key) and all(other.key for other in recorded):
        return f"{shown} is not in the recorded text: there {number} belongs to {recorded[0].key}"
    return None


def _foreign_name(excerpt: FactText, text: FactText) -> str | None:
    for token in excerpt.tokens:
        is_name = token.kind in (Kind.IDENTIFIER, Kind.NUMERIC)
        if is_name and token.text not in text.places and _dotted_name(token.text, text.text) is None:
            return f"{token.text} is not in the recorded text"
        if token.text not in text.places and _MIXED_SCRIPTS.search(token.text) is not None:
            return f"{token.text} is not in the recorded text: it has letters of another script that look alike"
    return None


def _dotted_name(name: str, text: NormalText) -> str | None:
    """The dotted class name of the text whose last part is the name; None when there is none."""
    place = text.plain.find(f".{name}")
    if place < 0 or not begins_class_name(text.cased, place + 1):
        return None
    return text.plain[token_start(text.plain, place) : place + 1 + len(name)]


def _false_field(excerpt: FactText, text: FactText) -> str | None:
    for field in excerpt.fields.all():
        if split_number(field.value) is not None or " " in field.value:
            continue  # numbers have their own check, and so have the words of a sentence
        own = text.fields.values(field.key)
        if own and field.value not in own and not any(value.startswith(field.value) for value in own):
            return f"{field.key}={field.value} is not in the recorded text ({field.key}={min(own)})"
        others = text.fields.keys_of(field.value)
        if any(other.endswith(f".{field.key}") for other in others):
            continue  # the simple name of a dotted class
        if not own and others and len(text.places.get(field.value, ())) <= len(others):
            return (
                f"{field.key}={field.value} is not in the recorded text: there {field.value} belongs to {min(others)}"
            )
    return None


# --- states and causes ------------------------------------------------------------------------------------------


def _foreign_state(excerpt: FactText, text: FactText) -> str | None:
    own = {mention.row for mention in text.states}
    for mention in excerpt.states:
        if mention.row not in own and mention.form not in AMBIGUOUS_STATES and mention.form not in text.places:
            return f"`{mention.form}` is not in the recorded text"
    return None


def _foreign_cause(excerpt: FactText, text: FactText) -> str | None:
    for reason, chinese in excerpt.causes:
        same = any(other == reason for other, language in text.causes if language == chinese)
        if not same and not any(language != chinese for _, language in text.causes):
            return "the excerpt gives a cause that the recorded text does not give"
    return None


# --- what needs the alignment -----------------------------------------------------------------------------------


def _false_negation(excerpt: FactText, text: FactText, pairs: Sequence[Pair]) -> str | None:
    covered = [pair for pair in pairs if not _is_light(text.words[pair.recorded])] or list(pairs)
    first, last = (covered[0].recorded - 1, covered[-1].recorded) if covered else (0, -1)
    own = list(excerpt.denials)
    left_out = []
    for denial in text.denials:
        if first <= denial.token <= last:
            same = next((other for other in own if _same_denial(other, denial)), None)
            if same is None:
                left_out.append(denial)
            else:
                own.remove(same)
    own = [denial for denial in own if not any(_same_denial(denial, other) for other in text.denials)]
    languages = {denial.chinese for denial in own}
    if left_out and (not own or languages == {left_out[0].chinese} or len(own) < len(left_out)):
        return f"the recorded text says `{_said(text, left_out[0])}`; the excerpt leaves the negation out"
    if own and (not left_out or len(own) > len(left_out)):
        return f"`{_said(excerpt, own[0])}` is not in the recorded text"
    return None


def _same_denial(first: Denial, second: Denial) -> bool:
    return first.chinese == second.chinese and first.negated == second.negated


def _said(text: FactText, denial: Denial) -> str:
    start = text.spans[denial.token][0]
    end = text.spans[min(denial.token + 3, len(text.words) - 1)][1]
    return text.text.plain[start:end]


def _replaced(excerpt: FactText, text: FactText, pairs: Sequence[Pair]) -> str | None:
    """A name, state or number of the text for which the excerpt has another word at the same place.

    An excerpt of which less than half is aligned is told in other words altogether: there is no same place.
    """
    if 2 * len(pairs) < len(excerpt.words):
        return None
    for told, recorded in _differing(pairs, len(excerpt.words), len(text.words)):
        new = [index for index in told if not _is_light(excerpt.words[index])]
        if not new or len(recorded) > 2 * len(told) + 1:
            continue
        rows = {m.row for m in excerpt.states if m.first < told.stop and m.last > told.start}
        accounted = {
            index
            for m in excerpt.states
            if any(m.row == o.row for o in text.states)
            for index in range(m.first, m.last)
        }
        swapped = len(told) == len(recorded) and pairs[0].told < told.start and told.stop <= pairs[-1].told
        new = [
            index for index in new if index not in accounted and (swapped or excerpt.words[index] not in text.places)
        ]
        new = [index for index in new if _dotted_name(excerpt.words[index], text.text) is None]
        for index in recorded:
            word = text.words[index]
            if new and (swapped or word not in excerpt.places) and _is_fact(text, index, rows):
                other = excerpt.words[new[0]]
                if is_cjk(other[0]) == is_cjk(word[0]) and not _is_typo(word, other, text, index):
                    return f"`{word}` of the recorded text has become `{other}`"
    return None


def _differing(pairs: Sequence[Pair], tokens: int, recorded: int) -> Iterator[tuple[range, range]]:
    """The stretches of excerpt and text between aligned tokens, where both have something."""
    if not pairs:
        return
    head = min(pairs[0].told, pairs[0].recorded)
    yield range(pairs[0].told - head, pairs[0].told), range(pairs[0].recorded - head, pairs[0].recorded)
    for before, behind in pairwise(pairs):
        told, own = range(before.told + 1, behind.told), range(before.recorded + 1, behind.recorded)
        if told and own:
            yield told, own
    tail = min(tokens - pairs[-1].told, recorded - pairs[-1].recorded)
    yield (
        range(pairs[-1].told + 1, pairs[-1].told + tail),
        range(pairs[-1].recorded + 1, pairs[-1].recorded + tail),
    )


def _is_fact(text: FactText, index: int, rows_told: set[int]) -> bool:
    start, end = text.spans[index]
    if kind_of(text.words[index], text.text.cased[start:end]) is not Kind.WORD:
        return True
    return any(m.first <= index < m.last and m.row not in rows_told for m in text.states)


def _is_typo(word: str, other: str, text: FactText, index: int) -> bool:
    start, end = text.spans[index]
    if kind_of(word, text.text.cased[start:end]) is not Kind.WORD or other in STATE_ROWS:
        return False
    return len(word) >= _SHORTEST_TYPO and _distance_at_most(word, other, _MOST_TYPOS)


def _distance_at_most(first: str, second: str, most: int) -> bool:
    """Whether so few letters, changed at one place, make one word of the other."""
    if abs(len(first) - len(second)) > most or len(first) > 40:
        return False
    start = 0
    while start < min(len(first), len(second)) and first[start] == second[start]:
        start += 1
    end = 0
    while end < min(len(first), len(second)) - start and first[-1 - end] == second[-1 - end]:
        end += 1
    return max(len(first), len(second)) - start - end <= most


def _shares_nothing(excerpt: FactText, text: FactText) -> str | None:
    if any(number in text.places for number in excerpt.numbers) or any(
        token.kind is not Kind.WORD and token.text in text.places for token in excerpt.tokens
    ):
        return None
    own = {mention.row for mention in text.states}
    if any(mention.row in own for mention in excerpt.states):
        return None
    rows = list(zip(excerpt.words, excerpt.words[1:], excerpt.words[2:], strict=False))
    if rows and not set(rows).isdisjoint(zip(text.words, text.words[1:], text.words[2:], strict=False)):
        return None
    return "the excerpt shares nothing with the recorded text"


def _is_light(word: str) -> bool:
    return word in FUNCTION_WORDS or word in FUNCTION_WORDS_ZH
