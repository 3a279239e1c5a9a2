"""What the store says when its file is not what it should be, and what survives."""

import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from superbizagent.contract.errors import StoreFailed
from superbizagent.store.config import StoreSettings
from superbizagent.store.migrate import newest_version
from superbizagent.store.rows import SCHEMA_HEAD, Row
from superbizagent.store.sqlite import open_store
from tests.store.test_stores import NOW, call, session

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


async def test_migrations_make_the_tables_that_the_rows_describe(tmp_path: Path) -> None:
    store = await open_store(StoreSettings(path=tmp_path / "sba.db"))
    async with store._engine.connect() as connection:
        differences = await connection.run_sync(
            lambda sync: compare_metadata(MigrationContext.configure(sync), Row.metadata)
        )
    await store.close()
    assert differences == []


async def test_deleted_session_leaves_no_text_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "sba.db"
    store = await open_store(StoreSettings(path=path))
    await store.open_session(session())
    await store.record_invocation(call(output="a text that must go" * 1000))
    await store.seal_session(session(status="finished"))
    await store.delete_session("s-1", "asked to", NOW)
    await store.close()
    assert b"must go" not in path.read_bytes()


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


OPENER = """
import asyncio, sys
from pathlib import Path
from superbizagent.store.config import StoreSettings
from superbizagent.store.migrate import newest_version
from superbizagent.store.sqlite import open_store
from tests.store.test_stores import call, session

async def main():
    await (await open_store(StoreSettings(path=Path(sys.argv[1]).with_suffix(".warm")))).close()
    print("ready", flush=True)
    sys.stdin.readline()
    store = await open_store(StoreSettings(path=Path(sys.argv[1])))
    await store.open_session(session(int(sys.argv[2])))
    await store.close()

asyncio.run(main())
"""


def test_processes_that_open_an_empty_store_at_the_same_moment_all_succeed(tmp_path: Path) -> None:
    path = tmp_path / "sba.db"
    command = [sys.executable, "-c", OPENER.replace("sys.argv[1]).with", "sys.argv[1] + sys.argv[2]).with"), str(path)]
    processes = [
        subprocess.Popen([*command, str(number)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for number in range(2)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        process.communicate(timeout=60)
        assert process.returncode == 0
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT count(*) FROM diagnosis_session").fetchone() == (2,)
    assert connection.execute("SELECT count(*) FROM seal_counter").fetchone() == (1,)
    connection.close()


def test_two_processes_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
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


@pytest.mark.parametrize("name", ["a b.db", "100%.db", "q?mode=ro.db", "h#1.db", "店铺.db", ":memory:", "file:x.db"])
async def test_odd_file_name_is_the_file_that_is_made(tmp_path: Path, name: str) -> None:
    store = await open_store(StoreSettings(path=tmp_path / name))
    await store.open_session(session())
    await store.close()
    assert (tmp_path / name).stat().st_size > 0


async def test_home_folder_is_meant_by_its_sign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    await (await open_store(StoreSettings(path=Path("~/sba.db")))).close()
    assert (tmp_path / "sba.db").exists()


async def test_page_that_was_overwritten_is_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "sba.db"
    store = await open_store(StoreSettings(path=path))
    await store.open_session(session())
    for number in range(20):
        await store.record_invocation(call(f"k{number}", output="x" * 10_000))
    await store.close()
    content = bytearray(path.read_bytes())
    content[8192:] = b"\xff" * (len(content) - 8192)
    path.write_bytes(content)
    with pytest.raises(StoreFailed):
        store = await open_store(StoreSettings(path=path))
        try:
            await store.session_invocations("s-1")
        finally:
            await store.close()


async def test_row_that_is_no_record_is_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "sba.db"
    store = await open_store(StoreSettings(path=path))
    await store.open_session(session())
    await store.record_invocation(call())
    connection = sqlite3.connect(path)
    connection.execute("UPDATE tool_invocation SET arguments = '{'")
    connection.execute("UPDATE diagnosis_session SET lang = 'xx', created_at = 'yesterday'")
    connection.commit()
    connection.close()
    with pytest.raises(StoreFailed, match="cannot be read"):
        await store.session_invocations("s-1")
    with pytest.raises(StoreFailed):
        await store.get_session("s-1")
    await store.close()


READER = """
import asyncio, os, sys
from pathlib import Path
from superbizagent.contract.errors import StoreFailed
from superbizagent.store.config import StoreSettings
from superbizagent.store.sqlite import open_store
from tests.store.test_stores import session

async def use(path):
    store = await open_store(StoreSettings(path=path))
    try:
        await store.open_session(session(7))
    finally:
        await store.close()

async def main():
    warm, *paths = map(Path, sys.argv[1:])
    await use(warm)
    if os.geteuid() == 0:  # root is refused nothing, and another user may not reach this interpreter's files
        os.setgroups([])
        os.setuid(65534)
    for path in paths:
        try:
            await use(path)
        except StoreFailed as error:
            print("refused:", error, error.hint)

asyncio.run(main())
"""


async def test_store_without_the_right_to_write_is_a_sentence(tmp_path: Path) -> None:
    modes = [(0o444, 0o755), (0o444, 0o555), (0o000, 0o755), (0o644, 0o000)]
    for above in (tmp_path, *list(tmp_path.parents)[:2]):
        above.chmod(0o755)
    paths = [tmp_path / f"{index}" / "sba.db" for index in range(len(modes))]
    for path, (file_mode, folder_mode) in zip(paths, modes, strict=True):
        await (await open_store(StoreSettings(path=path))).close()
        path.chmod(file_mode)
        path.parent.chmod(folder_mode)
    command = [sys.executable, "-W", "error", "-c", READER, str(tmp_path / "warm.db"), *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    for path in paths:
        path.parent.chmod(0o755)
    said = done.stdout.splitlines()
    assert (done.returncode, done.stderr, len(said)) == (0, "", len(modes))
    assert all(line.startswith("refused: the store ") and "store.path" in line for line in said), said


def test_migration_prints_nothing_and_leaves_logging_alone(tmp_path: Path) -> None:
    code = (
        "import asyncio, logging, sys\n"
        "from pathlib import Path\n"
        "from superbizagent.store.config import StoreSettings\n"
        "from superbizagent.store.sqlite import open_store\n"
        "async def main():\n"
        "    await (await open_store(StoreSettings(path=Path(sys.argv[1])))).close()\n"
        "asyncio.run(main())\n"
        "root = logging.getLogger()\n"
        "assert root.handlers == [] and root.level == logging.WARNING\n"
        "handlers = logging.getLogger('alembic').handlers\n"
        "assert all(type(handler) is logging.NullHandler for handler in handlers)\n"
        "sys.exit(10 if 'alembic' in sys.modules else 0)\n"
    )
    for expected in (10, 0):
        command = [sys.executable, "-W", "error", "-c", code, str(tmp_path / "sba.db")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (expected, "", "")
