"""Who did it, and of what it is told.

Decides: whether each state or event of a claim is told of the noun or name that the record tells it of, and is done by
the one that does it in the record: heads before their attachments, the writer of a record, passives, qualifiers, and
messages that name no subject. Refuses: to guess a subject. Protocol: sections 7.1 and 7.3.
"""

import re

from superbizagent.rules.derivability.places import Place
from superbizagent.rules.derivability.reading import Kind, Unit
from superbizagent.rules.derivability.record import Record
from superbizagent.rules.judging.claim import Claim
from superbizagent.rules.judging.nouns import noun_before, noun_behind, same_thing

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
_OTHER_PARTIES = (
    "upstream|downstream|target|peer|remote|client|server|backend|dest|destination|dst|source|src|from|to|caller|callee"
)
_STATUS_KEY = re.compile(
    r"(?:code|status|state|result|outcome|phase|reason|type|event)[\"']?\s?[=:]\s?[\"']?$", re.IGNORECASE
)
_ATTACHING = frozenset("on at in of for from to with via by under inside towards against".split())
_PASSIVE = frozenset("was were been 被 遭 遭到 受到".split())
_SUBJECT_WORDS = frozenset({"thing", "unit", "product"})
_TELLING = frozenset(
    "got get gets hit hits report reports reported log logs logged show shows showed had has have saw gave encountered "
    "experienced says said 报 报出 报了 出现 发生 遇到 记录 显示 报告 有 : ,".split()
)
_DETERMINERS = frozenset("the a an its their this that these all every any another".split())


def is_predicate(unit: Unit) -> bool:
    if unit.kinds & {"unit", "thing"}:
        return bool(unit.kinds & {"event", "state"}) and unit.text.endswith("ed")
    return not unit.kinds or bool(unit.kinds & {"event", "state"})


def in_field(record: Record, spot: Place) -> bool:
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


def subjects_fit(claim: Claim, record: Record, part: list[int], found: dict[int, list[Place]]) -> bool:
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
    noun = noun_behind(record, spot)
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
    if (unit.kinds and is_predicate(unit)) or unit.keys & _AGENTIVE:
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
    return _opens(record, spot) and noun_behind(record, spot) is not None


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
    ahead = noun_behind(record, spot)
    heads = [unit, *([claim.units[subject - 1]] if unit.kind is Kind.NAME and subject - 1 in part else [])]
    if "state" in _kinds_at(record, spot) and ahead is not None and any(same_thing(head, ahead) for head in heads):
        return True  # `invalid user`, `+odown master m-1`
    if _is_status(record, spot) and _is_other_party(record, unit):
        return False
    if _is_status(record, spot) and not _is_program(record, unit):
        return True  # `status=failed`: of whom the record is about
    own = noun_before(record, spot)
    if own is not None:
        told = [*subjects, *([place for place in part if place > subject] if _is_program(record, unit) else [])]
        owners = [own, *_noun_of_number(record, own)]
        return any(same_thing(claim.units[place], owner) for place in told for owner in owners)
    behind = noun_behind(record, spot)
    if behind is not None and not in_field(record, spot):
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


def _is_other_party(record: Record, unit: Unit) -> bool:
    """`upstream=pay`: another than the one whose record and status it is."""
    word = re.escape(unit.text.lower())
    return re.search(rf"(?:{_OTHER_PARTIES})[\"']?\s?[=:]\s?[\"']?{word}(?![\w-])", record.text.lower()) is not None


def _is_status(record: Record, spot: Place) -> bool:
    return _STATUS_KEY.search(record.text, max(0, spot.start - 24), spot.start) is not None


def _is_of_a_field(record: Record, unit: Unit) -> bool:
    """A field's noun or value (接口=/api): the message itself names no subject, and the fields say of what it is."""
    if unit.kind is Kind.NAME:
        return any(entry.key for entry in record.names.get(unit.text.lower(), ()))
    return any(in_field(record, spot) for key in unit.keys for spot in record.places(key))


def _did_it(record: Record, unit: Unit, spot: Place) -> bool:
    """The record tells actively that this one did it to another (`alice blocked bob`)."""
    before, behind = noun_before(record, spot), noun_behind(record, spot)
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
        if unit.kind in (Kind.NAME, Kind.NUMBER) or (unit.kind is Kind.WORD and not is_predicate(unit)):
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
        if unit.kind is Kind.WORD and is_predicate(unit) and unit.kinds:
            break
        if unit.kind is Kind.NAME or (unit.kind is Kind.WORD and "light" not in unit.classes):
            attached.append(place)
    return attached


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
        if not spot.implied and spot.start >= record.head_end and not in_field(record, spot)
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


def _keys_of_name(record: Record, unit: Unit) -> set[str]:
    return {entry.key for entry in record.names.get(unit.text.lower(), ())} if unit.kind is Kind.NAME else set()
