"""Standard input as a source: a stream of log records, copied to a temporary file so that it can be searched twice.

Decides where the stream ends and how much of it is taken. It refuses to keep the copy: it goes with the incident that
reads it. Protocol: section 10 (`-` is standard input).
"""

import asyncio
import io
import os
import select
import tempfile
import threading
from collections.abc import Iterator
from datetime import datetime, tzinfo
from pathlib import Path
from typing import BinaryIO

from superbizagent.contract.errors import UnreadableInput, WorkFailed
from superbizagent.sources.incident_folder import Incident, open_found
from superbizagent.sources.regular_files import Found, FoundFile, reason_of

MAX_STREAM = 4 << 30
NAME = "standard input"
_CHUNK = 1 << 20
_LOOK_UP = 0.2
"""Seconds after which a reader of a silent stream looks whether somebody still waits for it."""


async def open_stream(
    stream: BinaryIO, *, now: datetime, zone: tzinfo | None = None, service: str | None = None
) -> Incident:
    """Read a stream of log records to its end, and open it.

    `now`, `zone` and `service` are those of `open_logs`. Raises `UnreadableInput` when nothing came, and `WorkFailed`
    when the copy cannot be written.
    """
    given_up = threading.Event()
    try:
        return await asyncio.to_thread(_open_copy, _chunks(stream, given_up), now, zone, service)
    except asyncio.CancelledError:
        given_up.set()
        raise


def _chunks(stream: BinaryIO, given_up: threading.Event) -> Iterator[bytes]:
    """What comes, until the end or until nobody waits any more: a silent stream must not hold the process."""
    try:
        descriptor = stream.fileno()
    except (OSError, io.UnsupportedOperation):
        while not given_up.is_set() and (chunk := stream.read(_CHUNK)):
            yield chunk
        return
    while not given_up.is_set():
        if not select.select([descriptor], [], [], _LOOK_UP)[0]:
            continue
        chunk = os.read(descriptor, _CHUNK)
        if not chunk:
            return
        yield chunk


def _open_copy(chunks: Iterator[bytes], now: datetime, zone: tzinfo | None, service: str | None) -> Incident:
    notes: list[str] = []
    # It lives as long as the incident that holds it, and is deleted with it.
    copy = tempfile.NamedTemporaryFile(prefix="sba-", suffix=".log")  # noqa: SIM115
    size = 0
    try:
        for chunk in chunks:
            copy.write(chunk)
            size += len(chunk)
            if size > MAX_STREAM:
                notes.append(f"standard input was read up to {MAX_STREAM >> 30} GiB")
                break
        copy.flush()
    except OSError as error:
        raise WorkFailed(
            f"standard input cannot be kept for searching: {reason_of(error)}",
            hint=f"Free some space in {Path(copy.name).parent}, or name the files instead.",
        ) from error
    if not size:
        raise UnreadableInput("nothing came on standard input", hint="Pipe logs into the command, or name a file.")
    file = FoundFile(Path(copy.name), NAME, size)
    return open_found(NAME, Found([file], notes), now=now, zone=zone, service=service, keep=copy)
