"""Clauses: which part of a sentence a word belongs to.

Decides: where a text falls into clauses (at commas, sentence ends, colons, quotation marks and joining words), and what
each boundary is: a *head* names what follows it (`node-b: failed`, a logger before its dash), a *list* joins equals,
everything else only ends. Refuses: to say what a clause means. Linear in the text. Protocol: section 7.10.
"""

import re
from bisect import bisect_right
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

_BOUNDARY = re.compile(
    r"(?P<head>[:：](?=[\s\"“\\{\[])|：|\s[-–—]\s|\\n|[\"“”「」『』])"
    r"|(?P<list>,(?=[\s\"“{A-Za-z_\u3400-\u9fff])|[，、]|\s(?:and|as well as)\s|以及|[和与跟])"
    r"|(?P<end>[;；。！？…]|[.!?](?=\s|$)|->|→"
    r"|\s(?:but|while|whereas|yet|after|before|because|since|that|which|who|where|then|although|though)(?=\s)"
    r"|而且|然而|但是|但|而|并且|因为|由于|之后|然后|随后)"
    r"|(?P<open>(?<=\s)(?=(?:if|when|whenever|unless|until|whether|once)\s)|(?=如果|假如|一旦|若是|倘若))"
)
_LONGEST = 4000


class Boundary(StrEnum):
    """What ends a clause."""

    HEAD = "head"
    LIST = "list"
    END = "end"
    OPEN = "open"


class Clause(NamedTuple):
    """`text[start:end]`, and what follows it."""

    start: int
    end: int
    ends_with: Boundary


@lru_cache(maxsize=2048)
def clauses_of(text: str) -> tuple[Clause, ...]:
    """The clauses of (the first 4,000 characters of) a text, in order; empty ones are left out."""
    out: list[Clause] = []
    start = 0
    text = text[:_LONGEST]
    for found in _BOUNDARY.finditer(text):
        if found.start() > start and text[start : found.start()].strip():
            out.append(Clause(start, found.start(), Boundary(found.lastgroup or "end")))
        start = max(start, found.end())
    if text[start:].strip():
        out.append(Clause(start, len(text), Boundary.END))
    return tuple(out)


def clause_at(clauses: tuple[Clause, ...], position: int) -> int:
    """The index of the clause that holds a position; the one before it for a position in a boundary."""
    return max(0, bisect_right([clause.start for clause in clauses], position) - 1)
