"""Properties: an excerpt that says something else than its record never matches.

The lies are told here, without the code under test: a digit, a unit, an identifier, a state, a negation or a comparator
is changed, a cause is added, a value gets another key, a cut turns the meaning round.
"""

import re
from collections.abc import Callable

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from superbizagent.rules.excerpt import compare
from tests.rules.records import RECORDS
from tests.rules.test_excerpt_formatting import CHANGES, EXAMPLES, Change, Draw, cuts


class Lie:
    """A change of one match of a pattern; `new` gives what it becomes, or None where it would say the same."""

    def __init__(self, pattern: str, new: Callable[[Draw, re.Match[str]], str | None]) -> None:
        self.needed = pattern
        self._new = new

    def __call__(self, draw: Draw, excerpt: str) -> str:
        found = list(re.finditer(self.needed, excerpt))
        assume(found)
        match = draw(st.sampled_from(found))
        changed = self._new(draw, match)
        assume(changed is not None and changed != match[0])
        return excerpt[: match.start()] + str(changed) + excerpt[match.end() :]


def _other_digit(draw: Draw, found: re.Match[str]) -> str:
    return str((int(found[0]) + draw(st.integers(1, 9))) % 10)


def _one_of(*pairs: tuple[str, str]) -> dict[str, str]:
    return dict(pairs) | {right: left for left, right in pairs}


UNITS = {
    "ms": "s",
    "s": "ms",
    "m": "h",
    "h": "m",
    "d": "h",
    "Mi": "Gi",
    "MB": "GB",
    "Mb": "MB",
    "kB": "MB",
    "%": "",
    "毫秒": "秒",
    "分钟": "小时",
}
STATES = _one_of(
    ("firing", "resolved"), ("ERROR", "INFO"), ("WARN", "ERROR"), ("failed", "succeeded"), ("available", "exhausted"),
    ("Warning", "Normal"), ("false", "true"), ("active", "idle"), ("killed", "started"), ("complete", "failed"),
    ("closed", "opened"), ("critical", "warning"), ("触发中", "已恢复"), ("耗尽", "恢复"), ("活跃", "空闲"), ("error", "info"),
    ("timed out", "completed"), ("ready", "down"), ("resolved", "pending"), ("CrashLoopBackOff", "Running"), ("detected", "resolved"),
)  # fmt: skip
CAUSES = (
    " due to a memory leak", " because the database was overloaded", ", caused by connection pool exhaustion",
    ", which led to the outage", "，由于内存泄漏", "，导致服务不可用", " (root cause: slow disk)", "因为磁盘已满",
)  # fmt: skip
NEGATED = (
    r"(?:is|are|was|were|has|have|does|do|will) not (?=[a-z])|\b(?:no|never|without) (?=[a-z])|n't|未(?!来)|没有|不要"
)
WORDS = r"(?<![\w.\-:/@+\\'_])[a-z]{4,}(?![\w.\-:/@+\\'_=])"

LIES: dict[str, Change] = {
    "another digit": Lie("[0-9]", _other_digit),
    "a digit dropped": Lie("[0-9]{2,}", lambda draw, found: found[0][:-1]),
    "a digit added": Lie("[0-9]+(?![0-9.]*[⁹½])", lambda draw, found: found[0] + draw(st.sampled_from("0123456789"))),
    "a decimal point moved": Lie(r"([0-9]+)\.([0-9])(?![0-9.]*\.)", lambda draw, found: f"{found[1]}{found[2]}."),
    "a decimal point dropped": Lie(r"([0-9])\.([0-9])", lambda draw, found: found[1] + found[2]),
    "a decimal point added": Lie(r"(?<![0-9.])([0-9])([0-9])", lambda draw, found: f"{found[1]}.{found[2]}"),
    "two numbers glued": Lie(r"([0-9]) +([0-9])", lambda draw, found: found[1] + found[2]),
    "a sign added": Lie(r"(?<![\w.\-:/@+\\])[0-9]", lambda draw, found: f"-{found[0]}"),
    "a sign dropped": Lie(r"(?<![\w.\-:/@\\)])[-+](?=[0-9])", lambda draw, found: ""),
    "another unit": Lie(r"(?<=[0-9])(?:ms|s|m|h|d|Mi|MB|Mb|kB|%)(?!\w)|(?<=[0-9] )(?:ms|s|MB|kB|毫秒|分钟)(?!\w)", lambda draw, found: UNITS[found[0]]),
    "a superscript flattened": Lie("[⁹½]", lambda draw, found: {"⁹": "9", "½": "1/2"}[found[0]]),
    "another character in an identifier": Lie(
        r"(?<=[a-z0-9]-)[a-z0-9](?=[a-z0-9])|(?<=[a-z])[A-Z](?=[a-z])|(?<=_)[a-z]|(?<=[a-z]\.)[a-z](?=[a-z])|(?<=/)[a-z](?=[a-z])",
        lambda draw, found: draw(st.sampled_from([letter for letter in "bdfgjkqvwxz" if letter != found[0].lower()])),
    ),
    "an identifier cut": Lie(r"(?<=[a-zA-Z0-9])[\-./_][a-zA-Z0-9]+(?![\w.\-:/@+\\%])(?!\()", lambda draw, found: ""),
    "a homoglyph": Lie("[aceopx]", lambda draw, found: dict(zip("aceopx", "асеорх", strict=True))[found[0]]),
    "a bidirectional mark": Lie("(?= )|^", lambda draw, found: draw(st.sampled_from("\u202e\u200f\u2067"))),
    "another state": Lie("|".join(rf"(?<![\w\-]){state}(?![\w\-])" for state in STATES), lambda draw, found: STATES[found[0]]),
    "a negation dropped": Lie(NEGATED, lambda draw, found: re.sub(r"not |no |never |without |n't|未|没有|不要", "", found[0])),
    "a negation added": Lie(WORDS, lambda draw, found: f"not {found[0]}"),
    "a Chinese negation added": Lie("耗尽|触发中|超过|等待的?请求|数据库|活跃", lambda draw, found: draw(st.sampled_from(("未", "不", "没有"))) + found[0]),
    "a comparator turned round": Lie(">=|<=|[<>](?= ?['0-9m])|≥", lambda draw, found: {">": "<", "<": ">", ">=": "<=", "<=": ">=", "≥": "≤"}[found[0]]),
    "a comparator dropped": Lie(r"(?:>=|<=|[<>]|≥) ?(?=['0-9m])", lambda draw, found: ""),
    "a comparator added": Lie(r"(?<![\w.\-:/@+\\<>=])(?<![<>=] )[0-9]", lambda draw, found: draw(st.sampled_from(("> ", ">", "<=", "!="))) + found[0]),
    "a cause added": lambda draw, excerpt: excerpt + draw(st.sampled_from(CAUSES)),
    "a field added": lambda draw, excerpt: excerpt + draw(st.sampled_from((", leaked=7", " retries=3", ", state=degraded", '; "code": 504'))),
    "a word swallowed": Lie(r"(?<=[a-z]) [a-z]+ (?=[a-z])", lambda draw, found: " "),
    "another service": Lie(r"(?:payments|orders|billing|fraud|shop\.example\.com)", lambda draw, found: draw(st.sampled_from(("catalogue", "user-service", "gateway")))),
    "brackets dropped": Lie(r"[()<>\[\]](?=\w)|(?<=\w)[()<>\[\]]", lambda draw, found: " "),
}  # fmt: skip


@pytest.mark.parametrize("kind", LIES)
@EXAMPLES
@given(data=st.data())
def test_a_changed_excerpt_never_matches(kind: str, data: st.DataObject) -> None:
    excerpt, text = data.draw(cuts(getattr(LIES[kind], "needed", "")))
    lie = LIES[kind](data.draw, excerpt)
    assume(lie.strip().lower() not in text.lower())
    assume(not (lie.startswith(">") and text.startswith(excerpt)))  # a block quote of the beginning
    comparison = compare(lie, text)
    assert comparison.failed is not None, (lie, text, comparison.match)


@pytest.mark.parametrize(
    "kind", ("another digit", "another state", "a negation added", "a comparator turned round", "a cause added")
)
@EXAMPLES
@given(data=st.data())
def test_a_changed_excerpt_in_other_formatting_never_matches(kind: str, data: st.DataObject) -> None:
    excerpt, text = data.draw(cuts(getattr(LIES[kind], "needed", "")))
    lie = LIES[kind](data.draw, excerpt)
    assume(lie.strip().lower() not in text.lower())
    dress = data.draw(
        st.sampled_from(("line wraps", "list marks", "quotes around the whole", "zero-width characters", "letter case"))
    )
    dressed = CHANGES[dress](data.draw, lie)
    comparison = compare(dressed, text)
    assert comparison.failed is not None, (dressed, text, comparison.match)


FIELDS = re.compile(r"([\w.]+)=([^\s,;()\"]+)")


@EXAMPLES
@given(data=st.data())
def test_values_that_change_their_keys_never_match(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([record for record in RECORDS.values() if len(FIELDS.findall(record)) > 2]))
    fields = FIELDS.findall(text)
    first, second = data.draw(st.permutations(fields))[:2]
    assume(first[1] != second[1])
    separator = data.draw(st.sampled_from((", ", " ", "; ", " … ", "\n", " | ")))
    sign = data.draw(st.sampled_from(("=", ": ")))
    lie = f"{first[0]}{sign}{second[1]}{separator}{second[0]}{sign}{first[1]}"
    assert compare(lie, text).failed is not None, lie


@EXAMPLES
@given(data=st.data())
def test_an_ellipsis_that_joins_a_key_to_another_value_never_matches(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([record for record in RECORDS.values() if len(FIELDS.findall(record)) > 2]))
    found = list(FIELDS.finditer(text))
    left, right = sorted(data.draw(st.permutations(range(len(found))))[:2])
    assume(found[left][2] != found[right][2])
    mark = data.draw(st.sampled_from(("…", "...", "[…]", " … ")))
    start = found[max(0, left - 2)].start()
    lie = (
        text[start : found[left].start(2)]
        + mark
        + text[found[right].start(2) : found[right].end() + 12].rsplit(" ", 1)[0]
    )
    assert compare(lie, text).failed is not None, lie
    without_sign = text[start : found[left].end(1)] + mark + text[found[right].start(2) : found[right].end()]
    assert compare(without_sign, text).failed is not None, without_sign


@EXAMPLES
@given(data=st.data())
def test_an_ellipsis_that_swallows_a_negation_never_matches(data: st.DataObject) -> None:
    pattern = re.compile(r"\b(?:not|no|never|without|cannot|weren't|isn't) |未|没有|不要")
    text = data.draw(st.sampled_from([record for record in RECORDS.values() if pattern.search(record)]))
    found = data.draw(st.sampled_from(list(pattern.finditer(text))))
    words = [word.start() for word in re.finditer(r"\S+", text)]
    start = data.draw(st.sampled_from([place for place in words if place <= found.start()][-6:]))
    end = data.draw(st.sampled_from([word.end() for word in re.finditer(r"\S+", text) if word.end() > found.end()][:6]))
    mark = data.draw(st.sampled_from(("…", " ... ", " […] ")))
    lie = text[start : found.start()] + mark + text[found.end() : end]
    assume(lie.strip(" ….[]") not in text)
    assert compare(lie, text).failed is not None, lie


@EXAMPLES
@given(data=st.data())
def test_a_cut_behind_a_negation_or_comparator_never_matches(data: st.DataObject) -> None:
    pattern = re.compile(
        r"\b(?:not|no|never|without|cannot|Failed to)[ `*]+|n't |未|没有|不要|(?:>=|<=|≥|>(?! Ex| 排)|<(?=[0-9])) ?"
    )
    texts = [*RECORDS.values(), "error rate < 90% of the limit for pool-7", 'health: "not ready", retries !=3 of 5']
    text = data.draw(st.sampled_from([record for record in texts if pattern.search(re.sub(r"<\w+>|->", "", record))]))
    found = data.draw(st.sampled_from(list(pattern.finditer(text))))
    assume(not re.search(r"<\w*>?$", text[: found.end()]) and not text[: found.end()].rstrip().endswith("->"))
    lie = text[found.end() : found.end() + data.draw(st.integers(12, 60))].strip()
    assume(text.count(lie) == 1)
    assert compare(lie, text).failed is not None, lie


@EXAMPLES
@given(data=st.data())
def test_a_number_address_or_time_cut_with_a_mark_never_matches(data: st.DataObject) -> None:
    pattern = re.compile(r"(?<![\w.\-:/@])[0-9]+(?:[.:\-/,T][0-9]+)*(?![\w⁹½])")
    text = data.draw(st.sampled_from(list(RECORDS.values())))
    numbers = [number for number in pattern.finditer(text) if len(number[0]) > 1]
    assume(numbers)
    found = data.draw(st.sampled_from(numbers))
    stop = data.draw(st.integers(found.start() + 1, found.end() - 1))
    assume("," not in text[stop - 1 : stop + 1])
    lie = text[max(0, found.start() - 30) : stop].lstrip() + data.draw(st.sampled_from(("…", "...")))
    assert compare(lie, text).failed is not None, lie
