"""Runs the command line in a process of its own, as a person does."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

COMMAND = [sys.executable, "-m", "superbizagent"]


def environment(place: Path, changes: Mapping[str, str] | None = None) -> dict[str, str]:
    """A clean environment: a store and no settings of the person who runs the tests."""
    # Compiled modules may be kept: a process that compiles them all anew takes seconds to start.
    left_out = {"PYTHONDONTWRITEBYTECODE"}
    kept = {key: value for key, value in os.environ.items() if not key.startswith("SBA_") and key not in left_out}
    own = {
        "SBA_STORE__PATH": str(place / "store" / "sba.db"),
        "SBA_CONFIG": str(place / "none.toml"),
        "SBA_ZONE": "UTC",
    }
    return {**kept, **own, **(changes or {})}


def sba(
    place: Path,
    *arguments: str | Path,
    stdin: bytes = b"",
    timeout: float = 60,
    environment_of: Mapping[str, str] | None = None,
) -> "subprocess.CompletedProcess[str]":
    """What a command printed and its exit code; no end of it may be a traceback."""
    done = subprocess.run(
        [*COMMAND, *map(str, arguments)],
        input=stdin,
        capture_output=True,
        env=environment(place, environment_of or {}),
        timeout=timeout,
        check=False,
        cwd=place,
    )
    result = subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8")
    )
    assert "Traceback" not in result.stdout + result.stderr, result.stderr
    return result
