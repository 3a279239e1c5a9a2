"""Telling: does a text say that a state or an event is so, of the one that is asked about?

Decides, for an asked concept and the names and things it is asked of: whether a text affirms it, denies it, or leaves
it open. Open is what is nearly so, planned, postponed, supposed, possible, prevented, a setting (`timeout=30s`), told
of another name of the sentence, told of an earlier time, or of all but the asked one. Refuses: to read an open word as
yes or as no, and to judge whether the text is true. The words are data (`data/telling.tsv`). Protocol: section 7
("Answered?").

A word of state counts for the asked one when, in this order:

1. the asked names and things stand in its clause, or in a head, a field or a clause that lends its subject to it;
2. no other name in its clause is nearer to it in the part of its subject;
3. nothing takes the asked one out (*except*, *but not*, 除…外);
4. as a field it has a value that says yes or no; else nothing in its clause keeps it open, and negations turn it.
"""

import re
from collections.abc import Iterable, Sequence
from enum import StrEnum
from functools import lru_cache
from importlib import resources
from typing import NamedTuple

from superbizagent.rules.bearing import spans_of
from superbizagent.rules.belonging import Place, Span, Subject, Word, belongs, place_of
from superbizagent.rules.clauses import Boundary, clause_at, clauses_of
from superbizagent.rules.lexicon import concepts_in

_LONGEST = 4000
_MOST_PLACES = 40
_GAP_CJK = 2
_NEAR_GAP = r"(?: (?:a|an|the|to|for|of|full|graceful|rolling))?"
_NEGATION = re.compile(
    r"(?<![\w'-])(?:not|no|never|without|isn't|wasn't|weren't|aren't|didn't|doesn't|don't|hasn't|haven't|hadn't|neither"
    r"|nor|none of|zero|free of)(?![\w'-])|没有|并未|尚未|从未|未曾|没|未|不|无|非|零"
)
_NO_LONGER = re.compile(r"\b(?:no longer|not any ?more|any longer)\b|不再|已经不|已不")
_FAILED_TO = re.compile(
    r"(?:\bfail(?:ed|s|ing)? to|\bunable to|\bcannot|\bcan't|\bcould not|\bcouldn't|无法|未能|不能|没能|失败[:：]?)"
    r" ?(?:be )?$"
)
_NEGATED_BEHIND = re.compile(
    r"^ ?(?:of \S{1,60} |for \S{1,60} )?(?:(?:is|was|were|has|have|had|did|does|do|been|are) ){0,2}"
    r"(?:not|never|isn't|wasn't|weren't|didn't|doesn't|hasn't|haven't)\b"
    r"|^(?:并|仍|尚|还|从)?(?:未|没有|没|不|无)(?!响应|可用)"
)
_ZERO = re.compile(r"(?<![\w.,/:=-])(?:0|zero)(?: of \d{1,9})?(?: [a-z]{2,20})? ?$|(?<![\w.])0 ?(?:个|次|条|台) ?$")
_ZERO_BEHIND = re.compile(r"^ ?(?:count|total|了|数|次数|数量|总数)? ?[:：=]? ?0(?![\dx])(?![.,]\d)(?! ?[a-z]{1,2}\b)")
_LIGHT_ZH = re.compile(
    r"(?:发生|出现|发现|检测到|检测|触发|产生|看到|见到|再|被|能|见|有|过|曾|任何|任何的|真正|完全|的|次|到|因|其|该)*"
)
_KEY_LEFT = re.compile(r"[\w.\-]*$")
_FIELD = re.compile(
    r"(?P<rest>[\w.\-]{0,40})[\"']?\s?(?P<mark>[=:：])\s?[\"']?(?P<value>[^\s,;，；。)\]}\"']{0,40})(?P<end>.?)"
)
_KEY_OF_VALUE = re.compile(r"(?P<key>[\w.\-\u3400-\u9fff]{1,40})[\"']?\s?[=:：]\s?[\"']?$")
_WORDS = re.compile(r"[a-z]+|[\u3400-\u9fff]+")
_NUMBER = re.compile(r"[+-]?\d[\d,]*(?:\.\d+)?")
_SETTING = re.compile(
    r"^s? ?(?:is |was |of |to |set |= ?|: ?|为|是|[:：=])*\(? ?"
    r"\d[\d.,]* ?(?:ms|s|sec|seconds?|m|min|minutes?|h|hours?|秒|毫秒|分钟)?\b"
    r"(?! ?(?:exceeded|expired|reached|elapsed|passed|已到))"
)
_SET_BEFORE = re.compile(r"\b(?:with|set|using) (?:a |the )?[\w ]{0,20}$")
_OR = re.compile(r"(?<![\w-])(?:or|either|and/or)(?![\w-])|或者|或|还是")
_ONE_OR_MORE = re.compile(r"one or more|more or less|or more|or so|或多个|以上或")
_SAYS_ITSELF = frozenset({"error", "exception", "fatal", "critical", "fail"})
# `NodeNotReady` and `not_ready` say no; `NotificationFailed` does not.
_NOT_IN_NAME = re.compile(
    r"not(?!if|e|ic)|never|without|non(?=[-_])|un(?=ready|health|reach|avail|sched)|in(?=valid|active)"
)
_NEARLY_IN_NAME = re.compile(r"almost|nearly|near|soon|risk|may|will|predict|expect|possible|potential|threshold|warn")
# What changes from one state to another is in the second one.
_CHANGES_FROM = re.compile(r"(?:由|从|(?<![a-z])from) ?[\"'“`]?(?:the )?$")
_CHANGES_TO = re.compile(r"^[\"'”`]? ?(?:状态)?(?:变为|变成|转为|转成|切换|改为|到|to\b|->|=>|→)")
_ANOTHER_DOWN = re.compile(
    r"(?<![a-z])(?:shut|shutting|shuts|cut|scal\w{1,3}|slow\w{0,3}|step\w{0,4}|wind\w{0,3}|spin\w{0,4}) $"
)
_ANOTHER_FAIL = re.compile(r"[ -]?(?:over|safe|fast|back)\b")
_OVER = re.compile(r"\b(?:resolved|pending|suppressed|inactive)\b|已恢复|待触发|已抑制")
_EXCEPT_ZH = re.compile(r"除(?:了|去|开)?(?P<who>[^，。；;]{1,80}?)(?:以外|之外|外|,|，|$)")


class Reading(StrEnum):
    """What a text says of an asked state: that it is so, that it is not, or neither."""

    AFFIRMED = "affirmed"
    DENIED = "denied"
    OPEN = "open"


class Told(NamedTuple):
    """One word of state as it is told: its reading, whether of an earlier time, and whether of all."""

    reading: Reading
    earlier: bool
    of_all: bool


@lru_cache(maxsize=1)
def _groups() -> dict[str, tuple[str, ...]]:
    text = resources.files("superbizagent.rules").joinpath("data", "telling.tsv").read_text(encoding="utf-8")
    groups: dict[str, list[str]] = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, _, words = line.partition("\t")
            groups.setdefault(name, []).extend(words.split(" | "))
    return {name: tuple(words) for name, words in groups.items()}


@lru_cache(maxsize=32)
def _marks(group: str) -> re.Pattern[str]:
    """The words of a group as one alternation: English as whole words, Chinese anywhere."""
    words = sorted(_groups()[group], key=len, reverse=True)
    english = "|".join(re.escape(word) for word in words if word.isascii())
    chinese = "|".join(re.escape(word) for word in words if not word.isascii())
    parts = [rf"(?<![\w'-])(?:{english})(?![\w'-])" if english else "", chinese]
    return re.compile("|".join(part for part in parts if part))


@lru_cache(maxsize=4)
def _near() -> re.Pattern[str]:
    words = sorted(_groups()["near"], key=len, reverse=True)
    english = "|".join(re.escape(word) for word in words if word.isascii())
    chinese = "|".join(re.escape(word) for word in words if not word.isascii())
    return re.compile(rf"(?<![\w'-])(?:{english}){_NEAR_GAP} ?$|(?:{chinese})[\w ]{{0,{_GAP_CJK}}}$")


@lru_cache(maxsize=4)
def _behind() -> re.Pattern[str]:
    words = sorted(_groups()["behind"], key=len, reverse=True)
    english = "|".join(re.escape(word) for word in words if word.isascii())
    chinese = "|".join(re.escape(word) for word in words if not word.isascii())
    return re.compile(
        rf"^[ -](?:(?:of|for|on) (?:\S{{1,60}} ){{1,4}})?(?:(?:is|was|were|has|have|had|been|be|are|to|being) ){{0,3}}"
        rf"(?:{english})(?![\w-])|^(?:了|的|操作|任务)? ?(?:\w{{1,40}} ?)?(?:{chinese})"
    )


def mentions(group: str, lowered: str) -> bool:
    """Whether a lower-cased text has a word of a group of the table (`earlier`, `this_time`, `all`, `except`)."""
    return bool(_marks(group).search(lowered))


def told(
    concept: str,
    opposites: Sequence[str],
    text: str,
    subjects: Sequence[Subject] = (),
    excepted: Sequence[Subject] | None = None,
) -> list[Told]:
    """How a text tells a state, each word of it once; empty where no word of the state stands in the text.

    `opposites` say that it is not so. What is told of others than `subjects` is open, and what takes one of `excepted`
    (`subjects`, unless given) out.
    """
    text = text[:_LONGEST]
    lowered = _lower(text)
    spans, outs = _spans(concept, text), subjects if excepted is None else excepted
    if concept == "fail" and any(_ANOTHER_FAIL.match(lowered, span.end) for span in spans):
        return [Told(Reading.OPEN, earlier=False, of_all=False)]
    spans = [span for span in spans if not _is_reason(span, spans, lowered)]
    against = [
        _read(span, lowered, subjects, outs, opposite) for opposite in opposites for span in _spans(opposite, text)
    ]
    # That an opposite is denied (`not available`) says nothing of the state itself.
    turned = [_turned(one) for one in against if one.reading is not Reading.DENIED]
    return [_read(span, lowered, subjects, outs, concept) for span in spans] + turned


def _is_reason(span: Span, spans: Sequence[Span], lowered: str) -> bool:
    """Whether a word of state stands behind the colon of the same state: `X failed: Y` says of X that it failed."""
    clauses = clauses_of(lowered)
    index = clause_at(clauses, span.start)
    if not index or clauses[index - 1].ends_with is not Boundary.HEAD:
        return False
    before = clauses[index - 1]
    return any(before.start <= other.start < before.end for other in spans)


def combined(all_told: Iterable[Told], *, earlier: bool = False, this_time: bool = False) -> Reading | None:
    """What the words together say; None for none. What only says *earlier* counts when that is asked."""
    found = list(all_told)
    if not found:
        return None
    if earlier:
        found = [one for one in found if one.earlier] or found
    elif this_time:
        found = [one for one in found if not one.earlier] or [Told(Reading.OPEN, False, False)]
    elif len({one.earlier for one in found}) > 1 or found[0].earlier:
        now = {one.reading for one in found if not one.earlier}
        before = {one.reading for one in found if one.earlier}
        if now != before:
            return Reading.OPEN
    readings = {one.reading for one in found}
    if {Reading.AFFIRMED, Reading.DENIED} <= readings:
        return Reading.OPEN
    for reading in (Reading.AFFIRMED, Reading.DENIED):
        if reading in readings:
            return reading
    return Reading.OPEN


def _lower(text: str) -> str:
    return "".join(low if len(low := character.lower()) == 1 else character for character in text)


def _spans(concept: str, text: str) -> list[Span]:
    return [Span(start, end) for start, end in spans_of(concept, text)[:_MOST_PLACES]]


def _turned(one: Told) -> Told:
    turned = {Reading.AFFIRMED: Reading.DENIED, Reading.OPEN: Reading.OPEN}
    return one._replace(reading=turned[one.reading])


def _read(span: Span, lowered: str, subjects: Sequence[Subject], excepted: Sequence[Subject], concept: str) -> Told:
    """One word of state."""
    place = place_of(span, lowered)
    before, behind = lowered[place.start : span.start], lowered[span.end : place.end]
    helped = any(_helps(one, subjects, place, lowered) for one in subjects if not one.name)
    word = Word(concept, span, place, lowered, helped)
    named = any(place.start <= one.start < place.end for subject in subjects if subject.name for one in subject.spans)
    earlier = not named and bool(_marks("earlier").search(before))
    of_all = bool(_marks("all").search(lowered[place.start : place.end])) and not _is_except(lowered)
    if not all(belongs(subject, word) for subject in subjects) or _takes_out(excepted, place, lowered):
        return Told(Reading.OPEN, earlier, of_all)
    field = _as_field(span, lowered, concept)
    if field is not None:
        return Told(field, earlier, of_all)
    return Told(_in_words(span, place, before, behind, lowered, concept), earlier, of_all)


def _helps(thing: Subject, subjects: Sequence[Subject], place: Place, lowered: str) -> bool:
    """Whether a thing stands in the clause beside the names: `connection to n3`, and not only `node n3`."""
    names = [span for one in subjects if one.name for span in one.spans]
    inside = [span for span in thing.spans if place.start <= span.start < place.end]
    if thing.is_act and inside:
        return True
    return any(not any(lowered[span.end : name.start] in ("", " ") for name in names) for span in inside)


def _is_except(lowered: str) -> bool:
    return bool(_marks("except").search(lowered) or _EXCEPT_ZH.search(lowered))


def _takes_out(subjects: Sequence[Subject], place: Place, lowered: str) -> bool:
    """Whether an exception stands before an asked one in the sentence, or around it."""
    for found in _EXCEPT_ZH.finditer(lowered):
        if not subjects or any(found.start() <= s.start < found.end() for one in subjects for s in one.spans):
            return bool(subjects)
    found_en = _marks("except").search(lowered, place.sentence_start, place.sentence_end)
    if found_en is None:
        return False
    return any(span.start >= found_en.end() for one in subjects for span in one.spans)


def _as_field(span: Span, lowered: str, concept: str) -> Reading | None:
    """The reading of a word of state that is (part of) a key, by its value, or the value of a key; None for prose."""
    left = _KEY_LEFT.search(lowered[max(0, span.start - 40) : span.start])
    key_start = span.start - (len(left[0]) if left else 0)
    field = _FIELD.match(lowered, span.end)
    if field is not None:
        extra = _WORDS.findall(lowered[key_start : span.start]) + _WORDS.findall(field["rest"])
        reading = _by_value(field, extra, lowered, concept)
        if reading is not None:
            return reading
    key = _KEY_OF_VALUE.search(lowered[max(0, span.start - 60) : span.start])
    if key is not None and set(_WORDS.findall(key["key"])) & set(_groups()["other_time"]):
        return Reading.OPEN
    return None


def _by_value(field: re.Match[str], extra: Sequence[str], lowered: str, concept: str) -> Reading | None:
    value, is_equal = field["value"].rstrip("."), field["mark"] == "="
    number = _NUMBER.fullmatch(value)
    plain = value in _groups()["no"] or value in _groups()["yes"] or number is not None
    if not is_equal and not plain:
        return Reading.OPEN if _SETTING.match(lowered, field.start("mark")) and value[:1].isdigit() else None
    if not value and not is_equal:
        return None
    if any(word not in _groups()["key"] for word in extra):
        return None if not is_equal and not plain else Reading.OPEN
    if value in _groups()["no"] or (number is not None and not value.strip("+-0.,")):
        return Reading.DENIED
    if value in _groups()["yes"]:
        return Reading.AFFIRMED
    if number is not None:
        counted = concept != "time_out" or "s" in extra or "count" in extra or "total" in extra
        counted = counted or field.string[field.start() - 1 : field.start()] == "s"
        return Reading.AFFIRMED if counted else Reading.OPEN
    return None if concept in _SAYS_ITSELF else Reading.OPEN


def _in_words(span: Span, place: Place, before: str, behind: str, lowered: str, concept: str) -> Reading:
    clean = _without_no_marks(before)
    if place.in_name and _OVER.search(lowered):
        return Reading.OPEN
    if place.in_name and _NEARLY_IN_NAME.search(lowered[span.start : span.end]):
        return Reading.OPEN
    if _CHANGES_TO.match(lowered[span.end : span.end + 12]) and (
        _CHANGES_FROM.search(before) or lowered[span.end : span.end + 4].strip()[:2] in {"->", "=>", "→"}
    ):
        return Reading.OPEN
    if concept == "down" and _ANOTHER_DOWN.search(before):
        return Reading.OPEN
    if place.in_name and _NOT_IN_NAME.search(lowered[span.start : span.end]):
        return Reading.DENIED if not _NEGATION.search(before) else Reading.OPEN
    if _FAILED_TO.search(before) and concept not in ("fail", "time_out"):
        return Reading.DENIED
    if _marks("before").search(clean) or _near().search(clean) or _behind().match(behind):
        return Reading.OPEN
    is_noun = concept == "time_out" and lowered[span.start : span.end] in ("timeout", "timeouts", "超时")
    if is_noun and (_SETTING.match(behind) or _SET_BEFORE.search(before)):
        return Reading.OPEN
    if _is_alternative(before, behind):
        return Reading.OPEN
    return _negated(before, behind)


def _without_no_marks(before: str) -> str:
    return _marks("no_mark").sub(lambda found: "\u00b7" * len(found[0]), before)


def _is_alternative(before: str, behind: str) -> bool:
    near = _ONE_OR_MORE.sub(" ", " ".join(before.split()[-6:])), _ONE_OR_MORE.sub(" ", " ".join(behind.split()[:4]))
    return any(_OR.search(part) for part in near)


def _negated(before: str, behind: str) -> Reading:
    """By the negations of the clause: one that reaches the word turns it, one further off leaves it open."""
    if _NEGATED_BEHIND.match(behind):
        return Reading.OPEN
    if _NO_LONGER.search(before):
        return Reading.OPEN
    if _ZERO_BEHIND.match(behind):
        return Reading.DENIED
    if _ZERO.search(before):
        return Reading.DENIED
    own = [(found.start, found.end) for found in concepts_in(before) if found.concept.kind in {"state", "event"}]
    hits = [h for h in _NEGATION.finditer(before) if not any(a <= h.start() < b for a, b in own)]
    if not hits:
        return Reading.AFFIRMED
    if len(hits) > 1:
        return Reading.OPEN
    between = before[hits[0].end() :]
    if hits[0][0].isascii():
        return Reading.DENIED if len(between.split()) <= 3 else Reading.OPEN
    return Reading.DENIED if _LIGHT_ZH.fullmatch(between.strip()) else Reading.OPEN
