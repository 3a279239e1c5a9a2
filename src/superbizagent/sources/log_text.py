"""Bytes of a log file as lines of valid UTF-8: unpacked within bounds, decoded, and escaped where undecodable.

Decides how a file is packed (gzip, bzip2, xz, zstd where the interpreter has it) and encoded (UTF-8, UTF-16 by its
mark, GB18030), and refuses what is no text: binary files, archives, and packed files that grow without bound. What it
refuses or cuts it says in a sentence. Memory is bounded by one block and one line. Protocol: section 11.
"""

import bz2
import codecs
import importlib
import lzma
import re
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

from superbizagent.sources.journal_export import EXPORT_START, exported_lines
from superbizagent.sources.regular_files import FoundFile, open_regular

BLOCK = 1 << 20
MAX_LINE = 16 << 20
MAX_UNPACKED = 2 << 30
MAX_RATIO = 400
_RATIO_FROM = 64 << 20
_SAMPLE = 8192
_FEW_CONTROLS = 8
# A terminal's colours: formatting, which would hide where words begin.
_COLOUR = re.compile(rb"\x1b\[[0-9;]{0,20}m")

_MAGIC = ((b"\x1f\x8b", "gzip"), (b"BZh", "bzip2"), (b"\xfd7zXZ\0", "xz"), (b"\x28\xb5\x2f\xfd", "zstd"))
_NO_LOGS = ((b"PK\x03\x04", "a zip archive"), (b"%PDF", "a PDF"), (b"\x7fELF", "a program"))


class NotText(Exception):
    """The file is no text that could be searched; the message is the reason, for a note."""


class Notes(NamedTuple):
    """Where a reader says what it left out or changed; `said` is a list of sentences."""

    name: str
    said: list[str]

    def say(self, sentence: str) -> None:
        """Say it once."""
        text = f"{self.name}: {sentence}"
        if text not in self.said:
            self.said.append(text)


def text_blocks(stream: BinaryIO, notes: Notes) -> Iterator[bytes]:
    """The text of a file as blocks of whole lines in valid UTF-8, about 1 MiB each; the last may lack its line end.

    Raises `NotText` when the file is not searched at all.
    """
    return _valid(_lines(_decoded(_unpacked(stream, notes)), notes))


def _unpacked(stream: BinaryIO, notes: Notes) -> Iterator[bytes]:
    head = stream.read(BLOCK)
    packing = next((name for magic, name in _MAGIC if head.startswith(magic)), None)
    if packing is None:
        while head:
            yield head
            head = stream.read(BLOCK)
        return
    read = unpacked = 0
    decompressor = _decompressor(packing)
    try:
        while head:
            read += len(head)
            for piece in _drained(decompressor, head):
                unpacked += len(piece)
                if unpacked > MAX_UNPACKED or (unpacked > _RATIO_FROM and unpacked > read * MAX_RATIO):
                    notes.say(f"read only its first {unpacked >> 20} MiB, because it unpacks to far more than its size")
                    return
                yield piece
            head = stream.read(BLOCK)
            if head and decompressor.eof:
                # gzip, bzip2 and xz files may hold several packed streams one behind the other.
                decompressor = _decompressor(packing)
    except (zlib.error, OSError, EOFError, lzma.LZMAError, ValueError) as error:
        notes.say(f"its packed data is damaged behind {unpacked >> 10} KiB of text ({error})")
        return
    if not decompressor.eof:
        notes.say("its packed data ends early; what was there was read")


def _drained(decompressor: Any, packed: bytes) -> Iterator[bytes]:
    """Everything that `packed` unpacks to, at most a block at a time."""
    while True:
        piece = decompressor.decompress(packed, BLOCK)
        if piece:
            yield piece
        if decompressor.eof:
            rest = decompressor.unused_data
            if not rest.strip(b"\0"):
                return
            decompressor.restart()
            packed = rest
        elif decompressor.needs_input:
            return
        else:
            packed = b""


class _Zlib:
    """zlib's decompressor with the interface of the other ones."""

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        self._inner = zlib.decompressobj(wbits=31)
        self._full = False

    def decompress(self, data: bytes, limit: int) -> bytes:
        piece = self._inner.decompress(self._inner.unconsumed_tail + data, limit)
        # A full piece may leave output behind although all input is taken.
        self._full = len(piece) == limit
        return piece

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    @property
    def needs_input(self) -> bool:
        return not self._inner.unconsumed_tail and not self._full


class _Restartable:
    """A decompressor of the standard library that can be started again for the next stream of the file."""

    def __init__(self, make: Any) -> None:
        self._make = make
        self.restart()

    def restart(self) -> None:
        self._inner = self._make()

    def decompress(self, data: bytes, limit: int) -> bytes:
        return bytes(self._inner.decompress(data, limit))

    @property
    def eof(self) -> bool:
        return bool(self._inner.eof)

    @property
    def unused_data(self) -> bytes:
        return bytes(self._inner.unused_data)

    @property
    def needs_input(self) -> bool:
        return bool(self._inner.needs_input)


def _decompressor(packing: str) -> Any:
    match packing:
        case "gzip":
            return _Zlib()
        case "bzip2":
            return _Restartable(bz2.BZ2Decompressor)
        case "xz":
            return _Restartable(lambda: lzma.LZMADecompressor(memlimit=256 << 20))
        case _:
            return _Restartable(_zstd())


def _zstd() -> Any:
    for module in ("compression.zstd", "backports.zstd"):
        try:
            return importlib.import_module(module).ZstdDecompressor
        except ImportError:
            continue
    raise NotText("packed with zstd, which this Python cannot unpack (unpack it first: zstd -d)")


def _decoded(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Chunks without a byte-order mark, UTF-16 turned into UTF-8; `NotText` for what is no text."""
    first = next(chunks, b"")
    # A log that was truncated while its writer went on begins with a hole of NULs.
    while first and not first.strip(b"\0"):
        first = next(chunks, b"")
    if first.startswith(EXPORT_START):
        yield from exported_lines(first, chunks)
        return
    if first.startswith(codecs.BOM_UTF8):
        first = first[3:]
    elif first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        decoder = codecs.getincrementaldecoder("utf-16")("backslashreplace")
        yield decoder.decode(first).encode("utf-8", "backslashreplace")
        for chunk in chunks:
            yield decoder.decode(chunk).encode("utf-8", "backslashreplace")
        return
    else:
        first = first.lstrip(b"\0")
        _refuse_binary(first)
    yield first
    yield from chunks


def _refuse_binary(first: bytes) -> None:
    for magic, what in _NO_LOGS:
        if first.startswith(magic):
            raise NotText(what)
    if first[257:262] == b"ustar":
        raise NotText("a tar archive (unpack it first)")
    sample = first[:_SAMPLE]
    controls = len(sample) - len(sample.translate(None, bytes([*range(9), *range(14, 27), *range(28, 32), 127])))
    if controls > _FEW_CONTROLS and controls * 50 > len(sample):
        raise NotText("a binary file")


def _lines(chunks: Iterator[bytes], notes: Notes) -> Iterator[bytes]:
    """Chunks cut behind line ends; a line that never ends is cut at `MAX_LINE` and its rest is left out."""
    held: list[bytes] = []
    size = 0
    skipping = False
    for chunk in chunks:
        cut = chunk.rfind(b"\n") + 1
        if skipping:
            first = chunk.find(b"\n") + 1
            if not first:
                continue
            skipping, chunk, cut = False, chunk[first:], cut - first  # noqa: PLW2901 - the rest of the chunk
        if cut > 0:
            yield b"".join([*held, chunk[:cut]])
            held, size = [], 0
        held.append(chunk[cut:])
        size += len(chunk) - cut
        if size > MAX_LINE:
            notes.say(f"has a line of more than {MAX_LINE >> 20} MiB; only that much of it was read")
            yield b"".join(held)[:MAX_LINE] + b"\n"
            held, size, skipping = [], 0, True
    if size:
        yield b"".join(held)


def _valid(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Blocks in which every line is valid UTF-8 without NULs and without colours."""
    for block in blocks:
        if b"\x1b[" in block:
            block = _COLOUR.sub(b"", block)  # noqa: PLW2901 - the same block, without formatting
        if b"\0" in block:
            block = block.replace(b"\0", b"\\x00")  # noqa: PLW2901 - the same block, escaped
        if block.isascii():
            yield block
            continue
        try:
            block.decode("utf-8")
            yield block
        except UnicodeDecodeError:
            yield b"\n".join(map(_valid_line, block.split(b"\n")))


def _valid_line(line: bytes) -> bytes:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return _foreign(line).encode("utf-8")
    return line


def _foreign(line: bytes) -> str:
    """A line in GB18030, if most of its characters are everyday Chinese; else its bad bytes escaped."""
    try:
        text = line.decode("gb18030")
    except UnicodeDecodeError:
        return line.decode("utf-8", "backslashreplace")
    foreign = [char for char in text if ord(char) > 127]
    everyday = len("".join(foreign).encode("gb2312", "ignore")) // 2
    return text if everyday * 10 >= len(foreign) * 7 else line.decode("utf-8", "backslashreplace")


def is_plain(file: FoundFile) -> bool:
    """Whether a file's bytes are its text: not packed, not in another encoding, not an export."""
    with open_regular(file) as stream:
        head = stream.read(16)
    marks = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, *EXPORT_START, *(magic for magic, _ in _MAGIC))
    return not head.startswith(marks)
