"""Facts: the numbers, fields, states, causes and negations that a normal form states.

Decides: what is said of each number (comparator, key, the words beside it), which entries of the closed lists are
mentioned, and which word a negation negates. Refuses: to understand; a fact is read by its form and place alone. Linear
in the text, each kind read when it is asked for. Protocol: section 6.1, step 5.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from superbizagent.rules.edges import scale_behind
from superbizagent.rules.fields import FieldIndex, key_of_value
from superbizagent.rules.normal_form import NormalText
from superbizagent.rules.tokens import TOKEN, Kind, is_cjk, kind_of, split_number
from superbizagent.rules.wordlists import (
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

_TIGHT_BEFORE = frozenset((" ", "(", "[", "#", " #"))


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
    """A number where it stands: comparator, key, the words beside it and what scales it (`12 万`); empty where none."""

    comparator: str
    key: str
    before: str
    behind: str
    scale: str


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


STATE_ROWS = _rows([*LEVELS, *STATES])
_CAUSE_ROWS = _rows([CAUSES])
_NEGATION_ROWS = _rows([NEGATING_PHRASES_ZH, NOT_NEGATIONS_ZH])
_UNIT_WORDS = frozenset(UNITS)
_SKIPPED_BY_NEGATION = frozenset("be been being yet a an the any to have has had is are was were do".split())
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
        return list(_mentions(self.words, STATE_ROWS))

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
        """How the number is used. A state beside it (`50 idle`) is a label where it is `told` anew, none in a table."""
        start, end = self.spans[index]
        plain = self.text.plain
        key = key_of_value(plain, start)
        comparator = _comparator_before(plain, start)
        if key:
            parts = TOKEN.findall(key)
            return NumberUse(comparator, parts[-1] if parts else key, "", "", scale_behind(plain, end))
        before = behind = ""
        if index > 0 and plain[self.spans[index - 1][1] : start] in _TIGHT_BEFORE:
            before = self._label(index - 1, told)
        if index > 0 and start > 0 and is_cjk(plain[start - 1]):
            before = self._chinese_label(index)
        if index + 1 < len(self.words) and plain[end : self.spans[index + 1][0]] == " ":
            behind = self._label(index + 1, told)
        return NumberUse(comparator, "", before, behind, scale_behind(plain, end))

    def _label(self, index: int, told: bool) -> str:
        word = self.words[index]
        is_label = word.isalpha() and word not in _NO_LABELS and not is_cjk(word[0])
        return word if is_label and (told or word not in STATE_ROWS) else ""

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


def _mentions(words: Sequence[str], rows: dict[str, list[tuple[tuple[str, ...], int]]]) -> Iterator[Mention]:
    """The entries of a closed list in a sequence of tokens; where two begin together, the longest."""
    for index, word in enumerate(words):
        for form, row in rows.get(word, ()):
            if len(form) == 1 or tuple(words[index : index + len(form)]) == form:
                yield Mention(
                    row, " ".join(form) if not is_cjk(form[0][0]) else "".join(form), index, index + len(form)
                )
                break


# --- words ------------------------------------------------------------------------------------------------------


def stem(word: str) -> str:
    """A word without its plural or verb ending; other text unchanged."""
    for ending in ("ing", "ed", "es", "s"):
        if len(word) > len(ending) + 2 and word.endswith(ending) and word.isalpha():
            return word[: -len(ending)]
    return word


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
