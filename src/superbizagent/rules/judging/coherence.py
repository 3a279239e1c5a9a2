"""Whether what a statement was accounted for with stands together in one record.

Decides: the words of one part of a claim come from one statement of one record; a failure or negation that the record
tells with these words is told by the claim too; a state is of the name and the noun that it is told of; who does
something does it in the record; numbers that are told together are of one record. It only takes support away: what
does not stand together is undetermined. Protocol: sections 7.1, 7.3, 7.4 and 7.7.
"""

from superbizagent.contract.vocabulary import ReasonCode
from superbizagent.rules.derivability.places import FAILURES, NOT_COUNTS, Place
from superbizagent.rules.derivability.reading import Kind, Unit, keys_of
from superbizagent.rules.derivability.record import Record
from superbizagent.rules.judging.claim import (
    COULD_NOT,
    FAILURE_TOLD,
    Claim,
    belongs,
    belongs_to,
    fails_alike,
    family,
    same_polarity,
)
from superbizagent.rules.judging.subjects import in_field, is_predicate, subjects_fit

_CARRIED = (
    "the record's word",
    "the record tells",
    "the record says",
    "named in",
    "recorded",
    "the program",
    "a part of",
)
_WORDS = ("the record's word", "the record tells", "the record says")
_TURNING = frozenset(
    "c:unknown c:insufficient c:missing c:no_live_upstreams c:null_pointer c:out_of_memory c:expired c:exhausted "
    "c:corrupt c:stuck c:deadlock c:kill c:terminate c:evict c:denied c:too_many_connections c:exceed "
    "c:certificate_expired "
    "w:miss w:lack w:late w:deni w:declin c:unhandled_exception c:syntax_error c:address_in_use c:port_in_use "
    "c:no_such_file c:too_many_open_files c:cannot_allocate_memory c:resource_busy c:io_error c:invalid_argument "
    "c:quota_exceeded c:no_such_host c:name_not_resolved c:nxdomain c:deadline_exceeded c:resource_exhausted "
    "c:duplicate_key c:constraint_violation c:lock_timeout c:segmentation_fault c:stack_overflow c:gateway_timeout "
    "c:internal_server_error c:service_unavailable c:too_many_requests c:handshake_failure c:hostname_mismatch "
    "c:unknown_authority c:no_route_to_host c:host_unreachable c:network_unreachable c:unexpected_eof c:read_only "
    "c:operation_not_permitted c:checksum_mismatch c:assertion_failed".split()
)
_FEWEST_NUMBERED = 2


def check_coherence(claim: Claim) -> None:
    """Fault parts whose words do not stand together in one record."""
    for check in (_denied_nothing, _mixed_numbers, _numbered_apart, _parts_apart):
        place = check(claim)
        if place is not None:
            message = "no single record tells this together, of this name and with this outcome"
            reason_place = place if place >= 0 else None
            if reason_place is not None:
                claim.accounted.pop(reason_place, None)
            claim.fault(ReasonCode.WORDING_UNDETERMINED, message, reason_place)
            return


def _parts_apart(claim: Claim) -> int | None:
    for number, places in enumerate(claim.statements):
        parts: dict[int, list[int]] = {}
        for place in places:
            parts.setdefault(claim.contexts[place].segment, []).append(place)
        words = [place for place in places if _is_word(claim, place)]
        if words and not _stands_together(claim, number, list(parts.values()), words):
            return words[0]
    return None


def _stands_together(claim: Claim, number: int, parts: list[list[int]], words: list[int]) -> bool:
    """One record tells every part; of a list of names, each name needs one that tells it of that name."""
    listed = _distributed(claim, words[-1])
    if listed and all(word > claim.statements[number][0] for word in words):
        return all(
            any(
                name in record.names and all(_together(claim, record, part, name) for part in parts)
                for record in claim.records
            )
            for name in listed
        )
    names = claim.names_in(number)
    records = [record for record in claim.chosen(number) if all(name in record.names for name in names)]
    return any(all(_together(claim, record, part) for part in parts) for record in records)


def _is_word(claim: Claim, place: int) -> bool:
    return claim.units[place].kind is Kind.WORD and claim.accounted.get(place, "").startswith(_WORDS)


def _together(claim: Claim, record: Record, part: list[int], name: str = "") -> bool:
    words = [place for place in part if _is_word(claim, place)]
    failures = [place for place in words if claim.accounted[place] == FAILURE_TOLD]
    words = [place for place in words if place not in failures]
    found = {place: _spots(claim, record, place, name) for place in words}
    if not all(found.values()):
        return False
    if failures and not any(
        "event" in claim.units[place].kinds and all(spot.context.negated == COULD_NOT for spot in found[place])
        for place in words
    ):
        return False  # that something failed is told of what the record says could not be done
    if not all(
        any(_turns_alike(claim, record, part, spot.context.statement) for spot in spots) for spots in found.values()
    ):
        return False
    bound = [place for place in words if not _is_free(claim, record, place, found[place])]
    numbers = _prose_numbers(claim, record, part)
    if not bound:
        return subjects_fit(claim, record, part, found)
    for statement in {spot.context.statement for spot in found[bound[0]]}:
        inside = {place: [spot for spot in found[place] if spot.context.statement == statement] for place in bound}
        if (
            all(inside.values())
            and all(statement in statements for statements in numbers)
            and _turns_alike(claim, record, part, statement)
            and _in_order(claim, inside, part)
            and subjects_fit(claim, record, part, {**found, **inside})
        ):
            return True
    return False


def _spots(claim: Claim, record: Record, place: int, name: str) -> list[Place]:
    """The places of the claim's word in a record that count for it, in its polarity and of its names."""
    unit = claim.units[place]
    negation, modes = claim.negation(place), claim.modes(place)
    spots = [spot for key in unit.keys for spot in record.places(key) if spot.trusted]
    if not is_predicate(unit):
        return spots
    return [
        spot
        for spot in spots
        if spot.context.modes <= modes
        and (same_polarity(negation, record, spot) or unit.keys & FAILURES or fails_alike(claim, place, spot))
        and (belongs_to([name], record, spot.start) if name else belongs(claim, record, place, spot.start))
    ]


def _distributed(claim: Claim, place: int) -> list[str]:
    """Names of one kind before the word, with no other word between: it is told of each of them."""
    statement = claim.statements[claim.statement_of(place)]
    names: list[str] = []
    for at in statement:
        if at >= place:
            break
        unit = claim.units[at]
        if unit.kind is Kind.NAME:
            names.append(unit.text.lower())
        elif (
            unit.kind is Kind.WORD and is_predicate(unit) and "light" not in unit.classes and not unit.classes & {"neg"}
        ):
            names.clear()
    kinds = {family(name) for name in names}
    return names if len(names) > 1 and len(kinds) == 1 else []


def _is_free(claim: Claim, record: Record, place: int, spots: list[Place]) -> bool:
    """A word that need not stand beside the others: of an alert, a field's key or value, or what a code stands for."""
    if record.is_alert or claim.units[place].kinds & {"product", "level"} or _is_fault(claim.units[place].text):
        return True
    following = claim.units[place + 1] if place + 1 < len(claim.units) else None
    if following is not None and following.kind is Kind.NAME and claim.units[place].kinds & {"thing"}:
        return True  # `session 0x2000`: it only says what the name is of
    return any(
        spot.implied or in_field(record, spot) or not spot.inside or spot.start < record.head_end for spot in spots
    )


def _prose_numbers(claim: Claim, record: Record, part: list[int]) -> list[set[int]]:
    """For each number of the part that a sentence gives, the statements that it stands in."""
    out = []
    for place in part:
        source = [number for holder, number in claim.sources.get(place, ()) if holder is record]
        within = any(
            claim.units[at].classes & {"role_within"} for at in (place - 1, place + 1) if 0 <= at < len(claim.units)
        )
        if (
            source
            and not within
            and not any(number.key or record.access or number.labels & NOT_COUNTS for number in source)
        ):
            out.append({number.context.statement for number in source})
    return out


def _is_fault(text: str) -> bool:
    return text.endswith(("Error", "Exception", "Failure", "BackOff", "Failed", "Unhealthy")) or text.startswith(
        "Failed"
    )


def _turns_alike(claim: Claim, record: Record, part: list[int], statement: int) -> bool:
    """When the record's statement tells a failure or a negation, so does the claim."""
    turned = statement in record.failing or any(
        unit.classes & {"neg", "inable"}
        for unit, context in zip(record.units, record.contexts, strict=True)
        if context.statement == statement and record.trusted(unit.start)
    )
    if not turned:
        return True
    told = claim.statements[claim.statement_of(part[0])]
    sentence = claim.contexts[part[0]].sentence
    whole = [place for place, context in enumerate(claim.contexts) if context.sentence == sentence]
    if any(claim.units[place].text.lower() in ("时", "的时候", "when", "while") for place in whole):
        told = whole  # 读取…时超时: the failure is told behind the moment
    if not any(is_predicate(claim.units[place]) and _is_word(claim, place) for place in told):
        told = list(range(len(claim.units)))
    return any(_turns(claim.units[place]) for place in told)


def _turns(unit: Unit) -> bool:
    if unit.classes & {"neg", "inable"} or unit.negated or _is_fault(unit.text):
        return True
    if "state" in unit.kinds and any(key.startswith(("c:un", "c:in", "c:not_")) for key in unit.keys):
        return True
    return bool((unit.keys | keys_of(unit.text)) & (FAILURES | _TURNING))


def _denied_nothing(claim: Claim) -> int | None:
    """A negation in whose reach nothing was compared in its polarity (`detected no deadlock`)."""
    for place in claim.class_places("neg", "inable"):
        if claim.accounted.get(place, "").startswith("quoted"):
            continue
        context = claim.contexts[place]
        reach = [
            at for at in range(place + 1, len(claim.units))
            if claim.contexts[at].statement == context.statement and claim.contexts[at].segment == context.segment
            and claim.units[at].kind is Kind.WORD and not claim.units[at].classes & {"light"}
        ]  # fmt: skip
        if any(_denial_counts(claim, at) for at in reach):
            continue
        return place
    return None


def _denial_counts(claim: Claim, place: int) -> bool:
    unit, by = claim.units[place], claim.accounted.get(place, "")
    if by.startswith(("by definition", "recorded:", "the record says the opposite", "difference", "told by")):
        return True
    if not by.startswith(_WORDS):
        return unit.classes & {"over", "under", "at_least", "at_most", "scope"} != frozenset()
    if is_predicate(unit):
        return True
    records = claim.chosen(claim.statement_of(place))
    return any(
        spot.context.negated or (claim.negation(place) == 2 and spot.context.statement in record.failing)
        for record in records
        for key in unit.keys
        for spot in record.places(key)
    )


def _in_order(claim: Claim, inside: dict[int, list[Place]], part: list[int]) -> bool:
    """No verb of the claim has its nouns on the other sides than the record has them."""
    passive = any(claim.units[place].text.lower() in ("by", "被", "由") for place in part)
    for verb in inside:
        if not is_predicate(claim.units[verb]):
            continue
        before = [place for place in inside if place < verb and claim.units[place].kinds & {"thing", "unit"}]
        behind = [place for place in inside if place > verb and claim.units[place].kinds & {"thing", "unit"}]
        if before and behind and not passive and _reversed(inside, verb, before[-1], behind[0]):
            return False
    return True


def _reversed(inside: dict[int, list[Place]], verb: int, subject: int, target: int) -> bool:
    return all(
        min(spot.start for spot in inside[target]) < at.start < max(spot.start for spot in inside[subject])
        for at in inside[verb]
    )


def _numbered_apart(claim: Claim) -> int | None:
    """`process 102 … transaction 555`: where a record has several of each, both must stand in one of its sentences."""
    for number, places in enumerate(claim.statements):
        told = claim.numbered_in(number)
        if len(told) < _FEWEST_NUMBERED:
            continue
        for record in claim.chosen(number):
            held = [[one for one in record.numbers if one.noun & each.noun] for each in told]
            several = all(len({one.quantity.text for one in each}) > 1 for each in held)
            sentences = [
                {one.context.sentence for one in each if one.quantity.text == wanted.quantity.text}
                for each, wanted in zip(held, told, strict=True)
            ]
            if several and not set.intersection(*sentences):
                return places[0]
    return None


def _mixed_numbers(claim: Claim) -> int | None:
    """Numbers told of one name, without a time of their own, must stand in one record."""
    holders: list[Record] | None = None
    for places in claim.statements:
        named = any(claim.units[place].kind in (Kind.NAME, Kind.TIME) for place in places)
        if named:
            holders = None
        for place in places:
            if place not in claim.sources:
                continue
            own = [record for record, _number in claim.sources[place]]
            common = own if holders is None else [record for record in holders if record in own]
            if not common:
                return place
            holders = common
    return None
