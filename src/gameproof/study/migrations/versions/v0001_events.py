"""Version 0001: participants, their invitations and their events."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the first tables."""
    op.create_table(
        "study",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("created_at", sa.String(32), nullable=False),
    )
    op.create_table(
        "participants",
        sa.Column("id", sa.String(40), primary_key=True),
        sa.Column("created_at", sa.String(32), nullable=False),
    )
    op.create_table(
        "invitations",
        sa.Column("hash", sa.String(64), primary_key=True),
        sa.Column(
            "participant",
            sa.String(40),
            sa.ForeignKey("participants.id", ondelete="CASCADE"),
            nullable=False,
            index=True,
        ),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.Column("expires_at", sa.String(32), nullable=False),
        sa.Column("revoked_at", sa.String(32)),
    )
    number = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    op.create_table(
        "events",
        sa.Column("number", number, primary_key=True, autoincrement=True),
        sa.Column(
            "participant", sa.String(40), sa.ForeignKey("participants.id", ondelete="CASCADE"), nullable=False
        ),
        sa.Column("key", sa.String(80), nullable=False),
        sa.Column("kind", sa.String(40), nullable=False),
        sa.Column("query", sa.Integer),
        sa.Column("data", sa.Text, nullable=False),
        sa.Column("at", sa.String(32), nullable=False),
        sa.UniqueConstraint("participant", "key", name="one_event_a_key"),
    )
