"""The numbers of a record: each with its labels, role, unit and surroundings.

Decides: under which key or beside which words a number stands, whether it names, counts, measures or bounds, and which
names and nouns it belongs to. Refuses: to compare numbers. Protocol: sections 7.4 and 7.5.
"""

import re

from superbizagent.rules import quantities
from superbizagent.rules.derivability.context import Context
from superbizagent.rules.derivability.places import Number, name_forms
from superbizagent.rules.derivability.reading import (
    Kind,
    Unit,
    compact_keys,
    keys_of,
    name_parts,
    parts_of_name,
)
from superbizagent.rules.derivability.untrusted import in_spans
from superbizagent.rules.quantities import Family, Quantity

LEVELS = {
    "error": "c:error", "err": "c:error", "severe": "c:error", "warn": "c:warning", "warning": "c:warning",
    "fatal": "c:fatal", "critical": "c:critical", "crit": "c:critical", "info": "c:info", "debug": "c:debug",
}  # fmt: skip
_ROLES = {
    "for": "for", "lasted": "for", "within": "within", "every": "every", "after": "after", "in": "in", "took": "in",
    "takes": "in", "since": "since", "持续": "for", "已持续": "for", "每": "every", "耗时": "in", "用时": "in",
    "before": "before", "until": "until", "每隔": "every", "per": "every", "last": "within",
}  # fmt: skip
_ROLE_OF_CLASS = (("role_for", "for"), ("role_within", "within"), ("role_every", "every"), ("role_took", "in"))
_TIMEOUTS = frozenset("c:time_out c:timeout_setting c:request_timeout c:connection_timed_out c:read_timeout".split())
_CLASSIFIERS = frozenset("个 条 次 台 名 项 份 张".split())
_ROLES_BEHIND = {
    "ago": "ago",
    "前": "ago",
    "之前": "ago",
    "以前": "ago",
    "later": "after",
    "后": "after",
    "之后": "after",
    "内": "within",
    "之内": "within",
}
_DURATION_KEYS = frozenset(
    {"w:take", "c:duration", "w:duration", "w:elaps", "w:took", "w:tak", "c:age", "w:held", "w:hold"}
)
_BOUND_KEYS = frozenset("w:expect c:threshold c:limit c:maximum c:minimum w:budget c:quota w:configur w:allow".split())
_RATIO_KEYS = frozenset(
    "c:ratio c:rate c:usage c:memory_usage c:cpu_usage c:disk_usage c:hit_rate c:error_rate c:failure_rate "
    "c:success_rate w:percent w:pct w:usag w:ratio w:rat w:utiliz w:fraction".split()
)
_UNIT_SUFFIXES = {
    "ms": "ms", "millis": "ms", "msec": "ms", "seconds": "s", "second": "s", "secs": "s", "sec": "s", "s": "s",
    "us": "us", "ns": "ns", "minutes": "min", "min": "min", "bytes": "B", "byte": "B", "kb": "kB", "mb": "MB",
    "gb": "GB", "mib": "MiB", "gib": "GiB", "kib": "KiB", "percent": "%", "pct": "%", "percentage": "%",
}  # fmt: skip
_SECONDS_KEYS = frozenset({"query_time", "lock_time"})
"""Keys that their program documents in seconds (the slow query log of MySQL)."""
_ID_KEY = re.compile(r"(?:[a-z](?:Id|ID|No)|_(?:id|no)|^id|号|编号)$")
_BOUND_MARKS = {"<": "under", ">": "over", "≥": "at_least", "≤": "at_most"}
_NEAR = 24
_LONGEST_COUNTED = 4
_PID_AWAY = 4
_LONG_ID = 7
_LINE_WORDS = frozenset("line 行".split())
_NUMBERING = frozenset("number no id code 号 编号 号码 序号".split())
_SOURCE = re.compile(r"\.(?:java|py|go|js|ts|rb|rs|c|cc|cpp|h|kt|scala|cs|php|ex|erl|lua|swift)$")
_NOT_LABELS = frozenset(
    "light about over under at_least at_most after before since then scope now role_for role_within role_every "
    "role_ago role_after role_took up_trend down_trend".split()
)
_LABEL_CLASSES = frozenset({"found", "source", "alertword", "control", "doc", "impact"})


class NumberReader:
    """Reads the numbers of one text; a record reads its words, names and moments beside them."""

    text: str
    units: list[Unit]
    contexts: list[Context]
    numbers: list[Number]
    spans: list[tuple[int, int]]
    untrusted: list[tuple[int, int]]
    is_alert: bool
    alert_keys: frozenset[str]

    def inside(self, start: int) -> bool:
        """Whether a place is in the excerpt."""
        return in_spans(self.spans, start)

    def trusted(self, start: int) -> bool:
        """Whether a place is the program's own words."""
        return not in_spans(self.untrusted, start)

    def _key_before(self, position: int) -> str:
        """The key that the unit at `position` is the value of: `key=`, `"key":`, `key: ` or `key.....`."""
        index = position - 1
        while index >= 0 and self.units[index].text in ('"', "'", "*", "$", "[", "{") and index > position - 3:
            index -= 1
        if index < 1 or self.units[index].kind is not Kind.MARK:
            return ""
        mark = self.units[index].text
        if mark == "/" and position >= 2 and self.units[position - 2].kind is Kind.NUMBER:
            return ""
        if mark not in "=:" and not mark.startswith("..."):
            return ""
        index -= 1
        if self.units[index].text in ('"', "'"):
            index -= 1
        if index < 0 or self.units[index].kind not in (Kind.WORD, Kind.NAME):
            return ""
        start, end = self.units[index].start, self.units[index].end
        if mark == ":" and not self._is_key(index):
            return ""
        if mark != "=":
            return self.text[start:end]
        while start > 0 and (self.text[start - 1].isalnum() or self.text[start - 1] in "_.-@"):
            start -= 1
        return self.text[start:end]

    def _is_key(self, index: int) -> bool:
        """Whether a unit before a colon is a field's name, and not the end of a sentence (`order 1 failed: 2`)."""
        unit = self.units[index]
        if self.text[unit.end : unit.end + 1] in ("'", '"'):
            return True
        if unit.kind is Kind.NAME and self.text[unit.end + 1 : unit.end + 2].isdigit():
            return unit.text[0].isalpha() and "." not in unit.text  # `anon-rss:6291456kB`
        if unit.kind is Kind.NAME:
            return "-" not in unit.text and not unit.text[0].isdigit() and not unit.text.startswith("/")
        return not unit.kinds & {"event", "state"} or "label" in unit.kinds

    def _port(self, position: int, unit: Unit, offset: int) -> None:
        """`10.60.0.25:25`: an address names its port."""
        found = quantities.read_at(unit.text, offset)
        if found is not None:
            start = unit.start + offset
            is_source = _SOURCE.search(unit.text[: offset - 1]) is not None
            labels = keys_of("line" if is_source else "port")
            self.numbers.append(
                Number(
                    found[0], start, unit.end, self.contexts[position], self.inside(start), self.trusted(start),
                    labels, "line" if is_source else "port", "", False, labels, "", self._beside(position),
                )
            )  # fmt: skip

    def _number(self, position: int, unit: Unit) -> None:
        if not isinstance(unit.value, Quantity):
            return
        if position >= 2 and self.units[position - 2].kind is Kind.NUMBER and self._is_pair(position - 2):
            self._whole_of_pair(position, unit.value)
            return
        key = self._key_before(position)
        quantity = unit.value
        if key:
            labels, quantity = self._field_labels(position, key, quantity)
            noun: frozenset[str] = labels if _ID_KEY.search(key) else frozenset()
            if key.lower() == "pid" and position > _PID_AWAY and self.units[position - _PID_AWAY].kind is Kind.WORD:
                noun = labels | self.units[position - _PID_AWAY].keys  # `Worker (pid:118)`
        else:
            labels, noun = self._prose_labels(position)
            quantity = self._with_unit_before(position, quantity)
        before = self.units[position - 1].text if position else ""
        if before in ("*", "#") and self.units[position - 1].end == unit.start:
            noun = frozenset({"w:#"}) | (self.units[position - 2].keys if position > 1 else frozenset())
        if "c:time_out" in labels and "timeout" in self.text[max(0, unit.start - 30) : unit.start].lower():
            labels = labels | {"c:timeout_setting"}
        relation = self._bound(position)
        role = self._role(position, labels)
        if before == "x":
            labels, noun, relation, role = self._event_words(position), frozenset(), "", ""
        elif position > 2 and self.units[position - 1].text == "over" and self.units[position - 3].text == "x":
            relation, role, labels = "", "within", self._event_words(position)
        self.numbers.append(
            Number(
                quantity, unit.start, unit.end, self.contexts[position], self.inside(unit.start),
                self.trusted(unit.start), labels, key.lower(), role, self._is_ratio(position, labels),
                noun, relation, self._beside(position),
            )
        )  # fmt: skip

    def _with_unit_before(self, position: int, quantity: Quantity) -> Quantity:
        """`wait millis 60000`: the word before a bare number is its unit."""
        before = self.units[position - 1].text.lower() if position else ""
        if quantity.unit is not None or before not in ("millis", "milliseconds", "ms", "seconds", "secs"):
            return quantity
        name = _UNIT_SUFFIXES.get(before, "ms")
        return quantity._replace(unit=quantities.UNITS[name], unit_text=name)

    def _bound(self, position: int) -> str:
        before = self.units[position - 1] if position else None
        if before is None:
            return ""
        if before.text in _BOUND_MARKS and self.text[before.start - 1 : before.start] not in ("-", "="):
            return _BOUND_MARKS[before.text]
        return next((name for name in ("at_least", "at_most", "over", "under") if name in before.classes), "")

    def _event_words(self, position: int) -> frozenset[str]:
        """`(x3 over 46m) … probe failed`: what happened so often stands behind it in the line."""
        words = frozenset({"w:time"})
        for unit in self.units[position + 1 :]:
            if unit.kind is Kind.NUMBER and self.units[position - 1].text == "x" and "over" not in unit.classes:
                continue
            words |= unit.keys
        return words

    def _beside(self, position: int) -> frozenset[str]:
        statement = self.contexts[position].statement
        words: set[str] = set()
        for step in (-1, 1):
            at = position + step
            while 0 <= at < len(self.units) and self.contexts[at].statement == statement and abs(at - position) < _NEAR:
                words |= self.units[at].keys
                at += step
        return frozenset(words)

    def _whole_of_pair(self, position: int, quantity: Quantity) -> None:
        """`active=50/50`: the second number is the total of the first."""
        if not self.numbers:
            return
        part = self.numbers[-1]
        unit = self.units[position]
        self.numbers.append(
            part._replace(
                quantity=quantity, start=unit.start, end=unit.end, labels=frozenset({"c:total", "w:total"}), key="total"
            )
        )

    def _field_labels(self, position: int, key: str, quantity: Quantity) -> tuple[frozenset[str], Quantity]:
        parts = name_parts(key)
        labels = set(keys_of(" ".join(re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[\u3400-\u9fff]+", key))))
        raw = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", key)
        if quantity.unit is None and key.lower() in _SECONDS_KEYS:
            quantity = quantity._replace(unit=quantities.UNITS["s"], unit_text="s")
        if quantity.unit is None and len(raw) > 1 and raw[-1].lower() in _UNIT_SUFFIXES:
            name = _UNIT_SUFFIXES[raw[-1].lower()]
            quantity = quantity._replace(unit=quantities.UNITS[name], unit_text=name)
        labels.update(f"w:{part}" for part in parts)
        labels |= compact_keys(key)
        if self.is_alert and key.lower() in ("current", "last", "value"):
            labels |= self.alert_keys
        else:
            labels |= self._words_before_field(position, key)
        return frozenset(labels), quantity

    def _words_before_field(self, position: int, key: str) -> frozenset[str]:
        """A noun directly before the key (`heap used=52MB`) belongs to the label."""
        index = position - 1
        while index >= 0 and not (
            self.units[index].kind in (Kind.WORD, Kind.NAME) and key.endswith(self.units[index].text)
        ):
            index -= 1
        before = self.units[index - 1] if index > 0 else None
        if before is None or before.kind is not Kind.WORD or self.text[before.end : self.units[index].start].strip():
            return frozenset()
        if before.text.lower() in ("of", "in") and index > 1 and self.units[index - 2].kind is Kind.WORD:
            before = self.units[index - 2]  # `size of queue: 1309`
        return before.keys if before.text.lower() not in LEVELS else frozenset()

    def _prose_labels(self, position: int) -> tuple[frozenset[str], frozenset[str]]:
        """The words that a number in a sentence belongs to, and the noun that makes it a name."""
        statement = self.contexts[position].statement
        last = position + 2 if self._is_pair(position) else position
        behind = self.units[last + 1] if last + 1 < len(self.units) else None
        before = self.units[position - 1] if position else None
        labels: set[str] = set()
        noun: frozenset[str] = frozenset()
        if behind is not None and behind.text in _CLASSIFIERS and last + 2 < len(self.units):
            last += 1
            behind = self.units[last + 1]
        phrase = self._phrase_behind(last + 1, statement) or self._shared_noun(last + 1)
        adjacent_behind = bool(phrase)
        for word in phrase:
            labels |= _inner_keys(word)
        index = position - 1
        if index >= 0 and self.units[index].text in ("'", '"') and self.units[index].end == self.units[position].start:
            index -= 1
            before = self.units[index] if index >= 0 else None
        if (
            index == position - 1
            and index >= 0
            and self.units[index].text in ("[", "(")
            and self.units[index].end == self.units[position].start
        ):
            return self._bracketed(position, labels)
        if before is not None and before.text.lower() in _LINE_WORDS:
            return frozenset(labels), before.keys
        labels |= self._labels_of_name_or_colon(index, before)
        while index >= 0 and self.units[index].kind is Kind.WORD and (self.units[index].classes & _NOT_LABELS):
            index -= 1
        if index >= 0 and self.units[index].kind is Kind.WORD and self.contexts[index].statement == statement:
            label = self.units[index]
            direct = before is label and not adjacent_behind
            direct = direct or (before is label and len(self.units[position].text) >= _LONG_ID and last == position)
            verbal = not label.kinds and label.text.lower().endswith(("ed", "ing", "ly"))
            if (
                direct
                and not verbal
                and "label" not in label.kinds
                and not (label.kinds and label.kinds <= {"event", "state"})
            ):
                noun = label.keys
                if label.text.lower() in _NUMBERING and index and self.units[index - 1].kind is Kind.WORD:
                    noun = noun | self.units[index - 1].keys  # `alert number 45`
            labels |= _inner_keys(label)
            previous = self.units[index - 1] if index else None
            if previous is not None and previous.kind is Kind.WORD and self.contexts[index - 1].statement == statement:
                labels |= _inner_keys(previous)
        return frozenset(labels | self._names_beside(position, statement)), noun

    def _labels_of_name_or_colon(self, index: int, before: Unit | None) -> frozenset[str]:
        """`maxActive 20`: the words of the name; `expired sessions cleaned: 40`: the words before the colon."""
        if before is None:
            return frozenset()
        if before.kind is Kind.NAME:
            return parts_of_name(before.text, only_things=True)
        if before.text != ":":
            return frozenset()
        words = self.units[max(index - _LONGEST_COUNTED + 1, 0) : index]
        keys = [_inner_keys(unit) for unit in words if unit.kind is Kind.WORD and "light" not in unit.classes]
        return frozenset().union(*keys)

    def _phrase_behind(self, index: int, statement: int) -> list[Unit]:
        """The words that a number counts (`11 drain listeners`); empty when only an event or state follows."""
        phrase: list[Unit] = []
        while index < len(self.units) and len(phrase) < _LONGEST_COUNTED:
            unit = self.units[index]
            if (
                unit.kind is not Kind.WORD
                or unit.classes - _LABEL_CLASSES
                or self.contexts[index].statement != statement
            ):
                break
            phrase.append(unit)
            index += 1
        things = [at for at, unit in enumerate(phrase) if not unit.kinds or not unit.kinds <= {"event", "state"}]
        if not things:
            return []
        counted = phrase[things[0]]
        verb = things[0] and "event" in phrase[0].kinds
        if verb and counted.text.isascii() and not counted.text.lower().endswith("s"):
            return []  # `550 rejected recipient` counts nothing
        joined = next((unit for unit in self.units[index : index + 1] if unit.text.lower() in ("and", "or")), None)
        if joined is not None and all("label" in unit.kinds or unit.kinds & {"state"} for unit in phrase):
            return phrase + self._shared_noun(index)
        return phrase[: max(things[0] + 2, 2)]

    def _shared_noun(self, index: int) -> list[Unit]:
        """`1 active and 0 backup servers`, `flush 1880 and evict 0 pages`: both numbers count the one noun."""
        ahead = self.units[index : index + 4]
        if not any(unit.text.lower() in ("and", "or") for unit in ahead):
            return []
        second = next((at for at, unit in enumerate(ahead) if unit.kind is Kind.NUMBER), None)
        if second is None or any(unit.kind not in (Kind.WORD, Kind.NUMBER) for unit in ahead[:second]):
            return []
        phrase = self._phrase_behind(index + second + 1, self.contexts[index + second].statement)
        things = [unit for unit in phrase if not unit.kinds or not unit.kinds <= {"event", "state"}]
        own = [unit for unit in ahead[:1] if unit.kind is Kind.WORD and not unit.classes]
        return [*own, *things[-1:]]

    def _bracketed(self, position: int, labels: set[str]) -> tuple[frozenset[str], frozenset[str]]:
        """`watermark [90%]`, `free: 8.1gb[8.1%]`, `GC(4)`: what stands before the bracket says what the number is."""
        bracket = self.units[position - 1]
        before = self.units[position - 2] if position > 1 else None
        if before is None:
            return frozenset(labels), frozenset()
        if before.kind is Kind.NUMBER and before.end == bracket.start and self.numbers:
            return self.numbers[-1].labels | labels, frozenset()
        if before.kind is Kind.WORD and bracket.text == "(" and before.end == bracket.start:
            return frozenset(labels), before.keys
        if before.kind is Kind.WORD and bracket.text == "[" and not before.classes:
            earlier = self.units[position - 3] if position > 2 else None
            joined = earlier is not None and earlier.kind is Kind.WORD and not earlier.classes
            more = _inner_keys(earlier) if earlier is not None and joined else frozenset()
            return frozenset(labels | _inner_keys(before) | more), frozenset()
        return frozenset(labels), frozenset()

    def _names_beside(self, position: int, statement: int) -> set[str]:
        """The names nearest before and behind a number in its part of the sentence, no other number between."""
        names: set[str] = set()
        for step in (-1, 1):
            at = position + step
            while 0 <= at < len(self.units) and self.contexts[at].statement == statement and abs(at - position) < _NEAR:
                if self.units[at].kind is Kind.NUMBER or self.units[at].text.lower() in ("and", "or", "和", "与", "或"):
                    break
                if self.units[at].kind is Kind.NAME:
                    names |= {f"n:{form}" for form in name_forms(self.units[at].text)}
                    break
                at += step
        return names

    def _is_pair(self, position: int) -> bool:
        return (
            position + 2 < len(self.units)
            and self.units[position + 1].text.lower() in ("/", "of")
            and self.units[position + 2].kind is Kind.NUMBER
            and self.units[position + 2].start - self.units[position + 1].end == (self.units[position + 1].text != "/")
        )

    def _role(self, position: int, labels: frozenset[str]) -> str:
        behind = self.units[position + 1].text.lower() if position + 1 < len(self.units) else ""
        since = any(unit.text.lower() == "since" for unit in self.units[max(position - 1, 0) : position])
        if behind in _ROLES_BEHIND and not since:
            return _ROLES_BEHIND[behind]
        index = position - 1
        if index > 0 and self.units[index].text == "[" and self.units[index].end == self.units[position].start:
            index -= 1  # `in the last [7s]`
        while index >= 0 and self.units[index].classes & {"about", "over", "under", "at_least", "at_most"}:
            index -= 1
        before = self.units[index] if index >= 0 else None
        if behind == "ago" and before is not None and before.text.lower() == "since":
            return "since_ago"
        if before is not None:
            word = before.text.lower()
            role = _ROLES.get(word) or next((role for name, role in _ROLE_OF_CLASS if name in before.classes), "")
            if role:
                return role
            if "event" in before.kinds and not before.keys & _TIMEOUTS and _is_time(self.units[position]):
                return "for"  # `paused 15 seconds`, 心跳丢失超过 15 秒
        return "for" if labels & _DURATION_KEYS and not labels & _BOUND_KEYS else ""

    def _is_ratio(self, position: int, labels: frozenset[str]) -> bool:
        following = self.units[position + 1].text.lower() if position + 1 < len(self.units) else ""
        return following not in ("of", "/") and bool(labels & _RATIO_KEYS)


def _is_time(unit: Unit) -> bool:
    return isinstance(unit.value, Quantity) and unit.value.family is Family.TIME


def _inner_keys(unit: Unit) -> frozenset[str]:
    """A phrase's keys and those of the words in it."""
    return unit.keys | keys_of(unit.text) if len(unit.text) > 1 else unit.keys
