"""Candidates: the recorded items that may answer, each with its message, fields, level and time.

Decides: where in a ref's text the record's own message stands, which records are repetitions of one template, and in
which order candidates are looked at. Refuses: to change a text; every part of it is a slice. Protocol: sections 2, 3.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from superbizagent.agents.extractive.excerpts import structured
from superbizagent.contract.json_text import read_json
from superbizagent.contract.records import ToolInvocation
from superbizagent.contract.tools import LOOKUP_KNOWLEDGE, QUERY_METRICS
from superbizagent.contract.vocabulary import EvidenceKind
from superbizagent.rules.timestamps import read_head, read_stamp

_LEVEL_RANK = {
    **dict.fromkeys(("fatal", "critical", "crit", "emerg", "emergency", "alert", "panic", "severe"), 5),
    **dict.fromkeys(("error", "err"), 4),
    **dict.fromkeys(("warn", "warning"), 3),
    **dict.fromkeys(("notice", "info", "log", "information"), 2),
    **dict.fromkeys(("debug", "trace", "verbose"), 1),
}
_SYSLOG_HEADS = tuple(
    re.compile(pattern)
    for pattern in (
        r" ?[A-Za-z][\w.-]{0,80} [A-Za-z][\w./@-]{0,80} (?:\d{1,10}|-) \S{1,64} (?:-|\[[^\]\n]{1,200}\])(?= )",
        r" ?[A-Za-z][\w.-]{0,80} [A-Za-z][\w./@-]{0,80}(?:\[\d{1,10}\])?: (?=\S)",
    )
)
_HEAD_PARTS = tuple(
    re.compile(pattern)
    for pattern in (
        r"[ \t]+",
        r"(?:信息|警告|错误|调试|严重|致命)(?= )",
        r"\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|SEVERE|PANIC|LOG|trace|debug|info|notice|warn"
        r"|error|crit|fatal|alert|emerg)\]?(?=[\s:])[:]?",
        r"\[[^\]\n]{1,120}\]",
        r"\d{1,8}#\d{1,8}:",
        r"\*\d{1,12}(?= )",
        r"\S{1,60}@\S{1,60} (?=[A-Z]{3,8}: )",
        r"[*#.-](?= )",
    )
)
# What ends a head: a logger or program before its mark. What follows is the message, whatever it looks like.
_LOGGERS = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?:[a-z][\w$]{0,40}\.){1,10}[A-Za-z_$][\w$]{0,80} {0,3}(?:-|:) ",
        r"[\w\u3400-\u9fff]{1,20}(?:\.[\w\u3400-\u9fff]{1,20}){1,4} - ",
        r"[\u3400-\u9fff]{2,20} - ",
        r"[A-Za-z][\w.-]{0,60}(?:\[\d{1,8}\])?(?::| -) (?=\S)",
    )
)
_LEVEL_WORD = re.compile(r"\b([A-Z]{3,9})\b|\[([a-z]{3,9})\]|\b(?:level|lvl|severity)=\"?([A-Za-z]{3,9})")
_CLOSING_LEVEL = re.compile(r"(?:LOG|DEBUG|INFO|NOTICE|WARNING|ERROR|FATAL|PANIC|DETAIL|HINT):")
_MOST_HEAD_PARTS = 16
_NAMES = re.compile(r"(?<![\w.])[a-z][a-z_.]{0,40}-?\d[\w.-]{0,60}|[a-z][a-z0-9]{0,40}(?:-[a-z0-9]{1,40})+")
_FAR = datetime(2100, 1, 1, tzinfo=UTC)
_DIGITS = re.compile(r"\d+")
_HEX = re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{6,}\b|@[0-9a-f]{4,}\b", re.IGNORECASE)
_FIELDS = tuple(
    re.compile(pattern)
    for pattern in (
        r"[A-Za-z_][\w.]{0,40}=[^\s,;()]{1,60}(?:, ?[A-Za-z_][\w.]{0,40}=[^\s,;()]{1,60}){1,15}",
        r"[A-Za-z_][\w.]{0,40}: ?\d[\w.%]{0,20}(?:, ?[A-Za-z_][\w.]{0,40}: ?\d[\w.%]{0,20}){1,15}(?![\w:.])",
        r"(?<![\u3400-\u9fff])[\u3400-\u9fff]{2,12}[ ：:=]?\d[\w.%]{0,20}"
        r"(?:[，,、；] ?[\u3400-\u9fff]{2,8}[ ：:=]?\d[\w.%]{0,20}){1,15}",
    )
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """One recorded item: its ref, and what the item says beside the text.

    `order` is its place among all items; `time` puts candidates in order, and takes a stamp without a zone as UTC.
    """

    tool_name: str
    invocation_id: int
    raw_path: str
    text: str
    kind: EvidenceKind
    item: dict[str, Any]
    order: int
    message: str
    level: int
    time: datetime | None

    @property
    def service(self) -> str | None:
        """The service that the item names, if any."""
        labels = self.item.get("labels")
        value = self.item.get("service") or (labels.get("service") if isinstance(labels, dict) else None)
        return value if isinstance(value, str) and value else None

    @property
    def is_alert(self) -> bool:
        """Whether the item is an alert."""
        return self.tool_name == QUERY_METRICS

    @property
    def is_guidance(self) -> bool:
        """Whether the item is what somebody wrote beforehand."""
        return self.kind is EvidenceKind.GUIDANCE

    @property
    def similar(self) -> int:
        """How many records of the same template the source counted, itself included; 1 when it does not say."""
        value = self.item.get("similar")
        return value if isinstance(value, int) and value > 0 else 1

    @property
    def fields(self) -> str | None:
        """The run of labelled numbers in the message that has the most of them: a slice of the text."""
        runs: list[str] = [run for pattern in _FIELDS for run in pattern.findall(self.message[:4000])]
        return max(runs, key=lambda run: run.count(",") + run.count("，"), default=None)


def candidates_of(invocations: Iterable[ToolInvocation]) -> list[Candidate]:
    """Every citable item of the recorded calls, in order; an item that two calls returned counts once."""
    out: list[Candidate] = []
    seen: set[tuple[str, str]] = set()
    for invocation in invocations:
        details = invocation.retrieval_details
        refs = details.evidence_refs if details is not None else None
        if not refs or details is None:
            continue
        items = _items(invocation, details.collection)
        for index, ref in enumerate(refs):
            if (invocation.tool_name, ref.text) in seen:
                continue
            seen.add((invocation.tool_name, ref.text))
            item = items[index] if index < len(items) else {}
            guided = details.kind is EvidenceKind.GUIDANCE or invocation.tool_name == LOOKUP_KNOWLEDGE
            out.append(
                Candidate(
                    tool_name=invocation.tool_name,
                    invocation_id=invocation.id,
                    raw_path=ref.raw_path,
                    text=ref.text,
                    kind=EvidenceKind.GUIDANCE if guided else EvidenceKind.INCIDENT,
                    item=item,
                    order=len(out),
                    message=message_of(ref.text, item),
                    level=_level(item, ref.text),
                    time=_time(item, ref.text),
                )
            )
    return out


def template_of(message: str) -> str:
    """The message with its numbers and hashes masked: equal for repetitions of one statement of a program."""
    return _DIGITS.sub("#", _HEX.sub("#", message[:600])).lower()


def distinct(candidates: Sequence[Candidate], *, by_names: bool = False) -> list[Candidate]:
    """The first candidate of each template (and, for alerts, of each set of labels), in order.

    With `by_names`, one of each template and the names in it: `n1 is down` and `n2 is down` are two.
    """
    seen: set[str] = set()
    out: list[Candidate] = []
    for candidate in candidates:
        key = _alert_key(candidate) if candidate.is_alert else template_of(candidate.message)
        if by_names and not candidate.is_alert:
            key = " ".join([key, *sorted(names_in(candidate.message))])
        if key not in seen:
            seen.add(key)
            out.append(candidate)
    return out


def names_in(message: str) -> frozenset[str]:
    """The names in a message by their shape: letters with digits, or joined by hyphens."""
    return frozenset(_NAMES.findall(message[:600].lower()))


def newest_first(candidates: Iterable[Candidate]) -> list[Candidate]:
    """By time, the newest first; what has no time keeps its place behind."""
    return sorted(candidates, key=lambda c: (c.time is None, -(c.time.timestamp() if c.time else 0), c.order))


def worst_first(candidates: Iterable[Candidate]) -> list[Candidate]:
    """By level, the worst first; then the newest first."""
    return sorted(newest_first(candidates), key=lambda candidate: -candidate.level)


def message_of(text: str, item: dict[str, Any]) -> str:
    """The part of a ref's text that is the record's own message: a slice, without stamp, level, thread and logger."""
    if "labels" in item or "alertname" in item:
        return text
    body = text[: _body_end(text, item)]
    parts = structured(body) if body.startswith("{") or isinstance(item.get("message"), str) else None
    if parts is not None:
        return parts.whole
    start = _head_end(body)
    return body[start:].strip() or body.strip()


def _body_end(text: str, item: dict[str, Any]) -> int:
    """Where the facts begin that the extractor put behind the record (`service=`, `file=`, `time=`)."""
    end = len(text)
    for key in ("time", "file", "service"):
        value = item.get(key)
        if isinstance(value, str) and value:
            position = text.rfind(f" {key}=", 0, end)
            if position >= 0 and text[position:end].count(" ") <= 1 + value.count(" "):
                end = position
    return end


def _head_end(text: str) -> int:
    stamp = read_head(text, before=_FAR)
    position = stamp.end if stamp is not None else 0
    if stamp is not None and text[position : position + 1] == "]":
        position += 1
    if stamp is not None:
        syslog = next((hit for head in _SYSLOG_HEADS if (hit := head.match(text, position))), None)
        if syslog is not None:
            return syslog.end()
    for _ in range(_MOST_HEAD_PARTS):
        logger = next((hit for part in _LOGGERS if (hit := part.match(text, position))), None)
        if logger is not None and position:
            return logger.end()
        hits = (part.match(text, position) for part in _HEAD_PARTS)
        end = next((hit.end() for hit in hits if hit is not None and hit.end() > position), len(text))
        if end >= len(text):
            return position
        closes_head = _CLOSING_LEVEL.fullmatch(text, position, end) is not None
        position = end
        if closes_head:
            return position
    return position


def _items(invocation: ToolInvocation, collection: str | None) -> list[dict[str, Any]]:
    try:
        output = read_json(invocation.output)
    except ValueError:
        return []
    items = output.get(collection) if isinstance(output, dict) else None
    return [item if isinstance(item, dict) else {} for item in items] if isinstance(items, list) else []


def _level(item: dict[str, Any], text: str) -> int:
    given = item.get("level") or item.get("severity")
    if isinstance(given, str):
        return _LEVEL_RANK.get(given.strip().lower(), 2)
    labels = item.get("labels")
    if isinstance(labels, dict) and isinstance(labels.get("severity"), str):
        return _LEVEL_RANK.get(labels["severity"].lower(), 3)
    words = [found[1] or found[2] or found[3] for found in _LEVEL_WORD.finditer(text[:160])]
    return max((_LEVEL_RANK.get(word.lower(), 0) for word in words), default=2)


def _time(item: dict[str, Any], text: str) -> datetime | None:
    for key in ("time", "resolved_at", "active_at", "starts_at", "activeAt", "startsAt"):
        value = item.get(key)
        stamp = read_stamp(value) if isinstance(value, str) else None
        if stamp is not None and stamp.when.tzinfo is not None:
            return stamp.when
    head = read_head(text, zone=UTC, before=_FAR)
    return head.when if head is not None else None


def _alert_key(candidate: Candidate) -> str:
    labels = candidate.item.get("labels")
    pairs = sorted(f"{key}={value}" for key, value in labels.items()) if isinstance(labels, dict) else []
    return "|".join([str(candidate.item.get("alertname", "")), str(candidate.item.get("state", "")), *pairs])
