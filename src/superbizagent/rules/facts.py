"""Facts: what an excerpt that is not contained in its text says, compared with what the text says.

Decides: whether a number, name, state, negation or cause of the excerpt is not the text's own; then the excerpt is
false, however alike the two look. It fails when

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
from functools import cached_property
from typing import NamedTuple

from superbizagent.rules.alignment import Pair, align
from superbizagent.rules.fields import FieldIndex, key_of_value
from superbizagent.rules.normal_form import NormalText
from superbizagent.rules.tokens import TOKEN, Kind, begins_class_name, is_cjk, kind_of, split_number, token_start
from superbizagent.rules.wordlists import (
    AMBIGUOUS_STATES,
    CAUSES,
    FUNCTION_WORDS,
    FUNCTION_WORDS_ZH,
    GENERIC_WORDS,
    LEVELS,
    NEGATING_PHRASES_ZH,
    NEGATIONS,
    NEGATIONS_ZH,
    NOT_NEGATIONS_ZH,
    STATES,
    UNITS,
)

_MOST_TOKENS = 4_000
_MOST_CELLS = 48_000_000
_MOST_TYPOS = 2
_SHORTEST_TYPO = 5

_TIGHT_BEFORE = frozenset((" ", "(", "[", "#", " #"))
_MIXED_SCRIPTS = re.compile("[a-z][\u0370-\u052f]|[\u0370-\u052f][a-z]")
"""Latin next to Greek or Cyrillic letters."""


class Token(NamedTuple):
    """A token of a normal form, with its own letter case and kind."""

    text: str
    start: int
    end: int
    kind: Kind


class Mention(NamedTuple):
    """A closed-list entry in a text: the row, and the tokens `first` to `last` (exclusive) that say it."""

    row: int
    form: str
    first: int
    last: int


class Denial(NamedTuple):
    """A negation at a token and the stem of the word that it negates; `chinese` says in which language."""

    token: int
    word: str
    negated: str
    chinese: bool


class NumberUse(NamedTuple):
    """A number where it stands: comparator, key and the words beside it; empty where there is none."""

    comparator: str
    key: str
    before: str
    behind: str


def _rows(rows: Sequence[Sequence[str]]) -> dict[str, list[tuple[tuple[str, ...], int]]]:
    """Forms as tuples of tokens, by their first token, the longest first."""
    out: dict[str, list[tuple[tuple[str, ...], int]]] = {}
    for row, forms in enumerate(rows):
        for form in forms:
            tokens = tuple(TOKEN.findall(form))
            out.setdefault(tokens[0], []).append((tokens, row))
    for entries in out.values():
        entries.sort(key=lambda entry: -len(entry[0]))
    return out


_STATE_ROWS = _rows([*LEVELS, *STATES])
_CAUSE_ROWS = _rows([CAUSES])
_NEGATION_ROWS = _rows([NEGATING_PHRASES_ZH, NOT_NEGATIONS_ZH])
_UNIT_WORDS = frozenset(UNITS)
_SKIPPED_BY_NEGATION = frozenset(
    {
        "be",
        "been",
        "being",
        "yet",
        "a",
        "an",
        "the",
        "any",
        "to",
        "have",
        "has",
        "had",
        "is",
        "are",
        "was",
        "were",
        "do",
    }
)
_NO_LABELS = FUNCTION_WORDS | GENERIC_WORDS | _UNIT_WORDS | NEGATIONS


class FactText:
    """The facts of one normal form; each kind is read when it is asked for. Linear in the text."""

    def __init__(self, text: NormalText) -> None:
        self.text = text
        self.words = TOKEN.findall(text.plain)
        self._labelled: dict[str, set[str]] = {}

    @cached_property
    def tokens(self) -> list[Token]:
        """The tokens with their places and kinds."""
        cased = self.text.cased
        return [
            Token(found[0], found.start(), found.end(), kind_of(found[0], cased[found.start() : found.end()]))
            for found in TOKEN.finditer(self.text.plain)
        ]

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """Where each token stands, as indices of tokens."""
        places: dict[str, list[int]] = {}
        for index, word in enumerate(self.words):
            places.setdefault(word, []).append(index)
        return places

    @cached_property
    def spans(self) -> list[tuple[int, int]]:
        """Where each token begins and ends."""
        return [found.span() for found in TOKEN.finditer(self.text.plain)]

    @cached_property
    def fields(self) -> FieldIndex:
        """The fields by key."""
        return FieldIndex(self.text)

    @cached_property
    def states(self) -> list[Mention]:
        """States and levels of the closed lists."""
        return list(_mentions(self.words, _STATE_ROWS))

    @cached_property
    def causes(self) -> list[tuple[str, bool]]:
        """For each cause marker, the stem of the content word behind it, and whether it is Chinese."""
        return [
            (self._content_behind(mention.last), is_cjk(mention.form[0]))
            for mention in _mentions(self.words, _CAUSE_ROWS)
        ]

    @cached_property
    def denials(self) -> list[Denial]:
        """The negations, each with the word it negates."""
        found: list[Denial] = []
        behind = 0
        phrases = {mention.first: mention for mention in _mentions(self.words, _NEGATION_ROWS)}
        for index, word in enumerate(self.words):
            if index < behind:
                continue
            phrase = phrases.get(index)
            if phrase is not None and phrase.row == 1:
                behind = phrase.last
            elif phrase is not None:
                behind = phrase.last
                found.append(Denial(index, phrase.form, self._at(phrase.last), True))
            elif word in NEGATIONS_ZH:
                found.append(Denial(index, word, self._at(index + 1), True))
            elif word in NEGATIONS or word.endswith("n't"):
                found.append(Denial(index, word, self._content_behind(index + 1, _SKIPPED_BY_NEGATION), False))
        return found

    @cached_property
    def numbers(self) -> dict[str, list[NumberUse]]:
        """Each number, unit included, with the ways in which it is used."""
        uses: dict[str, list[NumberUse]] = {}
        for index, word in enumerate(self.words):
            if _is_number(word):
                uses.setdefault(_plain_number(word), []).append(self._use(index, told=True))
        return uses

    def uses(self, number: str) -> list[NumberUse]:
        """The ways in which one number is used; empty where it does not stand here."""
        places = [*self.places.get(number, ()), *self.places.get(f"+{number}", ())]
        return [self._use(index) for index in places]

    def beside(self, label: str) -> set[str]:
        """The numbers that a key or word labels."""
        found = self._labelled.get(label)
        if found is None:
            self._labelled[label] = found = set()
            for place in self.places.get(label[-1] if is_cjk(label[0]) else label, ()):
                for index in (place - 1, place + 1):
                    if 0 <= index < len(self.words) and _is_number(self.words[index]):
                        use = self._use(index)
                        if label == use.key or (not use.key and label in (use.before, use.behind)):
                            found.add(_plain_number(self.words[index]))
        return found

    def _use(self, index: int, *, told: bool = False) -> NumberUse:
        """How the number is used. A state beside it (`50 idle`) is a label where it is told anew, in a table it is none."""
        start, end = self.spans[index]
        plain = self.text.plain
        key = key_of_value(plain, start)
        comparator = _comparator_before(plain, start)
        if key:
            parts = TOKEN.findall(key)
            return NumberUse(comparator, parts[-1] if parts else key, "", "")
        before = behind = ""
        if index > 0 and plain[self.spans[index - 1][1] : start] in _TIGHT_BEFORE:
            before = self._label(index - 1, told)
        if index > 0 and start > 0 and is_cjk(plain[start - 1]):
            before = self._chinese_label(index)
        if index + 1 < len(self.words) and plain[end : self.spans[index + 1][0]] == " ":
            behind = self._label(index + 1, told)
        return NumberUse(comparator, "", before, behind)

    def _label(self, index: int, told: bool) -> str:
        word = self.words[index]
        is_label = word.isalpha() and word not in _NO_LABELS and not is_cjk(word[0])
        return word if is_label and (told or word not in _STATE_ROWS) else ""

    def _chinese_label(self, index: int) -> str:
        label = "".join(self.words[max(0, index - 2) : index])
        whole = len(label) == 2 and all(is_cjk(character) for character in label)
        return label if whole and not any(character in FUNCTION_WORDS_ZH for character in label) else ""

    def _at(self, index: int) -> str:
        return stem(self.words[index]) if index < len(self.words) else ""

    def _content_behind(self, index: int, skipped: frozenset[str] = FUNCTION_WORDS) -> str:
        while index < len(self.words) and (self.words[index] in skipped or self.words[index] in FUNCTION_WORDS_ZH):
            index += 1
        return self._at(index)


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


def _mentions(words: Sequence[str], rows: dict[str, list[tuple[tuple[str, ...], int]]]) -> Iterator[Mention]:
    """The entries of a closed list in a sequence of tokens; where two begin together, the longest."""
    for index, word in enumerate(words):
        for form, row in rows.get(word, ()):
            if len(form) == 1 or tuple(words[index : index + len(form)]) == form:
                yield Mention(
                    row, " ".join(form) if not is_cjk(form[0][0]) else "".join(form), index, index + len(form)
                )
                break


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
    for before, behind in zip(pairs, pairs[1:], strict=False):
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
    if kind_of(word, text.text.cased[start:end]) is not Kind.WORD or other in _STATE_ROWS:
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


# --- words ------------------------------------------------------------------------------------------------------


def stem(word: str) -> str:
    """A word without its plural or verb ending; other text unchanged."""
    for ending in ("ing", "ed", "es", "s"):
        if len(word) > len(ending) + 2 and word.endswith(ending) and word.isalpha():
            return word[: -len(ending)]
    return word


def _is_light(word: str) -> bool:
    return word in FUNCTION_WORDS or word in FUNCTION_WORDS_ZH


def _is_number(word: str) -> bool:
    return any("0" <= character <= "9" for character in word[:3]) and split_number(word) is not None


def _plain_number(token: str) -> str:
    return token.removeprefix("+")


def _comparator_before(plain: str, start: int) -> str:
    end = start
    while end > 0 and plain[end - 1] in " \"'":
        end -= 1
    two, one = plain[max(0, end - 2) : end], plain[max(0, end - 1) : end]
    if two in ("<=", ">=", "!="):
        return two
    return one if one in ("<", ">") and one and two not in ("->", "=>") else ""
