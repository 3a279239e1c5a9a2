"""Quotations in a claim: what is told as the record's own words.

Decides: whether the words between quotation marks stand together in an excerpt, cut at no negation, comparator or
name, told as fact by the program; then nothing in them needs another account. Refuses: a quotation of less than three
words, of text that a user may have written, and one that a condition, a guess, an alternative or an exercise
surrounds in the record. Protocol: section 7.1-3.
"""

import re

from superbizagent.rules.derivability.record import Record
from superbizagent.rules.excerpt import is_contained
from superbizagent.rules.judging.claim import Claim

_QUOTED = re.compile(r'"([^"]{8,2000})"')
_FEWEST_UNITS = 3


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
