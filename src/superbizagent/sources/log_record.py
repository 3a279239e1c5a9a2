"""One log record as an item of `query_logs`: the record in one line, and what is known beside it.

Decides how a record of several lines becomes one line (its trace shortened in the middle, the lines that were searched
for kept), and which fields a record has: level, service, message. It refuses to know more than the record says: the
service is a field of the record or what the caller says of the whole file, never a part of the file's name. Protocol:
section 3 (log record).
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

SERVICE_KEYS = (
    "service",
    "service.name",
    "service_name",
    "serviceName",
    "app",
    "application",
    "app_name",
    "appname",
    "_SYSTEMD_UNIT",
    "CONTAINER_NAME",
    "SYSLOG_IDENTIFIER",
)
"""Fields that name the service of a record, in the order in which they are believed."""

MESSAGE_KEYS = ("message", "msg", "MESSAGE", "log", "event", "text", "body", "@message", "error")

_MAX_RECORD = 8192
_FIELDS_LENGTH = 4096
_CAUSES_SEARCHED = 5000
_HEAD_LINES = 4
_TAIL_LINES = 1
_KEPT_LINES = 12
_LOGFMT = re.compile(r'(?:^|\s)([A-Za-z_][A-Za-z0-9_.-]{0,60})=("(?:[^"\\]|\\.){0,500}"|[^\s"]{1,400})')
# A BSD stamp, or an RFC 3339 stamp with the process id that tells it from a level and a logger.
SYSLOG_HEAD = (
    r"(?:<[0-9]{1,3}>)?(?:[A-Z][a-z]{2} [ 0-9][0-9] [0-9:]{8} ([A-Za-z0-9_.:-]{1,253}) ([A-Za-z][A-Za-z0-9_./@-]{0,80})"
    r"(?:\[[0-9]{1,10}\])?: |[12][0-9]{3}-[0-9]{2}-[0-9]{2}T[0-9:.+Z-]{8,24} ([A-Za-z0-9_.:-]{1,253}) "
    r"([A-Za-z][A-Za-z0-9_./@-]{0,80})(?:(?<=kernel)|\[[0-9]{1,10}\]): )"
)
_SYSLOG = re.compile(SYSLOG_HEAD)
_SYSLOG_5424 = re.compile(r"<[0-9]{1,3}>1 [^ ]{1,40} ([^ ]{1,253}) ([^ ]{1,80}) [^ ]{1,128} ")
_SPRING_FIELD = re.compile(r" \[([A-Za-z][A-Za-z0-9_-]{1,60}),[0-9a-f]{0,32},[0-9a-f]{0,16}(?:,[a-z]{0,5})?\] ")
_UNIT = ".service"


def one_line(record: bytes, wanted: Sequence[re.Pattern[bytes]] = ()) -> str:
    """The record in one line, at most about 8 KiB.

    Lines are joined by ` \\n `; the middle of a trace is left out as `[… n lines …]`, the middle of a very long line as
    `[… n characters …]`. What `wanted` finds stays in.
    """
    lines = [line.strip() for line in record.split(b"\n")]
    while len(lines) > 1 and not lines[-1]:
        lines.pop()
    keep = _lines_to_keep(lines, wanted)
    parts: list[str] = []
    left = 0
    for index, line in enumerate(lines):
        if index in keep:
            if left:
                parts.append(f"[… {left} lines …]" if left > 1 else "[… 1 line …]")
                left = 0
            parts.append(_shortened(line, wanted, _MAX_RECORD // max(len(keep), 1)))
        else:
            left += 1
    if left:
        parts.append(f"[… {left} lines …]" if left > 1 else "[… 1 line …]")
    return " \\n ".join(parts)


def _lines_to_keep(lines: Sequence[bytes], wanted: Sequence[re.Pattern[bytes]]) -> set[int]:
    """The first lines, the last, the causes, and the lines where what was searched for stands first."""
    if len(lines) <= _KEPT_LINES:
        return set(range(len(lines)))
    keep = {*range(_HEAD_LINES), *range(len(lines) - _TAIL_LINES, len(lines))}
    causes = (
        index for index, line in enumerate(lines[:_CAUSES_SEARCHED]) if line.startswith((b"Caused by:", b"Suppressed:"))
    )
    low = b"\n".join(lines).lower()
    hits = (low.count(b"\n", 0, found.start()) for find in wanted if (found := find.search(low)) is not None)
    for index in (*causes, *hits):
        if len(keep) >= _KEPT_LINES:
            break
        keep.add(index)
    return keep


def _shortened(line: bytes, wanted: Sequence[re.Pattern[bytes]], limit: int) -> str:
    limit = max(limit, 400)
    text = line.decode("utf-8", "backslashreplace")
    if len(text) <= limit:
        return text
    spans = [(0, limit // 2), (len(text) - limit // 4, len(text))]
    low = line.lower()
    for find in wanted:
        found = find.search(low)
        if found is not None:
            # Byte offsets become character offsets by decoding what stands before.
            middle = len(line[: found.start()].decode("utf-8", "replace"))
            if not any(start <= middle < end for start, end in spans):
                spans.append((max(middle - limit // 16, 0), min(middle + limit // 8, len(text))))
                break
    parts: list[str] = []
    end = 0
    for start, stop in sorted(spans):
        if start > end:
            parts.append(f" [… {start - end} characters …] ")
        parts.append(text[max(start, end) : stop])
        end = max(end, stop)
    return "".join(parts)


def fields_of(record: str) -> Mapping[str, Any]:
    """The named fields of a record: those of its JSON object, else its `key=value` pairs; none for other text."""
    if record.startswith("{"):
        try:
            value = json.loads(record)
        except (ValueError, RecursionError):
            return {}
        return value if isinstance(value, dict) else {}
    if record.startswith("__REALTIME_TIMESTAMP="):
        # An exported entry: its message is its last field and goes to the end.
        record, mark, message = record.partition(" MESSAGE=")
        fields = {name: value for name, _, value in (part.partition("=") for part in record.split(" "))}
        return {**fields, "MESSAGE": message} if mark else fields
    return {found[1]: found[2].strip('"') for found in _LOGFMT.finditer(record[:_FIELDS_LENGTH])}


def service_of(record: str, fields: Mapping[str, Any]) -> str | None:
    """The service that a record names as its own, or None."""
    for key in SERVICE_KEYS:
        value = fields.get(key)
        if isinstance(value, Mapping):
            value = value.get("name")
        if isinstance(value, str) and 0 < len(value) <= 200:
            return value.removesuffix(_UNIT) if key == "_SYSTEMD_UNIT" else value
    nested = fields.get("kubernetes")
    if isinstance(nested, Mapping):
        labels = nested.get("labels")
        name = labels.get("app") if isinstance(labels, Mapping) else nested.get("container_name")
        if isinstance(name, str) and name:
            return name
    if not record.startswith("{"):
        found = _SYSLOG_5424.match(record) or _SYSLOG.match(record)
        name = found[2] or found[found.lastindex or 0] if found is not None else "-"
        if name != "-":
            return name
        spring = _SPRING_FIELD.search(record[:300])
        if spring is not None:
            return spring[1]
    return None


def message_of(record: str, fields: Mapping[str, Any]) -> str | None:
    """The message field of a structured record, or None."""
    for key in MESSAGE_KEYS:
        value = fields.get(key)
        if isinstance(value, str) and value:
            return value[:_MAX_RECORD].rstrip("\n")
        if isinstance(value, list) and value and all(isinstance(one, int) and 0 <= one < 256 for one in value):
            # journald's JSON writes a message that is no UTF-8 as a list of bytes.
            return bytes(value[:_MAX_RECORD]).decode("utf-8", "backslashreplace")
    return None
