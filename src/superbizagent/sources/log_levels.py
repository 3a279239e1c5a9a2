"""How bad a log record says it is: its level, from the words and marks of the common forms.

Decides a record's level from where the level stands in its form: a field of a JSON or logfmt record, a word near the
head, a bracket of nginx, a mark of Redis, a letter of klog, a priority of syslog and journald. It refuses to read a
level out of a message: a record without one has none. For the choice of what to keep, `rank_of` also knows access
records with a status of 5xx or 4xx and traces without a head, which say how bad they are in other ways. Protocol:
section 2 (`level`; what is kept is chosen on purpose).
"""

import re
from collections.abc import Sequence

LEVELS = ("FATAL", "ERROR", "WARN", "INFO", "DEBUG", "TRACE")
"""From the most to the least severe."""

NO_LEVEL = LEVELS.index("INFO")
"""The rank of a record that does not say how bad it is: as worth keeping as information."""

_NAMES: dict[str, int] = {
    **dict.fromkeys(("fatal", "critical", "crit", "emerg", "emergency", "alert", "panic", "dpanic", "致命", "严重"), 0),
    **dict.fromkeys(("error", "err", "severe", "eror", "错误", "失败"), 1),
    **dict.fromkeys(("warn", "warning", "警告", "告警"), 2),
    **dict.fromkeys(("info", "information", "informational", "notice", "log", "config", "信息"), 3),
    **dict.fromkeys(("debug", "verbose", "fine", "debug1", "debug2", "调试"), 4),
    **dict.fromkeys(("trace", "finer", "finest", "silly", "all"), 5),
}
# Numbers of bunyan and pino (10 … 60); syslog's severities (0 … 7) are read where the form says that they are syslog's.
_NUMBERS = {10: 5, 20: 4, 30: 3, 40: 2, 50: 1, 60: 0}
_SYSLOG = (0, 0, 0, 1, 2, 3, 3, 4)

_FIELD = re.compile(
    rb'"?(?:level|severity|lvl|levelname|log\.level|loglevel|log_level|severity_text|s)"?\s{0,2}[=:]\s{0,2}'
    rb'"?([A-Za-z]{1,13}|[0-9]{1,2})(?![A-Za-z0-9])'
)
# Upper-case words are levels anywhere near the head; words in small letters only in brackets or right behind the stamp,
# since a message has them too (`info: "Connection refused"`).
_HEAD_WORD = re.compile(
    rb"(?:^|[\s\[(|<:\"])"
    rb"(FATAL|CRITICAL|CRIT|EMERG|ALERT|PANIC|ERROR|SEVERE|WARNING|WARN|INFO|NOTICE|DEBUG|TRACE|LOG|ERR|WRN|INF|DBG|"
    rb"\xe9\x94\x99\xe8\xaf\xaf|\xe8\xad\xa6\xe5\x91\x8a|\xe4\xbf\xa1\xe6\x81\xaf|\xe4\xb8\xa5\xe9\x87\x8d)"
    rb"(?=[\]:|)>\s]|$)"
    rb"|[\[<|](?:[a-z_]{1,20}:)?(emerg|alert|crit|critical|error|err|warn|warning|notice|info|debug|trace[1-8]?)[\]>|]"
    rb"|(?<=[\[<|])(Error|Warning|Information|Critical|Fatal|Debug|Trace|Note|System)(?=[\]>|])"
)
_NEXT_WORD = re.compile(
    rb"[\s\]:,|-]{0,4}(fatal|critical|error|warning|warn|info|notice|debug|trace|Fatal|Critical|Error|Warning|Info|"
    rb"Information|Debug|Trace|Note|System)(?=[\]:|)>\s])"
)
# java.util.logging puts the level at the head of a second line.
_SECOND_LINE = re.compile(rb"(SEVERE|WARNING|INFO|CONFIG|FINE|FINER|FINEST): ")
_SHORT = {"wrn": 2, "inf": 3, "dbg": 4, "note": 3, "system": 3}
_REDIS = re.compile(rb"[0-9]{1,8}:[A-Z] [^\n]{20,40}? ([.*#-]) ")
_REDIS_MARKS = {b".": 4, b"-": 3, b"*": 3, b"#": 2}
_KLOG = re.compile(rb"([IWEF])[01][0-9][0-3][0-9] ")
_KLOG_LETTERS = {b"I": 3, b"W": 2, b"E": 1, b"F": 0}
_RUBY = re.compile(rb"([DIWEFA]), \[")
_RUBY_LETTERS = {b"D": 4, b"I": 3, b"W": 2, b"E": 1, b"F": 0, b"A": 3}
_SYSLOG_PRI = re.compile(rb"<([0-9]{1,3})>")
_PRIORITY = re.compile(rb'PRIORITY"?[=:]\s?"?([0-7])(?![0-9])')
# A record inside a record: what a container wrote, as its runtime keeps it.
_INNER_RECORD = re.compile(rb'"(?:log|message|msg|MESSAGE)"\s{0,2}:\s{0,2}"(?:[0-9T:.,Z+/ -]{8,35})?')
_STATUS = re.compile(rb'" ([1-5])[0-9]{2} [0-9-]')
_TRACE = re.compile(rb"Traceback \(most recent|^panic: |\nCaused by: |Exception(?:: |\n|$)|^fatal error: |^FATAL")
_HEAD_LENGTH = 140
_FIELD_LENGTH = 4096


def level_of(record: bytes, head_end: int = 0) -> int | None:
    """The index into `LEVELS` of the level that a record gives, or None. `head_end` is where its stamp ends."""
    first = record[:1]
    if first == b"{":
        level = _field_level(record)
        inner = _INNER_RECORD.search(record, 0, _FIELD_LENGTH) if level is None else None
        return level if inner is None else _head_level(record, inner.end())
    if first == b"<":
        found = _SYSLOG_PRI.match(record)
        if found is not None and int(found[1]) < 192:
            return _SYSLOG[int(found[1]) & 7]
    if first in b"IWEFDA":
        marked = _KLOG.match(record)
        if marked is not None:
            return _KLOG_LETTERS[marked[1]]
        marked = _RUBY.match(record)
        if marked is not None:
            return _RUBY_LETTERS[marked[1]]
    if record.startswith(b"__REALTIME_TIMESTAMP"):
        found = _PRIORITY.search(record, 0, _FIELD_LENGTH)
        return _SYSLOG[int(found[1])] if found is not None else None
    # An access record has words of its client in it, and no level.
    if record.find(b'] "', 0, 200) >= 0 and _STATUS.search(record, 0, _FIELD_LENGTH):
        return None
    return _head_level(record, head_end)


def _head_level(record: bytes, head_end: int) -> int | None:
    end = record.find(b"\n", 0, head_end + _HEAD_LENGTH)
    end = head_end + _HEAD_LENGTH if end < 0 else end
    found = _NEXT_WORD.match(record, head_end, end)
    if found is None:
        # From the byte before, which may be the bracket; a level before the stamp is looked for too.
        found = _HEAD_WORD.search(record, max(head_end - 1, 0), end)
    if found is None and head_end:
        found = _HEAD_WORD.search(record, 0, head_end)
    if found is None and record[end : end + 1] == b"\n":
        found = _SECOND_LINE.match(record, end + 1)
    if found is not None:
        word = found[found.lastindex or 0].decode("utf-8").lower().rstrip("12345678")
        return _NAMES.get(word, _SHORT.get(word))
    if record[:1].isdigit() and (mark := _REDIS.match(record)) is not None:
        return _REDIS_MARKS[mark[1]]
    return _field_level(record)


def _field_level(record: bytes) -> int | None:
    found = _FIELD.search(record, 0, _FIELD_LENGTH)
    if found is None:
        priority = _PRIORITY.search(record, 0, _FIELD_LENGTH)
        return None if priority is None else _SYSLOG[int(priority[1])]
    word = found[1].decode("ascii").lower()
    if word.isdigit():
        return _NUMBERS.get(int(word))
    return _NAMES.get(word, {"i": 3, "w": 2, "e": 1, "f": 0, "d": 4}.get(word))


_LEVEL_DIGITS = (
    re.compile(rb'" ([1-5])[0-9]{2} '),
    re.compile(rb"<([0-9]{1,3})>"),
    re.compile(rb'"level"\s{0,2}:\s{0,2}([0-9]{1,2})(?![0-9])'),
    re.compile(rb'PRIORITY"?[=:]\s?"?([0-7])(?![0-9])'),
)


def level_digits_in(sample: Sequence[bytes]) -> list[re.Pattern[bytes]]:
    """The ways in which records of a sample say by a number how severe they are: a status, a priority, a level."""
    return [one for one in _LEVEL_DIGITS if any(one.search(line, 0, _FIELD_LENGTH) for line in sample)]


def level_digits(line: bytes, ways: Sequence[re.Pattern[bytes]]) -> bytes:
    """The number by which a record says how severe it is; empty for none."""
    for way in ways:
        found = way.search(line, 0, _FIELD_LENGTH)
        if found is not None:
            return found[1]
    return b""


def rank_of(record: bytes, level: int | None) -> int:
    """How worth keeping a record is by its severity: the index of its level, or of what it shows in other ways."""
    if level is None:
        status = _STATUS.search(record, 0, _FIELD_LENGTH)
        if status is not None:
            return {b"5": 1, b"4": 2}.get(status[1], NO_LEVEL)
        level = NO_LEVEL
    if level >= NO_LEVEL and _TRACE.search(record, 0, _FIELD_LENGTH) is not None:
        return 1
    return level


def level_named(word: str) -> int | None:
    """The index into `LEVELS` of a level's name, in any spelling that records use; None for no level."""
    return _NAMES.get(word.strip().lower(), _SHORT.get(word.strip().lower()))
