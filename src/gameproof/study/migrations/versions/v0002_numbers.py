"""Version 0002: participants are numbered (balanced designs rotate over them), sessions, and a count of deletions."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Number participants in the order in which they came."""
    op.add_column("participants", sa.Column("number", sa.Integer))
    connection = op.get_bind()
    table = sa.table("participants", sa.column("id"), sa.column("created_at"), sa.column("number"))
    ids = connection.execute(sa.select(table.c.id).order_by(table.c.created_at, table.c.id)).scalars().all()
    for number, participant in enumerate(ids):
        connection.execute(sa.update(table).where(table.c.id == participant).values(number=number))
    op.create_index("one_number_each", "participants", ["number"], unique=True)
    op.create_table(
        "sessions",
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
    )
    op.create_table(
        "deletions",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("deleted_at", sa.String(32), nullable=False),
        sa.Column("n_events", sa.Integer, nullable=False),
    )
