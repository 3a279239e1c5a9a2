"""The first tables: sessions, tool invocations, the seal counter, tombstones."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_STAMP = sa.DateTime(timezone=True)
_LONG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the tables and the one row of the seal counter."""
    op.create_table(
        "diagnosis_session",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("owner", sa.String(255), nullable=False),
        sa.Column("conversation_id", sa.String(255)),
        sa.Column("question", sa.LargeBinary, nullable=False),
        sa.Column("lang", sa.String(8), nullable=False),
        sa.Column("engine", sa.String(255), nullable=False),
        sa.Column("demo", sa.Boolean, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("plan", sa.Text),
        sa.Column("executor_output", sa.LargeBinary),
        sa.Column("answer", sa.LargeBinary),
        sa.Column("verdict", sa.String(16)),
        sa.Column("severity", sa.String(16)),
        sa.Column("self_evaluation", sa.Text),
        sa.Column("workflow_id", sa.String(255)),
        sa.Column("created_at", _STAMP, nullable=False),
        sa.Column("finished_at", _STAMP),
        sa.Column("seal_no", _LONG, unique=True),
        sa.Column("seal", sa.String(64)),
        sa.Column("previous_seal", sa.String(64)),
    )
    op.create_index("ix_session_owner_created", "diagnosis_session", ["owner", "created_at"])
    op.create_index("ix_session_conversation", "diagnosis_session", ["owner", "conversation_id"])
    op.create_table(
        "tool_invocation",
        sa.Column("id", _LONG, primary_key=True, autoincrement=True),
        sa.Column(
            "session_id", sa.String(64), sa.ForeignKey("diagnosis_session.id", ondelete="CASCADE"), nullable=False
        ),
        sa.Column("call_key", sa.String(255), nullable=False),
        sa.Column("ordinal", sa.Integer, nullable=False),
        sa.Column("tool_name", sa.String(255), nullable=False),
        sa.Column("arguments", sa.Text, nullable=False),
        sa.Column("evidence_status", sa.String(16)),
        sa.Column("error", sa.LargeBinary),
        sa.Column("output", sa.LargeBinary, nullable=False),
        sa.Column("output_summary", sa.Text, nullable=False),
        sa.Column("retrieval_details", sa.Text),
        sa.Column("started_at", _STAMP, nullable=False),
        sa.Column("finished_at", _STAMP, nullable=False),
        sa.UniqueConstraint("session_id", "call_key", name="uq_invocation_call"),
        sa.UniqueConstraint("session_id", "ordinal", name="uq_invocation_ordinal"),
        sqlite_autoincrement=True,
    )
    counter = op.create_table(
        "seal_counter",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("seal_no", _LONG, nullable=False),
        sa.Column("seal", sa.String(64), nullable=False),
    )
    op.bulk_insert(counter, [{"id": 1, "seal_no": 0, "seal": "0" * 64}])
    op.create_table(
        "session_tombstone",
        sa.Column("seal_no", _LONG, primary_key=True, autoincrement=False),
        sa.Column("seal", sa.String(64), nullable=False),
        sa.Column("previous_seal", sa.String(64), nullable=False),
        sa.Column("session_id", sa.String(64), nullable=False),
        sa.Column("deleted_at", sa.String(64), nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("deletion_no", _LONG, nullable=False, unique=True),
        sa.Column("deletion_previous", sa.String(64), nullable=False),
        sa.Column("deletion_seal", sa.String(64), nullable=False),
    )


def downgrade() -> None:
    """Drop the tables."""
    for table in ("session_tombstone", "seal_counter", "tool_invocation", "diagnosis_session"):
        op.drop_table(table)
