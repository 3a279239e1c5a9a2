"""Context: which statement a unit stands in, under which negation, and whether it is told as a fact at all.

Decides: sentences (`.` `;` line breaks), statements (also `,` and conjunctions), segments (also `:` `(` ` - `), the
negations in force at each unit, and its modes: guess, condition, exercise, alternative, advice, future, unreal.
The same reading serves claims and records, so that a claim is compared in the same terms. Refuses: to know what a
word means. Protocol: sections 7.3 and 7.9.
"""

from typing import NamedTuple

from superbizagent.rules.derivability.reading import Kind, Unit
from superbizagent.rules.quantities import Family, Quantity

HEDGE, COND, EXERCISE, ALT = "guess", "condition", "exercise", "or"
ADVICE, FUTURE, UNREAL, OLD, ZERO = "advice", "future", "unreal", "old", "none of it"
COMPARED, TRIED = "compared with", "tried"

_PLAIN: frozenset[str] = frozenset()
_SOFT = frozenset(":()[]|\"'{}>")
_PLANNED = frozenset("scheduled pending queued planned requested required postponed deferred".split())
_PLANNED_ZH = frozenset({"待", "可", "需", "支持", "计划", "请求", "准备", "等待"})
_TURNED_INTO = ("切换", "变更", "变为", "变成", "改为", "转为")
_TEMPORAL_CONDITIONS = frozenset({"when", "whenever", "once", "until"})


class Context(NamedTuple):
    """Where a unit stands. `negated`: 0 plain, 1 negated, 2 could not, 3 two negations."""

    sentence: int
    statement: int
    segment: int
    negated: int
    modes: frozenset[str]


class _State:
    def __init__(self) -> None:
        self.sentence = self.statement = self.segment = 0
        self.negated = 0
        self.sentence_modes: set[str] = set()
        self.statement_modes: set[str] = set()
        self.segment_modes: set[str] = set()

    def end_segment(self) -> None:
        self.segment += 1
        self.negated = 0
        self.segment_modes.clear()

    def end_statement(self) -> None:
        self.end_segment()
        self.statement += 1
        self.statement_modes.clear()

    def end_sentence(self) -> None:
        self.end_statement()
        self.sentence += 1
        self.sentence_modes.clear()

    def negate(self, how: int) -> None:
        self.negated = how if self.negated == 0 else 3

    def context(self) -> Context:
        modes = self.sentence_modes | self.statement_modes | self.segment_modes
        return Context(self.sentence, self.statement, self.segment, self.negated, frozenset(modes) if modes else _PLAIN)


def annotate(text: str, units: list[Unit]) -> list[Context]:
    """The context of each unit, in the same order."""
    state = _State()
    out: list[Context] = []
    backward: list[tuple[str, str, int]] = []
    for index, unit in enumerate(units):
        before = units[index - 1] if index else None
        if before is not None and "\n" in text[before.end : unit.start]:
            state.end_sentence()
        if unit.kind is Kind.MARK:
            _mark(state, text, units, index)
            out.append(state.context())
            continue
        if before is not None and before.kind is Kind.MARK and before.text == "-" and before.start + 1 < unit.start:
            state.end_segment()
        out.append(_word(state, unit, units, index, backward))
    _mark_old(text, units, out)
    _mark_announced(units, out)
    _mark_zero(text, units, out)
    _mark_planned(units, out)
    return _reach_back(out, backward)


def _mark_announced(units: list[Unit], contexts: list[Context]) -> None:
    """`expires in 12 days`, `retrying in 5s`: what is still to come."""
    for index, unit in enumerate(units[:-2]):
        amount = units[index + 2].value
        if (
            unit.kinds & {"event", "state"}
            and unit.text.lower().endswith(("s", "ing"))
            and units[index + 1].text.lower() == "in"
            and isinstance(amount, Quantity)
            and amount.family is Family.TIME
        ):
            contexts[index] = contexts[index]._replace(modes=contexts[index].modes | {FUTURE})


def _mark_planned(units: list[Unit], contexts: list[Context]) -> None:
    """`migration scheduled`, `restart is pending`, 待恢复: what is planned or only begun is not done."""
    for index, unit in enumerate(units):
        if unit.kind is not Kind.WORD or not unit.kinds & {"event", "thing"}:
            continue
        ahead = [other.text.lower() for other in units[index + 1 : index + 4]]
        while ahead and ahead[0] in ("is", "was", "are", "were", "been", "has", "now", "still"):
            ahead.pop(0)
        before = units[index - 1].text if index else ""
        if (ahead and ahead[0] in _PLANNED) or ("event" in unit.kinds and before in _PLANNED_ZH):
            contexts[index] = contexts[index]._replace(modes=contexts[index].modes | {UNREAL})


def _mark_zero(text: str, units: list[Unit], contexts: list[Context]) -> None:
    """`0 of 12 snapshots deleted`, `0/6 nodes are available`: what is told of none."""
    none = set()
    for index, unit in enumerate(units):
        if not isinstance(unit.value, Quantity) or unit.value.unit is not None or unit.value.readings[0] != 0:
            continue
        before = text[unit.start - 1 : unit.start]
        rest = text[unit.end : unit.end + 1]
        following = units[index + 1] if index + 1 < len(units) else None
        counts = following is not None and (following.kind is Kind.WORD or (rest == "/" and _is_share(units, index)))
        if before not in ("=", ":", '"', "-", ".", "#") and counts and not unit.text.startswith("-"):
            none.add((contexts[index].statement, contexts[index].segment))
    if none:
        for index, context in enumerate(contexts):
            if (context.statement, context.segment) in none:
                contexts[index] = context._replace(modes=context.modes | {ZERO})


def _is_share(units: list[Unit], index: int) -> bool:
    """`0/6 nodes`: the second number and then what is counted."""
    behind = units[index + 2 : index + 4]
    return len(behind) > 1 and behind[0].kind is Kind.NUMBER and behind[1].kind is Kind.WORD


def _mark_old(text: str, units: list[Unit], contexts: list[Context]) -> None:
    """`from OPEN to CLOSED`, `从 A 变为 B`: the first state is no more."""
    for index, unit in enumerate(units[:-2]):
        behind = units[index + 1]
        turns = text[unit.end : unit.end + 4].strip().startswith(("->", "→"))
        turns &= unit.text[:1].isupper() or "state" in unit.kinds
        if unit.kind is Kind.WORD and (turns or _names_old(units, index, text)):
            contexts[index] = contexts[index]._replace(modes=contexts[index].modes | {OLD})
        if (
            unit.kind is Kind.NUMBER
            and text[unit.end : behind.end].strip() in ("-", "→")
            and _is_arrow(text, units, index)
        ):
            contexts[index] = contexts[index]._replace(modes=contexts[index].modes | {OLD})
        if unit.text.lower() not in ("from", "从", "由"):
            continue
        bracket = behind.text in ("[", '"', "'", "(") and index + 2 < len(units)
        at = index + 2 if bracket else index + 1
        behind = units[at]
        turned = [other.text.lower() for other in units[at + 1 : at + 4 + bracket]]
        is_state = behind.kind is Kind.WORD and "light" not in behind.classes
        if behind.kind is Kind.NAME:
            earlier = [other.text.lower() for other in units[max(0, index - 5) : index]]
            is_state = any(word.startswith(_TURNED_INTO) for word in turned) or any(
                word.startswith(("switch", "chang", "transition")) for word in earlier
            )
        if (is_state or behind.kind is Kind.NUMBER) and any(
            word in ("to", "->", "到", "至", "变", "转") or word.endswith(("为", "到", "至", "成")) for word in turned
        ):
            contexts[at] = contexts[at]._replace(modes=contexts[at].modes | {OLD})


def _names_old(units: list[Unit], index: int, text: str) -> bool:
    """`"oldState":"PRIMARY"`: a field's key says that its value is the former one."""
    before = units[max(0, index - 5) : index]
    key = next((unit for unit in reversed(before) if unit.kind in (Kind.NAME, Kind.WORD)), None)
    if key is None or text[key.end : units[index].start].strip(" \"'") not in (":", "="):
        return False
    return key.text.lower().startswith(("old", "prev", "previous", "from_"))


def _is_arrow(text: str, units: list[Unit], index: int) -> bool:
    """`46M->45M`: a number, an arrow, and another number."""
    end = units[index].end
    rest = text[end : end + 4].strip()
    return rest.startswith(("->", "→")) and any(other.kind is Kind.NUMBER for other in units[index + 2 : index + 4])


def _mark(state: _State, text: str, units: list[Unit], index: int) -> None:
    unit = units[index]
    mark = unit.text
    following = text[unit.end : unit.end + 1]
    if (mark == "(" and following == ")") or (mark == ")" and text[unit.start - 1 : unit.start] == "("):
        return
    if mark in ".!?\n;" or mark[0] == "\n":
        closes = not following or following.isspace() or following > "\u3400" or following in "\"')"
        if mark == ";" or closes or mark != ".":
            state.end_sentence()
    elif mark == ",":
        state.end_statement()
    elif mark == "[" and text[unit.start - 1 : unit.start].isalnum():
        return  # `orders[2]` is one name
    elif mark in _SOFT or mark.startswith("..") or (mark == "-" and following == " "):
        state.end_segment()


def _word(state: _State, unit: Unit, units: list[Unit], index: int, backward: list[tuple[str, str, int]]) -> Context:
    classes = unit.classes
    if "conj" in classes and not _joins_words(units, index) and not _while_doing(units, index):
        state.end_statement()
    if not classes:
        return state.context()
    here = state.context()
    if "inable" in classes:
        state.negate(2)
    elif "neg" in classes:
        state.negate(1)
    _word_modes(state, unit, units, index)
    if "hedge" in classes:
        state.sentence_modes.add(HEDGE)
        backward.append((HEDGE, "statement", here.statement))
    if "exercise" in classes:
        state.sentence_modes.add(EXERCISE)
        backward.append((EXERCISE, "sentence", here.sentence))
    if "cond" in classes:
        _condition(state, unit, units, index)
    if "or" in classes:
        state.segment_modes.add(ALT)
        backward.append((ALT, "segment", here.segment))
    return here


def _word_modes(state: _State, unit: Unit, units: list[Unit], index: int) -> None:
    """The modes that a word of the closed lists puts its part of the sentence into."""
    classes = unit.classes
    if "advice" in classes:
        state.statement_modes.add(ADVICE)
    if "predict" in classes:
        state.segment_modes.add(FUTURE)
    if "control" in classes and _infinitive(units, index):
        state.segment_modes.add(TRIED)
    if "contrast" in classes:
        state.segment_modes.add(UNREAL)
    if "old" in classes:
        state.segment_modes.add(OLD)
    if "than" in classes:
        state.segment_modes.add(COMPARED)
    if "cause" in classes:
        state.negated = 0  # `could not … because … could not`: each has its own negation
    if "await" in classes and _awaits_event(units, index):
        state.segment_modes.add(UNREAL)


def _condition(state: _State, unit: Unit, units: list[Unit], index: int) -> None:
    word = unit.text.lower()
    following = units[index + 1].text.lower() if index + 1 < len(units) else ""
    if word in _TEMPORAL_CONDITIONS and following.endswith("ing"):
        return
    (state.statement_modes if word in _TEMPORAL_CONDITIONS else state.sentence_modes).add(COND)


def _awaits_event(units: list[Unit], index: int) -> bool:
    """`waiting for restart`: what is awaited has not happened; `waiting for a connection` only says what for."""
    following = units[index + 1].text.lower() if index + 1 < len(units) else ""
    if units[index].text.lower() in ("waiting", "waits", "waited") and following not in ("for", "to", "on", "until"):
        return False
    return any("event" in unit.kinds and "thing" not in unit.kinds for unit in units[index + 1 : index + 5])


def _infinitive(units: list[Unit], index: int) -> bool:
    if units[index].text[0] > "\u3400":
        return units[index].text not in ("等待",)
    following = units[index + 1].text.lower() if index + 1 < len(units) else ""
    return following == "to"


def _while_doing(units: list[Unit], index: int) -> bool:
    """`while connecting to …` belongs to the statement that it stands in."""
    following = units[index + 1].text.lower() if index + 1 < len(units) else ""
    return units[index].text.lower() in ("while", "when") and following.endswith("ing")


def _joins_words(units: list[Unit], index: int) -> bool:
    """Whether a conjunction only joins two numbers or names (`88101 and 88102`)."""
    if not 0 < index < len(units) - 1:
        return True
    return all(
        neighbour.kind in (Kind.NAME, Kind.NUMBER, Kind.TIME) for neighbour in (units[index - 1], units[index + 1])
    )


def _reach_back(contexts: list[Context], backward: list[tuple[str, str, int]]) -> list[Context]:
    if not backward:
        return contexts
    reach: dict[tuple[str, int], set[str]] = {}
    for mode, part, number in backward:
        reach.setdefault((part, number), set()).add(mode)
    out = []
    for context in contexts:
        extra: set[str] = set()
        for part, number in (
            ("sentence", context.sentence), ("statement", context.statement), ("segment", context.segment),
        ):  # fmt: skip
            extra |= reach.get((part, number), set())
        out.append(context._replace(modes=context.modes | extra) if extra else context)
    return out
