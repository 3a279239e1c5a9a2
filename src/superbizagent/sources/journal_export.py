"""journald's export format as one line a record.

The export format writes an entry as one `FIELD=value` a line, with an empty line behind the entry; a value with line
breaks or control characters follows its field's name as a length of 8 bytes, little-endian, and the bytes themselves
(systemd.io, "Journal Export Formats"). Decides which fields make the record and in which order: the ones that say
when, where, who, how bad and what. It refuses nothing: a damaged entry ends the file. Protocol: section 11.
"""

import io
from collections.abc import Iterator
from typing import BinaryIO, cast

EXPORT_START = (b"__CURSOR=", b"__REALTIME_TIMESTAMP=")

_FIELDS = (
    b"__REALTIME_TIMESTAMP",
    b"_HOSTNAME",
    b"_SYSTEMD_UNIT",
    b"CONTAINER_NAME",
    b"SYSLOG_IDENTIFIER",
    b"_PID",
    b"PRIORITY",
    b"MESSAGE",
)
_WANTED = frozenset(_FIELDS)
_MAX_VALUE = 16 << 20


class _Chunks(io.RawIOBase):
    """Chunks of bytes as a raw stream."""

    def __init__(self, first: bytes, rest: Iterator[bytes]) -> None:
        self._held = first
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._held:
            held = next(self._rest, None)
            if held is None:
                return 0
            self._held = held
        count = min(len(buffer), len(self._held))
        buffer[:count] = self._held[:count]
        self._held = self._held[count:]
        return count


def exported_lines(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    """The entries of an export as lines `__REALTIME_TIMESTAMP=… _HOSTNAME=… … MESSAGE=…`, in pieces of many lines."""
    stream = cast(BinaryIO, io.BufferedReader(_Chunks(first, rest), 1 << 16))
    held: list[bytes] = []
    size = 0
    for entry in _entries(stream):
        line = b" ".join(name + b"=" + entry[name] for name in _FIELDS if name in entry) + b"\n"
        held.append(line)
        size += len(line)
        if size > 1 << 20:
            yield b"".join(held)
            held, size = [], 0
    yield b"".join(held)


def _entries(stream: BinaryIO) -> Iterator[dict[bytes, bytes]]:
    entry: dict[bytes, bytes] = {}
    while line := stream.readline(_MAX_VALUE):
        name, mark, value = line.rstrip(b"\n").partition(b"=")
        if mark:
            if name in _WANTED:
                entry.setdefault(name, value)
        elif name:
            size = int.from_bytes(stream.read(8), "little")
            if size > _MAX_VALUE:
                break
            value = stream.read(size)
            stream.read(1)
            if name in _WANTED:
                entry.setdefault(name, b" \\n ".join(part.strip() for part in value.split(b"\n")))
        elif entry:
            yield entry
            entry = {}
    if entry:
        yield entry
