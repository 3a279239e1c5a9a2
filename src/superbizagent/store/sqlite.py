"""The SQL store: both tables through SQLAlchemy, in a SQLite file by default.

Every method is one short transaction; a write takes the write lock at its beginning, so that two processes never
promise the same ordinal or seal number. `synchronous=FULL`, since what was recorded must survive a power cut: an answer
whose evidence is gone proves nothing. Whatever the database does wrong leaves as one `StoreFailed` sentence.
Protocol: sections 3 and 9.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Executable, Result, Table, delete, event, func, insert, select, update
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from superbizagent.contract.errors import StoreFailed
from superbizagent.contract.records import DiagnosisSession, ToolInvocation
from superbizagent.store.config import StoreSettings
from superbizagent.store.place import database_said, prepare_place
from superbizagent.store.row_records import (
    invocation_record,
    invocation_values,
    session_record,
    session_values,
)
from superbizagent.store.rows import SCHEMA_HEAD, InvocationRow, SealCounterRow, SessionRow, TombstoneRow
from superbizagent.store.seal import Head, Tombstone, seal_of

SESSIONS: Table = SessionRow.__table__  # type: ignore[assignment]
INVOCATIONS: Table = InvocationRow.__table__  # type: ignore[assignment]
COUNTER: Table = SealCounterRow.__table__  # type: ignore[assignment]
TOMBSTONES: Table = TombstoneRow.__table__  # type: ignore[assignment]
_IDS_A_QUERY = 500


class SqlStore:
    """Implements `ports.RecordStore`; make one with `open_store`."""

    def __init__(self, engine: AsyncEngine, place: str) -> None:
        self._engine = engine
        self._writing = engine.execution_options(sba_write=True)
        self._place = place

    async def open_session(self, session: DiagnosisSession) -> None:
        """Insert a session."""
        async with self._write() as connection:
            await connection.execute(insert(SESSIONS).values(**session_values(session)))

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

    async def record_invocation(self, invocation: ToolInvocation) -> ToolInvocation:
        """Persist a call; a row with the same session and call key is returned instead.

        Raises:
            StoreFailed: there is no such session, or it is sealed.
        """
        same_session = INVOCATIONS.c.session_id == invocation.session_id
        async with self._write() as connection:
            same_call = select(INVOCATIONS).where(same_session, INVOCATIONS.c.call_key == invocation.call_key)
            existing = (await connection.execute(same_call)).first()
            if existing is not None:
                return invocation_record(existing)
            await self._refuse_sealed(connection, invocation.session_id)
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
        """The rows with these ids over all sessions of the owner."""
        rows: list[ToolInvocation] = []
        for start in range(0, len(ids), _IDS_A_QUERY):
            found = (
                select(INVOCATIONS)
                .join(SESSIONS, SESSIONS.c.id == INVOCATIONS.c.session_id)
                .where(INVOCATIONS.c.id.in_(list(ids[start : start + _IDS_A_QUERY])), SESSIONS.c.owner == owner)
                .order_by(INVOCATIONS.c.id)
            )
            rows.extend(invocation_record(row) for row in await self._read(found))
        return rows

    async def seal_session(self, session: DiagnosisSession) -> DiagnosisSession:
        """Store the finished session and seal it with the store's next seal number, in one transaction.

        Raises:
            StoreFailed: there is no such session, or it is sealed already.
        """
        async with self._write() as connection:
            await self._replace(connection, session)
            invocations = await _invocations_of(connection, session.id)
            counter = (await connection.execute(select(COUNTER).where(COUNTER.c.id == 1))).one()
            number, previous = int(counter.seal_no) + 1, str(counter.seal)
            sealed = session.model_copy(
                update={
                    "seal_no": number,
                    "previous_seal": previous,
                    "seal": seal_of(session, invocations, number, previous),
                }
            )
            values = session_values(sealed)
            await connection.execute(update(SESSIONS).where(SESSIONS.c.id == session.id).values(**values))
            await connection.execute(update(COUNTER).where(COUNTER.c.id == 1).values(seal_no=number, seal=sealed.seal))
            return sealed

    async def delete_session(self, session_id: str, reason: str, at: datetime, owner: str = "local") -> Tombstone:
        """Delete a sealed session and leave a tombstone in its place in the chain.

        Raises:
            StoreFailed: there is no such sealed session.
        """
        async with self._write() as connection:
            found = select(SESSIONS).where(SESSIONS.c.id == session_id, SESSIONS.c.owner == owner)
            row = (await connection.execute(found)).first()
            if row is None or row.seal_no is None:
                raise StoreFailed(f"there is no finished session {session_id}", "See `sba sessions`.")
            stone = Tombstone(row.seal_no, row.seal, row.previous_seal, session_id, at.isoformat(), reason)
            await connection.execute(
                insert(TOMBSTONES).values(
                    seal_no=stone.seal_no,
                    seal=stone.seal,
                    previous_seal=stone.previous_seal,
                    session_id=session_id,
                    deleted_at=at,
                    reason=reason,
                )
            )
            await connection.execute(delete(INVOCATIONS).where(INVOCATIONS.c.session_id == session_id))
            await connection.execute(delete(SESSIONS).where(SESSIONS.c.id == session_id))
            return stone

    async def head(self) -> Head:
        """The newest seal; number 0 before the first."""
        row = (await self._read(select(COUNTER).where(COUNTER.c.id == 1)))[0]
        return Head(row.seal_no, row.seal)

    async def tombstones(self) -> list[Tombstone]:
        """All tombstones, by seal number."""
        rows = await self._read(select(TOMBSTONES).order_by(TOMBSTONES.c.seal_no))
        return [
            Tombstone(row.seal_no, row.seal, row.previous_seal, row.session_id, row.deleted_at.isoformat(), row.reason)
            for row in rows
        ]

    async def sealed_sessions(self) -> AsyncIterator[DiagnosisSession]:
        """All sealed sessions of every owner, by seal number."""
        sealed = select(SESSIONS).where(SESSIONS.c.seal_no.is_not(None)).order_by(SESSIONS.c.seal_no, SESSIONS.c.id)
        for row in await self._read(sealed):
            yield session_record(row)

    async def close(self) -> None:
        """Give the connections back."""
        await self._engine.dispose()

    @asynccontextmanager
    async def _write(self) -> AsyncIterator[AsyncConnection]:
        try:
            async with self._writing.begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise database_said(error, self._place) from None

    async def _read(self, statement: Executable) -> Sequence[Any]:
        try:
            async with self._engine.connect() as connection:
                result: Result[Any] = await connection.execute(statement)
                return result.all()
        except SQLAlchemyError as error:
            raise database_said(error, self._place) from None

    async def _replace(self, connection: AsyncConnection, session: DiagnosisSession) -> None:
        await self._refuse_sealed(connection, session.id)
        values = session_values(session)
        await connection.execute(update(SESSIONS).where(SESSIONS.c.id == session.id).values(**values))

    async def _refuse_sealed(self, connection: AsyncConnection, session_id: str) -> None:
        row = (await connection.execute(select(SESSIONS.c.seal_no).where(SESSIONS.c.id == session_id))).first()
        if row is None:
            raise StoreFailed(f"there is no session {session_id}", "See `sba sessions`.")
        if row.seal_no is not None:
            raise StoreFailed(f"session {session_id} is sealed and cannot be changed", "Ask again for a new session.")


async def open_store(settings: StoreSettings) -> SqlStore:
    """The store in its file, made and migrated when needed.

    The file is made with mode 0600 in a folder of mode 0700.

    Raises:
        StoreFailed: the file cannot be made, read or written, is no database, or is of a newer version.
    """
    place = str(settings.path)
    prepare_place(settings.path)
    engine = create_async_engine(f"sqlite+aiosqlite:///{place}", connect_args={"timeout": settings.busy_seconds})
    _own_transactions(engine)
    store = SqlStore(engine, place)
    try:
        await _migrate_if_needed(engine, store._writing)
    except SQLAlchemyError as error:
        await engine.dispose()
        raise database_said(error, place) from None
    except StoreFailed:
        await engine.dispose()
        raise
    return store


def _own_transactions(engine: AsyncEngine) -> None:
    """Let SQLAlchemy begin transactions itself: the driver would begin them late and only for writes."""

    @event.listens_for(engine.sync_engine, "connect")
    def prepare(dbapi_connection: Any, _: Any) -> None:
        dbapi_connection.isolation_level = None
        cursor = dbapi_connection.cursor()
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
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


async def _invocations_of(connection: AsyncConnection, session_id: str) -> list[ToolInvocation]:
    found = select(INVOCATIONS).where(INVOCATIONS.c.session_id == session_id).order_by(INVOCATIONS.c.ordinal)
    return [invocation_record(row) for row in (await connection.execute(found)).all()]
