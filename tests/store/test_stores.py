"""What every store promises; run over the SQL store and the store in memory."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from superbizagent.contract.errors import StoreFailed
from superbizagent.contract.evidence import EvidenceRef, RetrievalDetails
from superbizagent.contract.records import DiagnosisSession, ToolInvocation
from superbizagent.contract.vocabulary import EvidenceStatus, Lang, SessionStatus, Verdict
from superbizagent.store.config import StoreSettings
from superbizagent.store.memory import MemoryStore
from superbizagent.store.seal import seal_holds
from superbizagent.store.sqlite import SqlStore, open_store

NOW = datetime(2026, 11, 30, 23, 11, 5, 123456, tzinfo=UTC)
Store = SqlStore | MemoryStore


@pytest.fixture(params=["sql", "memory"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    made: Store = (
        MemoryStore() if request.param == "memory" else await open_store(StoreSettings(path=tmp_path / "s.db"))
    )
    yield made
    await made.close()


def session(number: int = 1, **changes: Any) -> DiagnosisSession:
    values = {
        "id": f"s-{number}",
        "question": "order-service 的连接池是不是耗尽了？ \ud800",
        "lang": Lang.ZH,
        "engine": "extractive",
        "status": SessionStatus.RUNNING,
        "created_at": NOW + timedelta(seconds=number),
    }
    return DiagnosisSession.model_validate({**values, **changes})


def call(key: str = "k1", session_id: str = "s-1", **changes: Any) -> ToolInvocation:
    details = RetrievalDetails(
        evidence_refs=[EvidenceRef(raw_path="$.logs[0]", text="total=50, active=50")], collection="logs"
    )
    values = {
        "id": 0,
        "session_id": session_id,
        "call_key": key,
        "ordinal": 0,
        "tool_name": "query_logs",
        "arguments": {"query": "连接池", "limit": 2**63 + 1},
        "evidence_status": EvidenceStatus.OK,
        "output": '{"logs": [{"record": "x\\ud800 1e5"}]}\x00',
        "output_summary": "1 of 1 records",
        "retrieval_details": details,
        "started_at": NOW,
        "finished_at": NOW,
    }
    return ToolInvocation.model_validate({**values, **changes})


def finished(opened: DiagnosisSession) -> DiagnosisSession:
    return opened.model_copy(
        update={
            "status": SessionStatus.FINISHED,
            "verdict": Verdict.PASS,
            "answer": "Yes",
            "plan": {"steps": [1, 2]},
            "self_evaluation": {"verifier_evaluation": {"n": 10**30}},
            "finished_at": NOW,
        }
    )


async def test_session_comes_back_as_it_was_stored(store: Store) -> None:
    await store.open_session(session())
    stored = finished(session())
    await store.update_session(stored)
    assert await store.get_session("s-1") == stored


async def test_invocation_comes_back_as_it_was_recorded(store: Store) -> None:
    await store.open_session(session())
    recorded = await store.record_invocation(call())
    assert recorded == call(id=recorded.id, ordinal=1)
    assert await store.session_invocations("s-1") == [recorded]
    assert await store.find_invocation("s-1", "k1") == recorded
    assert await store.load_invocations([recorded.id, 999]) == [recorded]


async def test_call_that_runs_twice_finds_its_row(store: Store) -> None:
    await store.open_session(session())
    first = await store.record_invocation(call())
    again = await store.record_invocation(call(output="another"))
    assert again == first


async def test_ids_are_unique_over_sessions_and_never_reused(store: Store) -> None:
    for number in (1, 2):
        await store.open_session(session(number))
    ids = [(await store.record_invocation(call(session_id=f"s-{number}"))).id for number in (1, 2)]
    await store.seal_session(finished(session(2)))
    await store.delete_session("s-2", "asked to", NOW)
    await store.open_session(session(3))
    ids.append((await store.record_invocation(call(session_id="s-3"))).id)
    assert ids == sorted(set(ids))


async def test_concurrent_recordings_get_their_own_ids_and_ordinals(store: Store) -> None:
    await store.open_session(session())
    rows = await asyncio.gather(*(store.record_invocation(call(f"k{number}")) for number in range(20)))
    assert len({row.id for row in rows}) == 20
    assert sorted(row.ordinal for row in rows) == list(range(1, 21))


async def test_another_owners_rows_do_not_exist(store: Store) -> None:
    await store.open_session(session(owner="them"))
    row = await store.record_invocation(call())
    assert await store.get_session("s-1") is None
    assert await store.list_sessions() == []
    assert await store.load_invocations([row.id]) == []
    assert await store.load_invocations([row.id], "them") == [row]


async def test_sessions_are_listed_newest_first_and_by_conversation(store: Store) -> None:
    for number in (1, 2, 3):
        await store.open_session(session(number, conversation_id="c" if number != 2 else None))
    assert [row.id for row in await store.list_sessions(limit=2)] == ["s-3", "s-2"]
    assert [row.id for row in await store.list_sessions(conversation_id="c")] == ["s-3", "s-1"]


async def test_sealed_session_refuses_every_change(store: Store) -> None:
    await store.open_session(session())
    sealed = await store.seal_session(finished(session()))
    assert sealed.seal_no == 1
    assert await store.get_session("s-1") == sealed
    for change in (store.update_session(sealed), store.seal_session(sealed), store.record_invocation(call())):
        with pytest.raises(StoreFailed):
            await change


async def test_unknown_session_takes_no_invocation(store: Store) -> None:
    with pytest.raises(StoreFailed):
        await store.record_invocation(call())


async def test_head_follows_the_last_seal(store: Store) -> None:
    assert (await store.head()).seal_no == 0
    sealed = []
    for number in (1, 2):
        await store.open_session(session(number))
        sealed.append(await store.seal_session(finished(session(number))))
    head = await store.head()
    assert (head.seal_no, head.seal) == (2, sealed[-1].seal)
    assert [row.id async for row in store.sealed_sessions()] == ["s-1", "s-2"]


async def test_both_stores_give_the_same_seal(tmp_path: Path) -> None:
    seals = []
    sql = await open_store(StoreSettings(path=tmp_path / "s.db"))
    for made in (sql, MemoryStore()):
        await made.open_session(session())
        await made.record_invocation(call())
        seals.append((await made.seal_session(finished(session()))).seal)
        await made.close()
    assert seals[0] == seals[1]


async def test_ids_are_not_reused_after_the_file_is_reopened(tmp_path: Path) -> None:
    settings = StoreSettings(path=tmp_path / "s.db")
    store = await open_store(settings)
    await store.open_session(session())
    first = await store.record_invocation(call())
    await store.close()
    with sqlite3.connect(settings.path) as connection:
        connection.execute("DELETE FROM tool_invocation")
    connection.close()
    store = await open_store(settings)
    assert (await store.record_invocation(call())).id > first.id
    await store.close()


async def test_error_and_output_keep_what_no_text_column_holds(store: Store) -> None:
    await store.open_session(session())
    recorded = await store.record_invocation(call(error="refused \ud800 \x00", output="\x00\udfff"))
    assert await store.find_invocation("s-1", "k1") == recorded
    sealed = await store.seal_session(finished(session()))
    assert seal_holds(sealed, [recorded])
    assert (await store.verify_chain()).faults == ()


async def test_ids_beyond_64_bits_and_below_one_name_no_row(store: Store) -> None:
    await store.open_session(session())
    row = await store.record_invocation(call())
    assert await store.load_invocations([2**63, 10**400, 0, -1, row.id, row.id]) == [row]


async def test_many_ids_are_loaded_by_id(store: Store) -> None:
    await store.open_session(session())
    rows = [await store.record_invocation(call(f"k{number}")) for number in range(5)]
    assert await store.load_invocations(range(3000, 0, -1)) == rows


async def test_second_session_of_the_same_id_is_refused(store: Store) -> None:
    await store.open_session(session())
    with pytest.raises(StoreFailed):
        await store.open_session(session())


async def test_recordings_and_seals_side_by_side_keep_the_chain(store: Store) -> None:
    async def one(number: int) -> None:
        await store.open_session(session(number))
        await asyncio.gather(*(store.record_invocation(call(f"k{key}", f"s-{number}")) for key in range(3)))
        await store.seal_session(finished(session(number)))

    await asyncio.gather(*(one(number) for number in range(8)))
    report = await store.verify_chain()
    assert (report.sessions, report.head.seal_no, report.faults) == (8, 8, ())


async def test_cancelled_recording_is_whole_or_not_there_and_the_store_goes_on(store: Store) -> None:
    await store.open_session(session())
    for number in range(30):
        task = asyncio.create_task(store.record_invocation(call(f"k{number}", output="x" * 100_000)))
        await asyncio.sleep(number * 0.0002)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    last = await store.record_invocation(call("last"))
    rows = await store.session_invocations("s-1")
    assert [row.ordinal for row in rows] == list(range(1, len(rows) + 1))
    assert rows[-1] == last
    assert all(len(row.output) == 100_000 for row in rows[:-1])
