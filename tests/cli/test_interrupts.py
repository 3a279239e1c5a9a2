"""Signals to a real process: whenever they come, the end is a sentence, a documented exit code, and a whole store."""

import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.run import environment, sba

SCRIPT = [shutil.which("sba", path=str(Path(sys.executable).parent)) or "sba"]
OURS = "superbizagent/"


def interrupted_after(delay: float, place: Path, number: signal.Signals) -> tuple[int, str]:
    process = subprocess.Popen(
        [*SCRIPT, "demo"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment(place)
    )
    time.sleep(delay)
    process.send_signal(number)
    _, errors = process.communicate(timeout=30)
    return process.returncode, errors.decode()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_signal_at_any_moment_ends_without_a_traceback_of_ours(tmp_path: Path, number: signal.Signals) -> None:
    ends = [interrupted_after(step * 0.06, tmp_path, number) for step in range(17)]
    for code, errors in ends:
        # The interpreter's own first milliseconds are not ours: no file of the product is loaded then.
        assert OURS not in errors
        assert code in (0, 128 + number, 1, -number)
    assert [code for code, _ in ends].count(128 + number) >= 7
    assert sba(tmp_path, "audit", "verify").returncode == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_signal_to_a_command_that_waits_for_its_input_ends_it_soon(tmp_path: Path, number: signal.Signals) -> None:
    process = subprocess.Popen(
        [*SCRIPT, "diagnose", "why?", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(tmp_path),
    )
    time.sleep(2)
    process.send_signal(number)
    assert process.wait(timeout=5) == 128 + number
    assert process.stdin is not None and process.stderr is not None and process.stdout is not None
    assert process.stderr.read().decode().startswith("sba: interrupted")
    for stream in (process.stdin, process.stdout, process.stderr):
        stream.close()


def test_signal_that_was_ignored_before_stays_ignored(tmp_path: Path) -> None:
    process = subprocess.Popen(["nohup", *SCRIPT, "demo"], stdout=subprocess.PIPE, env=environment(tmp_path))
    time.sleep(0.3)
    process.send_signal(signal.SIGHUP)
    output, _ = process.communicate(timeout=30)
    assert process.returncode == 0
    assert output
