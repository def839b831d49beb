"""Savepoints: a part of a transaction is taken back as if it had never been, and a deadlock takes back the whole."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
import sqlalchemy as sa

import rows
from ade.database.queue import control, events
from ade.database.queue.wakeups import wake_workers
from ade.database.schema import events as event_rows
from ade.database.schema import queue_control, workspaces
from ade.database.transaction import Database, Transaction
from ade.database.wire.prepared import Prepared

_COUNT_UP = Prepared(
    sa.update(queue_control)
    .where(queue_control.c.name == sa.bindparam("row"))
    .values(order_version=queue_control.c.order_version + 1)
)


def slugs(tx: Transaction) -> list[str]:
    return list(tx.execute(sa.select(workspaces.c.slug).order_by(workspaces.c.slug)).scalars())


def version(tx: Transaction, name: str = "dispatch") -> int:
    chosen = sa.select(queue_control.c.order_version).where(queue_control.c.name == name)
    return int(tx.execute(chosen).scalar_one())


def test_what_comes_before_and_after_is_kept_and_what_fails_inside_is_not(database: Database) -> None:
    def work(tx: Transaction) -> None:
        rows.add_workspace(tx, slug="before")
        with suppress(LookupError), tx.savepoint():
            rows.add_workspace(tx, slug="inside")
            raise LookupError
        rows.add_workspace(tx, slug="after")

    database.write(work)

    assert database.read(slugs) == ["after", "before"]


def test_what_was_not_sent_yet_is_taken_back_too(database: Database) -> None:
    """Statements that travel together wait to be sent, and must not be sent after the savepoint was left."""

    def work(tx: Transaction) -> None:
        _COUNT_UP.change(tx, {"row": "upkeep"})
        with suppress(LookupError), tx.savepoint():
            _COUNT_UP.change(tx, {"row": "dispatch"})
            raise LookupError
        with tx.savepoint():
            _COUNT_UP.change(tx, {"row": "upkeep"})

    database.write(work)

    assert database.read(lambda tx: (version(tx), version(tx, "upkeep"))) == (0, 2)


def test_savepoints_may_be_nested(database: Database) -> None:
    def work(tx: Transaction) -> None:
        with tx.savepoint():
            rows.add_workspace(tx, slug="outer")
            with suppress(LookupError), tx.savepoint():
                rows.add_workspace(tx, slug="inner")
                raise LookupError
            rows.add_workspace(tx, slug="outer-too")

    database.write(work)

    assert database.read(slugs) == ["outer", "outer-too"]


def test_a_row_that_exists_already_is_found_inside(database: Database) -> None:
    def work(tx: Transaction) -> None:
        rows.add_workspace(tx, slug="same")
        with pytest.raises(sa.exc.IntegrityError), tx.savepoint():
            rows.add_workspace(tx, slug="same")
        rows.add_workspace(tx, slug="other")

    database.write(work)

    assert database.read(slugs) == ["other", "same"]


def test_a_transaction_forgets_what_it_learned_inside(database: Database) -> None:
    """The lock, the time it gave, events and wake-ups are of statements that never happened."""
    told: list[str] = []

    def work(tx: Transaction) -> None:
        tx.after_commit(lambda: told.append("before"))
        events.record_events(tx, [_event("before")])
        known = (tx.held, tx.now)
        with suppress(LookupError), tx.savepoint():
            control.lock_dispatch(tx, opened=3)
            events.record_events(tx, [_event("inside")])
            tx.after_commit(lambda: told.append("inside"))
            wake_workers(tx)
            raise LookupError
        assert (tx.held, tx.now) == known
        assert not tx.wakes
        assert control.lock_dispatch(tx).open_run_count == 0  # locked again, and nothing was counted

    database.write(work)

    kinds = sa.select(event_rows.c.type)
    assert database.read(lambda tx: list(tx.execute(kinds).scalars())) == ["run.before"]
    assert told == ["before"]


def _event(kind: str) -> events.Event:
    return events.Event(subject_kind="run", subject_id=kind, sequence=1, workspace_id=None, type=f"run.{kind}", data={})


@pytest.mark.req("W5")
def test_a_deadlock_inside_is_broken_by_trying_the_whole_again(database: Database) -> None:
    both_started = threading.Barrier(2, timeout=30)
    tries: list[str] = []

    def lock_both(first: str, second: str) -> None:
        def work(tx: Transaction) -> None:
            tries.append(first)
            with tx.savepoint():
                _COUNT_UP.change(tx, {"row": first})
                tx.catch_up()
                if database.dialect != "sqlite" and len(tries) <= 2:
                    both_started.wait()
                _COUNT_UP.change(tx, {"row": second})

        database.write(work)

    with ThreadPoolExecutor(2) as pool:
        for finished in [pool.submit(lock_both, "dispatch", "upkeep"), pool.submit(lock_both, "upkeep", "dispatch")]:
            finished.result()

    assert database.read(version) == 2
    if database.dialect != "sqlite":
        assert len(tries) > 2
