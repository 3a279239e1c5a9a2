"""Readings: the ways in which one text may be meant, each with its compared forms.

Decides: which readings are tried, in which order. A text is read as it stands and decoded, with and without Markdown;
each reading is compared as it stands, with units joined to their numbers, and with thousands joined. Refuses: to prefer
one; a reading never rewrites the text. Forms are made when they are asked for, and kept. Protocol: section 6.1, step 1.
"""

from collections.abc import Iterator
from functools import cached_property

from superbizagent.rules.edges import Negations
from superbizagent.rules.facts import FactText
from superbizagent.rules.fields import FieldIndex
from superbizagent.rules.normal_form import (
    EITHER,
    JOINT,
    SPACED_UNIT,
    THOUSANDS,
    Lines,
    NormalText,
    decodings,
    fold,
    mark_thousands,
    normal_text,
    spaced,
    with_leading_unit,
    without_inline_marks,
    without_line_marks,
    without_outer_mark,
)

_SENTENCE_MARKS = ".。!"
_QUOTES = "\"'"
_MOST_DRESS = 3


class Form:
    """One compared form, with what the later steps read from it."""

    def __init__(self, text: NormalText) -> None:
        self.text = text

    @cached_property
    def negations(self) -> Negations:
        """Where the negations stand."""
        return Negations(self.text.plain)

    @cached_property
    def fields(self) -> FieldIndex:
        """The fields by key."""
        return FieldIndex(self.text)

    @cached_property
    def undressed(self) -> list[NormalText]:
        """The form as it is, without one pair of quotes around it, and without a sentence mark at its end."""
        forms = [self.text]
        for form in forms:
            plain = form.plain
            if len(forms) > _MOST_DRESS or len(plain) < 3:
                break
            if plain[0] in _QUOTES and plain[-1] == plain[0]:
                forms.append(form.cut(1, len(plain) - 1))
            elif plain[-1] in _SENTENCE_MARKS:
                forms.append(form.cut(0, len(plain) - 1))
        units = [with_leading_unit(form) for form in forms]
        return forms + [form for form in units if form is not None]


class Reading:
    """One decoding of a text, with or without its Markdown."""

    def __init__(self, folded: str) -> None:
        self._folded = folded

    @cached_property
    def _cased(self) -> str:
        return spaced(mark_thousands(self._folded))

    @cached_property
    def _joined(self) -> str:
        return SPACED_UNIT.sub(rf"\1{JOINT}", self._cased)

    @cached_property
    def standing(self) -> Form:
        """As it stands."""
        return Form(normal_text(self._cased))

    @cached_property
    def joined(self) -> Form:
        """`90 %` read as `90%`."""
        return Form(normal_text(self._joined)) if self.has_spaced_unit else self.standing

    @cached_property
    def grouped(self) -> Form:
        """And `30,000` read as `30000`."""
        if not self.has_thousands:
            return self.joined
        return Form(normal_text(self._joined.replace(THOUSANDS, "").replace(EITHER, "")))

    @cached_property
    def facts(self) -> FactText:
        """The facts: units joined, `30,000` one number, what may be a list left a list."""
        return FactText(normal_text(self._joined.replace(THOUSANDS, "")))

    @cached_property
    def list_numbers(self) -> frozenset[str]:
        """The numbers that lists such as `200,404` would be, read as one number."""
        return frozenset(FactText(self.grouped.text).numbers) if EITHER in self._cased else frozenset()

    @cached_property
    def has_spaced_unit(self) -> bool:
        """Whether `joined` says something else than `standing`."""
        return self._joined != self._cased

    @cached_property
    def has_thousands(self) -> bool:
        """Whether `grouped` says something else than `joined`."""
        return THOUSANDS in self._cased or EITHER in self._cased


class Readings:
    """All readings of an excerpt (`quoted`, somebody may have dressed it up) or of a recorded text."""

    def __init__(self, raw: str, *, quoted: bool) -> None:
        self.raw = raw
        self._quoted = quoted
        self._decodings = decodings(raw)
        self._by_decoding: dict[str, list[Reading]] = {}

    def decoded(self) -> Iterator[list[Reading]]:
        """The readings of each decoding: within one, as it stands first and without any Markdown last."""
        for decoding in self._decodings:
            readings = self._by_decoding.get(decoding)
            if readings is None:
                self._by_decoding[decoding] = readings = self._of(fold(decoding))
            yield readings

    def __iter__(self) -> Iterator[Reading]:
        for readings in self.decoded():
            yield from readings

    @cached_property
    def plainest(self) -> Reading:
        """Everything decoded and all Markdown gone."""
        return list(self)[-1]

    @cached_property
    def behind_quote_mark(self) -> list[Reading]:
        """An excerpt without a block quote's `>` before a number, which is right only where it begins the text."""
        folded = [fold(decoding) for decoding in self._decodings]
        stripped = [without_line_marks(reading, Lines.ALL, Lines.NONE, numbers=True) for reading in folded]
        return [
            Reading(new)
            for new, old in zip(stripped, folded, strict=True)
            if new != without_line_marks(old, Lines.ALL, Lines.NONE)
        ]

    def _of(self, standing: str) -> list[Reading]:
        inline = [standing, without_inline_marks(standing, quoted=self._quoted)]
        lines = [
            without_line_marks(folded, quotes, lists)
            for folded in inline
            for quotes in (Lines.FIRST, Lines.ALL)
            for lists in Lines
        ]
        outer = [without_outer_mark(folded) for folded in lines[: len(lines) // 2]] if self._quoted else []
        return [Reading(folded) for folded in dict.fromkeys([*inline, *outer, *lines])]


def forms_of(excerpt: Reading, text: Reading) -> Iterator[tuple[Form, Form]]:
    """The forms in which two readings are compared, like with like; none that says the same as one before."""
    yield excerpt.standing, text.standing
    if excerpt.has_spaced_unit or text.has_spaced_unit:
        yield excerpt.joined, text.joined
    if excerpt.has_thousands or text.has_thousands:
        yield excerpt.grouped, text.grouped
