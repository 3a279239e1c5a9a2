"""How the lines of a log file become records, and when each record was written.

Decides, from a sample of a file's first lines, which form its records have (JSON lines, one stamp at the head of each
record, or plain lines), which lines begin a record and which belong to the record before (stack traces, wrapped text),
and the second in which a record was written. It refuses to guess a time: a record without a readable stamp has none.
Everything works on bytes, since most records of a large file are counted and never looked at. Protocol: section 3 (a
stack trace belongs to its record) and section 11 (log files as found).
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, tzinfo
from enum import StrEnum
from typing import Any, NamedTuple

from superbizagent.rules.timestamps import FORMS, PREFIXES, Form, Stamp, read_head, read_stamp

SAMPLE_LINES = 400

_WEAK_FORMS = frozenset({"epoch", "clock", "compact", "short_year", "logcat"})
"""Forms that an ordinary line could begin with by chance: they are heads only in files that use them."""

_MOST_HEADS = 4
_MOST_SECONDS = 200_000

TIME_KEYS = ("@timestamp", "timestamp", "time", "ts", "t", "datetime", "date", "asctime", "eventTime", "created_at")
"""Fields of a JSON record that hold its time, in the order in which they are believed."""

_JSON_KEY = '"%s"\\s{0,4}:\\s{0,4}(?:\\{"\\$date":\\s{0,4})?"?'
_JSON_VALUE = '([0-9A-Z][^",}\n]{0,60})'
_JOURNAL_TIME = b'__REALTIME_TIMESTAMP"?[=:]\\s{0,4}"?([0-9]{10})()'

# Lines without an indent that still belong to the record before: Java, Python, Go, Node and .NET traces.
_TRACE_LINE = re.compile(
    rb"Caused by: |Suppressed: |\.\.\. [0-9]{1,6} (?:more|common)|Traceback \(most recent|During handling of|"
    rb"The above exception|goroutine [0-9]|created by |--- End of|[A-Za-z_$][A-Za-z0-9_$.]{0,200}"
    rb"(?:Exception|Error|Exit|Interrupt|Warning)(?::|$)|[})\]]"
)


_LINES_LOOKED_AT = 64
_FLUSH = re.compile(rb"\n(?![\s])")
# From so many lines on, and when half of them are indented, it is worth leaving the indented ones out first.
_MANY_LINES = 64

# Lines of a trace behind a stamp of their own, as containers' logs have them: the runtime stamps every line.
_STAMPED_TRACE = re.compile(
    rb"(?: std(?:out|err) [FP])? "
    rb"(?:[\t ]{1,8}(?:at |\.\.\. [0-9]|File \")|Caused by: |Suppressed: |Traceback \(most recent)"
)


class Kind(StrEnum):
    """How records are told apart."""

    JSON = "json"
    STAMPED = "stamped"
    PLAIN = "plain"


Matcher = Callable[[bytes], re.Match[bytes] | None]


class FileForm(NamedTuple):
    """The form of one file's records.

    `head` matches the file's own kind of record head; its groups 1 and 2 name the second. `strict` says that every
    line without a head belongs to the record before, as in a file whose records all carry a stamp; `stamped_traces`
    that a line with a head may belong to it too, as where a container's runtime stamps each line of a trace. `heads`
    finds, in a block behind a line end, the same heads all at once, and `others` the lines that begin otherwise; None
    where the form has no such search.
    """

    kind: Kind
    head: Matcher | None = None
    strict: bool = False
    stamp: str = ""
    stamped_traces: bool = False
    heads: re.Pattern[bytes] | None = None
    others: re.Pattern[bytes] | None = None


def _never(line: bytes) -> re.Match[bytes] | None:
    return None


def _head_pattern(prefix: str, form: Form) -> re.Pattern[bytes]:
    return re.compile(f"(?:{prefix}){form.pattern}".encode())


_ANY_HEAD = re.compile(
    (
        "(?:" + "|".join(PREFIXES) + ")(?:" + "|".join(f.pattern for f in FORMS if f.name not in _WEAK_FORMS) + ")"
    ).encode()
)


def detect(lines: Sequence[bytes]) -> FileForm:
    """The form of a file's records, from its first lines."""
    sample = [line for line in lines[:SAMPLE_LINES] if line.strip()]
    flush = [line for line in sample if not line[:1].isspace()]
    if not flush:
        return FileForm(Kind.PLAIN)
    if sum(line.startswith(b"{") and line.rstrip().endswith(b"}") for line in flush) * 2 > len(flush):
        journal = any(b'"__REALTIME_TIMESTAMP"' in line for line in sample)
        time = _json_time(sample)
        heads = None if time is None else re.compile(rb"\n\{[^\n]{0,400}?" + time.pattern)
        return FileForm(
            Kind.JSON, None if time is None else time.search, stamp="journal" if journal else "json", heads=heads
        )
    if sum(line.startswith(b"__REALTIME_TIMESTAMP=") for line in flush) * 2 > len(flush):
        return FileForm(Kind.STAMPED, re.compile(_JOURNAL_TIME).match, strict=True, stamp="journal")
    counts: Counter[tuple[str, Form]] = Counter()
    for line in flush:
        found = _own_head(line)
        if found is not None:
            counts[found] += 1
    if not counts:
        return FileForm(Kind.PLAIN)
    (prefix, form), count = max(counts.items(), key=lambda pair: pair[1])
    if form.name in _WEAK_FORMS and count * 4 < len(flush):
        return FileForm(Kind.PLAIN)
    strict = counts.total() * 2 >= len([line for line in flush if not _TRACE_LINE.match(line)])
    common = [
        _head_pattern(*key)
        for key, seen in counts.most_common(_MOST_HEADS)
        if seen * 20 > len(flush) and (key[1].name not in _WEAK_FORMS or key == (prefix, form))
    ]
    head = _first_of([pattern.match for pattern in common])
    traces = any(_in_stamped_trace(head(line), line) for line in flush)
    whole = FileForm(Kind.STAMPED, head, strict=strict, stamp=form.name, stamped_traces=traces)
    first = {line[:1] for line in flush if head(line) is not None}
    if len(common) > 1 or traces or len(first) > _MOST_FIRST:
        return whole
    # A head ends in its line: where lines are not cut apart a line end must not count as any character.
    heads = re.compile(b"\n" + common[0].pattern.replace(b"[^", b"[^\n"))
    return whole._replace(heads=heads, others=re.compile(b"\n(?![" + re.escape(b"".join(sorted(first))) + b"])"))


def _in_stamped_trace(head: re.Match[bytes] | None, line: bytes) -> bool:
    return head is not None and _STAMPED_TRACE.match(line, head.end()) is not None


def _first_of(matchers: Sequence[Matcher]) -> Matcher:
    """One matcher that tries several; most files need one."""
    if len(matchers) == 1:
        return matchers[0]

    def match(line: bytes) -> re.Match[bytes] | None:
        for matcher in matchers:
            found = matcher(line)
            if found is not None:
                return found
        return None

    return match


def _own_head(line: bytes) -> tuple[str, Form] | None:
    """The prefix and form with which a line begins, or None."""
    text = line[:600].decode("utf-8", "replace")
    for prefix in PREFIXES:
        for form in FORMS:
            if re.match(f"(?:{prefix}){form.pattern}", text):
                return prefix, form
    return None


def _json_time(sample: Sequence[bytes]) -> re.Pattern[bytes] | None:
    """A search for the time field of a file of JSON lines: the most believed key that most lines have."""
    if any(b'"__REALTIME_TIMESTAMP"' in line for line in sample):
        return re.compile(b'"' + _JOURNAL_TIME)
    for key in (*TIME_KEYS, "__REALTIME_TIMESTAMP"):
        before = _JSON_KEY % re.escape(key)
        pattern = re.compile((before + _JSON_VALUE).encode())
        found = [pattern.search(line) for line in sample]
        forms = Counter(stamp.form for match in found if match and (stamp := _json_stamp(match[1])) is not None)
        if forms.total() * 2 > len(sample):
            name = max(forms, key=lambda form: forms[form])
            form = next(form for form in FORMS if form.name == name)
            return re.compile((before + form.pattern).encode())
    return None


def _json_stamp(value: bytes) -> Stamp | None:
    return read_stamp(value.decode("utf-8", "replace"))


def last_start(form: FileForm, text: bytes | bytearray, known: int = 0) -> int:
    """Where the last record of a text of whole lines begins; 0 when none begins behind `known`.

    `known` is where a line begins before which the caller has looked already: a record without end costs each of its
    lines once, however often it grows.
    """
    end = len(text)
    for _ in range(_LINES_LOOKED_AT):
        start = text.rfind(b"\n", 0, max(end - 1, 0)) + 1
        if end <= known or begins_record(form, bytes(text[start:end]).rstrip(b"\n")):
            return start if end > known else 0
        end = start
    # A long record: its lines are mostly indented, and no such line begins a record.
    for start in reversed([found.end() for found in _FLUSH.finditer(text, max(known - 1, 0), end)]):
        if start >= known and begins_record(form, _line_at(text, start)):
            return start
    return 0


def record_around(form: FileForm, text: bytes, place: int) -> tuple[int, int]:
    """Where the record around a place begins and ends; the text begins with a record."""
    start = text.rfind(b"\n", 0, place) + 1
    while start > 0 and not begins_record(form, _line_at(text, start)):
        start = text.rfind(b"\n", 0, start - 1) + 1
    end = text.find(b"\n", place) + 1
    while 0 < end < len(text) and not begins_record(form, _line_at(text, end)):
        end = text.find(b"\n", end) + 1
    return start, end if end > 0 else len(text)


def _line_at(text: bytes | bytearray, start: int) -> bytes:
    end = text.find(b"\n", start)
    return bytes(text[start:] if end < 0 else text[start:end])


def begins_record(form: FileForm, line: bytes) -> bool:
    """Whether a line begins a record in a file of this form."""
    if form.kind is Kind.STAMPED and form.head is not None:
        head = form.head(line)
        if head is None:
            return _begins(form, line)
        return not (form.stamped_traces and _in_stamped_trace(head, line))
    if form.kind is Kind.JSON and line[:1] == b"{":
        return True
    return bool(line) and not line[:1].isspace() and _TRACE_LINE.match(line) is None


_INDENTS = frozenset({b"\t", b" "})


class Measure(NamedTuple):
    """How many lines and records a block has, what names the second of each head, and the records with other heads."""

    lines: int
    records: int
    seconds: list[tuple[bytes, bytes]]
    other_heads: list[bytes]


def measure(form: FileForm, block: bytes) -> Measure | None:
    """A block whose every line has the file's own head or visibly none, without cutting it up; None for any other.

    It is exact: as many heads and lines without one as there are lines means that each line was taken for one of them.
    """
    if form.heads is None:
        return None
    text = b"\n" + block.removesuffix(b"\n")
    lines = text.count(b"\n")
    if form.kind is Kind.JSON:
        if text.count(b"\n{") != lines:
            return None
        seconds = form.heads.findall(text)
        return Measure(lines, lines, seconds, []) if len(seconds) == lines else None
    others: list[bytes] = []
    for found in form.others.finditer(text) if form.others is not None else ():
        line = _line_at(text, found.end())
        if form.head is not None and form.head(line) is None:
            others.append(line)
            if len(others) > _MANY_OTHERS:
                return None
    seconds = form.heads.findall(text)
    if len(seconds) + len(others) != lines:
        return None
    begin = [line for line in others if _begins(form, line)]
    first = _line_at(text, 1)
    if others and others[0] == first and not _begins(form, first):
        begin.append(first)  # a block begins a record in any case
    return Measure(lines, len(seconds) + len(begin), seconds, begin)


_MANY_OTHERS = 5000
_MOST_FIRST = 16


class Split(NamedTuple):
    """The records of a block: its lines, the index of each record's first line, and that line's head (or None)."""

    lines: list[bytes]
    starts: list[int]
    heads: list[re.Match[bytes] | None]


def split_block(form: FileForm, block: bytes) -> Split:
    """Cut a block of whole lines into records; the first line begins one in any case."""
    lines = block.split(b"\n")
    if lines and not lines[-1]:
        lines.pop()
    if form.kind is Kind.STAMPED and form.head is not None:
        return _split_stamped(form, lines)
    if form.kind is Kind.JSON:
        starts = [index for index, line in enumerate(lines) if line[:1] == b"{" or begins_record(form, line)]
    else:
        starts = [index for index, line in enumerate(lines) if begins_record(form, line)]
    if form.kind is Kind.PLAIN or form.head is None:
        return _with_first(Split(lines, starts, [None] * len(starts)))
    return _with_first(Split(lines, starts, [form.head(lines[index]) for index in starts]))


def _split_stamped(form: FileForm, lines: list[bytes]) -> Split:
    head = form.head or _never
    if len(lines) > _MANY_LINES and sum(line[:1] in _INDENTS for line in lines) * 2 > len(lines):
        return _split_traces(form, head, lines)
    found = list(map(head, lines))
    if form.stamped_traces:
        starts = [index for index, line in enumerate(lines) if begins_record(form, line)]
    else:
        starts = [index for index, match in enumerate(found) if match is not None or _begins(form, lines[index])]
    return _with_first(Split(lines, starts, [found[index] for index in starts]))


def _split_traces(form: FileForm, head: Matcher, lines: list[bytes]) -> Split:
    """As for other lines, after leaving out the indented ones: none of them begins a record."""
    flush = [index for index, line in enumerate(lines) if line[:1] not in _INDENTS]
    starts = [index for index in flush if begins_record(form, lines[index])]
    return _with_first(Split(lines, starts, [head(lines[index]) for index in starts]))


def _begins(form: FileForm, line: bytes) -> bool:
    """Whether a line without the file's own head begins a record all the same."""
    if not line or line[:1].isspace():
        return False
    if line[:2] == b'{"' or _ANY_HEAD.match(line) is not None:
        return True
    return not form.strict and not _TRACE_LINE.match(line)


def _with_first(split: Split) -> Split:
    if split.lines and (not split.starts or split.starts[0] != 0):
        return Split(split.lines, [0, *split.starts], [None, *split.heads])
    return split


class Seconds(dict[tuple[bytes | Any, ...], int | None]):
    """Epoch seconds (UTC) by the part of a stamp that names its second; None where it names no moment.

    Consecutive records share their second, so a stamp is read once a second of log, not once a record. A stamp without
    a zone is read in `zone`, or in `assumed_zone` when none is configured; `assumed` then says that this happened.
    """

    def __init__(self, zone: tzinfo | None, before: datetime | None, assumed_zone: tzinfo = UTC) -> None:
        super().__init__()
        self._zone = zone or assumed_zone
        self._configured = zone is not None
        self._before = before
        self._minutes: dict[tuple[bytes | Any, ...], int | None] = {}
        self.assumed = False

    def __missing__(self, key: tuple[bytes | Any, ...]) -> int | None:
        before, after = key
        if before[-3:-2] == b":" and before[-2:].isdigit():
            # A minute is read once; its seconds are counted from it.
            key_of_minute = (before[:-2], after)
            if key_of_minute not in self._minutes:
                self._minutes[key_of_minute] = self._read(before[:-2] + b"00" + after)
            minute = self._minutes[key_of_minute]
            seconds = None if minute is None else minute + min(int(before[-2:]), 60)
        else:
            seconds = self._read(before + after)
        if len(self) > _MOST_SECONDS:
            self.clear()
            self._minutes.clear()
        self[key] = seconds
        return seconds

    def _read(self, text: bytes) -> int | None:
        stamp = read_stamp(text.decode("utf-8", "replace"), zone=self._zone, before=self._before)
        if stamp is None:
            return None
        self.assumed = self.assumed or not (stamp.had_zone or self._configured)
        return int(stamp.when.timestamp() // 1)

    def of_line(self, line: bytes) -> int | None:
        """The second of a record whose head is not its file's own kind."""
        if _ANY_HEAD.match(line) is None:
            return None
        stamp = self.stamp_of(line)
        return None if stamp is None else int(stamp.when.timestamp() // 1)

    def stamp_of(self, line: bytes) -> Stamp | None:
        """The whole stamp at the head of a record, aware (in the assumed zone where it has none)."""
        stamp = read_head(line[:600].decode("utf-8", "replace"), zone=self._zone, before=self._before)
        if stamp is not None and not (stamp.had_zone or self._configured):
            self.assumed = True
        return stamp


class Span(NamedTuple):
    """When the records of a block were written, and how many of them do not say."""

    untimed: int
    first: int | None
    last: int | None


def span_of(split: Split, seconds: Seconds, *, stamped: bool) -> Span:
    """The span of a block; only a stamped file's records may have a head of another kind than the file's own."""
    keys = [head.group(1, 2) for head in split.heads if head is not None]
    untimed, read = _read(keys, seconds)
    for start, head in zip(split.starts, split.heads, strict=True) if len(keys) < len(split.starts) else ():
        if head is None:
            second = seconds.of_line(split.lines[start]) if stamped else None
            if second is None:
                untimed += 1
            else:
                read.append(second)
    return Span(untimed, min(read, default=None), max(read, default=None))


def span_of_measure(measured: Measure, seconds: Seconds) -> Span:
    """The span of a block that was measured."""
    untimed, read = _read(measured.seconds, seconds)
    for line in measured.other_heads:
        second = seconds.of_line(line)
        if second is None:
            untimed += 1
        else:
            read.append(second)
    return Span(untimed, min(read, default=None), max(read, default=None))


def _read(keys: Sequence[tuple[bytes | Any, ...]], seconds: Seconds) -> tuple[int, list[int]]:
    """How many stamps name no moment, and the different seconds that the others name."""
    found = {key: seconds[key] for key in set(keys)}
    read = [second for second in found.values() if second is not None]
    return sum(found[key] is None for key in keys) if len(read) < len(found) else 0, read
