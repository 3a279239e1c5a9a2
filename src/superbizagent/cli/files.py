"""Files that a person named to a command: regular ones are opened, anything else is a sentence.

Decides what may be opened. Refuses pipes, devices, sockets and folders: opening one may wait for ever, and reading one
may never end. `-` is the way to read a stream. Protocol: section 10 (exit code 2).
"""

from pathlib import Path
from typing import BinaryIO

from superbizagent.contract.errors import UnreadableInput, UsageError
from superbizagent.sources.regular_files import one_file, open_regular, reason_of


def open_named(path: Path) -> BinaryIO:
    """A regular file, opened for reading.

    Raises:
        UnreadableInput: it is no regular file, or cannot be opened.
    """
    file = one_file(path)
    try:
        return open_regular(file)
    except OSError as error:
        raise UnreadableInput(f"{path} cannot be read: {reason_of(error)}", "Check the path and its rights.") from None


def write_named(path: Path, text: str) -> None:
    """A text into a regular file, which is made when it is not there.

    Raises:
        UsageError: something that is no regular file has this name, or the file cannot be written.
    """
    if path.exists() and not path.is_file():
        raise UsageError(f"{path} is no regular file", "Name another file, or leave it away for stdout.")
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {reason_of(error)}", "Name another file.") from None
