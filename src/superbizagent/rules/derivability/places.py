"""What is found in a record, and where: words, numbers, moments and names.

Decides: the shapes that a reading of a record consists of, which words tell a failure, and which labels never count.
Refuses: to read. Protocol: sections 7.3 and 7.4.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from superbizagent.rules.derivability.context import Context
from superbizagent.rules.derivability.moments import Stamp
from superbizagent.rules.quantities import Quantity

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
NOT_COUNTS = frozenset(
    "c:status_code c:error_code c:exit_code c:port c:version w:pid w:id w:code w:lin w:line w:signal w:level".split()
)
"""Labels whose numbers name something: they are never more or less than none."""

_SOURCE_LINE = re.compile(
    r"(.{1,300}\.(?:java|py|go|js|ts|rb|rs|c|cc|cpp|h|kt|scala|cs|php|ex|erl|lua|swift)):\d{1,6}(?::\d{1,5})?"
)


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


@lru_cache(maxsize=4096)
def name_forms(name: str) -> frozenset[str]:
    """The whole names that a written name contains: a URL's host, port and path, a class's last part."""
    low = name.lower().rstrip(".")
    forms = {low}
    source = _SOURCE_LINE.fullmatch(low)
    if source is not None:
        low = source.group(1)  # `src/ledger.rs:214:17`
        forms |= {low, low.rpartition("/")[2]}
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
