"""What one pass over a log file found out, so that later searches look only where it is worth it.

Decides nothing about a question: it remembers, for each block of about 1 MiB, how many records it holds and from when
to when, and for the file its form and the names that its records carry. A file that has changed since is passed over
again. Memory is a few hundred bytes a block. Protocol: section 2 (`searched` counts every record looked at).
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate

from superbizagent.sources.log_forms import (
    FileForm,
    Kind,
    Measure,
    Seconds,
    Span,
    Split,
    detect,
    last_start,
    measure,
    span_of,
    span_of_measure,
    split_block,
)
from superbizagent.sources.log_levels import level_digits_in
from superbizagent.sources.log_record import SERVICE_KEYS, SYSLOG_HEAD, service_of
from superbizagent.sources.log_terms import Words
from superbizagent.sources.log_text import BLOCK, MAX_LINE, Notes, NotText, is_plain, text_blocks
from superbizagent.sources.regular_files import FoundFile, open_regular, reason_of

HOST_KEYS = ("host", "hostname", "instance", "node", "pod", "_HOSTNAME")
_MAX_NAMES = 10_000
_MAX_NAME = 200
_POOL = re.compile(rb"ool-[0-9]{1,4}(?![0-9A-Za-z_-])")
_POOL_HEAD = re.compile(rb"[A-Za-z0-9_.-]{0,60}$")
_POOLS_A_BLOCK = 200
_SYSLOG_SERVICE = re.compile(SYSLOG_HEAD.encode())


@dataclass
class Block:
    """Where a block begins in the file's text, and what it holds. `first` and `last` are epoch seconds."""

    offset: int
    size: int
    line: int
    records: int
    untimed: int
    first: int | None
    last: int | None
    words: Words


@dataclass
class FileIndex:
    """One file after the first pass.

    `plain` files can be read from any block on; others only from their start. `service_fields` find the service of a
    record in its fields, where the file's records have one; `level_digits` find the number by which records tell their
    level or status; `template` is how coarsely they have to be told apart (see `log_search`).
    """

    identity: tuple[int, int]
    form: FileForm
    seconds: Seconds
    blocks: list[Block] = field(default_factory=list)
    services: set[str] = field(default_factory=set)
    hosts: set[str] = field(default_factory=set)
    pools: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    service_fields: list[re.Pattern[bytes]] = field(default_factory=list)
    level_digits: list[re.Pattern[bytes]] = field(default_factory=list)
    template: int = 0
    plain: bool = False

    @property
    def records(self) -> int:
        """How many records the file has."""
        return sum(block.records for block in self.blocks)

    @property
    def newest(self) -> int | None:
        """The newest second of a record, or None when no record has a time."""
        return max((block.last for block in self.blocks if block.last is not None), default=None)


def identity_of(file: FoundFile) -> tuple[int, int]:
    """What changes when the file does; raises OSError when it is gone."""
    status = file.path.stat()
    return status.st_size, status.st_mtime_ns


def build_index(file: FoundFile, seconds: Seconds, check: Callable[[], None]) -> FileIndex:
    """Pass over a file once. `check` is called between blocks and raises to stop. Never raises for a bad file."""
    said: list[str] = []
    notes = Notes(file.name, said)
    index = FileIndex((-1, -1), FileForm(Kind.PLAIN), seconds, notes=said)
    try:
        index.identity = identity_of(file)
        with open_regular(file) as stream:
            offset = 0
            line = 1
            names: _Names | None = None
            for form, block in _aligned(text_blocks(stream, notes)):
                check()
                if names is None:
                    index.form = form
                    names = _Names(index, block)
                measured = measure(form, block)
                split = split_block(form, block) if measured is None or names.by_line else None
                index.blocks.append(_summary(index, split or measured, block, offset, line))
                names.collect(block, split)
                offset += len(block)
                line += block.count(b"\n")
        index.plain = offset == index.identity[0] and is_plain(file)
        if not offset:
            notes.say("is empty")
    except NotText as error:
        said.append(f"not read, {error}: {file.name}")
    except OSError as error:
        said.append(f"not read, cannot be opened ({reason_of(error)}): {file.name}")
    return index


def reread(file: FoundFile, index: FileIndex, wanted: Callable[[Block], bool]) -> Iterator[tuple[Block, bytes]]:
    """The text of the wanted blocks, in order; a block that can no longer be read is left out."""
    needed = [wanted(block) for block in index.blocks]
    if not any(needed):
        return
    last = max(number for number, need in enumerate(needed) if need)
    try:
        with open_regular(file) as stream:
            if index.plain:
                for block, need in zip(index.blocks, needed, strict=True):
                    if need:
                        stream.seek(block.offset)
                        yield block, stream.read(block.size)
                return
            held = b""
            texts = text_blocks(stream, Notes(file.name, []))
            for block, need in zip(index.blocks[: last + 1], needed, strict=False):
                while len(held) < block.size:
                    more = next(texts, None)
                    if more is None:
                        return
                    held += more
                if need:
                    yield block, held[: block.size]
                held = held[block.size :]
    except (OSError, NotText):
        return


def _aligned(texts: Iterator[bytes]) -> Iterator[tuple[FileForm, bytes]]:
    """Blocks that end where a record ends, and the form of the file's records."""
    form: FileForm | None = None
    held = bytearray()
    known = 0
    for text in texts:
        if form is None:
            form = detect(text[: BLOCK // 4].split(b"\n"))
        held += text
        if len(held) < BLOCK // 2:
            continue
        cut = last_start(form, held, known)
        if not cut and len(held) > MAX_LINE:
            # A record without end is cut where it grows beyond what a line may be.
            cut = len(held)
        known = 0 if cut else len(held)
        if cut:
            yield form, bytes(held[:cut])
            del held[:cut]
    if held:
        yield form or FileForm(Kind.PLAIN), bytes(held)


def record_offsets(split: Split) -> list[int]:
    """Where each record of a split block begins."""
    # Line number `start` begins behind the lengths of the lines before it and their line ends.
    ends = [0, *accumulate(map(len, split.lines))]
    return [ends[start] + start for start in split.starts]


def _summary(index: FileIndex, seen: Split | Measure | None, text: bytes, offset: int, line: int) -> Block:
    records, span = 0, Span(0, None, None)
    if isinstance(seen, Measure):
        records, span = seen.records, span_of_measure(seen, index.seconds)
    elif seen is not None:
        records, span = len(seen.starts), span_of(seen, index.seconds, stamped=index.form.kind is Kind.STAMPED)
    return Block(offset, len(text), line, records, *span, Words(ascii_only=text.isascii()))


class _Names:
    """Collects the names that a file's records carry: services, hosts, pools."""

    def __init__(self, index: FileIndex, sample: bytes) -> None:
        self._index = index
        sample = sample[: BLOCK // 4]
        services = [pattern for key in SERVICE_KEYS if (pattern := _field_pattern(key)).search(sample)]
        hosts = [pattern for key in HOST_KEYS if (pattern := _field_pattern(key)).search(sample)]
        index.service_fields = services
        self._fields = [*((pattern, index.services) for pattern in services), *((one, index.hosts) for one in hosts)]
        lines = [line for line in sample.split(b"\n")[:50] if line]
        index.level_digits = level_digits_in(lines)
        self._syslog = sum(_SYSLOG_SERVICE.match(line) is not None for line in lines) * 2 > len(lines)
        self._nested = any(service_of(text, {}) for text in (line.decode("utf-8", "replace") for line in lines))

    @property
    def by_line(self) -> bool:
        """Whether the names stand where only a block that was cut into records shows them."""
        return self._syslog or self._nested

    def collect(self, block: bytes, split: Split | None) -> None:
        """Take the names of one block; `split` is needed where they stand `by_line`."""
        for pattern, into in self._fields:
            _take(into, set(pattern.findall(block)))
        if split is not None and self._syslog:
            found = [match for start in split.starts if (match := _SYSLOG_SERVICE.match(split.lines[start]))]
            _take(self._index.hosts, {match[1] or match[3] for match in found})
            _take(self._index.services, {match[2] or match[4] for match in found})
        elif split is not None and self._nested:
            heads = (split.lines[start][:300].decode("utf-8", "replace") for start in split.starts[:2000])
            self._index.services.update(name for head in heads if (name := service_of(head, {})) is not None)
        if b"ool-" in block:
            self._collect_pools(block)

    def _collect_pools(self, block: bytes) -> None:
        names = set()
        for count, found in enumerate(_POOL.finditer(block)):
            if count >= _POOLS_A_BLOCK:
                break
            head = _POOL_HEAD.search(block[max(found.start() - 60, 0) : found.start()])
            names.add((head[0] if head else b"") + found[0])
        _take(self._index.pools, {name for name in names if name[:1].isalpha()})


def _field_pattern(key: str) -> re.Pattern[bytes]:
    name = re.escape(key).encode()
    # The border stands behind the name, so that the search for the name itself stays a plain byte search.
    border = b"(?<![A-Za-z0-9_.]" + name + b")"
    return re.compile(name + border + b'(?:"\\s{0,2}:\\s{0,2}"|=)([A-Za-z0-9][^"\\s,;}\\\\]{0,200})')


def _take(into: set[str], names: set[bytes]) -> None:
    for name in names:
        if len(into) >= _MAX_NAMES:
            return
        into.add(name[:_MAX_NAME].decode("utf-8", "replace").removesuffix(".service"))
