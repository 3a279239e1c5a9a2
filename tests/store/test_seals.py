"""Seals: what a chain shows when one thing in the database was changed behind its back."""

import sqlite3
from pathlib import Path

import pytest

from superbizagent.contract.evidence import RetrievalDetails
from superbizagent.contract.records import DiagnosisSession, ToolInvocation
from superbizagent.store.config import StoreSettings
from superbizagent.store.memory import MemoryStore
from superbizagent.store.seal import (
    SEALED_DETAILS_FIELDS,
    SEALED_INVOCATION_FIELDS,
    SEALED_SESSION_FIELDS,
    Head,
    seal_holds,
    seal_of,
)
from superbizagent.store.sqlite import open_store
from tests.store.test_stores import NOW, call, finished, session

_OF_THE_SEAL = {"seal_no", "seal", "previous_seal"}


async def three_sealed(path: Path) -> Head:
    """A store with three sealed sessions of two calls each; returns its head."""
    store = await open_store(StoreSettings(path=path))
    for number in (1, 2, 3):
        await store.open_session(session(number))
        for key in ("a", "b"):
            await store.record_invocation(call(key, f"s-{number}"))
        await store.seal_session(finished(session(number)))
    head = await store.head()
    await store.close()
    return head


async def faults(path: Path, kept: Head | None = None) -> list[tuple[int, str]]:
    store = await open_store(StoreSettings(path=path))
    report = await store.verify_chain(kept)
    await store.close()
    return [(fault.seal_no, fault.message) for fault in report.faults]


def behind_its_back(path: Path, *statements: str) -> None:
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


def test_every_field_is_sealed_or_is_of_the_seal() -> None:
    assert set(SEALED_SESSION_FIELDS) == set(DiagnosisSession.model_fields) - _OF_THE_SEAL
    assert set(SEALED_INVOCATION_FIELDS) == set(ToolInvocation.model_fields)
    assert set(SEALED_DETAILS_FIELDS) == set(RetrievalDetails.model_fields)


async def test_untouched_chain_holds(tmp_path: Path) -> None:
    head = await three_sealed(tmp_path / "s.db")
    assert await faults(tmp_path / "s.db", head) == []


CHANGES = [
    ("UPDATE diagnosis_session SET question = CAST('?' AS BLOB) WHERE id = 's-2'", 2),
    ("UPDATE diagnosis_session SET verdict = 'REJECT' WHERE id = 's-2'", 2),
    ("UPDATE diagnosis_session SET answer = CAST('No' AS BLOB) WHERE id = 's-1'", 1),
    ("UPDATE diagnosis_session SET owner = 'them' WHERE id = 's-3'", 3),
    ("UPDATE diagnosis_session SET created_at = '2026-01-01 00:00:00.000000' WHERE id = 's-3'", 3),
    ("UPDATE diagnosis_session SET self_evaluation = '{}' WHERE id = 's-1'", 1),
    ("UPDATE diagnosis_session SET self_evaluation = '{' WHERE id = 's-1'", 1),
    ("UPDATE diagnosis_session SET status = 'no such status' WHERE id = 's-1'", 1),
    ("UPDATE tool_invocation SET output = CAST('{}' AS BLOB) WHERE id = 3", 2),
    ("UPDATE tool_invocation SET output = x'ff' WHERE id = 3", 2),
    ("UPDATE tool_invocation SET arguments = '{}' WHERE id = 5", 3),
    ("UPDATE tool_invocation SET retrieval_details = NULL WHERE id = 5", 3),
    ("UPDATE tool_invocation SET retrieval_details = replace(retrieval_details, '50', '51') WHERE id = 5", 3),
    ("UPDATE tool_invocation SET evidence_status = 'no_evidence' WHERE id = 1", 1),
    ("UPDATE tool_invocation SET error = CAST('x' AS BLOB) WHERE id = 1", 1),
    ("UPDATE tool_invocation SET started_at = '2026-01-01 00:00:00.000000' WHERE id = 1", 1),
    ("DELETE FROM tool_invocation WHERE id = 6", 3),
    ("UPDATE tool_invocation SET id = 99 WHERE id = 6", 3),
    ("UPDATE tool_invocation SET ordinal = 3 - ordinal + 10 WHERE session_id = 's-1'", 1),
    ("UPDATE tool_invocation SET session_id = 's-1', ordinal = 3, call_key = 'c' WHERE id = 6", 1),
]


@pytest.mark.parametrize(("statement", "number"), CHANGES)
async def test_changed_row_is_named_by_its_seal(tmp_path: Path, statement: str, number: int) -> None:
    await three_sealed(tmp_path / "s.db")
    behind_its_back(tmp_path / "s.db", statement)
    found = await faults(tmp_path / "s.db")
    assert number in [fault[0] for fault in found]
    assert all("tool invocations" in fault[1] for fault in found)


async def test_inserted_invocation_is_found(tmp_path: Path) -> None:
    await three_sealed(tmp_path / "s.db")
    behind_its_back(
        tmp_path / "s.db",
        "INSERT INTO tool_invocation (session_id, call_key, ordinal, tool_name, arguments, output, output_summary,"
        " started_at, finished_at) SELECT session_id, 'c', 3, tool_name, arguments, output, output_summary,"
        " started_at, finished_at FROM tool_invocation WHERE id = 1",
    )
    assert [fault[0] for fault in await faults(tmp_path / "s.db")] == [1]


async def test_removed_session_is_found_wherever_it_stood(tmp_path: Path) -> None:
    for number in (1, 2, 3):
        path = tmp_path / f"{number}.db"
        await three_sealed(path)
        behind_its_back(path, f"DELETE FROM diagnosis_session WHERE id = 's-{number}'")
        found = await faults(path)
        assert (number, "a sealed session was removed without a tombstone") in found


async def test_session_whose_seal_was_taken_off_counts_as_removed(tmp_path: Path) -> None:
    await three_sealed(tmp_path / "s.db")
    behind_its_back(tmp_path / "s.db", "UPDATE diagnosis_session SET seal_no = NULL, seal = NULL WHERE id = 's-3'")
    assert (3, "a sealed session was removed without a tombstone") in await faults(tmp_path / "s.db")


async def test_re_ordered_sessions_are_found(tmp_path: Path) -> None:
    await three_sealed(tmp_path / "s.db")
    swap = "UPDATE diagnosis_session SET seal_no = {} WHERE seal_no = {}"
    behind_its_back(tmp_path / "s.db", swap.format(9, 1), swap.format(1, 2), swap.format(2, 9))
    assert {1, 2} <= {fault[0] for fault in await faults(tmp_path / "s.db")}


async def test_session_that_was_changed_and_sealed_anew_is_found_at_the_next_one(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    await three_sealed(path)
    store = await open_store(StoreSettings(path=path))
    rows = await store.session_invocations("s-2")
    sealed = await store.get_session("s-2")
    await store.close()
    assert sealed is not None
    assert sealed.previous_seal is not None
    forged = sealed.model_copy(update={"answer": "No"})
    seal = seal_of(forged, rows, 2, sealed.previous_seal)
    behind_its_back(path, f"UPDATE diagnosis_session SET answer = CAST('No' AS BLOB), seal = '{seal}' WHERE id = 's-2'")
    found = await faults(path)
    assert [fault[0] for fault in found] == [3]
    assert "re-ordered" in found[0][1]


async def test_store_that_was_rewritten_as_a_whole_shows_only_against_a_kept_head(tmp_path: Path) -> None:
    head = await three_sealed(tmp_path / "s.db")
    await three_sealed(tmp_path / "other.db")
    store = await open_store(StoreSettings(path=tmp_path / "other.db"))
    await store.delete_session("s-3", "asked to", NOW)
    await store.open_session(session(4))
    await store.seal_session(finished(session(4)))
    await store.close()
    assert await faults(tmp_path / "other.db", head) == []
    assert await faults(tmp_path / "other.db", Head(3, "f" * 64)) != []
    assert await faults(tmp_path / "other.db", Head(77, head.seal)) != []


async def test_last_session_cut_off_with_its_counter_shows_against_a_kept_head(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    head = await three_sealed(path)
    behind_its_back(
        path,
        "DELETE FROM diagnosis_session WHERE id = 's-3'",
        "UPDATE seal_counter SET seal_no = 2, seal = (SELECT seal FROM diagnosis_session WHERE id = 's-2')",
    )
    assert await faults(path) == []
    assert [fault[0] for fault in await faults(path, head)] == [3]


@pytest.mark.parametrize("change", ["seal_no = 2", "seal_no = 4", "seal = 'f'"])
async def test_changed_counter_is_found(tmp_path: Path, change: str) -> None:
    await three_sealed(tmp_path / "s.db")
    behind_its_back(tmp_path / "s.db", f"UPDATE seal_counter SET {change}")
    assert await faults(tmp_path / "s.db") != []


async def test_deletion_leaves_a_tombstone_and_a_chain_that_holds(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    head = await three_sealed(path)
    store = await open_store(StoreSettings(path=path))
    stone = await store.delete_session("s-2", "the user asked for it", NOW)
    assert await store.tombstones() == [stone]
    assert await store.get_session("s-2") is None
    assert await store.session_invocations("s-2") == []
    assert (stone.seal_no, stone.session_id, stone.reason) == (2, "s-2", "the user asked for it")
    assert (stone.deletion_no, stone.deletion_previous) == (4, head.seal)
    assert await store.head() == Head(4, stone.deletion_seal)
    await store.close()
    assert await faults(path, head) == []


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE session_tombstone SET reason = 'another'",
        "UPDATE session_tombstone SET deleted_at = '2026-01-01T00:00:00+00:00'",
        "UPDATE session_tombstone SET session_id = 's-9'",
        "UPDATE session_tombstone SET seal = 'f'",
        "DELETE FROM session_tombstone",
    ],
)
async def test_changed_tombstone_is_found(tmp_path: Path, change: str) -> None:
    path = tmp_path / "s.db"
    await three_sealed(path)
    store = await open_store(StoreSettings(path=path))
    await store.delete_session("s-2", "the user asked for it", NOW)
    await store.close()
    behind_its_back(path, change)
    assert await faults(path) != []


async def test_tombstone_that_was_made_up_does_not_hide_a_removal(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    await three_sealed(path)
    behind_its_back(
        path,
        "INSERT INTO session_tombstone SELECT seal_no, seal, previous_seal, id, '2026-12-01T00:00:00+00:00', 'asked',"
        " 4, (SELECT seal FROM seal_counter), 'f' FROM diagnosis_session WHERE id = 's-2'",
        "DELETE FROM diagnosis_session WHERE id = 's-2'",
    )
    assert await faults(path) != []


async def test_session_and_its_tombstone_do_not_stand_beside_each_other() -> None:
    store = MemoryStore()
    await store.open_session(session())
    sealed = await store.seal_session(finished(session()))
    await store.delete_session("s-1", "asked to", NOW)
    store._sessions["s-1"] = sealed
    assert "twice" in (await store.verify_chain()).faults[0].message


async def test_lone_surrogate_and_its_escape_have_different_seals() -> None:
    seals = [seal_of(session(question=question), [], 1, "0" * 64) for question in ("a\ud800", "a\\ud800")]
    assert seals[0] != seals[1]


async def test_session_that_is_not_sealed_has_no_seal_that_holds() -> None:
    assert not seal_holds(finished(session()), [])
