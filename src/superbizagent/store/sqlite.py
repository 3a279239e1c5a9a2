"""The SQL store: both tables through SQLAlchemy, in a SQLite file by default.

Every method is one short transaction; a write takes the write lock at its beginning, so that two processes never
promise the same ordinal or seal number. What was begun is finished: a caller that is cancelled waits for its
transaction, so that no lock and no half of anything is left behind. `synchronous=FULL`, since what was recorded must
survive a power cut: an answer whose evidence is gone proves nothing. Whatever the database does wrong leaves as one
`StoreFailed` sentence. Protocol: sections 3 and 9.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import datetime
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from sqlalchemy import URL, Connection, Executable, Result, Table, delete, event, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from superbizagent.contract.errors import StoreFailed
from superbizagent.contract.records import DiagnosisSession, ToolInvocation
from superbizagent.contract.vocabulary import SessionStatus
from superbizagent.store.config import StoreSettings
from superbizagent.store.holder import LEASE, WITHOUT_LEASE, Holder, is_gone, this_process
from superbizagent.store.place import DATABASE_ERRORS, database_said, prepare_place
from superbizagent.store.row_records import (
    LARGEST_ID,
    invocation_record,
    invocation_values,
    session_record,
    session_values,
    tombstone_record,
    tombstone_values,
)
from superbizagent.store.rows import SCHEMA_HEAD, InvocationRow, LeaseRow, SealCounterRow, SessionRow, TombstoneRow
from superbizagent.store.seal import ChainCheck, ChainReport, Head, Tombstone, bury, seal_of

SESSIONS: Table = SessionRow.__table__  # type: ignore[assignment]
INVOCATIONS: Table = InvocationRow.__table__  # type: ignore[assignment]
COUNTER: Table = SealCounterRow.__table__  # type: ignore[assignment]
TOMBSTONES: Table = TombstoneRow.__table__  # type: ignore[assignment]
LEASES: Table = LeaseRow.__table__  # type: ignore[assignment]
_IDS_A_QUERY = 500


P = ParamSpec("P")
R = TypeVar("R")


def finished_first(method: Callable[P, Coroutine[Any, Any, R]]) -> Callable[P, Coroutine[Any, Any, R]]:
    """Let a transaction end before its caller's cancellation does: a cancelled driver call keeps its lock."""

    @wraps(method)
    async def call(*args: P.args, **kwargs: P.kwargs) -> R:
        task = asyncio.ensure_future(method(*args, **kwargs))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            await asyncio.wait((task,))
            raise

    return call


class SqlStore:
    """Implements `ports.RecordStore`; make one with `open_store`."""

    def __init__(self, engine: AsyncEngine, place: str) -> None:
        self._engine = engine
        self._writing = engine.execution_options(sba_write=True)
        self._place = place

    @finished_first
    async def open_session(self, session: DiagnosisSession) -> None:
        """Insert a session; from its beginning on this process is known as the one that runs it."""
        async with self._write() as connection:
            await connection.execute(insert(SESSIONS).values(**session_values(session)))
            held = {**this_process()._asdict(), "expires_at": session.created_at + LEASE}
            await connection.execute(insert(LEASES).values(session_id=session.id, **held))

    @finished_first
    async def renew_lease(self, session_id: str, at: datetime) -> None:
        """A sign of life of the process that runs the session; nothing happens when the session is finished."""
        async with self._write() as connection:
            renewed = update(LEASES).where(LEASES.c.session_id == session_id).values(expires_at=at + LEASE)
            await connection.execute(renewed)

    async def unfinished_sessions(self) -> list[str]:
        """The ids of all sessions, of every owner, that are not finished and sealed, oldest first."""
        found = select(SESSIONS.c.id).where(SESSIONS.c.seal_no.is_(None)).order_by(SESSIONS.c.created_at)
        return [str(row.id) for row in await self._read(found)]

    async def abandoned_sessions(self, at: datetime) -> list[tuple[DiagnosisSession, str]]:
        """The unfinished sessions whose process is gone, each with how that is known, in words.

        A session of a living process is never among them: neither of one on this machine, which is seen, nor of one
        elsewhere, which renews its lease.
        """
        running = (
            select(SESSIONS, LEASES.c.host, LEASES.c.place, LEASES.c.pid, LEASES.c.started, LEASES.c.expires_at)
            .outerjoin(LEASES, LEASES.c.session_id == SESSIONS.c.id)
            .where(SESSIONS.c.seal_no.is_(None), SESSIONS.c.status == SessionStatus.RUNNING.value)
            .order_by(SESSIONS.c.created_at)
        )
        abandoned: list[tuple[DiagnosisSession, str]] = []
        for row in await self._read(running):
            why = _why_abandoned(row, at)
            if why is not None:
                # A row that was changed into something unreadable stays unfinished, and is counted as that.
                with suppress(StoreFailed):
                    abandoned.append((session_record(row), why))
        return abandoned

    @finished_first
    async def update_session(self, session: DiagnosisSession) -> None:
        """Replace a session's row.

        Raises:
            StoreFailed: there is no such session, or it is sealed.
        """
        async with self._write() as connection:
            await self._replace(connection, session)

    async def get_session(self, session_id: str, owner: str = "local") -> DiagnosisSession | None:
        """The owner's session with this id."""
        found = select(SESSIONS).where(SESSIONS.c.id == session_id, SESSIONS.c.owner == owner)
        rows = await self._read(found)
        return session_record(rows[0]) if rows else None

    async def list_sessions(
        self, owner: str = "local", limit: int = 50, conversation_id: str | None = None
    ) -> list[DiagnosisSession]:
        """The owner's sessions, newest first."""
        wanted = select(SESSIONS).where(SESSIONS.c.owner == owner)
        if conversation_id is not None:
            wanted = wanted.where(SESSIONS.c.conversation_id == conversation_id)
        newest = wanted.order_by(SESSIONS.c.created_at.desc(), SESSIONS.c.id).limit(limit)
        return [session_record(row) for row in await self._read(newest)]

    @finished_first
    async def record_invocation(self, invocation: ToolInvocation) -> ToolInvocation:
        """Persist a call; a row with the same session and call key is returned instead.

        Raises:
            StoreFailed: there is no such session, or it is sealed.
        """
        same_session = INVOCATIONS.c.session_id == invocation.session_id
        async with self._write() as connection:
            seal_no = await self._seal_no(connection, invocation.session_id)
            same_call = select(INVOCATIONS).where(same_session, INVOCATIONS.c.call_key == invocation.call_key)
            existing = (await connection.execute(same_call)).first()
            if existing is not None:
                return invocation_record(existing)
            _refuse_sealed(invocation.session_id, seal_no)
            counted = select(func.coalesce(func.max(INVOCATIONS.c.ordinal), 0)).where(same_session)
            ordinal = int((await connection.execute(counted)).scalar_one()) + 1
            values = {**invocation_values(invocation), "ordinal": ordinal}
            done = await connection.execute(insert(INVOCATIONS).values(**values))
            number = done.inserted_primary_key
            if number is None:
                raise StoreFailed("the database gave no id for a recorded call", "Check the database file.")
            return invocation.model_copy(update={"id": int(number[0]), "ordinal": ordinal})

    async def find_invocation(self, session_id: str, call_key: str) -> ToolInvocation | None:
        """The session's call with this key."""
        found = select(INVOCATIONS).where(INVOCATIONS.c.session_id == session_id, INVOCATIONS.c.call_key == call_key)
        rows = await self._read(found)
        return invocation_record(rows[0]) if rows else None

    async def session_invocations(self, session_id: str) -> list[ToolInvocation]:
        """The session's calls in order."""
        found = select(INVOCATIONS).where(INVOCATIONS.c.session_id == session_id).order_by(INVOCATIONS.c.ordinal)
        return [invocation_record(row) for row in await self._read(found)]

    async def load_invocations(self, ids: Sequence[int], owner: str = "local") -> list[ToolInvocation]:
        """The rows with these ids over all sessions of the owner, by id and once each."""
        wanted = sorted({number for number in ids if 0 < number <= LARGEST_ID})
        rows: list[ToolInvocation] = []
        for start in range(0, len(wanted), _IDS_A_QUERY):
            found = (
                select(INVOCATIONS)
                .join(SESSIONS, SESSIONS.c.id == INVOCATIONS.c.session_id)
                .where(INVOCATIONS.c.id.in_(wanted[start : start + _IDS_A_QUERY]), SESSIONS.c.owner == owner)
                .order_by(INVOCATIONS.c.id)
            )
            rows.extend(invocation_record(row) for row in await self._read(found))
        return rows

    @finished_first
    async def seal_session(self, session: DiagnosisSession) -> DiagnosisSession:
        """Store the finished session and seal it with the store's next seal number, in one transaction.

        Raises:
            StoreFailed: there is no such session, or it is sealed already.
        """
        async with self._write() as connection:
            await self._replace(connection, session)
            invocations = await _invocations_of(connection, session.id)
            head = await _head(connection)
            number, previous = head.seal_no + 1, head.seal
            sealed = session.model_copy(
                update={
                    "seal_no": number,
                    "previous_seal": previous,
                    "seal": seal_of(session, invocations, number, previous),
                }
            )
            values = session_values(sealed)
            await connection.execute(update(SESSIONS).where(SESSIONS.c.id == session.id).values(**values))
            await connection.execute(delete(LEASES).where(LEASES.c.session_id == session.id))
            await _move_head(connection, number, str(sealed.seal))
            return sealed

    @finished_first
    async def delete_session(self, session_id: str, reason: str, at: datetime, owner: str = "local") -> Tombstone:
        """Delete a sealed session and leave a tombstone in its place in the chain.

        Raises:
            StoreFailed: there is no such sealed session.
        """
        async with self._write() as connection:
            found = select(SESSIONS).where(SESSIONS.c.id == session_id, SESSIONS.c.owner == owner)
            row = (await connection.execute(found)).first()
            session = None if row is None else session_record(row)
            stone = None if session is None else bury(session, at.isoformat(), reason, await _head(connection))
            if stone is None:
                raise StoreFailed(f"there is no finished session {session_id}", "See `sba sessions`.")
            await connection.execute(insert(TOMBSTONES).values(**tombstone_values(stone)))
            await _move_head(connection, stone.deletion_no, stone.deletion_seal)
            await connection.execute(delete(INVOCATIONS).where(INVOCATIONS.c.session_id == session_id))
            await connection.execute(delete(SESSIONS).where(SESSIONS.c.id == session_id))
            return stone

    @finished_first
    async def head(self) -> Head:
        """The newest seal; number 0 before the first."""
        async with self._snapshot() as connection:
            return await _head(connection)

    async def tombstones(self) -> list[Tombstone]:
        """All tombstones, by seal number."""
        rows = await self._read(select(TOMBSTONES).order_by(TOMBSTONES.c.seal_no))
        return [tombstone_record(row) for row in rows]

    async def sealed_sessions(self) -> AsyncIterator[DiagnosisSession]:
        """All sealed sessions of every owner, by seal number."""
        sealed = select(SESSIONS).where(SESSIONS.c.seal_no.is_not(None)).order_by(SESSIONS.c.seal_no, SESSIONS.c.id)
        for row in await self._read(sealed):
            yield session_record(row)

    async def verify_chain(self, kept: Head | None = None) -> ChainReport:
        """Check every seal and tombstone, one session after the other, as the store was at one moment.

        `kept` is a head that was kept elsewhere.
        """
        check = ChainCheck()
        sealed = select(SESSIONS.c.id).where(SESSIONS.c.seal_no.is_not(None)).order_by(SESSIONS.c.seal_no)
        async with self._snapshot() as connection:
            for (session_id,) in (await connection.execute(sealed)).all():
                row = (await connection.execute(select(SESSIONS).where(SESSIONS.c.id == session_id))).one()
                try:
                    check.add_session(session_record(row), await _invocations_of(connection, session_id))
                except StoreFailed:
                    check.add_unreadable(row.seal_no, str(row.seal), str(row.previous_seal), str(session_id))
            for row in (await connection.execute(select(TOMBSTONES))).all():
                check.add_tombstone(tombstone_record(row))
            return check.report(await _head(connection), kept)

    async def close(self) -> None:
        """Give the connections back."""
        await self._engine.dispose()

    @asynccontextmanager
    async def _write(self) -> AsyncIterator[AsyncConnection]:
        try:
            async with self._writing.begin() as connection:
                yield connection
        except DATABASE_ERRORS as error:
            raise database_said(error, self._place) from None

    @asynccontextmanager
    async def _snapshot(self) -> AsyncIterator[AsyncConnection]:
        """A read transaction: everything read in it is of one moment."""
        try:
            async with self._engine.connect() as connection:
                yield connection
        except DATABASE_ERRORS as error:
            raise database_said(error, self._place) from None

    @finished_first
    async def _read(self, statement: Executable) -> Sequence[Any]:
        async with self._snapshot() as connection:
            result: Result[Any] = await connection.execute(statement)
            return result.all()

    async def _replace(self, connection: AsyncConnection, session: DiagnosisSession) -> None:
        _refuse_sealed(session.id, await self._seal_no(connection, session.id))
        values = session_values(session)
        await connection.execute(update(SESSIONS).where(SESSIONS.c.id == session.id).values(**values))

    async def _seal_no(self, connection: AsyncConnection, session_id: str) -> int | None:
        """The session's seal number; its row is locked where the database locks rows (SQLite locks the file)."""
        found = select(SESSIONS.c.seal_no).where(SESSIONS.c.id == session_id).with_for_update()
        row = (await connection.execute(found)).first()
        if row is None:
            raise StoreFailed(f"there is no session {session_id}", "See `sba sessions`.")
        return None if row.seal_no is None else int(row.seal_no)


def _refuse_sealed(session_id: str, seal_no: int | None) -> None:
    if seal_no is not None:
        raise StoreFailed(f"session {session_id} is sealed and cannot be changed", "Ask again for a new session.")


def _why_abandoned(row: Any, at: datetime) -> str | None:
    """How it is known that nobody runs the session any more; None when somebody may."""
    if row.pid is None:
        return "it began long ago, and nothing runs it" if row.created_at + WITHOUT_LEASE < at else None
    gone = is_gone(Holder(row.host, row.place, row.pid, row.started))
    if gone:
        return f"process {row.pid} on {row.host} is gone"
    if gone is None and row.expires_at < at:
        return f"process {row.pid} on {row.host} gave no sign of life until {row.expires_at:%Y-%m-%dT%H:%M:%SZ}"
    return None


async def open_store(settings: StoreSettings) -> SqlStore:
    """The store in its file, made and migrated when needed.

    The file is made with mode 0600 in a folder of mode 0700.

    Raises:
        StoreFailed: the file cannot be made, read or written, is no database, or is of a newer version.
    """
    path = settings.path.expanduser().absolute()
    place = str(path)
    prepare_place(path)
    engine = create_async_engine(
        URL.create("sqlite+aiosqlite", database=place), connect_args={"timeout": settings.busy_seconds}
    )
    _own_transactions(engine)
    store = SqlStore(engine, place)
    try:
        await _migrate_if_needed(engine, store._writing)
    except DATABASE_ERRORS as error:
        await engine.dispose()
        raise database_said(error, place) from None
    except BaseException:
        await engine.dispose()
        raise
    return store


def _own_transactions(engine: AsyncEngine) -> None:
    """Let SQLAlchemy begin transactions itself: the driver would begin them late and only for writes."""

    @event.listens_for(engine.sync_engine, "connect")
    def prepare(dbapi_connection: Any, _: Any) -> None:
        dbapi_connection.isolation_level = None
        cursor = dbapi_connection.cursor()
        # secure_delete: what is deleted must not stay readable in the file's free pages.
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine.sync_engine, "begin")
    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("sba_write", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


async def _migrate_if_needed(engine: AsyncEngine, writing: AsyncEngine) -> None:
    async with engine.connect() as connection:
        version = await connection.run_sync(stored_version)
    if version == SCHEMA_HEAD:
        return
    async with writing.begin() as connection:
        await connection.run_sync(_upgrade)


def stored_version(connection: Connection) -> str | None:
    """The migration that the database is at; None for an empty one."""
    tables = connection.exec_driver_sql(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'alembic_version'"
    ).all()
    if not tables:
        return None
    row = connection.exec_driver_sql("SELECT version_num FROM alembic_version").first()
    return None if row is None else str(row[0])


def _upgrade(connection: Connection) -> None:
    """Under the write lock: another process may have migrated while this one waited."""
    from superbizagent.store.migrate import upgrade

    upgrade(connection, stored_version(connection))


async def _head(connection: AsyncConnection) -> Head:
    row = (await connection.execute(select(COUNTER).where(COUNTER.c.id == 1).with_for_update())).first()
    if row is None:
        raise StoreFailed("the store has lost the counter of its seals", "Restore a copy of the store.")
    return Head(int(row.seal_no), str(row.seal))


async def _move_head(connection: AsyncConnection, number: int, seal: str) -> None:
    await connection.execute(update(COUNTER).where(COUNTER.c.id == 1).values(seal_no=number, seal=seal))


async def _invocations_of(connection: AsyncConnection, session_id: str) -> list[ToolInvocation]:
    found = select(INVOCATIONS).where(INVOCATIONS.c.session_id == session_id).order_by(INVOCATIONS.c.ordinal)
    return [invocation_record(row) for row in (await connection.execute(found)).all()]
