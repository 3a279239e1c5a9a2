"""Runs the command line in a process of its own, as a person does."""

import os
import subprocess
import sys
from pathlib import Path

COMMAND = [sys.executable, "-m", "superbizagent"]


def environment(place: Path, **changes: str) -> dict[str, str]:
    """A clean environment: a store and no settings of the person who runs the tests."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("SBA_")}
    own = {
        "SBA_STORE__PATH": str(place / "store" / "sba.db"),
        "SBA_CONFIG": str(place / "none.toml"),
        "SBA_ZONE": "UTC",
    }
    return {**kept, **own, **changes}


def sba(
    place: Path, *arguments: str | Path, stdin: bytes = b"", timeout: float = 60, **changes: str
) -> "subprocess.CompletedProcess[str]":
    """What a command printed and its exit code; no end of it may be a traceback."""
    done = subprocess.run(
        [*COMMAND, *map(str, arguments)],
        input=stdin,
        capture_output=True,
        env=environment(place, **changes),
        timeout=timeout,
        check=False,
        cwd=place,
    )
    result = subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8")
    )
    assert "Traceback" not in result.stdout + result.stderr, result.stderr
    return result
