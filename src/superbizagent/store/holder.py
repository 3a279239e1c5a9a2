"""Who runs a session: a process of one machine, told apart from every other, so that the dead can be found.

Decides whether a process that began a session is gone. On its own machine (same boot, same process namespace) that is
seen at once: there is no process of that number, or one that started at another time. From anywhere else nothing can be
seen, and only the lease that a living process keeps renewing tells. Refuses to guess: what cannot be told is None.
Protocol: section 9 (a run that died).
"""

import os
import platform
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

LEASE = timedelta(seconds=120)
"""How long a session is believed to run without a sign of life. Clocks of machines may differ by less than this."""

WITHOUT_LEASE = timedelta(hours=2)
"""After this a session that no lease was kept for is dead: no run may take half as long (`budget.seconds`)."""

_PROCESSES = Path("/proc")
_BOOT = _PROCESSES / "sys/kernel/random/boot_id"
_NAMESPACE = _PROCESSES / "self/ns/pid"
_STARTED_FIELD = 19  # `starttime`, counted behind the command's name; proc_pid_stat(5) has it as field 22
_DEAD_STATES = frozenset("ZXx")


class Holder(NamedTuple):
    """A process: its host's name (for people), the boot and namespace its number counts in, its number, its start.

    `place` and `started` are "" where the system does not tell; then nobody can see whether the process lives.
    """

    host: str
    place: str
    pid: int
    started: str


def this_process() -> Holder:
    """The process that asks."""
    return Holder(platform.node()[:255], this_place(), os.getpid(), _started(os.getpid()) or "")


def this_place() -> str:
    """The boot and the process namespace of this process: within one, a process number names one process."""
    try:
        return f"{_BOOT.read_text().strip()}/{_NAMESPACE.readlink()}"
    except OSError:
        return ""


def is_gone(holder: Holder) -> bool | None:
    """Whether the process is gone; None when that cannot be seen from here."""
    if not holder.place or not holder.started or holder.place != this_place():
        return None
    return _started(holder.pid) != holder.started


def _started(pid: int) -> str | None:
    """When the process started, in ticks since the boot; None for one that is not there or only not yet buried."""
    try:
        said = (_PROCESSES / str(pid) / "stat").read_text(errors="replace")
    except OSError:
        return None
    fields = said.rpartition(")")[2].split()
    if len(fields) <= _STARTED_FIELD or fields[0] in _DEAD_STATES:
        return None
    return fields[_STARTED_FIELD]
