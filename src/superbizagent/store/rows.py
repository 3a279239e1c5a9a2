"""The rows: two tables of evidence and verdicts, two that keep the order of the seals, and one of who runs what.

`diagnosis_session` and `tool_invocation` are the only places of evidence and verdicts. `seal_counter` (one row) hands
out seal numbers, `session_tombstone` says what was deleted, `session_lease` which process runs a session now. What is
filtered on has a column; JSON that is hashed is stored as the text that was hashed; output is stored as bytes.
Protocol: section 9.
"""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    DateTime,
    Dialect,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Text,
    UniqueConstraint,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from sqlalchemy.types import TypeDecorator

# The newest migration; a test holds it to the real head. A store whose version row says this needs no migration.
SCHEMA_HEAD = "0002"

# 64 bits everywhere; SQLite hands out ids only for a column of the type INTEGER, which has 64 bits there.
LONG = BigInteger().with_variant(Integer(), "sqlite")


class UtcDateTime(TypeDecorator[datetime]):
    """An aware datetime in UTC: SQLite would hand back naive ones."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a naive datetime cannot be stored")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None or value.tzinfo is not None:
            return value
        return value.replace(tzinfo=UTC)


class Row(DeclarativeBase):
    """What all tables share: the metadata."""


class SessionRow(Row):
    """One question and everything done to answer it."""

    __tablename__ = "diagnosis_session"

    id: Mapped[str] = mapped_column(String(64), primary_key=True)
    owner: Mapped[str] = mapped_column(String(255))
    conversation_id: Mapped[str | None] = mapped_column(String(255))
    question: Mapped[bytes] = mapped_column(LargeBinary)
    lang: Mapped[str] = mapped_column(String(8))
    engine: Mapped[str] = mapped_column(String(255))
    demo: Mapped[bool]
    status: Mapped[str] = mapped_column(String(16))
    plan: Mapped[str | None] = mapped_column(Text)
    executor_output: Mapped[bytes | None] = mapped_column(LargeBinary)
    answer: Mapped[bytes | None] = mapped_column(LargeBinary)
    verdict: Mapped[str | None] = mapped_column(String(16))
    severity: Mapped[str | None] = mapped_column(String(16))
    self_evaluation: Mapped[str | None] = mapped_column(Text)
    workflow_id: Mapped[str | None] = mapped_column(String(255))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    finished_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    seal_no: Mapped[int | None] = mapped_column(LONG, unique=True)
    seal: Mapped[str | None] = mapped_column(String(64))
    previous_seal: Mapped[str | None] = mapped_column(String(64))

    __table_args__ = (
        Index("ix_session_owner_created", "owner", "created_at"),
        Index("ix_session_conversation", "owner", "conversation_id"),
    )


class InvocationRow(Row):
    """One recorded tool call. `sqlite_autoincrement`: an id is never handed out again, not after deletion either."""

    __tablename__ = "tool_invocation"

    id: Mapped[int] = mapped_column(LONG, primary_key=True, autoincrement=True)
    session_id: Mapped[str] = mapped_column(ForeignKey("diagnosis_session.id", ondelete="CASCADE"))
    call_key: Mapped[str] = mapped_column(String(255))
    ordinal: Mapped[int]
    tool_name: Mapped[str] = mapped_column(String(255))
    arguments: Mapped[str] = mapped_column(Text)
    evidence_status: Mapped[str | None] = mapped_column(String(16))
    error: Mapped[bytes | None] = mapped_column(LargeBinary)
    output: Mapped[bytes] = mapped_column(LargeBinary)
    output_summary: Mapped[str] = mapped_column(Text)
    retrieval_details: Mapped[str | None] = mapped_column(Text)
    started_at: Mapped[datetime] = mapped_column(UtcDateTime)
    finished_at: Mapped[datetime] = mapped_column(UtcDateTime)

    __table_args__: Any = (
        UniqueConstraint("session_id", "call_key", name="uq_invocation_call"),
        UniqueConstraint("session_id", "ordinal", name="uq_invocation_ordinal"),
        {"sqlite_autoincrement": True},
    )


class LeaseRow(Row):
    """Which process runs a session (see `holder`), and until when it is believed to; gone with the session's end."""

    __tablename__ = "session_lease"

    session_id: Mapped[str] = mapped_column(ForeignKey("diagnosis_session.id", ondelete="CASCADE"), primary_key=True)
    host: Mapped[str] = mapped_column(String(255))
    place: Mapped[str] = mapped_column(String(255))
    pid: Mapped[int] = mapped_column(LONG)
    started: Mapped[str] = mapped_column(String(64))
    expires_at: Mapped[datetime] = mapped_column(UtcDateTime)


class SealCounterRow(Row):
    """One row: the last seal number and seal that were handed out."""

    __tablename__ = "seal_counter"

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    seal_no: Mapped[int] = mapped_column(LONG)
    seal: Mapped[str] = mapped_column(String(64))


class TombstoneRow(Row):
    """What is left of a deleted session, and the deletion's own place in the chain."""

    __tablename__ = "session_tombstone"

    seal_no: Mapped[int] = mapped_column(LONG, primary_key=True, autoincrement=False)
    seal: Mapped[str] = mapped_column(String(64))
    previous_seal: Mapped[str] = mapped_column(String(64))
    session_id: Mapped[str] = mapped_column(String(64))
    deleted_at: Mapped[str] = mapped_column(String(64))
    reason: Mapped[str] = mapped_column(Text)
    deletion_no: Mapped[int] = mapped_column(LONG, unique=True)
    deletion_previous: Mapped[str] = mapped_column(String(64))
    deletion_seal: Mapped[str] = mapped_column(String(64))
