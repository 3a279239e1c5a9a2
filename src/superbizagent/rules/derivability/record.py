"""A verified excerpt in its record, read once: words in context, names, numbers with their labels, moments.

Decides: what a record says and where: which numbers stand under which label, role and unit; who is named, and whether
only by a thread or logger; which moments it gives and as what; which words are inside the excerpt, told as fact, and
not written by a user. *What* is inside the excerpt; *who* and *when* come from the whole text. Refuses: to judge.
Protocol: sections 7.3 and 7.4.
"""

import re
from bisect import bisect_left
from functools import lru_cache

from superbizagent.contract.vocabulary import EvidenceKind
from superbizagent.rules import quantities
from superbizagent.rules.definitions import implied_by
from superbizagent.rules.derivability.context import Context, annotate
from superbizagent.rules.derivability.layout import LONGEST_HEAD, WRITER, head_end, headers, locate
from superbizagent.rules.derivability.moments import Stamp
from superbizagent.rules.derivability.numbering import LEVELS, NumberReader
from superbizagent.rules.derivability.places import FAILURES, Moment, Name, Number, Place, name_forms
from superbizagent.rules.derivability.reading import (
    Kind,
    Unit,
    all_keys,
    fold,
    keys_of,
    parts_of_name,
    read_units,
)
from superbizagent.rules.derivability.untrusted import in_spans, merged, untrusted_spans
from superbizagent.rules.lexicon import stem
from superbizagent.rules.quantities import Family

_ALERT = re.compile(
    r"(?P<name>[A-Za-z_][\w:.-]{0,200}) (?P<state>firing|pending|resolved|suppressed|inactive)(?=[,; ]|$)"
)
_ACCESS = re.compile(
    r'"(?P<method>[A-Z]{3,10}) (?P<path>[^"\s]{1,4000}) HTTP/[\d.]{1,4}" (?P<status>\d{3})(?= )(?: (?P<size>\d+|-))?'
)
_COUNT_FIELD = re.compile(r"[\"']?\s?[=:]\s?\d")
_RESPONDED = re.compile(
    r"(?:responded|returned|answered|replied|status code|StatusCode|HTTP(?:/[\d.]+)?\"?|response)[:=]? \(?['\"]?$"
)
_NEGATION_WITHIN = re.compile(r"\b(?:not|no|never|without|non|cannot)\b[ -]?|[不未无没非]", re.IGNORECASE)
_SHORTEST_ID = 6
_FEWEST_TITLED = 2
_FAILED_NAME = re.compile(r"Fail|Error|Unable|Cannot|Denied|Reject|Abort")
_DENYING = re.compile(
    r"Fail|Error|Invalid|Unable|Cannot|Denied|Not[A-Z]|^No[A-Z]|Never|Without|Missing|Insufficient|Reject|Abort|Conflict"
)
_JOINED_WORDS = re.compile(r"(?:[A-Z][a-z]{1,20}){2,5}(?<!Exception)(?<!Error)")
_WHO_FIELD = re.compile(
    r"(?<![A-Za-z0-9_.-])(?:service|service_name|app|application|job|component|container|pod|namespace|ns|host|hostname|node|instance|"
    r"cluster|user|username|db|database|schema|queue|topic|group|groupid|group_id|clientid|client_id|consumer|tenant|"
    r"upstream|downstream|target|peer|backend|caller|callee|name|process|comm|program|logger|module|worker|channel|渠道|服务|应用|用户|数据库|队列|主题|节点|主机|集群|实例)"
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
_HAPROXY = re.compile(
    r" (?:-?\d{1,9}/){3,4}\+?-?\d{1,9} (?P<status>\d{3}|-1) (?P<size>\d{1,15}) \S{1,200} \S{1,200}"
    r" [A-Za-z-]{4} (?:\d{1,9}/){4}"
)
_PORT = re.compile(r":(\d{2,5})$")
_STATUS_KEYS = frozenset({"status", "status_code", "statuscode", "http_status", "response_code"})


class Record(NumberReader):
    """One verified binding, read. Everything is computed once; nothing changes afterwards."""

    def __init__(self, text: str, excerpt: str, kind: EvidenceKind, tool_name: str) -> None:
        self.text = fold(text)
        self.kind = kind
        self.tool_name = tool_name
        self.spans = merged(locate(self.text, fold(excerpt)))
        self.detached = not self.spans
        if self.detached:
            self.text = fold(excerpt) + "\n" + self.text
            self.spans = [(0, len(fold(excerpt)))]
        self.untrusted = untrusted_spans(self.text)
        self.units = read_units(self.text)
        self.contexts = annotate(self.text, self.units)
        self.headers = merged(headers(self.text))
        self.index: dict[str, list[Place]] = {}
        self.names: dict[str, list[Name]] = {}
        self.numbers: list[Number] = []
        self.moments: list[Moment] = []
        self.actors: set[str] = set()
        self.rivals: dict[tuple[str, ...], tuple[list[int], list[int]]] = {}
        self.failing: set[int] = set()
        self.who: set[str] = set()
        self.writers: set[str] = set()
        self.titled: set[str] = set()
        self.level = ""
        self._read_alert()
        self._read_units()
        self.message_start = self._message_start()
        self.head_end = max(self.message_start, head_end(self.text))
        if kind is EvidenceKind.GUIDANCE:
            self.head_end = self.text.find(": ") + 2 if ": " in self.text[:LONGEST_HEAD] else 0
        self._read_who()
        self._read_titled()
        self._read_words()
        self._read_access_line()
        self._read_definitions()

    # --- reading -----------------------------------------------------------------------------------------------

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
        if not self.level and unit.text.lower() in LEVELS and unit.start < 200:
            key = LEVELS[unit.text.lower()]
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

    def _read_titled(self) -> None:
        """`pool blue: …, pool green: …`: plain words that one noun tells apart are names here."""
        told: dict[str, list[int]] = {}
        for index, unit in enumerate(self.units[:-1]):
            word = self.units[index + 1]
            heads = self.text[word.end : word.end + 1] in (":", "=", "(")
            plain = word.kind is Kind.WORD and (heads or not word.kinds & {"event", "state", "label"})
            plain &= not word.classes or len(word.text) == 1
            if unit.kind is Kind.WORD and unit.kinds & {"thing"} and plain and word.start == unit.end + 1:
                told.setdefault(unit.text.lower().split()[-1], []).append(index + 1)
        for places in told.values():
            if len({self.units[at].text.lower() for at in places}) < _FEWEST_TITLED:
                continue
            for at in places:
                unit = self.units[at]
                self.titled.add(unit.text.lower())
                entry = Name(
                    unit.start, self.inside(unit.start), self.trusted(unit.start), False, "", self.contexts[at]
                )
                self.names.setdefault(unit.text.lower(), []).append(entry)

    def _read_who(self) -> None:
        """The plain words that the record gives as somebody's name: a field's value, `user@database`, a program."""
        self.who = {found.group(1).lower() for found in _WHO_FIELD.finditer(self.text)}
        at = _USER_AT.search(self.text)
        if at is not None:
            self.who |= {at.group(1).lower(), at.group(2).lower()}
        logger = WRITER.search(self.text, 0, LONGEST_HEAD)
        if logger is not None:
            self.who.add(logger.group(1).lower())
            self.writers.add(logger.group(1).lower())
        program = _PROGRAM.match(self.text, max((m.start + len(m.stamp.text) for m in self.moments[:1]), default=0))
        if program is not None:
            self.who |= {program.group(1).lower(), program.group(2).lower()}
            self.writers.add(program.group(2).lower())

    def _read_words(self) -> None:
        every = [(key, start, end, self.context_at(start)) for key, start, end in all_keys(self.text, self.units)]
        for key, start, end, context in every:
            if key in FAILURES and self.trusted(start):
                counted = _COUNT_FIELD.match(self.text, end) is not None
                if self.text[start:end].lower() not in LEVELS and not counted:
                    self.failing.add(context.statement)
        negated = {unit.start for unit in self.units if unit.negated}
        denying = {position for unit in self.units for position in _denied_within(unit)}
        for key, start, end, context in every:
            inner = start in negated and key[2:] != stem(self.text[start:end]) and key[:2] in ("c:", "w:")
            told = context
            if inner or start in denying:
                told = context._replace(negated=1 if context.negated == 0 else 3)
            self._put(key, Place(start, end, told, self.inside(start), self.trusted(start)))
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


def _denied_within(unit: Unit) -> list[int]:
    """The places behind a negation inside one phrase (`not ready`, 未就绪): what is told there is denied."""
    found = _NEGATION_WITHIN.search(unit.text) if unit.kind is Kind.WORD else None
    return list(range(unit.start + found.end(), unit.end)) if found is not None else []


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


@lru_cache(maxsize=512)
def read_record(text: str, excerpt: str, kind: EvidenceKind, tool_name: str) -> Record:
    """The record, read; the same inputs give the same reading."""
    return Record(text, excerpt, kind, tool_name)


def is_percent(number: Number) -> bool:
    """Whether a number is written as a percentage."""
    return number.quantity.family is Family.PERCENT
