"""The database file: made for its owner alone, and what is wrong with it said in one sentence."""

import os
import sqlite3
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from superbizagent.contract.errors import StoreFailed

# What a statement can end in: the driver's own errors, text that no UTF-8 has, a stamp that is none, numbers beyond
# 64 bits.
DATABASE_ERRORS = (SQLAlchemyError, sqlite3.Error, ValueError, OverflowError)

_FOLDER_MODE = 0o700
_FILE_MODE = 0o600

# What SQLite's messages mean for a person, first match wins (https://www.sqlite.org/rescode.html).
_MEANINGS: tuple[tuple[str, str, str], ...] = (
    ("locked", "is locked by another process", "Wait for it, or raise store.busy_seconds."),
    ("busy", "is locked by another process", "Wait for it, or raise store.busy_seconds."),
    ("readonly", "cannot be written", "Give yourself write access to the file and its folder, or set store.path."),
    ("read-only", "cannot be written", "Give yourself write access to the file and its folder, or set store.path."),
    ("disk i/o", "is on a disk that fails", "Check the disk; what was recorded is kept."),
    ("full", "is on a disk that is full", "Free some space; what was recorded is kept."),
    ("not a database", "is no database", "Move the file away, or set store.path to another place."),
    ("malformed", "is corrupt", "Move the file away and restore a copy; `sba audit verify FILE` checks exports."),
    ("unable to open", "cannot be opened", "Check the path and its rights, or set store.path."),
    ("no such table", "is no store of this product", "Set store.path to another place."),
    ("already exists", "is no store of this product", "Set store.path to another place."),
)


def prepare_place(path: Path) -> None:
    """Make the folder (0700) and an empty file (0600) when they are not there.

    Raises:
        StoreFailed: they cannot be made, or the path is no regular file.
    """
    try:
        path.parent.mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)
        if path.exists():
            if not path.is_file():
                raise StoreFailed(f"the store {path} is no file", "Set store.path to a file.")
            return
        os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, _FILE_MODE))
    except OSError as error:
        raise StoreFailed(
            f"the store {path} cannot be made: {error.strerror}", "Set store.path (SBA_STORE__PATH) to another place."
        ) from None


def database_said(error: Exception, place: str) -> StoreFailed:
    """A database error as one sentence and what to do."""
    said = ascii(str(getattr(error, "orig", None) or error).split("\n", 1)[0])[1:-1]
    lowered = said.lower()
    for sign, meaning, hint in _MEANINGS:
        if sign in lowered:
            return StoreFailed(f"the store {place} {meaning}", hint)
    return StoreFailed(f"the store {place} failed: {said}", "Check the file, or set store.path to another place.")
