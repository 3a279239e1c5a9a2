"""Regular files of a folder that a stranger may have written: which may be read, and reading them safely.

Decides which files lie inside a folder and are regular, and opens them so that nothing else can be opened in their
place. It refuses links that lead out, devices, sockets and pipes, folders nested without end and more files than a
person would want searched; what it leaves out it says, in sentences for `searched.notes`. Protocol: section 11 (only
regular files inside the folder are read).
"""

import os
import re
import stat
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

from superbizagent.contract.errors import UnreadableInput

MAX_FILES = 20_000
MAX_DEPTH = 32
_NAMES_SHOWN = 3
_DATE_AT_END = re.compile("[-_.][12][0-9]{3}[-_]?[01][0-9][-_]?[0-3][0-9].{0,20}$")


class FoundFile(NamedTuple):
    """A regular file: where it is, its name relative to the folder (printable), and its size in bytes."""

    path: Path
    name: str
    size: int

    @property
    def stem(self) -> str:
        """The file's name without folders, extensions and date: `logs/app-2026-11-30.log.1.gz` is `app`."""
        name = self.name.rsplit("/", 1)[-1]
        return _DATE_AT_END.sub("", name[: name.index(".", 1)] if "." in name[1:] else name) or name


class Found(NamedTuple):
    """The files of a folder in the order of their names, and what was left out, in sentences."""

    files: list[FoundFile]
    notes: list[str]


class _LeftOut:
    """What was left out, by reason, so that a thousand links make one sentence."""

    def __init__(self) -> None:
        self._names: dict[str, list[str]] = defaultdict(list)

    def add(self, reason: str, name: str) -> None:
        self._names[reason].append(name)

    def sentences(self) -> list[str]:
        return [left_out(reason, names) for reason, names in self._names.items()]


def left_out(reason: str, names: Sequence[str]) -> str:
    """One sentence for files that were not read for one reason; names a few of them and counts the rest."""
    shown = ", ".join(names[:_NAMES_SHOWN])
    rest = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
    return f"not read, {reason}: {shown}{rest}"


def find_files(root: Path, wanted: Callable[[str], bool] = lambda name: True, limit: int = MAX_FILES) -> Found:
    """The regular files under `root` whose relative name is `wanted`, each file once, at most `limit` of them.

    Links that stay inside the folder and lead to a file are followed; hidden files and folders are not searched.
    """
    left = _LeftOut()
    inside = root.resolve()
    found: list[FoundFile] = []
    seen: set[tuple[int, int]] = set()
    beyond = 0
    for entry, name in _walk(root, "", 0, left):
        if not wanted(name):
            continue
        status = _regular_inside(entry, name, inside, left)
        if status is None or (status.st_dev, status.st_ino) in seen:
            continue
        seen.add((status.st_dev, status.st_ino))
        if len(found) < limit:
            found.append(FoundFile(Path(entry.path), name, status.st_size))
        else:
            beyond += 1
    notes = left.sentences()
    if beyond:
        notes.append(f"the folder has more than {limit} files: {beyond} of them were not read; name a smaller folder")
    return Found(found, notes)


def one_file(path: Path) -> FoundFile:
    """A file that a person named themselves: links are followed, but it must be regular in the end."""
    try:
        status = path.stat()
    except (OSError, ValueError) as error:
        raise UnreadableInput(f"{printable(path.name)} cannot be read: {reason_of(error)}") from error
    if not stat.S_ISREG(status.st_mode):
        raise UnreadableInput(
            f"{printable(path.name)} is {_kind(status.st_mode)}, not a regular file",
            hint="To read a stream, pipe it in and name it '-'.",
        )
    return FoundFile(path.resolve(), printable(path.name), status.st_size)


def open_regular(file: FoundFile) -> BinaryIO:
    """Open a found file for reading; OSError when it is no regular file any more. Never blocks on a pipe."""
    descriptor = os.open(file.path.resolve(), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError("it is not a regular file")
    return os.fdopen(descriptor, "rb")


def read_text(file: FoundFile, limit: int) -> str:
    """A small document as text: UTF-8 (with or without BOM), UTF-16 by BOM, else GB18030, else escaped bytes.

    Raises `UnreadableInput` with a sentence when it is larger than `limit` bytes, binary, or cannot be opened.
    """
    try:
        with open_regular(file) as stream:
            data = stream.read(limit + 1)
    except OSError as error:
        raise UnreadableInput(f"{file.name} cannot be read: {reason_of(error)}") from error
    if len(data) > limit:
        raise UnreadableInput(f"{file.name} is larger than {limit // 1024} KiB and was not read")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "backslashreplace")
    if b"\0" in data:
        raise UnreadableInput(f"{file.name} is a binary file, not a text")
    for encoding in ("utf-8-sig", "gb18030"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("utf-8", "backslashreplace")


def printable(name: str) -> str:
    """A file name with everything escaped that cannot be printed on one line."""
    text = name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text)


def reason_of(error: Exception) -> str:
    """Why the operating system refused, in its own words and without a path."""
    return (error.strerror or str(error)).lower() if isinstance(error, OSError) else str(error)


def _walk(folder: Path, prefix: str, depth: int, left: _LeftOut) -> Iterator[tuple["os.DirEntry[str]", str]]:
    """Files below a folder in the order of their names, without following links to folders."""
    try:
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError as error:
        left.add(f"the folder cannot be listed ({reason_of(error)})", prefix or printable(folder.name))
        return
    for entry in entries:
        name = prefix + printable(entry.name)
        if entry.name.startswith("."):
            left.add("hidden", name)
        elif entry.is_dir(follow_symlinks=False):
            if depth >= MAX_DEPTH:
                left.add(f"nested more than {MAX_DEPTH} folders deep", name)
            else:
                yield from _walk(Path(entry.path), name + "/", depth + 1, left)
        else:
            yield entry, name


def _regular_inside(entry: "os.DirEntry[str]", name: str, inside: Path, left: _LeftOut) -> os.stat_result | None:
    try:
        status = entry.stat(follow_symlinks=False)
        if stat.S_ISLNK(status.st_mode):
            target = Path(entry.path).resolve(strict=True)
            if not target.is_relative_to(inside):
                left.add("a link that leads out of the folder", name)
                return None
            status = target.stat()
            if stat.S_ISDIR(status.st_mode):
                left.add("a link to a folder", name)
                return None
    except (OSError, RuntimeError, ValueError) as error:
        left.add(f"cannot be opened ({reason_of(error)})", name)
        return None
    if not stat.S_ISREG(status.st_mode):
        left.add(_kind(status.st_mode), name)
        return None
    return status


def _kind(mode: int) -> str:
    if stat.S_ISFIFO(mode):
        return "a pipe"
    if stat.S_ISSOCK(mode):
        return "a socket"
    if stat.S_ISDIR(mode):
        return "a folder"
    return "a device"
