"""Settings people change while the system runs; ADE_* variables are for the operator and win over these."""

import sqlalchemy as sa

from ade.database.schema.columns import instant, metadata
from ade.database.types import Json, code, words

settings = sa.Table(
    "settings",
    metadata,
    sa.Column("name", code(64), primary_key=True),
    sa.Column("value", Json, nullable=False),
    sa.Column("revision", sa.Integer, nullable=False, server_default=sa.text("1")),
    sa.Column("updated_by", words(254)),
    instant("updated_at", nullable=False),
)
