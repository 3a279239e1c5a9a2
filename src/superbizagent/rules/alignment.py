"""Alignment: the longest sequence of tokens that an excerpt and its text have in the same order.

Decides: which token of the excerpt stands for which token of the text; of several longest alignments, one that covers
as little of the text as it can. Refuses nothing: the caller bounds the lengths. Time and memory are (tokens of the
excerpt x tokens of the text) / 64 machine words: a row of the table is one integer. Protocol: section 6.1, step 5.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Pair(NamedTuple):
    """A token of the excerpt (`told`) and the token of the text that it is, both as indices."""

    told: int
    recorded: int


def align(told: Sequence[str], recorded: Sequence[str], places: Mapping[str, Sequence[int]]) -> list[Pair]:
    """The aligned tokens in order. `places` says where each token stands in `recorded`."""
    rows = _rows(told, len(recorded), places)
    pairs: list[Pair] = []
    row, column = len(told), len(recorded)
    while row > 0 and column > 0:
        # In a row of the table a zero bit is a column at which the longest common sequence grows.
        zeros = ~rows[row - 1] & ((1 << column) - 1)
        column = zeros.bit_length()
        if column == 0:
            break
        row -= 1
        grows_above = row > 0 and not rows[row - 1] >> (column - 1) & 1
        if not grows_above:
            pairs.append(Pair(row, column - 1))
            column -= 1
    pairs.reverse()
    return _tightened(pairs, told, places)


def _rows(told: Sequence[str], width: int, places: Mapping[str, Sequence[int]]) -> list[int]:
    masks: dict[str, int] = {}
    for word in told:
        if word not in masks:
            bits = bytearray(width // 8 + 1)
            for place in places.get(word, ()):
                bits[place >> 3] |= 1 << (place & 7)
            masks[word] = int.from_bytes(bits, "little")
    whole = (1 << width) - 1
    row, rows = whole, []
    for word in told:
        common = row & masks[word]
        row = ((row + common) | (row - common)) & whole
        rows.append(row)
    return rows


def _tightened(pairs: list[Pair], told: Sequence[str], places: Mapping[str, Sequence[int]]) -> list[Pair]:
    """From the last aligned token backwards, each one at its last place before the next."""
    for index in range(len(pairs) - 2, -1, -1):
        own = places[told[pairs[index].told]]
        place = own[bisect_left(own, pairs[index + 1].recorded) - 1]
        pairs[index] = Pair(pairs[index].told, place)
    return pairs
