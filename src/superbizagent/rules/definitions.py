"""Definitions: what a fixed message, code or field says by the document that defines it.

Decides: which words a phrase or a coded number of a record stands for (`Errno 28` is a full disk). Refuses: what
people wrongly infer; that stands beside each row and is tested not to pass. Each row joins equals and names its
source. Protocol: section 7.6.
"""

import re
import tomllib
from collections.abc import Sequence
from functools import lru_cache
from importlib import resources
from typing import Any, NamedTuple

from superbizagent.rules.lexicon import stem
from superbizagent.rules.quantities import Quantity

DEFINITIONS_VERSION = "definitions.2"


class Definition(NamedTuple):
    """A row: any phrase of `when`, a log form, or a number `code` under a label, means the words in `means`.

    `product` says that the words name the program that wrote the record. `example`, `claim` and `wrong` show a record,
    what may be said of it, and what may not.
    """

    id: str
    when: tuple[str, ...]
    form: re.Pattern[str] | None
    codes: tuple[tuple[str, str], ...]
    means: tuple[str, ...]
    product: bool
    source: str
    example: str
    claim: str
    wrong: tuple[str, ...]


class Implied(NamedTuple):
    """What a place in a record stands for: the row's words."""

    means: tuple[str, ...]
    start: int
    end: int
    product: bool
    definition: str


class _Index(NamedTuple):
    rows: tuple[Definition, ...]
    phrases: tuple[tuple[str, Definition], ...]
    forms: tuple[Definition, ...]
    codes: dict[tuple[str, str], list[Definition]]


@lru_cache(maxsize=1)
def _load() -> _Index:
    text = resources.files("superbizagent.rules").joinpath("data", "definitions.toml").read_text(encoding="utf-8")
    rows = tuple(_row(row) for row in tomllib.loads(text)["row"])
    phrases = tuple((phrase.lower(), row) for row in rows for phrase in row.when)
    codes: dict[tuple[str, str], list[Definition]] = {}
    for row in rows:
        for label, code in row.codes:
            for key in {label, stem(label)}:
                codes.setdefault((key, code), []).append(row)
    return _Index(rows, phrases, tuple(row for row in rows if row.form is not None), codes)


def _row(row: dict[str, Any]) -> Definition:
    codes = tuple((label, code) for label, _, code in (code.partition(":") for code in row.get("codes", ())))
    return Definition(
        row["id"], tuple(row.get("when", ())), re.compile(row["form"]) if "form" in row else None, codes,
        tuple(row["means"]), bool(row.get("product", False)),
        row["source"], row["example"], row["claim"], tuple(row["wrong"]),
    )  # fmt: skip


def definitions() -> tuple[Definition, ...]:
    """Every row, in the table's order."""
    return _load().rows


def implied_by(text: str, numbers: Sequence[tuple[frozenset[str], str, Quantity, int]]) -> list[Implied]:
    """What a folded record stands for; `numbers` are its numbers as (label keys, field, value, place)."""
    low = text.lower()
    index = _load()
    out = []
    for phrase, row in index.phrases:
        start = low.find(phrase)
        if start >= 0 and not _cuts(low, start, start + len(phrase)):
            out.append(Implied(row.means, start, start + len(phrase), row.product, row.id))
    for row in index.forms:
        found = row.form.search(text) if row.form is not None else None
        if found is not None:
            out.append(Implied(row.means, found.start(), found.end(), row.product, row.id))
    for labels, _field, quantity, start in numbers:
        for label in labels:
            end = start + len(quantity.text)
            rows = index.codes.get((label[2:], quantity.text), ())
            out.extend(Implied(row.means, start, end, row.product, row.id) for row in rows)
    return out


def _cuts(text: str, start: int, end: int) -> bool:
    before, behind = text[start - 1 : start], text[end : end + 1]
    first, last = text[start], text[end - 1]
    return (before.isalnum() and before.isascii() and first.isalnum()) or (
        behind.isalnum() and behind.isascii() and last.isalnum()
    )
