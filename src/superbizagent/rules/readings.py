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
    has_line_marks,
    mark_thousands,
    normal_text,
    spaced,
    with_leading_unit,
    without_inline_marks,
    without_line_marks,
    without_outer_mark,
)

_LONGEST_WITH_MARKDOWN = 262_144
"""A longer text is read as it stands and decoded, but not without its Markdown: fewer readings never accept more."""
_SENTENCE_MARKS = ".。!"
_QUOTES = "\"'"


class Form:
    """One compared form, with what the later steps read from it."""

    __slots__ = ("_fields", "_negations", "text")

    def __init__(self, text: NormalText) -> None:
        self.text = text
        self._negations: Negations | None = None
        self._fields: FieldIndex | None = None

    @property
    def negations(self) -> Negations:
        """Where the negations stand."""
        if self._negations is None:
            self._negations = Negations(self.text.plain)
        return self._negations

    @property
    def fields(self) -> FieldIndex:
        """The fields by key."""
        if self._fields is None:
            self._fields = FieldIndex(self.text)
        return self._fields

    def undressed(self) -> Iterator[NormalText]:
        """The form as it is, without one pair of quotes around it, and without a sentence mark at its end."""
        form, has_quotes, has_mark = self.text, True, True
        while True:
            yield form
            cased_unit = with_leading_unit(form)
            if cased_unit is not None:
                yield cased_unit
            plain = form.plain
            if len(plain) < 3:
                return
            if has_quotes and plain[0] in _QUOTES and plain[-1] == plain[0]:
                form, has_quotes = form.cut(1, len(plain) - 1), False
            elif has_mark and plain[-1] in _SENTENCE_MARKS:
                form, has_mark = form.cut(0, len(plain) - 1), False
            else:
                return


class Reading:
    """One decoding of a text, with or without its Markdown."""

    def __init__(self, folded: str) -> None:
        self._cased = spaced(mark_thousands(folded))
        self.standing = Form(normal_text(self._cased))
        """As it stands."""
        self.has_thousands = THOUSANDS in self._cased or EITHER in self._cased
        """Whether `grouped` says something else than `joined`."""

    @cached_property
    def _joined(self) -> str:
        return SPACED_UNIT.sub(rf"\1{JOINT}", self._cased)

    @cached_property
    def has_spaced_unit(self) -> bool:
        """Whether `joined` says something else than `standing`."""
        return self._joined != self._cased

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


class Decoding:
    """The readings of one decoding: as it stands first, without any Markdown last."""

    def __init__(self, decoded: str, *, quoted: bool) -> None:
        self._folded = fold(decoded)
        self._quoted = quoted
        self.standing = Reading(self._folded)

    def __iter__(self) -> Iterator[Reading]:
        yield self.standing
        yield from self._without_markdown

    @property
    def plainest(self) -> Reading:
        """The reading without any Markdown."""
        return self._without_markdown[-1] if self._without_markdown else self.standing

    @cached_property
    def _without_markdown(self) -> list[Reading]:
        standing = self._folded
        if len(standing) > _LONGEST_WITH_MARKDOWN:
            return []
        inline = without_inline_marks(standing, quoted=self._quoted)
        folded = [inline]
        if has_line_marks(standing) or inline != standing:
            lines = [
                without_line_marks(text, quotes, lists)
                for text in dict.fromkeys((standing, inline))
                for quotes in (Lines.FIRST, Lines.ALL)
                for lists in Lines
            ]
            outer = [without_outer_mark(text) for text in lines if self._quoted]
            folded = [inline, *outer, *lines]
        return [Reading(text) for text in dict.fromkeys(folded) if text != standing]

    @cached_property
    def behind_quote_mark(self) -> Reading | None:
        """An excerpt without a block quote's `>` before a number, which is right only where it begins the text."""
        if ">" not in self._folded:
            return None
        standing = without_line_marks(self._folded, Lines.ALL, Lines.NONE)
        folded = without_line_marks(self._folded, Lines.ALL, Lines.NONE, numbers=True)
        return Reading(folded) if folded != standing else None


class Readings:
    """All readings of an excerpt (`quoted`, somebody may have dressed it up) or of a recorded text."""

    def __init__(self, raw: str, *, quoted: bool) -> None:
        self.raw = raw
        self._quoted = quoted
        self._texts = decodings(raw)
        self._decoded: list[Decoding] = []

    def decoded(self) -> Iterator[Decoding]:
        """Each decoding: as the text stands first, with everything decoded last."""
        for index, text in enumerate(self._texts):
            if index == len(self._decoded):
                self._decoded.append(Decoding(text, quoted=self._quoted))
            yield self._decoded[index]

    def __iter__(self) -> Iterator[Reading]:
        for decoding in self.decoded():
            yield from decoding

    @property
    def standing(self) -> Form:
        """As it stands, neither decoded nor without Markdown."""
        return next(self.decoded()).standing.standing

    @property
    def plainest(self) -> Reading:
        """Everything decoded and all Markdown gone."""
        return list(self.decoded())[-1].plainest


def forms_of(excerpt: Reading, text: Reading) -> Iterator[tuple[Form, Form]]:
    """The forms in which two readings are compared, like with like; none that says the same as one before."""
    yield excerpt.standing, text.standing
    if excerpt.has_spaced_unit or text.has_spaced_unit:
        yield excerpt.joined, text.joined
    if excerpt.has_thousands or text.has_thousands:
        yield excerpt.grouped, text.grouped
