"""Quotations in a claim: what is told as the record's own words.

Decides: whether the words between quotation marks, or a whole part of the claim, stand together in an excerpt, cut at
no negation, comparator or name, told as fact by the program; then nothing in them needs another account. Refuses: a
quotation of less than three words, of text that a user may have written, and one that a condition, a guess, an
alternative or an exercise surrounds in the record. Protocol: section 7.1-3.
"""

import re
from collections.abc import Sequence

from superbizagent.rules.derivability.reading import Kind
from superbizagent.rules.derivability.record import Record
from superbizagent.rules.excerpt import is_contained
from superbizagent.rules.judging.claim import Claim

_QUOTED = re.compile(r'"([^"]{8,2000})"')
_FEWEST_UNITS = 3
_TAKING = frozenset("neg inable cond hedge exercise contrast or than old await predict could".split())
"""Classes of words that take support away where they stand in a record's header or in a block's heading."""


def account_quotes(claim: Claim) -> None:
    """Account for every unit of a quotation that an excerpt has."""
    for quoted in _QUOTED.finditer(claim.record.text):
        places = [
            place
            for place, unit in enumerate(claim.units)
            if quoted.start(1) <= unit.start and unit.end <= quoted.end(1)
        ]
        if len(places) >= _FEWEST_UNITS and any(_has(record, quoted.group(1)) for record in claim.records):
            claim.account_all(places, "quoted from the record")


def account_whole_quotes(claim: Claim, records: Sequence[Record]) -> None:
    """Account for quotations of whole sentences, with whatever conditions these have: what a document says."""
    for quoted in _QUOTED.finditer(claim.record.text):
        written = quoted.group(1).strip(" .,;。，；")
        if any(_has_whole(record, written) for record in records):
            claim.account_all(
                (
                    at
                    for at, unit in enumerate(claim.units)
                    if quoted.start(1) <= unit.start and unit.end <= quoted.end(1)
                ),
                "quoted from the record",
            )


def account_verbatim(claim: Claim) -> None:
    """Account for a whole sentence or part of the claim that stands word for word in an excerpt, as fact."""
    text = claim.record.text
    for part in _parts(claim):
        if any(place in claim.accounted for place in part):
            continue
        written = text[claim.units[part[0]].start : claim.units[part[-1]].end].strip(" .,;。，；")
        content = [place for place in part if claim.units[place].kind is not Kind.MARK]
        if len(content) >= _FEWEST_UNITS and any(
            (_is_clause(record, written) and _has(record, written)) or _has_whole(record, written)
            for record in claim.records
        ):
            claim.account_all(part, "quoted from the record")


def _parts(claim: Claim) -> list[list[int]]:
    """The claim as a whole, its sentences, and its statements, the longest first."""
    every = list(range(len(claim.units)))
    sentences: dict[int, list[int]] = {}
    for place, context in enumerate(claim.contexts):
        sentences.setdefault(context.sentence, []).append(place)
    return [every, *sentences.values(), *claim.statements]


def _is_clause(record: Record, quote: str) -> bool:
    """Whether the words before and behind the quotation, in its part of the sentence, are no part of what it tells."""
    start = record.text.find(quote)
    first = next((at for at, unit in enumerate(record.units) if unit.start >= start >= 0), None)
    if first is None:
        return False
    statement = record.contexts[first].statement
    before = [
        unit
        for unit, context in zip(record.units[:first], record.contexts, strict=False)
        if unit.start >= record.head_end and context.statement == statement
    ]
    behind = next((unit for unit in record.units if unit.start >= start + len(quote)), None)
    framed = any(unit.kind is Kind.WORD and not unit.kinds & {"level", "product"} for unit in before)
    return not framed and (behind is None or behind.kind is Kind.MARK)


def _has_whole(record: Record, quote: str) -> bool:
    """Whether the quotation is whole sentences of the excerpt: their conditions and guesses are told with them."""
    start = record.text.find(quote)
    end = start + len(quote)
    if start < 0 or not any(begin <= start and end <= stop for begin, stop in record.spans):
        return False
    touched = [at for at, unit in enumerate(record.units) if start <= unit.start < end]
    if not touched or not all(record.trusted(record.units[at].start) for at in touched):
        return False
    sentences = {record.contexts[at].sentence for at in touched}
    rest = [
        unit
        for unit, context in zip(record.units, record.contexts, strict=True)
        if context.sentence in sentences and not start <= unit.start < end
    ]
    head = [unit for unit in rest if unit.start < record.head_end]
    return all(unit.kind is Kind.MARK for unit in rest if unit not in head) and not any(
        unit.classes & _TAKING for unit in head
    )


def _has(record: Record, quote: str) -> bool:
    """Whether the quotation stands in one span of the excerpt, as fact."""
    start = record.text.find(quote)
    if start < 0 or not is_contained(quote, record.text):
        return False
    end = start + len(quote)
    if not any(begin <= start and end <= stop for begin, stop in record.spans):
        return False
    touched = [
        (unit, context)
        for unit, context in zip(record.units, record.contexts, strict=True)
        if start <= unit.start < end
    ]
    if not touched or not all(record.trusted(unit.start) for unit, _ in touched):
        return False
    first = touched[0][1]
    before = [
        context
        for unit, context in zip(record.units, record.contexts, strict=True)
        if unit.start < start and context.sentence == first.sentence
    ]
    surrounding = frozenset().union(*(context.modes for context in before)) if before else frozenset()
    return not surrounding and not first.modes and first.negated == 0
