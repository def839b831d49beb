"""Alembic's entry: runs the steps on the connection that ade.database.maintenance.migrate hands over."""

from alembic import context

from ade.database.schema import metadata

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=metadata,
    # One transaction for all steps, on SQLite too: an upgrade that fails half-way changes nothing.
    transactional_ddl=True,
    transaction_per_migration=False,
    render_as_batch=connection.dialect.name == "sqlite",
)
with context.begin_transaction():
    context.run_migrations()
