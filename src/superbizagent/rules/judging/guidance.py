"""Guidance: what a runbook or document says, told as what it says.

Decides: whether a claim tells what a document says, and whether a cited block says it: its identifiers, numbers,
negations and words, which stand together in one statement of the block, in its order, with its conditions. Refuses: a
log as what a runbook says. Protocol: section 7.11.
"""

import itertools
from collections.abc import Sequence

from superbizagent.contract.vocabulary import EvidenceKind, ReasonCode
from superbizagent.rules.derivability.reading import Kind
from superbizagent.rules.derivability.record import Record
from superbizagent.rules.judging.claim import Claim
from superbizagent.rules.judging.quotes import account_whole_quotes

_SAYS = frozenset("say recommend advis list suggest tell ask state mention describe warn read contain giv".split())
_LIMITING = frozenset("cond scope before after then over under at_least at_most contrast exercise".split())
_NEGATING = frozenset({"neg", "inable"})
_LISTING = frozenset({"and", ",", "or", "、", "和", "与", "及"})
_SAYS_ZH = (
    "建议",
    "指出",
    "要求",
    "提到",
    "写明",
    "说",
    "提示",
    "列出",
    "说明",
    "中写",
    "写道",
    "写",
    "道",
    "明",
    "：",
    ":",
)


def is_guidance_claim(claim: Claim) -> bool:
    """Whether the text says what a document says; a label does not make it so."""
    documents = claim.class_places("doc")
    if not documents:
        return False
    behind = list(claim.units[documents[0] + 1 :])[:8]
    says = any(unit.keys & {f"w:{word}" for word in _SAYS} for unit in behind)
    return says or any(unit.text.startswith(_SAYS_ZH) for unit in behind)


def check_guidance(claim: Claim, records: Sequence[Record]) -> None:
    """Account for the claim's words by the cited blocks; fault a claim without any."""
    blocks = [record for record in records if record.kind is EvidenceKind.GUIDANCE]
    if not blocks:
        claim.fault(ReasonCode.GUIDANCE_AS_FACT, "what a runbook says is cited from no runbook")
        return
    account_whole_quotes(claim, blocks)
    claim.account_all(claim.class_places("doc"), "the document")
    for place, unit in enumerate(claim.units):
        if place in claim.accounted or unit.kind is Kind.MARK or "light" in unit.classes:
            continue
        if (unit.kind is Kind.WORD and unit.keys & {f"w:{word}" for word in _SAYS}) or (
            unit.kind is Kind.WORD and (unit.classes & {"advice", "conj"} or unit.text in _SAYS_ZH)
        ):
            claim.account(place, "tells what a document says")
        elif unit.kind is Kind.NAME:
            _account_name(claim, place, blocks)
        elif unit.kind is Kind.NUMBER:
            _account_number(claim, place, blocks)
        else:
            _account_word(claim, place, blocks)
    if not claim.reasons:
        _check_statements(claim, blocks)


def _check_statements(claim: Claim, blocks: Sequence[Record]) -> None:
    """What one statement of the claim tells must stand in one statement of a block, neither turned nor loosened."""
    parts: dict[tuple[int, int], list[int]] = {}
    for place, context in enumerate(claim.contexts):
        parts.setdefault((context.statement, context.segment), []).append(place)
    for places in parts.values():
        told = [place for place in places if _is_content(claim, place)]
        if not told or any(_says(claim, places, told, block) for block in blocks):
            continue
        message = "no statement of the cited block says this with these conditions, in this order"
        claim.fault(ReasonCode.WORDING_UNDETERMINED, message, told[-1])


def _is_content(claim: Claim, place: int) -> bool:
    return claim.accounted.get(place, "").startswith(("a word of", "named in", "in the block"))


def _says(claim: Claim, places: list[int], told: list[int], block: Record) -> bool:
    heading = block.text.find(":")
    found = {place: _spots(claim, place, block) for place in told}
    bound = [place for place in told if all(spot > heading for spot in found[place])]
    if not all(found.values()):
        return False
    statements = {context.statement for context in block.contexts}
    return not bound or any(_says_in(claim, places, bound, found, block, number) for number in statements)


def _says_in(
    claim: Claim, places: list[int], bound: list[int], found: dict[int, list[int]], block: Record, number: int
) -> bool:
    inside = {place: [spot for spot in found[place] if block.context_at(spot).statement == number] for place in bound}
    if not all(inside.values()):
        return False
    units = [
        (unit, context)
        for unit, context in zip(block.units, block.contexts, strict=True)
        if context.statement == number
    ]
    if all(
        claim.units[place].kinds and claim.units[place].kinds <= {"thing", "label", "unit", "product"}
        for place in bound
    ):
        return True  # only what it is about
    of_claim = frozenset().union(*(claim.units[place].classes for place in places))
    for unit, context in units:
        limits = unit.classes & _LIMITING
        if (limits and not limits & of_claim) or not context.modes <= claim.modes(bound[-1]) | {"advice"}:
            return False
    if any(unit.classes & _NEGATING for unit, _context in units) != bool(of_claim & _NEGATING):
        return False
    return _in_order(claim, bound, inside, block)


def _in_order(claim: Claim, bound: list[int], inside: dict[int, list[int]], block: Record) -> bool:
    """Names and numbers (within one language every word) stand in the block's order, with no other name between."""
    is_zh = any("\u3400" <= character <= "\u9fff" for character in claim.record.text)
    ordered = [place for place in bound if not is_zh or claim.units[place].kind is not Kind.WORD]
    position = -1
    chain: list[int] = []
    for place in ordered:
        later = [spot for spot in inside[place] if spot > position]
        if not later:
            return False
        position = min(later)
        chain.append(position)
    told = {spot for spots in inside.values() for spot in spots}
    for first, second in itertools.pairwise(chain):
        between = [unit for unit in block.units if first < unit.start < second]
        names = [unit for unit in between if unit.kind is Kind.NAME and unit.start not in told]
        if names and any(unit.text.lower() not in _LISTING for unit in between if unit.kind is not Kind.NAME):
            return False
    return True


def _spots(claim: Claim, place: int, block: Record) -> list[int]:
    unit = claim.units[place]
    if unit.kind is Kind.NAME:
        return [entry.start for entry in block.names.get(unit.text.lower(), ()) if entry.inside]
    if unit.kind is Kind.NUMBER:
        return [number.start for number in block.numbers if number.inside and number.quantity.text == unit.text]
    keys = unit.keys or frozenset({f"w:{unit.text.lower()}"})
    return [spot.start for key in keys for spot in block.places(key) if spot.inside]


def _account_name(claim: Claim, place: int, blocks: Sequence[Record]) -> None:
    name = claim.units[place].text
    if any(entry.inside for block in blocks for entry in block.names.get(name.lower(), ())):
        claim.account(place, f"named in the block: {name}")
    else:
        claim.fault(ReasonCode.IDENTIFIER_UNSUPPORTED, f"the cited block does not name `{name}`", place)


def _account_number(claim: Claim, place: int, blocks: Sequence[Record]) -> None:
    text = claim.units[place].text
    if any(number.inside and number.quantity.text == text for block in blocks for number in block.numbers):
        claim.account(place, f"in the block: {text}")
    else:
        claim.fault(ReasonCode.QUANTITY_UNSUPPORTED, f"the cited block does not give `{text}`", place)


def _account_word(claim: Claim, place: int, blocks: Sequence[Record]) -> None:
    unit = claim.units[place]
    keys = unit.keys or frozenset({f"w:{unit.text.lower()}"})
    spots = [spot for block in blocks for key in keys for spot in block.places(key) if spot.inside]
    if unit.classes & {"neg", "inable"}:
        texts = {other.text.lower() for block in blocks for other in block.units if other.classes & {"neg", "inable"}}
        if texts:
            claim.account(place, "a negation of the block")
        return
    if any((spot.context.negated == 0) == (claim.negation(place) == 0) for spot in spots):
        claim.account(place, "a word of the block")
