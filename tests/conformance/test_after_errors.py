"""A connection that met an error serves the next transaction as if it had not."""

from contextlib import suppress

import pytest
import sqlalchemy as sa

import rows
from ade.database.schema import queue_control, workspaces
from ade.database.transaction import Database, Transaction
from ade.database.wire.prepared import Prepared
from repeatable import FakeClock

ALL_ALIKE = Prepared(sa.update(workspaces).values(slug=sa.bindparam("new_slug", type_=workspaces.c.slug.type)))


def test_a_savepoint_saves_its_transaction_after_another_one_failed(database_url: str, clock: FakeClock) -> None:
    """SQL Server gives up a transaction at any error, for the length of a message: an error cuts that short."""
    database = Database(database_url, clock=clock)
    database.write(lambda tx: [rows.add_workspace(tx, slug=slug) for slug in ("a", "b")])

    def fail(tx: Transaction) -> None:
        ALL_ALIKE.change(tx, {"new_slug": "a"})

    def try_inside(tx: Transaction) -> None:
        tx.execute(sa.update(queue_control).values(open_run_count=3))
        with suppress(sa.exc.IntegrityError), tx.savepoint():
            rows.add_workspace(tx, slug="a")

    with pytest.raises(sa.exc.IntegrityError):
        database.write(fail)
    database.write(try_inside)

    kept = database.read(lambda tx: set(tx.execute(sa.select(queue_control.c.open_run_count)).scalars()))
    database.close()
    assert kept == {3}
