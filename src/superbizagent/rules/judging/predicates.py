"""What a claim says of its entities: states, events and every other word that carries a fact.

Decides, word by word: whether an excerpt has the same word (or one that means the same), told as fact, in the same
polarity. A pool's numbers say whether it is exhausted; a label without a number says that there are some, or none.
What nothing accounts for is left over, and a claim with a word left over is undetermined. Protocol: section 7.1-3, 7.6.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from superbizagent.contract.vocabulary import ReasonCode
from superbizagent.rules.derivability.context import OLD, UNREAL, ZERO
from superbizagent.rules.derivability.places import FAILURES, NOT_COUNTS, Place
from superbizagent.rules.derivability.reading import Kind, Unit, keys_of
from superbizagent.rules.derivability.record import Record
from superbizagent.rules.judging.claim import FAILURE_TOLD, Claim, belongs, fails_alike, same_polarity
from superbizagent.rules.judging.told import WHOLE, usable_numbers

# What excludes what: the record gives one, so the other is contradicted (Prometheus alert states; outcomes; liveness).
OPPOSITES: dict[str, frozenset[str]] = {
    "c:firing": frozenset({"c:resolved", "c:pending", "c:suppressed"}),
    "c:resolved": frozenset({"c:firing", "c:pending"}),
    "c:pending": frozenset({"c:firing", "c:resolved"}),
    "c:succeed": frozenset({"c:fail"}),
    "c:fail": frozenset({"c:succeed"}),
    "c:complete": frozenset({"c:fail", "c:abort"}),
    "c:up": frozenset({"c:down"}),
    "c:down": frozenset({"c:up", "c:running"}),
    "c:running": frozenset({"c:stopped", "c:crashed", "c:down"}),
    "c:stopped": frozenset({"c:running"}),
    "c:enabled": frozenset({"c:disabled"}),
    "c:disabled": frozenset({"c:enabled"}),
    "c:open_state": frozenset({"c:closed_state"}),
    "c:closed_state": frozenset({"c:open_state"}),
    "c:valid": frozenset({"c:expired", "c:invalid"}),
    "c:connect_ok": frozenset({"c:disconnect"}),
}
# Words that say *who*: the whole record may give them. Every other word says *what*: the excerpt must.
_WHO = frozenset(
    "c:pool c:connection_pool c:database_connection_pool c:thread_pool c:service c:server c:client c:host c:node c:pod "
    "c:container c:database c:queue c:topic c:thread c:process c:instance c:cluster c:broker c:upstream "
    "c:table c:order "
    ""
    "c:job c:worker c:worker_process c:application c:system c:namespace c:consumer c:producer c:gateway "
    "c:backend".split()
)
_OFF = re.compile(
    r"['\"]?\s?[=:?]\s?['\"]?(?:(?:false|no|null|none|nil|never|off|n/?a?|0|-)['\"]?"
    r"(?=\s?(?:[,;)}\]]|$|[\w.-]{1,40}['\"]?[=:?]))|\d+(?:\.\d+)?(?:ms|s|m|h|min)(?![\w.]))",
    re.IGNORECASE,
)
_SETTING = re.compile(
    r" (?:limit|handler|detection|policy|threshold|check|checks|rule|rules|interval|budget|window|test|monitor|"
    r"prevention|protection|settings?|for \S{1,60} set)\b",
    re.IGNORECASE,
)
_LEAKS = frozenset("c:leak w:leak c:connection_leak c:memory_leak".split())
_COUNTING = frozenset("号 件 笔 张 行 位 封 页 段 组 类 只 块 units unit times pieces items".split())
_TURNING_INTO = frozenset(
    "went turned changed moved switched transitioned became 变为 变成 变 转为 转成 切换为 切换到 转变为 由".split()
)
_THROWING = frozenset("c:throw c:raise w:throw w:rais c:report_event".split())
_STANDING = frozenset(
    "c:leader c:follower c:primary_db c:standby c:replica c:master c:slave c:candidate c:learner c:coordinator "
    "w:leader w:follower w:primary w:standby w:master w:slave".split()
)
_POOL_WORDS = frozenset("c:pool c:connection_pool c:database_connection_pool c:connection".split())
_CLASSES_ELSEWHERE = frozenset(
    "cause effect root scope up_trend down_trend repeat before after then since predict impact assess now half".split()
)


def pool_state(claim: Claim, record: Record, place: int) -> bool | None:
    """Whether a pool is exhausted by its numbers (all active, none idle); None when they do not say."""
    numbers = usable_numbers(claim, record, place)
    active = next((n for n in numbers if "c:active" in n.labels and n.key), None)
    idle = next((n for n in numbers if "c:idle" in n.labels and n.key), None)
    total = next((n for n in numbers if n.labels & WHOLE and n.key), None)
    if active is None or total is None:
        return None
    used, whole = active.quantity.readings[0], total.quantity.readings[0]
    free = idle.quantity.readings[0] if idle is not None else None
    if whole <= 0:
        return None
    if used == whole and (free is None or free == 0):
        return True
    return False if used < whole or (free is not None and free > 0) else None


def check_words(claim: Claim) -> None:
    """Account for every word; fault states that the excerpts do not give or give the other way."""
    for place, unit in enumerate(claim.units):
        if place in claim.accounted or unit.kind is not Kind.WORD:
            continue
        if unit.classes & _CLASSES_ELSEWHERE and "state" not in unit.kinds and "label" not in unit.kinds:
            continue
        _check_word(claim, place, unit)


def left_over(claim: Claim) -> list[int]:
    """The places of the units that nothing accounts for."""
    return [
        place
        for place, unit in enumerate(claim.units)
        if place not in claim.accounted and unit.kind is not Kind.MARK and "light" not in unit.classes
    ]


def _check_word(claim: Claim, place: int, unit: Unit) -> None:
    records = claim.chosen(claim.statement_of(place))
    if _is_settled(claim, place, unit, records):
        return
    who = bool(unit.keys & _WHO) or "product" in unit.kinds
    spots = [(record, spot) for record in records for key in unit.keys for spot in record.places(key)]
    spots = [(record, spot) for record, spot in spots if spot.inside or who]
    if unit.kinds & {"state", "event"} or unit.keys & _STANDING or "label" in unit.kinds:
        own = [(record, spot) for record, spot in spots if belongs(claim, record, place, spot.start)]
        if spots and not own:
            return  # the record tells it of another name of this kind
        spots = own
    if "product" in unit.kinds and _is_target(claim, place):
        spots = [(record, spot) for record, spot in spots if not spot.writer]
    if not spots:
        _not_there(claim, place, unit, records)
        return
    trusted = [(record, spot) for record, spot in spots if spot.trusted]
    if not trusted:
        claim.fault(ReasonCode.UNTRUSTED_TEXT, f"`{unit.text}` stands only in text that a user may have written", place)
        return
    if "label" not in unit.kinds and not who:
        trusted = [(record, spot) for record, spot in trusted if not _is_switched_off(record, spot)]
    if trusted:  # else `crashed=false`, `timeout=30s`: the word is there, and nothing of it happened
        _check_told(claim, place, unit, trusted, who=who)


def _is_settled(claim: Claim, place: int, unit: Unit, records: list[Record]) -> bool:
    """Whether numbers, a name or the word's own lightness answer for the word."""
    if _is_exhausted(claim, place, unit, records) or _is_light(claim, place, unit, records):
        return True
    counted = _is_presence if "label" in unit.kinds else _is_zero
    if counted(claim, place, unit, records) or _is_none_of(claim, place, unit, records):
        return True
    named = not unit.kinds & {"event", "state"} and not unit.classes
    if named and any(unit.text.lower() in record.who for record in records):
        claim.account(place, f"named in the record: {unit.text}")
        return True
    return False


def _check_told(claim: Claim, place: int, unit: Unit, spots: list[tuple[Record, Place]], *, who: bool) -> None:
    """Whether the word is told as a fact, of this time, and in the claim's polarity."""
    modes = claim.modes(place)
    if unit.kinds and not unit.kinds & {"state", "event"}:
        modes |= {ZERO, OLD}
    if unit.keys & _LEAKS and "guess" not in modes:
        spots = [(record, spot) for record, spot in spots if not _is_only_suspected(record, spot)]
        if not spots:
            message = f"the record only suspects `{unit.text}`"
            claim.fault(ReasonCode.ALTERNATIVE_UNSUPPORTED, message, place)
            return
    told = [
        (record, spot) for record, spot in spots if spot.context.modes <= modes and _as_old(claim.modes(place), spot)
    ]
    if told or (who and not all(UNREAL in spot.context.modes - modes for _record, spot in spots)):
        _check_polarity(claim, place, unit, told or spots)
        return
    told_as = ", ".join(sorted(spots[0][1].context.modes)) or "of another time"
    message = f"the record tells `{unit.text}` only as {told_as}"
    claim.fault(ReasonCode.ALTERNATIVE_UNSUPPORTED, message, place, told_as)


def _as_old(modes: frozenset[str], spot: Place) -> bool:
    """What is told of the last time is recorded of the last time."""
    return OLD not in modes or OLD in spot.context.modes


def _check_polarity(claim: Claim, place: int, unit: Unit, spots: list[tuple[Record, Place]]) -> None:
    negation = claim.negation(place)
    if unit.kinds <= {"thing", "product", "unit"} and unit.kinds:
        claim.account(place, f"the record's word: {_word(spots[0])}")
    elif negation == 3:
        return  # two negations in one part: nobody can tell
    elif negation == 1 and len({ZERO in spot.context.modes for _record, spot in spots}) > 1:
        return  # told of none in one place and of some in another
    elif any(same_polarity(negation, record, spot) or fails_alike(claim, place, spot) for record, spot in spots):
        claim.account(place, f"the record's word: {_word(spots[0])}")
    elif not all(_opposed(negation, record, spot) for record, spot in spots):
        return  # *could not* and *was not*, or a failure told elsewhere: no contradiction, and no support
    elif unit.kinds & {"state", "event"} or any(key.startswith("c:") for key in unit.keys):
        message = f"the record tells `{unit.text}` the other way round"
        claim.fault(ReasonCode.STATE_CONTRADICTED, message, place, _context(spots[0]))
    # another word, negated in one and not in the other, stays left over


def _opposed(negation: int, record: Record, spot: Place) -> bool:
    """Whether one tells what the other denies; what could not be done is not denied where a failure is told."""
    if negation == 2 and spot.context.negated == 0:
        return not record.failing
    return (negation == 0) != (spot.context.negated == 0)


def _is_switched_off(record: Record, spot: Place) -> bool:
    """The word is the key of an empty or false value or of a setting's duration, or qualifies a setting's noun."""
    behind = record.text[spot.end : spot.end + 40]
    return _OFF.match(behind) is not None or _SETTING.match(behind) is not None


def _is_only_suspected(record: Record, spot: Place) -> bool:
    """A leak that a detection was triggered for is a possible one."""
    return any(other.start <= spot.start and spot.end <= other.end for other in record.places("c:leak_detection"))


def _word(found: tuple[Record, Place]) -> str:
    record, spot = found
    return record.text[spot.start : spot.end][:80]


def _context(found: tuple[Record, Place]) -> str:
    record, spot = found
    return record.text[max(0, spot.start - 20) : spot.end + 10].strip()[:80]


def _is_exhausted(claim: Claim, place: int, unit: Unit, records: list[Record]) -> bool:
    if "c:exhausted" not in unit.keys:
        return False
    states = {pool_state(claim, record, place) for record in records} - {None}
    if not states:
        return False
    negation = claim.negation(place)
    wanted = negation == 0
    if negation == 3:
        return False
    if wanted in states:
        claim.account(
            place, "by definition: every connection active and none idle" if wanted else "by definition: some idle"
        )
        claim.account_all(
            (p for p in claim.class_places("neg") if claim.contexts[p].statement == claim.contexts[place].statement),
            "negation",
        )
    else:
        message = "the pool's numbers say that it is not" if wanted else "the pool's numbers say that it is"
        claim.fault(ReasonCode.STATE_CONTRADICTED, f"{message} exhausted", place)
    return True


def _is_presence(claim: Claim, place: int, unit: Unit, records: list[Record]) -> bool:
    """A label without a number: `had idle connections` is more than none, `no idle connection` is none."""
    if unit.keys & NOT_COUNTS:
        return False
    numbers = [
        number
        for record in records
        for number in usable_numbers(claim, record, place)
        if number.key
        and number.key not in ("current", "value", "last")
        and number.labels & {key for key in unit.keys if key.startswith("c:")}
    ]
    if not numbers or claim.negation(place) == 3:
        return False
    some = claim.negation(place) == 0
    holds = [number for number in numbers if (number.quantity.readings[0] > 0) == some]
    if holds:
        claim.account(place, f"recorded: {holds[0].key}={holds[0].quantity.text}")
        _account_pool_words(claim, place)
    else:
        number = numbers[0]
        message = f"the record gives {number.key}={number.quantity.text}"
        claim.fault(ReasonCode.STATE_CONTRADICTED, message, place, f"{number.key}={number.quantity.text}")
    return True


def _is_zero(claim: Claim, place: int, unit: Unit, records: list[Record]) -> bool:
    """A field that counts none (`retries=0`): that there was one is contradicted."""
    keys = {key for key in unit.keys if key.startswith("c:")} - NOT_COUNTS
    for record in records:
        for number in usable_numbers(claim, record, place):
            if number.key in ("current", "value", "last"):
                continue
            if (
                number.key
                and number.labels & keys
                and number.quantity.readings[0] == 0
                and number.quantity.unit is None
            ):
                if claim.negation(place) == 0:
                    shown = f"{number.key}={number.quantity.text}"
                    claim.fault(ReasonCode.STATE_CONTRADICTED, f"the record gives {shown}", place, shown)
                elif claim.negation(place) == 1:
                    claim.account(place, f"recorded: {number.key}=0")
                return True
    return False


def _is_none_of(claim: Claim, place: int, unit: Unit, records: list[Record]) -> bool:
    """`0 errors` of the record: that there were some is contradicted, that there were none is so."""
    if any(claim.units[at].kind is Kind.NUMBER for at in claim.statements[claim.statement_of(place)]):
        return False
    for record in records:
        for number in usable_numbers(claim, record, place):
            behind = [other for other in record.units if number.end <= other.start <= number.end + 1]
            if number.key or number.quantity.readings[0] != 0 or not behind or not behind[0].keys & unit.keys:
                continue
            if claim.negation(place) == 1:
                claim.account(place, f"recorded: 0 {behind[0].text}")
            elif claim.negation(place) == 0:
                message = f"the record gives 0 {behind[0].text}"
                claim.fault(ReasonCode.STATE_CONTRADICTED, message, place, f"0 {behind[0].text}")
            return True
    return False


def _account_pool_words(claim: Claim, place: int) -> None:
    for other in claim.statements[claim.statement_of(place)]:
        if claim.units[other].keys & _POOL_WORDS:
            claim.account(other, "of the pool")


def _is_light(claim: Claim, place: int, unit: Unit, records: list[Record]) -> bool:
    """Words that only carry others: the log, the alert, *could*, a hedge; negations are looked at elsewhere."""
    classes = unit.classes
    if unit.text.lower() in _COUNTING and place and claim.units[place - 1].kind is Kind.NUMBER:
        claim.account(place, "what the number counts by")
    elif "or" in classes and any(_tells_or(record) for record in records):
        claim.account(place, "an alternative of the record")
    elif (unit.text.lower() in _TURNING_INTO or unit.keys & {"c:become_event", "c:change"}) and any(
        _changes(record) for record in records
    ):
        claim.account(place, "the record's change")
    elif unit.keys & _THROWING and any(_has_fault(record) for record in records):
        claim.account(place, "the record names a fault")
    elif classes & {"light", "neg", "inable", "could", "source", "conj", "hedge"}:
        claim.account(place, "carries no fact of its own")
    elif "alertword" in classes and any(record.is_alert for record in records):
        claim.account(place, "the record is an alert")
    elif unit.keys & {"c:error"} and any(record.level in ("c:error", "c:fatal", "c:critical") for record in records):
        claim.account(place, "the record's level")
    elif (
        "product" in unit.kinds
        and not _is_target(claim, place)
        and any(unit.keys & record.actors for record in records)
    ):
        claim.account(place, "the program that wrote the record")
    elif unit.keys & _name_words(claim):
        claim.account(place, "a part of a name")
    elif unit.keys & (_POOL_WORDS | {"c:request"}) and any(
        _is_pool(record) and _is_pool_of(record, unit) for record in records
    ):
        claim.account(place, "of the pool")
    else:
        return False
    return True


def _tells_or(record: Record) -> bool:
    return any("or" in unit.classes and record.inside(unit.start) for unit in record.units)


def _changes(record: Record) -> bool:
    """Whether the record gives a former state and a new one."""
    return any(
        OLD in context.modes and record.inside(unit.start)
        for unit, context in zip(record.units, record.contexts, strict=True)
    )


def _has_fault(record: Record) -> bool:
    return any(
        name.endswith(("exception", "error")) and any(entry.inside and entry.trusted for entry in entries)
        for name, entries in record.names.items()
    )


def _is_target(claim: Claim, place: int) -> bool:
    """`connect to nginx`: the program that writes a record is who acts in it, not on whom."""
    return place > 0 and claim.units[place - 1].text.lower() in ("to", "into", "with", "到", "连接", "向")


def _is_pool(record: Record) -> bool:
    labels = {key for number in record.numbers if number.key for key in number.labels}
    return {"c:active", "c:idle"} <= labels or ("c:active" in labels and bool(labels & WHOLE))


def _is_pool_of(record: Record, unit: Unit) -> bool:
    """A pool is one of connections when the record says so, or by its program; it is one of threads when it says so."""
    if unit.keys & {"c:pool", "c:request"}:
        return True
    if record.places("c:thread_pool"):
        return False
    known = record.places("c:connection_pool") or record.places("c:connection") or record.places("c:hikaricp")
    named = any("hikari" in name or "conn" in name for name in record.names)
    return "c:database_connection_pool" not in unit.keys and (bool(known) or named or "c:connection" in unit.keys)


def _name_words(claim: Claim) -> frozenset[str]:
    """The nouns that a verified name carries itself: the pool `BluePool-1`, the service `pay-service`."""
    names = [unit.text for place, unit in enumerate(claim.units) if unit.kind is Kind.NAME and place in claim.accounted]
    return frozenset(key for name in names for key in _nouns_of(name))


@lru_cache(maxsize=1024)
def _nouns_of(name: str) -> frozenset[str]:
    return keys_of(_split(name)) & _WHO


def _split(name: str) -> str:
    out = []
    for position, character in enumerate(name):
        if position and character.isupper() and name[position - 1].islower():
            out.append(" ")
        out.append(character if character.isalnum() else " ")
    return "".join(out)


def _not_there(claim: Claim, place: int, unit: Unit, records: Iterable[Record]) -> None:
    opposite = next(
        (
            (record, spot)
            for record in records
            for key in unit.keys
            for other in OPPOSITES.get(key, ())
            for spot in record.places(other)
            if spot.inside and spot.trusted and not spot.context.modes and spot.context.negated == 0
        ),
        None,
    )
    if opposite is not None and claim.negation(place) == 0:
        message = f"the record says `{_word(opposite)}`"
        claim.fault(ReasonCode.STATE_CONTRADICTED, message, place, _word(opposite))
    elif opposite is not None and claim.negation(place) == 1:
        claim.account(place, f"the record says the opposite: {_word(opposite)}")
    elif unit.keys & FAILURES and _fails(claim, place, records):
        claim.account(place, FAILURE_TOLD)
    elif "found" in unit.classes and claim.negation(place) == 0:
        claim.account(place, "carries no fact of its own")
    elif unit.kinds & {"state", "event"} and unit.listed:
        claim.fault(ReasonCode.STATE_UNSUPPORTED, f"no excerpt gives `{unit.text}`", place)


def _fails(claim: Claim, place: int, records: Iterable[Record]) -> bool:
    """*failed* is told by `cannot …`, `could not …` too; no narrower failure is."""
    if "c:fail" not in claim.units[place].keys or claim.negation(place) != 0:
        return False
    return any(
        context.negated == 2 and record.inside(unit.start)
        for record in records
        for unit, context in zip(record.units, record.contexts, strict=True)
    )
