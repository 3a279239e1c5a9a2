"""What a claim says beyond what was seen: cause, scope, trend, the present, the future, impact, assessment.

Decides, for each such word of the closed lists: whether one record gives it. A cause needs one record that states it
(`X failed: Y`, `because Y`); order in time is never cause, and no record gives a root cause. Protocol: section 7, the
table, and 7.8.
"""

import itertools
from collections.abc import Callable
from decimal import Decimal

from superbizagent.contract.vocabulary import ReasonCode
from superbizagent.rules import quantities
from superbizagent.rules.derivability.context import OLD
from superbizagent.rules.derivability.places import Number
from superbizagent.rules.derivability.reading import Kind, Unit
from superbizagent.rules.derivability.record import Record
from superbizagent.rules.judging.claim import Claim
from superbizagent.rules.judging.derived import label_points
from superbizagent.rules.judging.times import own_instant
from superbizagent.rules.judging.told import WHOLE, usable_numbers
from superbizagent.rules.quantities import Fit, Quantity, Relation

# Verbs that make one thing the doing of another, when an object follows: `the query exhausted the pool`.
_EFFECT_VERBS = frozenset(
    "c:exhausted c:crashed c:blocked c:kill c:overloaded c:saturated c:stopped c:terminate c:restart "
    "w:fill w:block w:break "
    "w:overwhelm w:starv w:freez w:corrupt w:hog w:consum w:eat w:trigger c:trigger w:tak w:bring w:clog w:leak".split()
)
_EFFECT_ZH = ("打满", "拖垮", "压垮", "撑爆", "耗尽了", "占满了", "阻塞了", "搞垮", "拖慢", "挤爆", "用光了")
_LEFT_OVER = frozenset(
    "left remain remained remaining remains available free idle spare 剩 剩下 剩余 还剩 可用 空闲 余".split()
)
_LIKELY = frozenset("likely probably presumably 很可能 大概 多半 应该是 believed".split())
_ONLY = frozenset("only 只 仅 只有 仅有".split())
_REPORTING = frozenset("report say show log indicat stat print".split())


def check_marked(claim: Claim) -> None:
    """Fault every word of cause, scope, trend, present, future, impact and assessment that no record gives."""
    _check_modality(claim)
    _check_cause(claim)
    _check_effect_verbs(claim)
    _check_scope(claim)
    _check_trend(claim)
    _check_present(claim)
    for place in claim.class_places("predict"):
        _needs_word(claim, place, ReasonCode.PREDICTION_UNSUPPORTED, "the future is not in the records")
    for place in claim.class_places("impact"):
        if _is_account(claim, place):
            claim.account(place, "a user that the record names")
        _needs_word(claim, place, ReasonCode.IMPACT_UNSUPPORTED, "no record counts who or what was affected")
    for place in claim.class_places("assess"):
        _check_assessment(claim, place)
    for place in claim.class_places("half"):
        _check_half(claim, place)
    for place in claim.class_places("repeat"):
        _check_repeat(claim, place)


def given(claim: Claim, place: int, records: list[Record] | None = None) -> bool:
    """Whether an excerpt has the word itself, told as fact and in the same polarity."""
    unit = claim.units[place]
    keys = unit.keys | {f"w:{unit.text.lower()}"}
    return any(
        spot.inside and spot.trusted and spot.context.modes <= claim.modes(place)
        and (spot.context.negated == 0) == (claim.negation(place) == 0)
        for record in (records or claim.records)
        for key in keys
        for spot in record.places(key)
    )  # fmt: skip


def _needs_word(claim: Claim, place: int, code: ReasonCode, message: str) -> None:
    if place in claim.accounted:
        return
    if given(claim, place):
        claim.account(place, "the record's word")
    else:
        claim.fault(code, message, place)


def _is_account(claim: Claim, place: int) -> bool:
    """`user ledger`, 用户 app, `ledger 用户`: one that the record names, and not the users of the system."""
    if claim.units[place].text.lower() not in ("user", "用户"):
        return False
    beside = [claim.units[at].text.lower() for at in (place - 1, place + 1) if 0 <= at < len(claim.units)]
    words = ("user", "用户", "login", "for")
    return any(
        word in record.who or (word in record.text.lower() and any(before in record.text.lower() for before in words))
        for record in claim.records
        for word in beside
        if len(word) > 1
    )


# --- modality -------------------------------------------------------------------------------------------------------


def _check_modality(claim: Claim) -> None:
    """May < likely < is: `likely` of a record that says `possibly` is stronger than its record."""
    for place in claim.class_places("hedge"):
        if claim.units[place].text.lower() not in _LIKELY:
            continue
        hedges = [
            unit.text.lower()
            for record in claim.records
            for unit in record.units
            if "hedge" in unit.classes and record.inside(unit.start)
        ]
        if hedges and not set(hedges) & _LIKELY:
            message = f"the record only says `{hedges[0]}`"
            claim.fault(ReasonCode.ALTERNATIVE_UNSUPPORTED, message, place, hedges[0])


# --- cause ----------------------------------------------------------------------------------------------------------


def _check_cause(claim: Claim) -> None:
    for place in claim.class_places("root"):
        claim.fault(ReasonCode.CAUSE_UNSUPPORTED, "no record gives a root cause", place)
    for place in claim.class_places("cause", "effect", "since"):
        unit = claim.units[place]
        if place in claim.accounted or (
            "since" in unit.classes and not unit.classes & {"cause"} and _has_time(claim, place)
        ):
            continue
        forward = bool(unit.classes & {"cause", "since"})
        if any(
            _states(claim, record, place, effect_first=forward) or (forward and _states_fronted(claim, record, place))
            for record in claim.records
        ):
            claim.account(place, "the record's stated reason")
        else:
            claim.fault(
                ReasonCode.CAUSE_UNSUPPORTED, f"no single record gives the reason that `{unit.text}` tells", place
            )


def _has_time(claim: Claim, place: int) -> bool:
    following = range(max(0, place - 2), min(place + 4, len(claim.units)))
    return any(claim.units[at].kind in (Kind.TIME, Kind.NUMBER) for at in following)


def _states(claim: Claim, record: Record, place: int, *, effect_first: bool) -> bool:
    """Whether one record tells the effect, a link that gives a reason, and then the reason."""
    sentence = claim.contexts[place].sentence
    parts = [at for at, context in enumerate(claim.contexts) if context.sentence == sentence]
    before = _spots(claim, record, [at for at in parts if at < place])
    behind = _spots(claim, record, [at for at in parts if at > place])
    if before is None or behind is None or not before or not behind:
        return False
    effect, reason = (before, behind) if effect_first else (behind, before)
    for link, joins_forward in _links(record):
        first, second = (effect, reason) if joins_forward else (reason, effect)
        if all(any(spot < link for spot in spots) for spots in first) and all(
            any(spot >= link for spot in spots) for spots in second
        ):
            return True
    return False


def _states_fronted(claim: Claim, record: Record, place: int) -> bool:
    """`Because of Y, X`, 因 Y 而 X: the reason comes first, and the record has it behind its link."""
    sentence = claim.contexts[place].sentence
    behind = [at for at, context in enumerate(claim.contexts) if context.sentence == sentence and at > place]
    spots = _spots(claim, record, behind)
    if spots is None or len(spots) < 2 or any(claim.units[at].kinds & {"event", "state"} for at in range(place)):
        return False
    for link, joins_forward in _links(record):
        if not joins_forward:
            continue
        reason = [any(spot >= link for spot in places) for places in spots]
        effect = [any(spot < link for spot in places) for places in spots]
        if any(all(reason[:cut]) and all(effect[cut:]) for cut in range(1, len(spots))):
            return True
    return False


def _spots(claim: Claim, record: Record, places: list[int]) -> list[list[int]] | None:
    """Where the record has each content word of a part; None when it lacks one."""
    found = []
    for place in places:
        unit = claim.units[place]
        if unit.kind is Kind.NAME:
            entries = record.names.get(unit.text.lower(), ())
            spots = [entry.start for entry in entries if entry.inside]
            if entries and not spots:
                continue  # a name says who, and the whole record may give it
        elif unit.kind is Kind.NUMBER:
            spots = [number.start for number in record.numbers if number.inside and _is_same(unit, number)]
        elif unit.kind is Kind.WORD and not unit.classes & {"light", "neg", "inable", "could", "conj", "found"}:
            spots = [spot.start for key in unit.keys for spot in record.places(key) if spot.inside and spot.trusted]
        else:
            continue
        if spots:
            found.append(spots)
        elif unit.kind is not Kind.WORD or unit.kinds & {"event", "state"}:
            return None  # any other word that the record lacks is left over, and the claim with it
    return found


def _is_same(unit: Unit, number: Number) -> bool:
    if not isinstance(unit.value, Quantity):
        return False
    return quantities.compare(unit.value, Relation.IS, number.quantity, as_ratio=number.ratio) is Fit.HOLDS


def _links(record: Record) -> list[tuple[int, bool]]:
    """Where the record gives a reason: a cause word, or a colon or bracket behind a failure; True: it follows."""
    links = []
    failed = False
    for unit, context in zip(record.units, record.contexts, strict=True):
        if context.modes & {"guess", "condition", "exercise", "or"} or not record.inside(unit.start):
            continue
        is_error_key = unit.text.lower() == "error" and record.text[unit.end : unit.end + 2].strip('"')[:1] in (
            "=",
            ":",
        )
        if unit.classes & {"cause"} or unit.text.lower() in ("reason", "err", "cause") or (is_error_key and failed):
            links.append((unit.end, True))
        elif "effect" in unit.classes:
            links.append((unit.end, False))
        elif unit.kind is Kind.MARK and unit.text in (":", "(") and failed:
            links.append((unit.end, True))
        if context.statement in record.failing or context.negated == 2:
            failed = True
    return links


def _check_effect_verbs(claim: Claim) -> None:
    """`the slow query exhausted the pool`: one thing doing it to another, which no record tells in this order."""
    for place, unit in enumerate(claim.units):
        is_zh = unit.text[:1] > "\u3400"
        if is_zh:
            behind = claim.record.text[unit.start : unit.end + 1]
            acts = any(behind.startswith(verb) or unit.text == verb for verb in _EFFECT_ZH)
        else:
            acts = bool(unit.keys & _EFFECT_VERBS) and _takes_object(claim, place)
        if (
            acts
            and place
            and "product" in claim.units[place - 1].kinds
            and any(claim.units[place - 1].keys & record.actors for record in claim.records)
        ):
            continue
        if acts and not any(_acts(claim, record, place) for record in claim.records):
            claim.fault(
                ReasonCode.CAUSE_UNSUPPORTED, f"no single record tells that one thing {unit.text} another", place
            )


def _takes_object(claim: Claim, place: int) -> bool:
    """A noun directly behind the verb, a noun and no form of *be* before it."""
    if place == 0 or place + 1 >= len(claim.units):
        return False
    before, behind = claim.units[place - 1], claim.units[place + 1]
    if before.text.lower() in (
        "is",
        "was",
        "are",
        "were",
        "been",
        "be",
        "being",
        "has",
        "have",
        "had",
        "got",
        "not",
        "n't",
    ):
        return False
    if before.kind is Kind.MARK or before.classes & {"light", "neg", "inable", "could"}:
        return False
    determiner = behind.text.lower() in ("the", "a", "an", "all", "its", "our", "this", "that", "every")
    return determiner or behind.kind is Kind.NAME or (behind.kind is Kind.WORD and bool(behind.kinds & {"thing"}))


def _acts(claim: Claim, record: Record, place: int) -> bool:
    """The record has the verb with the same words before and behind it."""
    statement = claim.statements[claim.statement_of(place)]
    before = _spots(claim, record, [at for at in statement if at < place])
    behind = _spots(claim, record, [at for at in statement if at > place])
    if not before or not behind:
        return False
    verbs = [
        spot.start for key in claim.units[place].keys for spot in record.places(key) if spot.inside and spot.trusted
    ]
    return any(
        all(any(spot < verb for spot in spots) for spots in before)
        and all(any(spot > verb for spot in spots) for spots in behind)
        for verb in verbs
    )


# --- scope, trend, present ------------------------------------------------------------------------------------------


def _check_scope(claim: Claim) -> None:
    for place in claim.class_places("scope"):
        unit = claim.units[place]
        if place in claim.accounted:
            continue
        if (
            _is_all_of_pool(claim, place)
            or given(claim, place)
            or (unit.text.lower() == "any" and claim.negation(place))
        ):
            claim.account(place, "the record shows that it is all")
        elif unit.text.lower() in _ONLY and _before_number(claim, place):
            claim.account(place, "the number that follows is the record's")  # a wrong number faults itself
        elif not (unit.text in ("每", "every", "each") and _is_rate(claim, place)):
            claim.fault(ReasonCode.SCOPE_UNSUPPORTED, f"the records do not show `{unit.text}`", place)


def _before_number(claim: Claim, place: int) -> bool:
    """`only 1 was available`, 只剩 9.1%: a number, at most one word away."""
    ahead = claim.units[place + 1 : place + 3]
    around = {unit.text.lower() for unit in claim.units[max(place - 2, 0) : place + 7]}
    if not around & _LEFT_OVER:
        return False
    return any(unit.kind is Kind.NUMBER for unit in ahead) and not any(unit.kind is Kind.NAME for unit in ahead)


def _is_rate(claim: Claim, place: int) -> bool:
    following = claim.units[place + 1] if place + 1 < len(claim.units) else None
    return following is not None and following.kind is Kind.NUMBER


def _is_all_of_pool(claim: Claim, place: int) -> bool:
    """`all 50 connections are active`: the told number is the part and the whole of one record."""
    places = claim.statements[claim.statement_of(place)]
    told = [at for at in places if claim.units[at].kind is Kind.NUMBER]
    told.sort(key=lambda at: abs(at - place))
    if not told or abs(told[0] - place) > 3 or claim.units[place].text.lower() not in ("all", "全部", "所有"):
        return False
    if len([at for at in places if "scope" in claim.units[at].classes]) > 1:
        return False
    keys = frozenset().union(*(claim.units[at].keys for at in places))
    for record in claim.chosen(claim.statement_of(place)):
        numbers = usable_numbers(claim, record, place)
        parts = [n for n in numbers if n.key and _called(n) & keys and not n.labels & WHOLE]
        wholes = [n for n in numbers if n.key and n.labels & WHOLE]
        if any(p.quantity.readings[0] == w.quantity.readings[0] for p in parts for w in wholes):
            return True
    return False


def _called(number: Number) -> frozenset[str]:
    return number.labels | {"c:used"} if "c:active" in number.labels else number.labels


def _goes(claim: Claim, place: int) -> bool | None:
    """`4081M->3967M` of one record told as from … to …: whether it rises; None when the claim tells no such pair."""
    places = [at for at in claim.statements[claim.statement_of(place)] if claim.units[at].kind is Kind.NUMBER]
    for first, second in itertools.pairwise(places):
        values = [value.readings[0] for at in (first, second) if isinstance(value := claim.units[at].value, Quantity)]
        for record in claim.chosen(claim.statement_of(place)):
            for old, new in itertools.pairwise(record.numbers):
                same = [old.quantity.readings[0], new.quantity.readings[0]] == values
                if (
                    same
                    and old.inside
                    and new.inside
                    and OLD in old.context.modes
                    and old.quantity.unit == new.quantity.unit
                ):
                    return values[1] > values[0]
    return None


def _check_trend(claim: Claim) -> None:
    for place in claim.class_places("up_trend", "down_trend"):
        unit = claim.units[place]
        if place in claim.accounted or "over" in unit.classes or "under" in unit.classes:
            continue
        if given(claim, place):
            claim.account(place, "the record's word")
            continue
        goes = _goes(claim, place)
        if goes is not None and goes == ("up_trend" in unit.classes) and claim.negation(place) == 0:
            claim.account(place, "the record's two values")
            continue
        points = _points_of(claim, place)
        if len({instant for instant, _ in points}) < 2:
            message = "a trend needs two dated points of one label"
            claim.fault(ReasonCode.TREND_UNSUPPORTED, message, place)
            continue
        rises = "up_trend" in unit.classes
        steps = [later[1] - earlier[1] for earlier, later in itertools.pairwise(points)]
        if all((step > 0) == rises and step != 0 for step in steps) != (claim.negation(place) == 0):
            shown = " → ".join(str(value) for _, value in points)
            claim.fault(ReasonCode.TREND_CONTRADICTED, f"the points go {shown}", place, shown)
        else:
            claim.account(place, f"the points go the same way: {points[0][1]} → {points[-1][1]}")
            _account_from_to(claim, place)


def _points_of(claim: Claim, place: int) -> list[tuple[Decimal, Decimal]]:
    """The points of the one label that the statement names."""
    places = claim.statements[claim.statement_of(place)]
    records = claim.chosen(claim.statement_of(place))
    for at in places:
        unit = claim.units[at]
        if unit.kind is Kind.WORD and ("label" in unit.kinds or "thing" in unit.kinds):
            points = label_points(claim, unit.keys, records)
            if len(points) >= 2:
                claim.account(at, "the label of the points")
                return points
    return []


def _account_from_to(claim: Claim, place: int) -> None:
    """`fell from 199 to 187`: the first and the last point."""
    points = _points_of(claim, place)
    words = {"from": points[0][1], "从": points[0][1], "to": points[-1][1], "到": points[-1][1], "至": points[-1][1]}
    for at in range(1, len(claim.units)):
        unit = claim.units[at]
        before = claim.units[at - 1].text.lower()
        ends = (before[-1:] in "到至" or before.endswith("to")) and points[-1][1]
        wanted = words.get(before) if before in words else (ends or None)
        value = getattr(unit.value, "readings", (None,))[0]
        if unit.kind is Kind.NUMBER and wanted is not None and value is not None:
            if value == wanted:
                claim.account(at, "a point")
            else:
                claim.fault(ReasonCode.QUANTITY_CONTRADICTED, f"the point is {wanted}", at, str(wanted))


def _check_repeat(claim: Claim, place: int) -> None:
    if place in claim.accounted:
        return
    dated = {
        instant for record in claim.chosen(claim.statement_of(place)) if (instant := own_instant(record)) is not None
    }
    if given(claim, place) or (len(dated) >= 2 and _all_tell(claim, place)):
        claim.account(place, "told by the record, or by two dated ones")
    else:
        message = f"`{claim.units[place].text}` needs two dated points"
        claim.fault(ReasonCode.TREND_UNSUPPORTED, message, place)


def _all_tell(claim: Claim, place: int) -> bool:
    """At least two records have every state and event of the statement."""
    places = [at for at in claim.statements[claim.statement_of(place)] if claim.units[at].kinds & {"state", "event"}]
    telling = [
        record
        for record in claim.chosen(claim.statement_of(place))
        if places and all(given(claim, at, [record]) for at in places)
    ]
    return len(telling) >= 2


def _check_present(claim: Claim) -> None:
    """*Now* of a log record, and *is* of a resolved alert: the past is told as the present."""
    alerts = [record for record in claim.records if record.is_alert and record.alert_state in ("firing", "pending")]
    for place in claim.class_places("now"):
        unit = claim.units[place]
        if place in claim.accounted or (alerts and all(record.is_alert for record in claim.records)):
            claim.account(place, "an alert that is there now")
        elif unit.text == "正在" and _was_under_way(claim, place):
            claim.account(place, "under way when the record was written")
        elif not ("label" in unit.kinds and given(claim, place)):
            claim.fault(ReasonCode.STATE_UNSUPPORTED, f"a past record does not say what is so `{unit.text}`", place)
    resolved = [record for record in claim.records if record.alert_state == "resolved"]
    if resolved and len(resolved) == len(claim.records):
        texts = {unit.text.lower() for unit in claim.units}
        past = texts & {"was", "were", "had", "last", "曾", "曾经", "resolved", "已恢复", "已解除", "recovered"}
        if texts & {"is", "has", "are", "为", "at", "是", "达"} and not past:
            claim.fault(ReasonCode.STATE_UNSUPPORTED, "the alert is resolved: its last value is no current value")


def _was_under_way(claim: Claim, place: int) -> bool:
    """正在终止 of a record that says `Terminating`: its event is told in its own form, as going on."""
    following = next((unit for unit in claim.units[place + 1 :] if unit.kinds & {"event", "state"}), None)
    return following is not None and any(
        record.text[spot.start : spot.end].lower().endswith("ing") and spot.inside
        for record in claim.records
        for key in following.keys
        for spot in record.places(key)
    )


# --- assessment and shares ------------------------------------------------------------------------------------------


def _check_assessment(claim: Claim, place: int) -> None:
    if place in claim.accounted:
        return
    reporting = any(
        unit.keys & {f"w:{word}" for word in _REPORTING} or unit.text in ("=", "报告", "显示") for unit in claim.units
    )
    if given(claim, place) and (reporting or claim.units[place].text[:1].isupper() or _as_written(claim, place)):
        claim.account(place, "quoted as what the machine reports")
    else:
        message = f"`{claim.units[place].text}` is a judgement that no record makes"
        claim.fault(ReasonCode.ASSESSMENT_UNSUPPORTED, message, place)


def _as_written(claim: Claim, place: int) -> bool:
    """The word and the one behind it stand so in an excerpt (`bad certificate`)."""
    if place + 1 >= len(claim.units) or claim.units[place + 1].kind is not Kind.WORD:
        return False
    start, end = claim.units[place].start, claim.units[place + 1].end
    words = claim.record.text[start:end].lower()
    return any(
        record.inside(at) and record.trusted(at)
        for record in claim.records
        if (at := record.text.lower().find(words)) >= 0
    )


def _check_half(claim: Claim, place: int) -> None:
    if place in claim.accounted:
        return
    equal: Callable[[Decimal, Decimal], bool] = lambda part, whole: whole > 0 and part * 2 == whole  # noqa: E731
    for record in claim.chosen(claim.statement_of(place)):
        numbers = [number for number in usable_numbers(claim, record, place) if number.key]
        words = frozenset().union(*(claim.units[at].keys for at in claim.statements[claim.statement_of(place)]))
        words |= {"c:active"} if "c:used" in words else set()
        parts = [n.quantity.readings[0] for n in numbers if n.labels & words and not n.labels & WHOLE]
        wholes = [n.quantity.readings[0] for n in numbers if n.labels & WHOLE]
        if any(equal(part, whole) for part in parts for whole in wholes):
            claim.account(place, "half of the whole")
            claim.account_all(
                (at for at in claim.statements[claim.statement_of(place)] if "label" in claim.units[at].kinds),
                "its part",
            )
            return
    claim.fault(ReasonCode.QUANTITY_UNSUPPORTED, "no record gives a half", place)
