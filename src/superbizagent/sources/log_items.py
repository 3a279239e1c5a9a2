"""A kept log record as an item of a tool's output.

Decides which facts stand beside the record: the service and the time only where they are known, the file and line
always. It refuses to give a time for a stamp without a zone unless a zone is configured. Protocol: section 3.
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo
from typing import Any

from superbizagent.rules.timestamps import Stamp, read_stamp, rfc3339
from superbizagent.sources.log_forms import Kind
from superbizagent.sources.log_levels import LEVELS, level_of
from superbizagent.sources.log_record import fields_of, message_of, one_line, service_of
from superbizagent.sources.log_search import Scope
from superbizagent.sources.log_selection import Kept


def item_of(
    kept: Kept, scope: Scope, patterns: Sequence[re.Pattern[bytes]], zone: tzinfo | None, before: datetime | None
) -> dict[str, Any]:
    """`{record, service?, file, line, time?, level?, message?, similar?}`; see section 3 for `record`.

    `time` is in UTC, RFC 3339; `similar` counts the matching records with this record's template, where there are more
    than itself.
    """
    candidate = kept.candidate
    whole = candidate.record.decode("utf-8", "backslashreplace")
    fields = fields_of(whole)
    item: dict[str, Any] = {"record": one_line(candidate.record, patterns)}
    service = service_of(whole, fields) or scope.service
    if service is not None:
        item["service"] = service
    item |= {"file": scope.file.name, "line": candidate.place[1]}
    moment = _moment(kept, scope, zone, before)
    if moment is not None:
        item["time"] = rfc3339(moment)
    level = level_of(candidate.record, candidate.head_end)
    if level is not None:
        item["level"] = LEVELS[level]
    message = message_of(whole, fields)
    if message is not None:
        item["message"] = message
    if kept.similar > 1:
        item["similar"] = kept.similar
    return item


def _moment(kept: Kept, scope: Scope, zone: tzinfo | None, before: datetime | None) -> datetime | None:
    form = scope.facts.form
    first = kept.candidate.record.split(b"\n", 1)[0]
    head = form.head(first) if form.head is not None else None
    stamp: Stamp | None = None
    if head is not None:
        text = head.string[head.start(1) : head.end(2)].decode("utf-8", "replace")
        stamp = read_stamp(text, zone=zone, before=before)
        if form.stamp == "journal":
            return _journal_moment(head)
    elif form.kind is Kind.STAMPED:
        stamp = scope.facts.seconds.stamp_of(first)
    if stamp is None or not (stamp.had_zone or zone is not None) or stamp.when.tzinfo is None:
        return None
    return stamp.when.astimezone(UTC)


def _journal_moment(head: re.Match[bytes]) -> datetime | None:
    digits = re.match(rb"[0-9]{10,16}", head.string[head.start(1) :])
    stamp = read_stamp(digits[0].decode("ascii")) if digits is not None else None
    return stamp.when if stamp is not None else None
