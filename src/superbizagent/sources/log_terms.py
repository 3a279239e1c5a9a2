"""Whole terms in blocks of log text: where they stand, at the speed of a byte search.

Decides what a term is as a whole: it is not cut out of a longer word or number, letter case does not matter, white
space inside it is any white space, `-` or `_`, and a Chinese character borders on anything. It refuses patterns: a
term is literal text and is never read as a regular expression, so that no term can be slow. Protocol: section 2
(terms of `query_logs`).
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

_WORD_BYTES = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789_")
_DIGITS = frozenset(b"0123456789")
_GAP = rb"(?:\s{1,8}|[-_])"


class Term:
    """One term, ready to be found in lower-cased blocks of UTF-8."""

    def __init__(self, text: str) -> None:
        self.text = text
        words = text.lower().split()
        self._spellings = [_ascii_lower(words)]
        upper = _ascii_lower(text.upper().split())
        if upper != self._spellings[0]:
            self._spellings.append(upper)
        key = self.key
        self._numeric = bool(key) and (key[0] in _DIGITS or key[-1] in _DIGITS)

    @property
    def key(self) -> bytes:
        """What tells terms apart that are found in the same places."""
        return b" ".join(self._spellings[0])

    @cached_property
    def _patterns(self) -> list[re.Pattern[bytes]]:
        return [_pattern(words) for words in self._spellings]

    @property
    def pattern(self) -> re.Pattern[bytes]:
        """A search for the term in lower-cased text, for showing where it stands."""
        return self._patterns[0]

    def may_stand_in(self, low: bytes) -> bool:
        """Whether the block has the term's longest word: what is fast to say, and false for most blocks."""
        return any(low.find(max(words, key=len)) >= 0 for words in self._spellings if words)

    def places(self, low: bytes) -> Iterator[int]:
        """Where the term stands as a whole: offsets in a lower-cased block."""
        for pattern in self._patterns:
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


def _ascii_lower(words: Iterable[str]) -> list[bytes]:
    """Words as they stand in a block whose ASCII letters, and no others, were lowered."""
    return [word.encode("utf-8", "backslashreplace").lower() for word in words]


def _pattern(words: Sequence[bytes]) -> re.Pattern[bytes]:
    first = re.escape(words[0])
    # Behind the literal, so that the search for the literal itself stays a plain byte search.
    border = rb"(?<![a-z0-9_]" + first + rb")" if words[0][:1] and words[0][0] in _WORD_BYTES else b""
    end = rb"(?![a-z0-9_])" if words[-1][-1] in _WORD_BYTES else b""
    return re.compile(first + border + b"".join(_GAP + re.escape(word) for word in words[1:]) + end)


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


class BlockTerms:
    """The terms that were found in one block; each term is looked for once, whatever groups it stands in."""

    def __init__(self, low: bytes, absent: frozenset[bytes] = frozenset()) -> None:
        self._low = low
        self._absent = set(absent)
        self._present: dict[bytes, bool] = dict.fromkeys(absent, False)

    def has_any(self, group: Sequence[Term]) -> bool:
        """Whether one of the terms may stand in the block."""
        return any(self._may(term) for term in group)

    def records_of(self, group: Sequence[Term], offsets: Sequence[int]) -> set[int]:
        """The records that have one of the terms: indexes into the ascending `offsets` of the records."""
        return {
            bisect_right(offsets, place) - 1 for term in group if self._may(term) for place in term.places(self._low)
        }

    @property
    def absent(self) -> frozenset[bytes]:
        """Keys of the terms that were looked for and do not stand in the block."""
        return frozenset(key for key, may in self._present.items() if not may)

    def _may(self, term: Term) -> bool:
        known = self._present.get(term.key)
        if known is None:
            known = self._present[term.key] = term.may_stand_in(self._low)
        return known
