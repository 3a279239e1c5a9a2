"""Whether what a statement was accounted for with stands together in one record.

Decides: the words of one part of a claim come from one statement of one record; a failure or negation that the record
tells with these words is told by the claim too; a state is of the name and the noun that it is told of; who does
something does it in the record; numbers that are told together are of one record. It only takes support away: what
does not stand together is undetermined. Protocol: sections 7.1, 7.3, 7.4 and 7.7.
"""

import re

from superbizagent.contract.vocabulary import ReasonCode
from superbizagent.rules.derivability.reading import Kind, Unit, keys_of
from superbizagent.rules.derivability.record import FAILURES, NOT_COUNTS, Place, Record, name_forms
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
_BE = frozenset("is are was were be been being got gets has have had 被 遭 已被 为".split())
_AGENTIVE = frozenset(
    "c:refuse c:reject c:denied c:reset c:kill c:delete c:create c:promote c:demoted c:disabled "
    "c:enabled c:call c:blocked "
    "c:abort c:drop c:cancel c:evict c:throttle c:restart c:terminate c:stopped c:closed_state "
    "c:open_state c:disconnect "
    "c:exhausted c:used c:write c:read c:send c:receive c:store_event c:update c:upload c:download "
    "c:lose "
    "w:declin w:replac w:overwrit w:lock c:lock w:caus w:pull c:accepted c:allowed c:release_event c:acquire c:skip "
    "c:load c:return_event c:answer c:execute c:fetch c:scale c:deploy c:roll_back c:evict c:consume "
    "c:connection".split()
)
_TURNED_DOWN = frozenset(
    "c:refuse c:reject c:denied c:reset c:kill c:abort c:drop c:cancel c:closed_state c:disconnect "
    "c:terminate w:declin "
    "c:connection_refused c:delete c:lose".split()
)
_IN_KEY = re.compile(r"[\w\u3400-\u9fff]{1,20}=")
_STATUS_KEY = re.compile(
    r"(?:code|status|state|result|outcome|phase|reason|type|event)[\"']?\s?[=:]\s?[\"']?$", re.IGNORECASE
)
_ATTACHING = frozenset("on at in of for from to with via by under inside towards against".split())
_STATUS_WORDS = frozenset("status state phase condition reason".split())
_FEWEST_NUMBERED = 2
_NOUN_CLASSES = frozenset({"impact", "found", "source", "alertword", "doc"})
_PASSIVE = frozenset("was were been 被 遭 遭到 受到".split())
_SUBJECT_WORDS = frozenset({"thing", "unit", "product"})
_TELLING = frozenset(
    "got get gets hit hits report reports reported log logs logged show shows showed had has have saw gave encountered "
    "experienced says said 报 报出 报了 出现 发生 遇到 记录 显示 报告 有 : ,".split()
)
_DETERMINERS = frozenset("the a an its their this that these all every any another".split())


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


# --- one record -----------------------------------------------------------------------------------------------------


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
        return _subjects_fit(claim, record, part, found)
    for statement in {spot.context.statement for spot in found[bound[0]]}:
        inside = {place: [spot for spot in found[place] if spot.context.statement == statement] for place in bound}
        if (
            all(inside.values())
            and all(statement in statements for statements in numbers)
            and _turns_alike(claim, record, part, statement)
            and _in_order(claim, inside, part)
            and _subjects_fit(claim, record, part, {**found, **inside})
        ):
            return True
    return False


def _spots(claim: Claim, record: Record, place: int, name: str) -> list[Place]:
    """The places of the claim's word in a record that count for it, in its polarity and of its names."""
    unit = claim.units[place]
    negation, modes = claim.negation(place), claim.modes(place)
    spots = [spot for key in unit.keys for spot in record.places(key) if spot.trusted]
    if not _is_predicate(unit):
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
            unit.kind is Kind.WORD
            and _is_predicate(unit)
            and "light" not in unit.classes
            and not unit.classes & {"neg"}
        ):
            names.clear()
    kinds = {family(name) for name in names}
    return names if len(names) > 1 and len(kinds) == 1 else []


def _is_predicate(unit: Unit) -> bool:
    if unit.kinds & {"unit", "thing"}:
        return bool(unit.kinds & {"event", "state"}) and unit.text.endswith("ed")
    return not unit.kinds or bool(unit.kinds & {"event", "state"})


def _is_free(claim: Claim, record: Record, place: int, spots: list[Place]) -> bool:
    """A word that need not stand beside the others: of an alert, a field's key or value, or what a code stands for."""
    if record.is_alert or claim.units[place].kinds & {"product", "level"} or _is_fault(claim.units[place].text):
        return True
    following = claim.units[place + 1] if place + 1 < len(claim.units) else None
    if following is not None and following.kind is Kind.NAME and claim.units[place].kinds & {"thing"}:
        return True  # `session 0x2000`: it only says what the name is of
    return any(
        spot.implied or _in_field(record, spot) or not spot.inside or spot.start < record.head_end for spot in spots
    )


def _in_field(record: Record, spot: Place) -> bool:
    """Whether a word is a field's key (`upstream: "…"`, `queue=`) or its whole value (`queue=orders`)."""
    before = record.text[max(0, spot.start - 3) : spot.start].rstrip(" \"'")[-1:]
    behind = record.text[spot.end : spot.end + 2]
    return (
        before == "="
        or _IN_KEY.match(record.text, spot.end) is not None
        or behind[:1] == "="
        or (behind == ": " and record.text[max(0, spot.start - 2) : spot.start] == ", ")
        or (behind in ('":', ": ") and record.text[spot.end + 2 : spot.end + 3] in '"0123456789')
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


# --- polarity -------------------------------------------------------------------------------------------------------


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
    if not any(_is_predicate(claim.units[place]) and _is_word(claim, place) for place in told):
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
    if _is_predicate(unit):
        return True
    records = claim.chosen(claim.statement_of(place))
    return any(
        spot.context.negated or (claim.negation(place) == 2 and spot.context.statement in record.failing)
        for record in records
        for key in unit.keys
        for spot in record.places(key)
    )


# --- who ------------------------------------------------------------------------------------------------------------


def _in_order(claim: Claim, inside: dict[int, list[Place]], part: list[int]) -> bool:
    """No verb of the claim has its nouns on the other sides than the record has them."""
    passive = any(claim.units[place].text.lower() in ("by", "被", "由") for place in part)
    for verb in inside:
        if not _is_predicate(claim.units[verb]):
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


def _subjects_fit(claim: Claim, record: Record, part: list[int], found: dict[int, list[Place]]) -> bool:
    """Each state or event is told of what the record tells it of, and done by who does it there."""
    for verb in part:
        if verb not in found or not _is_verb(claim, verb):
            continue
        subject = _subject(claim, part, verb)
        if subject is None:
            continue
        spots = _literal(claim, verb, found[verb])
        if any(_qualifies_alike(claim, record, verb, spot) for spot in spots):
            continue
        if record.access and "client" in _keys_of_name(record, claim.units[subject]):
            return False
        if _acts_on(claim, part, verb):
            if not any(
                _does(claim, record, subject, verb, spot) and _has_object(claim, record, verb, spot) for spot in spots
            ):
                return False
        elif not any(_is_told_of(claim, record, part, subject, spot) for spot in spots):
            return False
    return True


def _literal(claim: Claim, verb: int, spots: list[Place]) -> list[Place]:
    """The places of the word itself; of a state that a definition reads as a whole (`+odown`), the definition's."""
    literal = [spot for spot in spots if not spot.implied]
    if claim.units[verb].kinds == {"state"}:
        covered = [spot for spot in spots if spot.implied]
        literal = [spot for spot in literal if not any(by.start <= spot.start and spot.end <= by.end for by in covered)]
    return literal or spots


def _qualifies_alike(claim: Claim, record: Record, verb: int, spot: Place) -> bool:
    """`11 drain listeners`: the word only qualifies the noun behind it, in the claim and in the record."""
    behind = claim.units[verb + 1] if verb + 1 < len(claim.units) else None
    before = claim.units[verb - 1] if verb else None
    noun = _noun_behind(record, spot)
    if behind is None or before is None or noun is None or behind.kind is not Kind.WORD or not same_thing(behind, noun):
        return False
    counted = before.kind is Kind.NUMBER or before.text.lower() in _DETERMINERS
    earlier = next((unit for unit in reversed(record.units) if unit.end <= spot.start), None)
    in_record = earlier is None or earlier.kind is not Kind.WORD or earlier.text.lower() in _DETERMINERS
    return counted and in_record


def _is_verb(claim: Claim, place: int) -> bool:
    """A state or event; an unknown word only where it stands like one (`was declined`)."""
    unit = claim.units[place]
    if any(unit.text.lower() in record.who for record in claim.records) or unit.text.lower().endswith("ly"):
        return False
    if (unit.kinds and _is_predicate(unit)) or unit.keys & _AGENTIVE:
        return True
    before = claim.units[place - 1].text.lower() if place else ""
    return not unit.kinds and (unit.text.endswith("ed") or before in _BE)


def _subject(claim: Claim, part: list[int], verb: int) -> int | None:
    """The name, product or noun nearest before the verb; of `a slow request` the noun behind."""
    next_one = verb + 2 if verb + 2 in part and claim.units[verb + 1].text == "的" else verb + 1
    behind = claim.units[next_one] if next_one in part else None
    if "state" in claim.units[verb].kinds and behind is not None and behind.kinds & {"thing", "unit"}:
        return next_one
    attached: int | None = None
    for place in reversed([at for at in part if at < verb]):
        unit = claim.units[place]
        if unit.text.lower() in _TELLING:
            return attached
        is_named = any(unit.text.lower() in record.who for record in claim.records)
        is_subject = unit.kind is Kind.NAME or (unit.kind is Kind.WORD and bool(unit.kinds & _SUBJECT_WORDS))
        is_plain = unit.kind is Kind.WORD and not unit.kinds and not unit.classes
        if is_named or is_subject or is_plain:
            if not _is_attached(claim, place):
                return place
            attached = place if attached is None else attached
        elif (
            unit.kind is Kind.WORD
            and "light" not in unit.classes
            and not unit.classes & {"neg", "inable", "could", "hedge"}
        ):
            return attached
    return attached


def _is_attached(claim: Claim, place: int) -> bool:
    """`systemd on app-03 could not start …`: a name under a preposition only says where or of what."""
    at = place - 1
    while at > 0 and claim.units[at].text.lower() in _DETERMINERS:
        at -= 1
    return at > 0 and claim.units[at].text.lower() in _ATTACHING


def _acts_on(claim: Claim, part: list[int], verb: int) -> bool:
    """An active verb with an object: `X refused the connection`, `X uses port 1`."""
    unit = claim.units[verb]
    if not unit.keys & _AGENTIVE or verb - 1 not in part or verb + 1 not in part:
        return False
    before = claim.units[verb - 1].text.lower()
    behind = claim.units[verb + 1]
    if behind.text in ("了", "过") and verb + 2 in part:
        behind = claim.units[verb + 2]
    if before in _BE or unit.text.lower().endswith(("ing", "ion", "ions")):
        return False
    if behind.text.lower() == "to":
        return bool(unit.keys & {"c:refuse", "w:declin"})
    is_object = behind.text.lower() in _DETERMINERS or behind.kind is Kind.NAME
    return is_object or (behind.kind is Kind.WORD and (not behind.kinds or bool(behind.kinds & _SUBJECT_WORDS)))


def _does(claim: Claim, record: Record, subject: int, verb: int, spot: Place) -> bool:
    """The record has the subject before the verb in one statement, or the program that wrote it did it."""
    unit = claim.units[subject]
    if (
        spot.implied
        and unit.keys
        and any(other.implied and other.start == spot.start for key in unit.keys for other in record.places(key))
    ):
        return True
    starts = _prose_starts(record, unit)
    if record.text[spot.end : spot.end + 4].lower().startswith((" by ", "by ")):
        return any(spot.end < start and _same_statement(record, start, spot) for start in starts)
    if any(start < spot.start and _same_statement(record, start, spot) for start in starts):
        return _no_be_before(record, spot)
    is_writer = _is_program(record, unit) or unit.text.lower() in record.actors
    if not is_writer or noun_before(record, spot):
        return False
    return not claim.units[verb].keys & _TURNED_DOWN or _opens_message(record, spot)


def _opens_message(record: Record, spot: Place) -> bool:
    """`Aborted connection 5512 …`: the message begins with what its writer did."""
    return _opens(record, spot) and _noun_behind(record, spot) is not None


def _opens(record: Record, spot: Place) -> bool:
    before = [unit for unit in record.units if record.head_end <= unit.start < spot.start]
    return all(unit.kind is not Kind.WORD or unit.kinds & {"level", "product"} for unit in before)


def _has_object(claim: Claim, record: Record, verb: int, spot: Place) -> bool:
    """`cleanup skipped the run` needs a record that gives the verb an object: `job cleanup skipped: …` has none."""
    if spot.implied or not claim.record.text.isascii() or not record.text[spot.start : spot.end].isascii():
        return True
    behind = record.text[spot.end : spot.end + 1]
    return behind not in (":", ",", ";", ".", "") or not record.text[spot.start : spot.end].lower().endswith("ed")


def _is_told_of(claim: Claim, record: Record, part: list[int], subject: int, spot: Place) -> bool:
    """The verb's own subject in the record is one that the claim names too, or it has none of its own."""
    if spot.implied or not spot.inside:
        return True
    unit = claim.units[subject]
    verb_before = [word for word in record.text[max(0, spot.start - 8) : spot.start].lower().split() if word in _BE]
    if _is_passive(claim, part) and not verb_before and _other_object(claim, record, part, spot):
        return False
    if _is_passive(claim, part) and _did_it(record, unit, spot):
        return False
    subjects = _subject_run(claim, part, subject) + _attached_to(claim, part, subject)
    if record.text[spot.end : spot.end + 4].lower().startswith(" by ") and not _is_passive(claim, part):
        return any(spot.end < start and _same_statement(record, start, spot) for start in _starts(record, unit))
    ahead = _noun_behind(record, spot)
    heads = [unit, *([claim.units[subject - 1]] if unit.kind is Kind.NAME and subject - 1 in part else [])]
    if "state" in _kinds_at(record, spot) and ahead is not None and any(same_thing(head, ahead) for head in heads):
        return True  # `invalid user`, `+odown master m-1`
    if _is_status(record, spot) and not _is_program(record, unit):
        return True  # `status=failed`: of whom the record is about
    own = noun_before(record, spot)
    if own is not None:
        told = [*subjects, *([place for place in part if place > subject] if _is_program(record, unit) else [])]
        owners = [own, *_noun_of_number(record, own)]
        return any(same_thing(claim.units[place], owner) for place in told for owner in owners)
    behind = _noun_behind(record, spot)
    if behind is not None and not _in_field(record, spot):
        is_zh = any("\u3400" <= character <= "\u9fff" for character in claim.record.text)
        passive = _is_passive(claim, part) or is_zh  # 消息处理失败 tells of what was to be processed
        fits = any(same_thing(claim.units[place], behind) for place in part if place > subject)
        if fits and (_is_program(record, unit) or _is_of_a_field(record, unit)):
            return True  # the writer did it, to the object that the record gives
        return same_thing(unit, behind) or any(
            same_thing(claim.units[place], behind)
            for place in subjects
            if passive or claim.units[place].kind is Kind.NUMBER
        )
    if behind is None and _is_of_a_field(record, unit) and _opens(record, spot):
        return True
    return (
        _is_program(record, unit)
        or unit.kind is Kind.NAME
        or any(_same_statement(record, start, spot) for start in _starts(record, unit))
    )


def _kinds_at(record: Record, spot: Place) -> frozenset[str]:
    return next((unit.kinds for unit in record.units if unit.start == spot.start), frozenset())


def _is_status(record: Record, spot: Place) -> bool:
    return _STATUS_KEY.search(record.text, max(0, spot.start - 24), spot.start) is not None


def _is_of_a_field(record: Record, unit: Unit) -> bool:
    """A field's noun or value (接口=/api): the message itself names no subject, and the fields say of what it is."""
    if unit.kind is Kind.NAME:
        return any(entry.key for entry in record.names.get(unit.text.lower(), ()))
    return any(_in_field(record, spot) for key in unit.keys for spot in record.places(key))


def _did_it(record: Record, unit: Unit, spot: Place) -> bool:
    """The record tells actively that this one did it to another (`alice blocked bob`)."""
    before, behind = noun_before(record, spot), _noun_behind(record, spot)
    if before is None or behind is None or not _no_be_before(record, spot):
        return False
    return same_thing(unit, before) and not same_thing(unit, behind)


def _noun_of_number(record: Record, own: Unit) -> list[Unit]:
    """The noun that a number names something of (`order 88101`)."""
    if own.kind is not Kind.NUMBER:
        return []
    return [unit for unit in record.units if unit.kind is Kind.WORD and unit.end + 1 == own.start]


def _is_program(record: Record, unit: Unit) -> bool:
    """The program that wrote the record, or whose message a definition says that it is."""
    if unit.keys & record.actors or unit.text.lower() in record.writers:
        return True
    return "product" in unit.kinds and any(spot.implied for key in unit.keys for spot in record.places(key))


def _subject_run(claim: Claim, part: list[int], subject: int) -> list[int]:
    """The names, numbers and nouns before a verb, back to the word before that is none."""
    run = []
    for place in reversed([at for at in part if at <= subject]):
        unit = claim.units[place]
        if unit.kind in (Kind.NAME, Kind.NUMBER) or (unit.kind is Kind.WORD and not _is_predicate(unit)):
            run.append(place)
        elif unit.kind is Kind.WORD and "light" not in unit.classes:
            run.append(place)
            if unit.kinds & {"event", "state"}:
                break
    behind = subject + 1
    while behind in part and claim.units[behind].kind is Kind.NUMBER:
        run.append(behind)
        behind += 1
    return run


def _attached_to(claim: Claim, part: list[int], subject: int) -> list[int]:
    """The names and nouns behind a subject, up to its verb: `the link with the master is down`."""
    attached = []
    for place in [at for at in part if at > subject]:
        unit = claim.units[place]
        if unit.kind is Kind.WORD and _is_predicate(unit) and unit.kinds:
            break
        if unit.kind is Kind.NAME or (unit.kind is Kind.WORD and "light" not in unit.classes):
            attached.append(place)
    return attached


def _noun_behind(record: Record, spot: Place) -> Unit | None:
    """The name, number or noun directly behind a verb or adjective (`missing field`, `Killed process 2345`)."""
    for unit, context in zip(record.units, record.contexts, strict=True):
        if unit.start < spot.end:
            continue
        if context.segment != spot.context.segment or unit.kind is Kind.MARK:
            return None
        if unit.kind is Kind.NAME or (
            unit.kind is Kind.WORD and not unit.classes - _NOUN_CLASSES and not unit.kinds & {"event", "state"}
        ):
            return unit
        return None
    return None


def _is_passive(claim: Claim, part: list[int]) -> bool:
    """`was closed`, 被关闭; `was closing` is not."""
    for place in part:
        text = claim.units[place].text.lower()
        following = claim.units[place + 1].text.lower() if place + 1 < len(claim.units) else ""
        if (text in _PASSIVE or text.startswith("被")) and not following.endswith("ing"):
            return True
    return False


def _other_object(claim: Claim, record: Record, part: list[int], spot: Place) -> bool:
    """The record's verb has an object of its own (`removed topic=orders records`) that the claim does not name."""
    head = None
    for unit, context in zip(record.units, record.contexts, strict=True):
        if unit.start < spot.end:
            continue
        is_light = "light" in unit.classes and not unit.kinds
        if context.segment != spot.context.segment or is_light or unit.kind is Kind.NUMBER:
            break
        if unit.kind is Kind.WORD and unit.kinds & {"thing", "unit"}:
            head = unit
        elif unit.kind is Kind.WORD and not unit.kinds & {"label"}:
            break
    told = claim.statements[claim.statement_of(part[0])]
    return head is not None and not any(same_thing(claim.units[place], head) for place in told)


def _prose_starts(record: Record, unit: Unit) -> list[int]:
    if unit.kind is Kind.NAME:
        return [entry.start for entry in record.names.get(unit.text.lower(), ()) if not entry.key]
    return [
        spot.start
        for key in unit.keys
        for spot in record.places(key)
        if not spot.implied and spot.start >= record.head_end and not _in_field(record, spot)
    ]


def _starts(record: Record, unit: Unit) -> list[int]:
    if unit.kind is Kind.NAME:
        return [entry.start for entry in record.names.get(unit.text.lower(), ())]
    return [spot.start for key in unit.keys for spot in record.places(key) if not spot.implied]


def _same_statement(record: Record, start: int, spot: Place) -> bool:
    return record.context_at(start).statement == spot.context.statement


def _no_be_before(record: Record, spot: Place) -> bool:
    words = record.text[max(0, spot.start - 12) : spot.start].lower().split()
    return not words or words[-1] not in _BE


def noun_before(record: Record, spot: Place) -> Unit | None:
    """The nearest name, number or noun before a verb in its segment of the record."""
    for unit, context in zip(reversed(record.units), reversed(record.contexts), strict=True):
        if unit.start >= spot.start or unit.kind is Kind.MARK:
            continue
        if unit.start < record.head_end:
            return None
        if unit.end > spot.start:
            prefix = record.text[unit.start : spot.start].strip()
            return unit._replace(text=prefix, keys=keys_of(prefix)) if prefix else None
        if context.segment != spot.context.segment:
            return None
        if unit.kind is Kind.NUMBER and record.text[unit.start - 1 : unit.start] in ("*", "#"):
            return None
        if unit.kind is Kind.WORD and (unit.text.lower().endswith("ly") or unit.text.lower() in _STATUS_WORDS):
            continue  # `upstream prematurely closed`, `pod web-1 status Failed`
        if unit.kind in (Kind.NAME, Kind.NUMBER):
            return unit
        if (
            unit.kind is Kind.WORD
            and "light" not in unit.classes
            and not unit.classes & {"neg", "inable", "could", "predict"}
        ):
            return unit if not unit.kinds & {"level"} else None
    return None


def same_thing(claimed: Unit, recorded: Unit) -> bool:
    if claimed.text.lower() == recorded.text.lower():
        return True
    if recorded.kind is Kind.NAME and claimed.kind is Kind.NAME and claimed.text.lower() in name_forms(recorded.text):
        return True
    return bool((claimed.keys | keys_of(claimed.text)) & (recorded.keys | keys_of(recorded.text)))


def _keys_of_name(record: Record, unit: Unit) -> set[str]:
    return {entry.key for entry in record.names.get(unit.text.lower(), ())} if unit.kind is Kind.NAME else set()


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


# --- numbers --------------------------------------------------------------------------------------------------------


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
