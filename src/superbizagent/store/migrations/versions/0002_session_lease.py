"""Leases: which process runs a session, and until when it is believed to. Holds no evidence and no verdict."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table. Sessions that run without a lease are told by their age."""
    op.create_table(
        "session_lease",
        sa.Column(
            "session_id", sa.String(64), sa.ForeignKey("diagnosis_session.id", ondelete="CASCADE"), primary_key=True
        ),
        sa.Column("host", sa.String(255), nullable=False),
        sa.Column("place", sa.String(255), nullable=False),
        sa.Column("pid", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("started", sa.String(64), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
    )


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("session_lease")
