"""A verified excerpt in its record, read once: words in context, names, numbers with their labels, moments.

Decides: what a record says and where: which numbers stand under which label, role and unit; who is named, and whether
only by a thread or logger; which moments it gives and as what; which words are inside the excerpt, told as fact, and
not written by a user. *What* is inside the excerpt; *who* and *when* come from the whole text. Refuses: to judge.
Protocol: sections 7.3 and 7.4.
"""

import re
from bisect import bisect_left
from functools import lru_cache
from typing import NamedTuple

from superbizagent.contract.vocabulary import EvidenceKind
from superbizagent.rules import quantities
from superbizagent.rules.definitions import implied_by
from superbizagent.rules.derivability.context import Context, annotate
from superbizagent.rules.derivability.moments import Stamp
from superbizagent.rules.derivability.reading import (
    Kind,
    Unit,
    all_keys,
    compact_keys,
    fold,
    keys_of,
    name_parts,
    parts_of_name,
    read_units,
)
from superbizagent.rules.derivability.untrusted import in_spans, merged, untrusted_spans
from superbizagent.rules.lexicon import stem
from superbizagent.rules.quantities import Family, Quantity

_ALERT = re.compile(
    r"(?P<name>[A-Za-z_][\w:.-]{0,200}) (?P<state>firing|pending|resolved|suppressed|inactive)(?=[,; ]|$)"
)
_ACCESS = re.compile(
    r'"(?P<method>[A-Z]{3,10}) (?P<path>[^"\s]{1,4000}) HTTP/[\d.]{1,4}" (?P<status>\d{3})(?= )(?: (?P<size>\d+|-))?'
)
_THREAD = re.compile(r"\[[^\]\n]{1,200}\]")
_SERVICE = re.compile(r"^\[ ?[a-z][a-z0-9-]{1,60}-(?:service|api|server|gateway|app) ?\]$")
_LEADING = re.compile(r"(?:\[[^\]\n]{1,100}\] ?){2,6}")
_LOGGER = re.compile(r"(?<![\w.])[a-z][\w]*(?:\.[A-Za-z_$][\w$]*){1,12}(?= {1,3}[-:] )")
_ELLIPSIS = re.compile(r"\[?(?:\u2026|\.{3})\]?")
_LEVELS = {
    "error": "c:error", "err": "c:error", "severe": "c:error", "warn": "c:warning", "warning": "c:warning",
    "fatal": "c:fatal", "critical": "c:critical", "crit": "c:critical", "info": "c:info", "debug": "c:debug",
}  # fmt: skip
_ERROR_LEVELS = frozenset({"c:error", "c:fatal", "c:critical"})
FAILURES = frozenset(
    {
        "c:fail", "c:refuse", "c:reject", "c:connection_refused", "c:time_out", "c:connection_timed_out", "c:abort",
        "c:error", "c:exception", "c:connection_reset", "c:connection_reset_by_peer", "c:broken_pipe",
        "c:permission_denied", "c:access_denied", "c:read_timeout", "c:write_timeout", "c:cancel", "c:lose",
        "w:deny", "w:deni", "w:unabl", "w:skip", "w:drop", "c:skip", "c:drop", "w:prevent", "w:ignor", "c:not_found",
        "c:authentication_failed", "c:crashed", "w:invalid", "c:invalid", "w:forbid", "c:forbidden", "w:avoid",
        "c:no_space_left", "w:interrupt", "w:mismatch", "c:bad_gateway", "w:disabl",
    }
)  # fmt: skip
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
_COUNT_FIELD = re.compile(r"[\"']?\s?[=:]\s?\d")
_PID_AWAY = 4
_RESPONDED = re.compile(
    r"(?:responded|returned|answered|replied|status code|StatusCode|HTTP(?:/[\d.]+)?\"?|response)[:=]? \(?['\"]?$"
)
_OLD_KEY = re.compile(r"(?:old|prev|previous|from)[A-Z_]\w*|oldState|previous", re.ASCII)
_NEGATION_WITHIN = re.compile(r"\b(?:not|no|never|without|non|cannot)\b[ -]?|[不未无没非]", re.IGNORECASE)
_SHORTEST_ID = 6
_FAILED_NAME = re.compile(r"Fail|Error|Unable|Cannot|Denied|Reject|Abort")
_DENYING = re.compile(
    r"Fail|Error|Invalid|Unable|Cannot|Denied|Not[A-Z]|^No[A-Z]|Never|Without|Missing|Insufficient|Reject|Abort|Conflict"
)
_JOINED_WORDS = re.compile(r"(?:[A-Z][a-z]{1,20}){2,5}(?<!Exception)(?<!Error)")
_LONGEST_HEAD = 300
_ERLANG = re.compile(r"\[[a-z]{4,8}\] <[\d.]{3,30}> ")
_WRITER = re.compile(
    r"\b(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL) +\[?([A-Za-z][\w.-]{0,80})\]?"
    r"(?: \[[^\]]{0,80}\])? - "
)
_LONG_ID = 7
_WHO_FIELD = re.compile(
    r"(?<![A-Za-z0-9_.-])(?:service|service_name|app|application|job|component|container|pod|namespace|ns|host|hostname|node|instance|"
    r"cluster|user|username|db|database|schema|queue|topic|group|groupid|group_id|clientid|client_id|consumer|tenant|"
    r"name|process|comm|program|logger|module|worker|channel|渠道|服务|应用|用户|数据库|队列|主题|节点|主机|集群|实例)"
    r"(?:\s?=\s?['\"]?|['\"]?\s?:\s?['\"])([A-Za-z][A-Za-z0-9_.-]{0,80})",
    re.IGNORECASE,
)
_USER_AT = re.compile(
    r"(?<=[ \]])([a-z][a-z0-9_]{0,40})@([a-z][a-z0-9_]{0,40})"
    r"(?= (?:LOG|ERROR|FATAL|WARNING|PANIC|DETAIL|HINT|STATEMENT))"
)
_PROGRAM = re.compile(r" {1,2}([A-Za-z][\w.-]{0,80}) ([A-Za-z][\w./-]{0,64})(?:\[\d{1,9}\])?: ")
_SYSLOG = re.compile(r" {1,2}[\w.-]{1,255} [\w./@-]{1,64}(?:\[\d{1,9}\])?: ")
_SYSLOG_5424 = re.compile(r" [\w.:-]{1,255} [\w./-]{1,48} [\w.-]{1,128} [\w.-]{1,32} (?:-|\[[^\]]{0,500}\]) {1,2}")
_LINE_WORDS = frozenset("line 行".split())
_HAPROXY = re.compile(
    r" (?:-?\d{1,9}/){3,4}\+?-?\d{1,9} (?P<status>\d{3}|-1) (?P<size>\d{1,15}) \S{1,200} \S{1,200}"
    r" [A-Za-z-]{4} (?:\d{1,9}/){4}"
)
_NUMBERING = frozenset("number no id code 号 编号 号码 序号".split())
_SOURCE = re.compile(r"\.(?:java|py|go|js|ts|rb|rs|c|cc|cpp|h|kt|scala|cs|php|ex|erl|lua|swift)$")
_PORT = re.compile(r":(\d{2,5})$")
_STATUS_KEYS = frozenset({"status", "status_code", "statuscode", "http_status", "response_code"})
_TIME_KEYS = frozenset(
    {"since", "resolved_at", "time", "ts", "timestamp", "@timestamp", "t", "activeat", "startsat", "at"}
)
_NOT_LABELS = frozenset(
    "light about over under at_least at_most after before since then scope now role_for role_within role_every "
    "role_ago role_after role_took up_trend down_trend".split()
)
_LABEL_CLASSES = frozenset({"found", "source", "alertword", "control", "doc", "impact"})
NOT_COUNTS = frozenset(
    "c:status_code c:error_code c:exit_code c:port c:version w:pid w:id w:code w:lin w:line w:signal w:level".split()
)
"""Labels whose numbers name something: they are never more or less than none."""


class Place(NamedTuple):
    """Where a key stands in a record: its span and context, whether the excerpt has it and whether it counts.

    `implied` says that a definition gives the key, `writer` that it names the program that wrote the record.
    """

    start: int
    end: int
    context: Context
    inside: bool
    trusted: bool
    implied: bool = False
    writer: bool = False


class Number(NamedTuple):
    """A recorded number with what it is the number of.

    `noun` is a noun directly before it (`order 88101`); `relation` is `over`, `under`, `at_least` or `at_most` where
    the record tells it as a bound, else empty; `beside` are the keys of every word in its part of the sentence.
    """

    quantity: Quantity
    start: int
    end: int
    context: Context
    inside: bool
    trusted: bool
    labels: frozenset[str]
    key: str
    role: str
    ratio: bool
    noun: frozenset[str]
    relation: str
    beside: frozenset[str]


class Moment(NamedTuple):
    """A recorded moment; `role` is the key that it stands under, or "" for the record's own stamp."""

    stamp: Stamp
    role: str
    start: int


class Name(NamedTuple):
    """A place where a name stands; `header` says that only a thread or logger carries it, `key` its field."""

    start: int
    inside: bool
    trusted: bool
    header: bool
    key: str
    context: Context


class Record:
    """One verified binding, read. Everything is computed once; nothing changes afterwards."""

    def __init__(self, text: str, excerpt: str, kind: EvidenceKind, tool_name: str) -> None:
        self.text = fold(text)
        self.kind = kind
        self.tool_name = tool_name
        self.spans = merged(_locate(self.text, fold(excerpt)))
        self.detached = not self.spans
        if self.detached:
            self.text = fold(excerpt) + "\n" + self.text
            self.spans = [(0, len(fold(excerpt)))]
        self.untrusted = untrusted_spans(self.text)
        self.units = read_units(self.text)
        self.contexts = annotate(self.text, self.units)
        self.headers = merged(_headers(self.text))
        self.index: dict[str, list[Place]] = {}
        self.names: dict[str, list[Name]] = {}
        self.numbers: list[Number] = []
        self.moments: list[Moment] = []
        self.actors: set[str] = set()
        self.rivals: dict[tuple[str, ...], tuple[list[int], list[int]]] = {}
        self.failing: set[int] = set()
        self.who: set[str] = set()
        self.writers: set[str] = set()
        self.level = ""
        self._read_alert()
        self._read_units()
        self.message_start = self._message_start()
        self.head_end = max(self.message_start, _head_end(self.text))
        if kind is EvidenceKind.GUIDANCE:
            self.head_end = self.text.find(": ") + 2 if ": " in self.text[:_LONGEST_HEAD] else 0
        self._read_who()
        self._read_words()
        self._read_access_line()
        self._read_definitions()

    # --- reading -----------------------------------------------------------------------------------------------

    def inside(self, start: int) -> bool:
        """Whether a place is in the excerpt."""
        return in_spans(self.spans, start)

    def trusted(self, start: int) -> bool:
        """Whether a place is the program's own words."""
        return not in_spans(self.untrusted, start)

    def _read_alert(self) -> None:
        found = _ALERT.match(self.text)
        self.is_alert = found is not None
        self.alert_state = found.group("state") if found is not None else ""
        self.alert_name = found.group("name").lower() if found is not None else ""
        self.alert_keys: frozenset[str] = frozenset()
        if found is not None:
            words = " ".join(re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+", found.group("name")))
            summary = self.text.partition(";")[2]
            self.alert_keys = keys_of(words) | keys_of(summary)

    def _read_units(self) -> None:
        for position, unit in enumerate(self.units):
            match unit.kind:
                case Kind.NAME:
                    self._name(position, unit)
                case Kind.NUMBER:
                    self._number(position, unit)
                case Kind.TIME:
                    if isinstance(unit.value, Stamp):
                        self.moments.append(Moment(unit.value, self._key_before(position), unit.start))
                case Kind.WORD:
                    self._level(unit)
                case _:
                    pass

    def _message_start(self) -> int:
        """Behind the leading stamp, and behind the host, program and process of a syslog header."""
        stamps = [
            moment.start + len(moment.stamp.text) for moment in self.moments if moment.start < 40 and not moment.role
        ]
        start = max(stamps, default=0)
        header = _SYSLOG.match(self.text, start) or _SYSLOG_5424.match(self.text, start) if start else None
        return header.end() if header is not None else start

    def _level(self, unit: Unit) -> None:
        if not self.level and unit.text.lower() in _LEVELS and unit.start < 200:
            key = _LEVELS[unit.text.lower()]
            if unit.text.isupper() or self.text[max(0, unit.start - 6) : unit.start].lower().endswith(
                ("level=", "[", '":"')
            ):
                self.level = key

    def context_at(self, start: int) -> Context:
        """The context of the unit at a place of the text."""
        low, high = 0, len(self.units)
        while low < high:
            middle = (low + high) // 2
            if self.units[middle].start <= start:
                low = middle + 1
            else:
                high = middle
        return self.contexts[max(low - 1, 0)] if self.contexts else Context(0, 0, 0, 0, frozenset())

    def _read_who(self) -> None:
        """The plain words that the record gives as somebody's name: a field's value, `user@database`, a program."""
        self.who = {found.group(1).lower() for found in _WHO_FIELD.finditer(self.text)}
        at = _USER_AT.search(self.text)
        if at is not None:
            self.who |= {at.group(1).lower(), at.group(2).lower()}
        logger = _WRITER.search(self.text, 0, _LONGEST_HEAD)
        if logger is not None:
            self.who.add(logger.group(1).lower())
            self.writers.add(logger.group(1).lower())
        program = _PROGRAM.match(self.text, max((m.start + len(m.stamp.text) for m in self.moments[:1]), default=0))
        if program is not None:
            self.who |= {program.group(1).lower(), program.group(2).lower()}
            self.writers.add(program.group(2).lower())

    def _read_words(self) -> None:
        for key, start, end in all_keys(self.text, self.units):
            if key in FAILURES and self.trusted(start):
                context = self.context_at(start)
                counted = _COUNT_FIELD.match(self.text, end) is not None
                if self.text[start:end].lower() not in _LEVELS and not counted:
                    self.failing.add(context.statement)
        negated = {unit.start for unit in self.units if unit.negated}
        denying = {position for unit in self.units for position in _denied_within(unit)}
        for key, start, end in all_keys(self.text, self.units):
            context = self.context_at(start)
            inner = start in negated and key[2:] != stem(self.text[start:end]) and key[:2] in ("c:", "w:")
            if inner or start in denying:
                context = context._replace(negated=1 if context.negated == 0 else 3)
            self._put(key, Place(start, end, context, self.inside(start), self.trusted(start)))
        self._read_parts()

    def _read_parts(self) -> None:
        """The words in a field's key (`order_id=`, `max_attempts=`) and in a name of joined words (`PullImage`)."""
        for unit, context in zip(self.units, self.contexts, strict=True):
            if (
                unit.kind is Kind.WORD
                and not unit.kinds
                and len(unit.text) >= _SHORTEST_ID
                and unit.text.lower().endswith("id")
            ):
                place = Place(unit.start, unit.end, context, self.inside(unit.start), self.trusted(unit.start))
                for key in keys_of(unit.text[:-2]):
                    self._put(key, place)  # `sessionid 0x2000`
        found = _USER_AT.search(self.text)
        if found is not None:
            for key in keys_of("user database"):
                self._put(key, Place(found.start(), found.end(), self.context_at(found.start()), False, True, True))
        if self.alert_state == "resolved":
            for word in ("recovered", "恢复", "解除", "cleared", "cleared up"):
                for key in keys_of(word):
                    self._put(key, Place(0, 1, self.context_at(0), True, True, implied=True))
        for unit, context in zip(self.units, self.contexts, strict=True):
            if unit.kind is not Kind.NAME or in_spans(self.headers, unit.start) or (self.is_alert and not unit.start):
                continue
            is_key = self.text[unit.end : unit.end + 2].lstrip("\"'")[:1] in ("=", ":")
            if not is_key and not _JOINED_WORDS.fullmatch(unit.text):
                continue
            inside, trusted = self.inside(unit.start), self.trusted(unit.start)
            place = Place(unit.start, unit.end, context, inside, trusted, implied=not is_key)
            denied = _DENYING.search(unit.text) is not None
            for key in parts_of_name(unit.text, only_things=is_key):
                turned = denied and key not in FAILURES
                self._put(key, place._replace(context=context._replace(negated=2)) if turned else place)
            if not is_key and _FAILED_NAME.search(unit.text):
                self.failing.add(context.statement)

    def _put(self, key: str, place: Place) -> None:
        self.index.setdefault(key, []).append(place)

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

    def _name(self, position: int, unit: Unit) -> None:
        header = in_spans(self.headers, unit.start)
        entry = Name(
            unit.start, self.inside(unit.start), self.trusted(unit.start), header, self._key_before(position).lower(),
            self.contexts[position],
        )  # fmt: skip
        for form in name_forms(unit.text):
            self.names.setdefault(form, []).append(entry)
        if entry.key in ("service", "app", "job", "component", "container"):
            self.actors.add(unit.text.lower())
        port = _PORT.search(unit.text)
        if port is not None and "/" not in unit.text:
            self._port(position, unit, port.start(1))

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
        return before.keys if before.text.lower() not in _LEVELS else frozenset()

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

    def _read_access_line(self) -> None:
        found = _ACCESS.search(self.text) or _HAPROXY.search(self.text)
        self.access = found is not None
        if found is None:
            self._read_status()
            return
        for number_index, number in enumerate(self.numbers):
            if number.start == found.start("status"):
                labels = keys_of("status code http status response code")
                self.numbers[number_index] = number._replace(labels=labels, key="status", noun=frozenset())
            elif number.start == found.start("size"):
                labels = keys_of("bytes size sent length response")
                quantity = number.quantity._replace(unit=quantities.UNITS["B"], unit_text="B")
                self.numbers[number_index] = number._replace(
                    quantity=quantity, labels=labels, key="bytes", noun=frozenset()
                )
        for entries in self.names.values():
            entries[:] = [entry._replace(key="client") if entry.start == 0 else entry for entry in entries]
        for key in keys_of("request answered returned response client server"):
            place = Place(
                found.start(),
                found.end(),
                self.context_at(found.start()),
                self.inside(found.start("status")),
                True,
                True,
            )
            self._put(key, place)

    def _read_status(self) -> None:
        """A field `status=200` says that a request was answered."""
        self.numbers = [self._as_answer(number) for number in self.numbers]
        for number in self.numbers:
            if number.key in _STATUS_KEYS and len(number.quantity.text) == 3:
                place = Place(
                    number.start,
                    number.end,
                    number.context._replace(negated=0),
                    number.inside,
                    number.trusted,
                    implied=True,
                )
                for key in keys_of("request answered returned response"):
                    self._put(key, place)

    def _as_answer(self, number: Number) -> Number:
        """`responded 500`: the number is the status of an answer."""
        responded = _RESPONDED.search(self.text, max(0, number.start - 24), number.start) is not None
        if not responded or len(number.quantity.text) != 3 or number.quantity.text[0] not in "12345":
            return number
        labels = number.labels | keys_of("status code http status response code")
        return number._replace(labels=labels, key=number.key or "status", noun=frozenset())

    def _read_definitions(self) -> None:
        for phrase in implied_by(self.text, [(n.labels, n.key, n.quantity, n.start) for n in self.numbers]):
            context = self.context_at(phrase.start)
            place = Place(
                phrase.start, phrase.end, context._replace(negated=0), self.inside(phrase.start) or phrase.product,
                self.trusted(phrase.start), implied=True, writer=phrase.product,
            )  # fmt: skip
            for key, negated in _keys_of_all(phrase.means):
                self._put(key, place._replace(context=place.context._replace(negated=negated)))
                if phrase.product and key.startswith("c:"):
                    self.actors.add(key)

    # --- asking ------------------------------------------------------------------------------------------------

    def number_at(self, start: int) -> Number:
        """The number that begins at a place of the text; there must be one."""
        return self.numbers[bisect_left(self.numbers, start, key=lambda number: number.start)]

    def places(self, key: str) -> list[Place]:
        """Where a key stands."""
        return self.index.get(key, [])


def _classes(units: list[Unit], position: int) -> frozenset[str]:
    return units[position].classes if 0 <= position < len(units) else frozenset()


def _head_end(text: str) -> int:
    """Where `… LEVEL writer - ` ends, and the message begins."""
    found = _WRITER.search(text, 0, _LONGEST_HEAD) or _ERLANG.search(text, 0, _LONGEST_HEAD)
    return found.end() if found is not None else 0


def _denied_within(unit: Unit) -> list[int]:
    """The places behind a negation inside one phrase (`not ready`, 未就绪): what is told there is denied."""
    found = _NEGATION_WITHIN.search(unit.text) if unit.kind is Kind.WORD else None
    return list(range(unit.start + found.end(), unit.end)) if found is not None else []


def _is_time(unit: Unit) -> bool:
    return isinstance(unit.value, Quantity) and unit.value.family is Family.TIME


def _inner_keys(unit: Unit) -> frozenset[str]:
    """A phrase's keys and those of the words in it."""
    return unit.keys | keys_of(unit.text) if len(unit.text) > 1 else unit.keys


@lru_cache(maxsize=1024)
def _keys_of_all(means: tuple[str, ...]) -> frozenset[tuple[str, int]]:
    """Every key that the words of a definition offer, with its negation."""
    out = set()
    for words in means:
        folded = fold(words)
        units = read_units(folded)
        negations = {unit.start: context.negated for unit, context in zip(units, annotate(folded, units), strict=True)}
        negated = 0
        for key, start, _end in sorted(all_keys(folded, units), key=lambda found: found[1]):
            negated = negations.get(start, negated)
            out.add((key, negated))
    return frozenset(out)


@lru_cache(maxsize=4096)
def name_forms(name: str) -> frozenset[str]:
    """The whole names that a written name contains: a URL's host, port and path, a class's last part."""
    low = name.lower().rstrip(".")
    forms = {low}
    rest = low
    if "@" in rest and "://" not in rest:
        rest = rest.rpartition("@")[2]
        forms.add(rest)  # `repl@10.0.0.1:3306`
    if "://" in rest:
        rest = rest.partition("://")[2]
        forms |= {rest, rest.partition("?")[0]}
        host, slash, path = rest.partition("/")
        forms.add(host)
        if slash:
            forms.add("/" + path)
        rest = host.rpartition("@")[2]
    path_start = low.find("/") if low.startswith("/") else -1
    forms |= {form.partition("?")[0] for form in forms if "?" in form}
    host, colon, port = rest.rpartition(":")
    if colon and port.isdigit() and path_start < 0:
        forms.add(host)
        forms.add(port)
    if "." in low and "/" not in low:
        last = name.rpartition(".")[2]
        if last[:1].isupper() or "_" in last:
            forms.add(last.lower())
    if "/" in low and "://" not in low:
        parts = [part for part in low.split("/") if part]
        if low.startswith("/"):
            forms.add(parts[-1].partition("?")[0] if parts else low)
        else:
            for part in parts:
                forms |= {part, part.rpartition(":")[0] or part}
    pod, joined, _namespace = low.rpartition("_")
    if joined and "-" in pod and not low.startswith("/"):
        forms.add(pod)  # `pod=web-6c9d_shop`: the pod and its namespace
    return frozenset(forms)


def _headers(text: str) -> list[tuple[int, int]]:
    """Where a thread or a logger stands before the message."""
    logger = _LOGGER.search(text)
    end = logger.end() if logger is not None else 0
    spans = [logger.span()] if logger is not None else []
    limit = end or (text.find(" - ") if " - " in text[:400] else 0)
    spans.extend(
        found.span() for found in _THREAD.finditer(text, 0, max(limit, 0)) if not _SERVICE.search(found.group())
    )
    leading = _LEADING.match(text)
    if leading is not None and leading.end():
        spans.append(leading.span())
    return spans


def _locate(text: str, excerpt: str) -> list[tuple[int, int]]:
    """Where the excerpt stands in the text: one span, or one a part; empty when the wording is not found."""
    excerpt = excerpt.strip().strip('"') if excerpt not in text else excerpt
    start = text.find(excerpt)
    if start >= 0 and excerpt:
        return [(start, start + len(excerpt))]
    squeezed, places = _squeeze(text)
    spans: list[tuple[int, int]] = []
    position = 0
    parts = [part for part in _ELLIPSIS.split(excerpt) if part.strip()]
    for part in parts:
        wanted, _places = _squeeze(part)
        found = squeezed.find(wanted, position)
        if found < 0 or not wanted:
            return _locate_fields(text, excerpt)
        spans.append((places[found], places[found + len(wanted) - 1] + 1))
        position = found + len(wanted)
    return spans


def _squeeze(text: str) -> tuple[str, list[int]]:
    characters, places = [], []
    for place, character in enumerate(text):
        if not character.isspace() and character not in "*`":
            lowered = character.lower()
            characters.append(lowered if len(lowered) == 1 else character)
            places.append(place)
    return "".join(characters), places


def _locate_fields(text: str, excerpt: str) -> list[tuple[int, int]]:
    """An excerpt of fields in another order: the place of each."""
    spans = []
    for field in re.split(r"[,;\s]+", excerpt):
        start = text.find(field)
        if not field or "=" not in field or start < 0:
            return []
        spans.append((start, start + len(field)))
    return spans


@lru_cache(maxsize=512)
def read_record(text: str, excerpt: str, kind: EvidenceKind, tool_name: str) -> Record:
    """The record, read; the same inputs give the same reading."""
    return Record(text, excerpt, kind, tool_name)


def is_percent(number: Number) -> bool:
    """Whether a number is written as a percentage."""
    return number.quantity.family is Family.PERCENT
