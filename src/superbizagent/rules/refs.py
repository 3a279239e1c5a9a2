"""Extraction of evidence refs: a stored tool output in, `{raw_path, text}` for each citable item out.

Decides what the system-side text of an item is: one line of facts, the same for the same stored output today and in a
year. It refuses to look at anything but the output: no clock, no source, no table of services. A fact that is not in
the item is left out, never invented; a value is shown escaped where it could break the line and so forge a second
record. Masking of secrets happens before, at the recorder. Protocol: section 2 (raw paths) and section 3 (the text of
a ref).
"""

import json
import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any

from superbizagent.contract.evidence import EvidenceRef
from superbizagent.contract.tools import raw_path
from superbizagent.rules.timestamps import read_head, read_stamp

EXTRACTOR_VERSION = "refs.1"
"""Changes whenever the same output would give another text."""

# C0 and C1 controls, line and paragraph separators, and lone surrogates: what could end a line or not be stored.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_SHORT_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
# Colours of a terminal (SGR): formatting, dropped from the text of a log record; the item keeps them.
_COLOUR = re.compile("\x1b\\[[0-9;]{0,20}m")
_MAX_DEPTH = 20


def extract_refs(collection: str | None, output: Mapping[str, Any]) -> list[EvidenceRef] | None:
    """The refs of a stored output (`ToolOutput.as_json()` read back), in the order of its collection.

    None when the tool has no collection: nothing of it may be cited. An output without the list (an unavailable
    source, a foreign shape) has the empty list: recorded, and nothing to cite.
    """
    if collection is None:
        return None
    items = output.get(collection)
    if not isinstance(items, list):
        return []
    return [
        EvidenceRef(raw_path=raw_path(collection, index), text=item_text(collection, item))
        for index, item in enumerate(items)
    ]


def item_text(collection: str, item: Any) -> str:
    """The text of one item: one line, in the form of its collection; an unknown collection gets `key=value, …`."""
    if not isinstance(item, Mapping):
        return one_line(_shown(item))
    match collection:
        case "alerts":
            return _alert_text(item)
        case "logs":
            return _log_text(item)
        case "evidence_blocks":
            return _block_text(item)
        case _:
            return _generic_text(item)


def one_line(text: str) -> str:
    """`text` with everything escaped that could break the line, as JSON escapes it: `\\n`, `\\u001b`, `\\ud800`."""
    return _UNSAFE.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    char = found[0]
    return _SHORT_ESCAPES.get(char) or f"\\u{ord(char):04x}"


# --- alerts -----------------------------------------------------------------------------------------------------


def _alert_text(alert: Mapping[str, Any]) -> str:
    labels = _mapping(alert.get("labels"))
    annotations = _mapping(alert.get("annotations"))
    name = alert.get("alertname") or labels.get("alertname")
    state = _alert_state(alert)
    service = alert.get("service") or labels.get("service")
    facts = [one_line(" ".join(_shown(part) for part in (name, state) if part not in (None, "")))]
    if service not in (None, ""):
        facts.append(f"service={_value(service)}")
    facts += [
        f"{one_line(str(key))}={_value(labels[key])}" for key in sorted(labels, key=str) if key not in _SAID_ELSEWHERE
    ]
    facts += _alert_times(alert, state)
    line = ", ".join(fact for fact in facts if fact)
    remarks = [annotations.get("summary"), annotations.get("description") or annotations.get("message")]
    return "; ".join([line, *(one_line(_shown(remark)).strip() for remark in remarks if remark not in (None, ""))])


_SAID_ELSEWHERE = frozenset({"alertname", "service"})


def _alert_state(alert: Mapping[str, Any]) -> str | None:
    state = alert.get("state")
    if state is None:
        status = alert.get("status")
        state = status.get("state") if isinstance(status, Mapping) else status
    word = _shown(state) if state is not None else None
    return "firing" if word == "active" else word


def _alert_times(alert: Mapping[str, Any], state: str | None) -> list[str]:
    resolved = state == "resolved"
    facts = []
    value = alert.get("value")
    if value not in (None, ""):
        facts.append(f"{'last' if resolved else 'current'}={_value(plain_number(value))}")
    since = _moment(_first(alert, "active_at", "activeAt", "starts_at", "startsAt"))
    if since is not None:
        facts.append(f"since={since}")
    if resolved:
        end = _moment(_first(alert, "resolved_at", "ends_at", "endsAt"))
        if end is not None:
            facts.append(f"resolved_at={end}")
    duration = alert.get("duration")
    if duration not in (None, ""):
        facts.append(f"duration={_value(duration)}")
    suppressed = alert.get("suppressed_by")
    if suppressed not in (None, "", []):
        by = ", ".join(map(_shown, suppressed)) if isinstance(suppressed, list) else suppressed
        facts.append(f"suppressed_by={_value(by)}")
    return facts


def _moment(value: Any) -> str | None:
    """A moment as the item has it; the zero time is none."""
    if not isinstance(value, str) or not value or value.startswith("0001-01-01T00:00:00"):
        return None
    return _value(value)


def plain_number(value: Any) -> Any:
    """`4.607142857142857e+00` as `4.607142857142857`: a number without exponent; anything else as it is."""
    text = value if isinstance(value, str) else repr(value) if isinstance(value, float) else None
    if text is None or len(text) > 64 or "e" not in text.lower():
        return value
    try:
        number = Decimal(text)
    except InvalidOperation:
        return value
    if not number.is_finite() or not -20 <= number.adjusted() <= 20:
        return value
    plain = format(number, "f")
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


_DURATION_UNITS = (
    ("y", 31_536_000_000),
    ("w", 604_800_000),
    ("d", 86_400_000),
    ("h", 3_600_000),
    ("m", 60_000),
    ("s", 1000),
    ("ms", 1),
)


def duration_text(span: timedelta) -> str | None:
    """A duration as Prometheus writes it: `15m`, `42s`, `1h2m`, `1d`; whole seconds, None when it is negative."""
    total = int(span.total_seconds()) * 1000
    if span < timedelta(0):
        return None
    parts = []
    for unit, size in _DURATION_UNITS:
        # Prometheus writes years and weeks only when nothing is left over.
        if unit in ("y", "w") and total % size:
            continue
        count, total = divmod(total, size)
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts) or "0s"


# --- log records ------------------------------------------------------------------------------------------------


def _log_text(item: Mapping[str, Any]) -> str:
    record = item.get("record")
    if record is None:
        record = item.get("message", item.get("line"))
    if not isinstance(record, str):
        return _generic_text(item)
    # A tab separates columns: it is white space, which cannot break the line and reads better than its escape.
    text = one_line(_COLOUR.sub("", record).replace("\t", " ")).strip()
    beside = []
    for key in ("service", "file"):
        value = item.get(key)
        if isinstance(value, str) and value and not _names(text, key, value):
            beside.append(f"{key}={_value(value)}")
    moment = item.get("time")
    if isinstance(moment, str) and moment and not _tells_time(record, moment):
        beside.append(f"time={_value(moment)}")
    return " ".join([text, *beside])


def _names(text: str, key: str, value: str) -> bool:
    """Whether the record itself gives the field with this value (`service=x`, `"service":"x"`)."""
    folded = text.replace('"', "").replace(": ", ":") + ","
    wanted = value.replace('"', "")
    return any(f"{key}{mark}{wanted}{end}" in folded for mark in "=:" for end in ",;}) ")


_DATED = re.compile(
    "[12][0-9]{3}-[01][0-9]-[0-3][0-9][Tt ][0-2][0-9]:[0-5][0-9]:[0-6][0-9]"
    "(?:[.,][0-9]{1,9})?(?: ?[Zz]| ?[+-][0-9]{2}:?[0-9]{2})"
)
_TIME_SEARCHED = 65_536


def _tells_time(record: str, moment: str) -> bool:
    """Whether the record itself gives this moment as a date, a time and a zone (an epoch does not tell it)."""
    known = read_stamp(moment)
    if known is None or known.when.tzinfo is None:
        return False
    if moment in record:
        return True
    head = read_head(record)
    if head is not None and head.had_zone and not head.form.startswith("epoch") and _same_second(head.when, known.when):
        return True
    for found in _DATED.finditer(record, 0, _TIME_SEARCHED):
        stamp = read_stamp(found[0])
        if stamp is not None and stamp.had_zone and _same_second(stamp.when, known.when):
            return True
    return False


def _same_second(first: datetime, second: datetime) -> bool:
    if first.tzinfo is None:
        return False
    return first.astimezone(UTC).replace(microsecond=0) == second.astimezone(UTC).replace(microsecond=0)


# --- knowledge blocks and outside tools -------------------------------------------------------------------------


def _block_text(block: Mapping[str, Any]) -> str:
    path = [
        one_line(_shown(part)).strip() for part in (block.get("title"), block.get("heading")) if part not in (None, "")
    ]
    text = " ".join(one_line(line).strip() for line in _shown(block.get("text") or "").splitlines() if line.strip())
    head = " > ".join(path)
    return f"{head}: {text}" if head and text else head or text


def _generic_text(item: Mapping[str, Any]) -> str:
    text = item.get("text")
    if isinstance(text, str) and text:
        return one_line(text).strip()
    return ", ".join(
        f"{one_line(str(key))}={_value(plain_number(value))}" for key, value in item.items() if value is not None
    )


def _value(value: Any) -> str:
    """A field's value: quoted where it would read as more than one field."""
    shown = _shown(value)
    if shown != shown.strip() or shown == "" or any(mark in shown for mark in (", ", ";", '"', "\n", "\r")):
        return one_line(json.dumps(shown, ensure_ascii=False))
    return one_line(shown)


def _shown(value: Any) -> str:
    """A value as text: strings as they are, everything else as compact JSON; too deep a nesting is said."""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and math.isfinite(value) and abs(value) < 1e16:
        return str(plain_number(value))
    if _depth_exceeds(value, _MAX_DEPTH):
        return "[nested too deeply]"
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def _depth_exceeds(value: Any, limit: int) -> bool:
    """Whether a value nests deeper than `limit`, found level by level so that no depth can exhaust the stack."""
    level: list[Any] = [value]
    for _ in range(limit + 1):
        level = [
            inner
            for outer in level
            if isinstance(outer, Mapping | list)
            for inner in (outer.values() if isinstance(outer, Mapping) else outer)
        ]
        if not level:
            return False
    return True


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _first(item: Mapping[str, Any], *keys: str) -> Any:
    return next((item[key] for key in keys if item.get(key) not in (None, "")), None)
