"""Runs that were killed: the next command closes and seals them with their cause, and leaves the living alone."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.cli.run import environment, sba

ROOT = Path(__file__).parents[2]


@contextmanager
def running(place: Path) -> Iterator[tuple["subprocess.Popen[bytes]", str]]:
    """A process in the middle of a diagnosis, and its session's id."""
    folder = place / "incident"
    folder.mkdir(exist_ok=True)
    (folder / "app.log").write_text("2026-11-30T23:10:19.078Z INFO [t] a.B - started\n")
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.cli.slow_run", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(place, {"SBA_BUDGET__SECONDS": "300"}),
        cwd=ROOT,
    )
    assert process.stdout is not None
    try:
        yield process, process.stdout.readline().decode().strip()
    finally:
        process.kill()
        process.communicate()


def shown(place: Path, session_id: str) -> dict[str, Any]:
    session: dict[str, Any] = json.loads(sba(place, "show", session_id, "--json").stdout)["session"]
    return session


def statement(place: Path, sql: str, *values: object) -> None:
    database = sqlite3.connect(place / "store" / "sba.db")
    with database:
        database.execute(sql, values)
    database.close()


def test_killed_run_is_closed_with_its_cause_and_sealed_by_the_next_command(tmp_path: Path) -> None:
    with running(tmp_path) as (process, session_id):
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=10)
    listed = json.loads(sba(tmp_path, "sessions", "--json").stdout)
    assert [(row["session_id"], row["status"], row["verdict"]) for row in listed] == [
        (session_id, "died", "LOW_CONFID")
    ]
    session = shown(tmp_path, session_id)
    gate = session["self_evaluation"]["verifier_evaluation"]["gatekeeper_result"]
    assert gate["status"] == "fail"
    assert gate["errors"] == [
        f"the run was killed before it could be closed: process {process.pid} on {os.uname().nodename} is gone"
    ]
    assert session["seal_no"] == 1
    verified = sba(tmp_path, "audit", "verify")
    assert (verified.returncode, "unfinished" in verified.stdout) == (0, False)
    assert sba(tmp_path, "audit", "recheck", "--all").returncode == 0


def test_living_run_is_left_alone_and_counted(tmp_path: Path) -> None:
    with running(tmp_path) as (_, session_id):
        assert json.loads(sba(tmp_path, "sessions", "--json").stdout)[0]["status"] == "running"
        verified = sba(tmp_path, "audit", "verify")
        assert (verified.returncode, "1 session is unfinished" in verified.stdout) == (0, True)
        everything = sba(tmp_path, "audit", "recheck", "--all")
        assert (everything.returncode, "1 session is unfinished" in everything.stderr) == (0, True)
        one = sba(tmp_path, "audit", "recheck", session_id)
        assert (one.returncode, "unfinished" in one.stderr) == (3, True)
        # Even when its lease ran out: on its own machine it is seen to live (a laptop that slept).
        statement(tmp_path, "UPDATE session_lease SET expires_at = '2020-01-01 00:00:00.000000'")
        assert shown(tmp_path, session_id)["status"] == "running"


def test_process_number_that_was_given_to_another_process_does_not_keep_a_session_alive(tmp_path: Path) -> None:
    with running(tmp_path) as (process, session_id):
        process.kill()
        process.wait(timeout=10)
    statement(tmp_path, "UPDATE session_lease SET pid = ?", os.getpid())
    assert shown(tmp_path, session_id)["status"] == "died"


@pytest.mark.parametrize(("expires_at", "status"), [("2099", "running"), ("2020", "died")])
def test_session_of_another_machine_is_closed_when_its_lease_has_run_out_and_not_before(
    tmp_path: Path, expires_at: str, status: str
) -> None:
    with running(tmp_path) as (process, session_id):
        process.kill()
        process.wait(timeout=10)
    changed = "UPDATE session_lease SET host = 'elsewhere', place = 'another boot', expires_at = ?"
    statement(tmp_path, changed, f"{expires_at}-01-01 00:00:00.000000")
    assert shown(tmp_path, session_id)["status"] == status


@pytest.mark.parametrize(("created_at", "status"), [("2099", "running"), ("2020", "died")])
def test_session_without_a_lease_is_closed_when_no_run_can_be_so_old(
    tmp_path: Path, created_at: str, status: str
) -> None:
    with running(tmp_path) as (process, session_id):
        process.kill()
        process.wait(timeout=10)
    statement(tmp_path, "DELETE FROM session_lease")
    statement(tmp_path, "UPDATE diagnosis_session SET created_at = ?", f"{created_at}-01-01 00:00:00.000000")
    assert shown(tmp_path, session_id)["status"] == status


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_run_that_is_told_to_end_is_closed_with_its_cause_and_sealed(tmp_path: Path, number: signal.Signals) -> None:
    with running(tmp_path) as (process, session_id):
        process.send_signal(number)
        _, errors = process.communicate(timeout=10)
    assert process.returncode == 128 + number
    assert errors.startswith(b"sba: interrupted")
    assert errors.count(b"\n") == 1
    session = shown(tmp_path, session_id)
    gate = session["self_evaluation"]["verifier_evaluation"]["gatekeeper_result"]
    assert (session["status"], gate["errors"], session["seal_no"]) == ("died", ["the run was interrupted"], 1)
