"""What the store says when its file is not what it should be, and what survives."""

import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from superbizagent.contract.errors import StoreFailed
from superbizagent.store.config import StoreSettings
from superbizagent.store.migrate import newest_version
from superbizagent.store.rows import SCHEMA_HEAD
from superbizagent.store.sqlite import open_store
from tests.store.test_stores import call, session

WRITER = """
import asyncio, sys
from pathlib import Path
from superbizagent.store.config import StoreSettings
from superbizagent.store.sqlite import open_store
from tests.store.test_stores import call, session

async def main():
    store = await open_store(StoreSettings(path=Path(sys.argv[1])))
    if sys.argv[2] == "first":
        await store.open_session(session())
    for number in range(int(sys.argv[3])):
        row = await store.record_invocation(call(f"{sys.argv[2]}-{number}", output="x" * 5000))
        print(row.id, flush=True)
    await store.close()

asyncio.run(main())
"""


def writer(path: Path, name: str, calls: int) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", WRITER, str(path), name, str(calls)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_constant_names_the_newest_migration() -> None:
    assert newest_version() == SCHEMA_HEAD


async def test_file_and_folder_are_the_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "data" / "sba.db"
    store = await open_store(StoreSettings(path=path))
    await store.open_session(session())
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    for file in path.parent.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file
    await store.close()


async def test_newer_version_is_a_sentence_and_the_file_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "sba.db"
    await (await open_store(StoreSettings(path=path))).close()
    connection = sqlite3.connect(path)
    connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.commit()
    connection.close()
    with pytest.raises(StoreFailed, match="newer version"):
        await open_store(StoreSettings(path=path))


@pytest.mark.parametrize(
    "content", [b"not a database at all" * 100, b"\x00" * 4096, b"SQLite format 3\x00" + b"\xff" * 4096]
)
async def test_file_that_is_no_database_is_a_sentence(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "sba.db"
    path.write_bytes(content)
    with pytest.raises(StoreFailed):
        await open_store(StoreSettings(path=path))
    assert path.read_bytes() == content


async def test_folder_in_place_of_the_file_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(StoreFailed, match="no file"):
        await open_store(StoreSettings(path=tmp_path))


async def test_place_that_cannot_be_made_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreFailed, match="cannot be made"):
        await open_store(StoreSettings(path=tmp_path / "file" / "sba.db"))


async def test_database_of_another_program_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "sba.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE diagnosis_session (x)")
    connection.commit()
    connection.close()
    with pytest.raises(StoreFailed, match="no store of this product"):
        await open_store(StoreSettings(path=path))


async def test_locked_database_is_a_sentence_after_the_wait(tmp_path: Path) -> None:
    path = tmp_path / "sba.db"
    store = await open_store(StoreSettings(path=path, busy_seconds=0.1))
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreFailed, match="locked"):
        await store.open_session(session())
    other.execute("ROLLBACK")
    other.close()
    await store.open_session(session())
    await store.close()


async def test_disk_that_is_full_is_a_sentence_and_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "sba.db"
    store = await open_store(StoreSettings(path=path))
    await store.open_session(session())
    await store.record_invocation(call("kept"))
    await store.close()
    store = await open_store(StoreSettings(path=path))
    async with store._engine.connect() as connection:
        pages = (await connection.exec_driver_sql("PRAGMA page_count")).scalar_one()
        await connection.exec_driver_sql(f"PRAGMA max_page_count={pages + 1}")
    with pytest.raises(StoreFailed, match="full"):
        await store.record_invocation(call("too large", output="x" * 1_000_000))
    assert [row.call_key for row in await store.session_invocations("s-1")] == ["kept"]
    await store.close()


def test_two_processes_that_start_at_once_both_succeed_and_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "sba.db"
    first = writer(path, "first", 15)
    assert first.stdout is not None
    seen = [first.stdout.readline()]
    second = writer(path, "second", 15)
    ids = [*seen[0].split(), *first.communicate(timeout=60)[0].split(), *second.communicate(timeout=60)[0].split()]
    assert (first.returncode, second.returncode) == (0, 0)
    assert len(set(ids)) == 30


async def test_kill_in_the_middle_of_writing_leaves_every_promised_row(tmp_path: Path) -> None:
    path = tmp_path / "sba.db"
    process = writer(path, "first", 100_000)
    assert process.stdout is not None
    promised = [int(process.stdout.readline()) for _ in range(10)]
    process.kill()
    promised += [int(line) for line in process.communicate()[0].split()]
    store = await open_store(StoreSettings(path=path))
    rows = {row.id for row in await store.session_invocations("s-1")}
    assert set(promised) <= rows
    await store.close()
