"""Guidance: what a runbook or document says, told as what it says.

Decides: whether a claim tells what a document says, and whether a cited block says it: its identifiers, numbers,
negations and words. Refuses: a log as what a runbook says. Protocol: section 7.11.
"""

from collections.abc import Sequence

from superbizagent.contract.vocabulary import EvidenceKind, ReasonCode
from superbizagent.rules.derivability.reading import Kind
from superbizagent.rules.derivability.record import Record
from superbizagent.rules.judging.claim import Claim

_SAYS = frozenset("say recommend advis list suggest tell ask state mention describe warn read contain giv".split())
_SAYS_ZH = ("建议", "指出", "要求", "提到", "写明", "说", "提示", "列出", "说明", "中写", "：", ":")


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
