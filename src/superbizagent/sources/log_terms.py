"""Whole terms in blocks of log text: where they stand, at the speed of a byte search.

Decides what a term is as a whole: it is not cut out of a longer word or number, letter case does not matter, the words
of a phrase are joined by a space, a tab, `-` or `_`, and a Chinese character borders on anything. It refuses patterns:
a term is literal text and is never read as a regular expression, so that no term can be slow. Protocol: section 2
(terms of `query_logs`).
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

_WORD_BYTES = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789_")
_DIGITS = frozenset(b"0123456789")
_JOINTS = (b" ", b"-", b"_", b"\t")
_LETTERS = re.compile(rb"[a-z]+")
_TO_LETTERS = bytes(code if 97 <= code <= 122 else 32 for code in range(256))

MANY_TERMS = 16
"""From so many terms on it is worth knowing all the words of a block: that takes as long as looking for so many."""


class Term:
    """One term, ready to be found in lower-cased blocks of UTF-8."""

    def __init__(self, text: str) -> None:
        self.text = text
        spellings = dict.fromkeys((_ascii_lower(text.lower()), _ascii_lower(text.upper())))
        self._spellings = [words for words in spellings if words]
        self.key = b" ".join(self._spellings[0]) if self._spellings else b""
        """What tells terms apart that are found in the same places; empty for a term that says nothing."""
        self.letters = frozenset(_LETTERS.findall(self.key)) if len(self._spellings) == 1 else frozenset()
        """Runs of letters that stand wherever the term does."""
        self.foreign = not self.key.isascii()
        self._literals = [joint.join(words) for words in self._spellings for joint in _JOINTS[: 4 if words[1:] else 1]]
        self._numeric = bool(self.key) and (self.key[0] in _DIGITS or self.key[-1] in _DIGITS)

    @cached_property
    def _patterns(self) -> list[re.Pattern[bytes]]:
        return [_pattern(literal) for literal in self._literals]

    @property
    def patterns(self) -> list[re.Pattern[bytes]]:
        """Searches for the term in lower-cased text, for showing where it stands."""
        return self._patterns

    def may_stand_in(self, low: bytes) -> bool:
        """Whether the block has the term, not necessarily as a whole: what is fast to say."""
        if len(self._literals) > 1 and not any(all(word in low for word in words) for words in self._spellings):
            return False
        return any(literal in low for literal in self._literals)

    def places(self, low: bytes) -> Iterator[int]:
        """Where the term stands as a whole: offsets in a lower-cased block."""
        for literal, pattern in zip(self._literals, self._patterns, strict=True):
            if literal not in low:
                continue
            if self._numeric:
                yield from (one.start() for one in pattern.finditer(low) if _whole(low, one.start(), one.end()))
            else:
                yield from (one.start() for one in pattern.finditer(low))

    def covers(self, other: "Term") -> bool:
        """Whether every place of the other term is a place of this one: its words stand whole inside the other's."""
        if len(self._spellings) > 1 or not self.key or self.key == other.key:
            return False
        inside = other.key
        start = inside.find(self.key)
        while start >= 0:
            if _whole(inside, start, start + len(self.key)):
                return True
            start = inside.find(self.key, start + 1)
        return False


def _ascii_lower(text: str) -> tuple[bytes, ...]:
    """Words as they stand in a block whose ASCII letters, and no others, were lowered."""
    return tuple(word.encode("utf-8", "backslashreplace").lower() for word in text.split())


def _pattern(literal: bytes) -> re.Pattern[bytes]:
    plain = re.escape(literal)
    # Behind the literal, so that the search for the literal itself stays a plain byte search.
    before = rb"(?<![a-z0-9_]" + plain + rb")" if literal[0] in _WORD_BYTES else b""
    after = rb"(?![a-z0-9_])" if literal[-1] in _WORD_BYTES else b""
    return re.compile(plain + before + after)


def _whole(low: bytes, start: int, end: int) -> bool:
    first, last = low[start], low[end - 1]
    if start and first in _WORD_BYTES and low[start - 1] in _WORD_BYTES:
        return False
    if end < len(low) and last in _WORD_BYTES and low[end] in _WORD_BYTES:
        return False
    # A number is whole with its fraction: 50 is not in 1.50, nor in 50.5.
    if first in _DIGITS and start > 1 and low[start - 1] == 0x2E and low[start - 2] in _DIGITS:
        return False
    return not (last in _DIGITS and end + 1 < len(low) and low[end] == 0x2E and low[end + 1] in _DIGITS)


def terms_of(texts: Iterable[str]) -> list[Term]:
    """The terms of one group that find anything that another one of them does not, in their order."""
    by_key: dict[bytes, Term] = {}
    for text in texts:
        term = Term(text)
        if term.key:
            by_key.setdefault(term.key, term)
    terms = list(by_key.values())
    return [term for term in terms if not any(other.covers(term) for other in terms if other is not term)]


def letters_of(low: bytes) -> frozenset[bytes]:
    """Every run of letters of a lower-cased block."""
    return frozenset(low.translate(_TO_LETTERS).split())


class Words:
    """What is known of the words of a block without reading it again.

    `absent` are keys of terms that were looked for and do not stand in it; `letters` are all its runs of letters, None
    until they were worth collecting.
    """

    __slots__ = ("absent", "ascii", "letters")

    def __init__(self, *, ascii_only: bool) -> None:
        self.ascii = ascii_only
        self.absent: set[bytes] = set()
        self.letters: frozenset[bytes] | None = None

    def lacks(self, term: Term) -> bool:
        """Whether the block is known not to have the term."""
        if term.key in self.absent or (term.foreign and self.ascii):
            return True
        return self.letters is not None and not term.letters <= self.letters

    def lacks_all(self, group: Sequence[Term]) -> bool:
        """Whether the block is known to have none of the terms."""
        return all(self.lacks(term) for term in group)


class BlockTerms:
    """The terms in one block; each is looked for once, whatever groups it stands in, and the absent are remembered."""

    def __init__(self, low: bytes, words: Words, groups: Sequence[Sequence[Term]]) -> None:
        self._low = low
        self._words = words
        self._present: set[bytes] = set()
        asked = {term.key: term for group in groups for term in group}
        if words.letters is None and sum(not words.lacks(term) for term in asked.values()) >= MANY_TERMS:
            words.letters = letters_of(low)

    def has_any(self, group: Sequence[Term]) -> bool:
        """Whether one of the terms may stand in the block."""
        return any(self._may(term) for term in group)

    def records_of(self, group: Sequence[Term], offsets: Sequence[int]) -> set[int]:
        """The records that have one of the terms: indexes into the ascending `offsets` of the records."""
        return {
            bisect_right(offsets, place) - 1 for term in group if self._may(term) for place in term.places(self._low)
        }

    def few_places(self, group: Sequence[Term], most: int) -> list[int] | None:
        """Where the terms of a group stand, if in no more than `most` places."""
        places: list[int] = []
        for term in group:
            if self._may(term):
                for place in term.places(self._low):
                    if len(places) == most:
                        return None
                    places.append(place)
        return sorted(places)

    def _may(self, term: Term) -> bool:
        if term.key in self._present:
            return True
        if self._words.lacks(term):
            return False
        if term.may_stand_in(self._low):
            self._present.add(term.key)
            return True
        self._words.absent.add(term.key)
        return False
