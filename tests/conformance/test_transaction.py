"""Transactions: all or nothing, tried again when another one was in the way, and on the database's time."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
import sqlalchemy as sa

import rows
from ade.clock import SystemClock
from ade.database.dialects import ON_CONNECT
from ade.database.queue.control import LONGEST_UNNOTICED_WAIT, lock_dispatch
from ade.database.schema import queue_control, workspaces
from ade.database.transaction import MOST_TRIES, Database, Transaction
from ade.errors import DatabaseBusy, DatabaseUnreachable, OutcomeUnknown
from race import stopped_half_way
from repeatable import FakeClock
from samples_of_errors import CONTENTION


def slugs(tx: Transaction) -> list[str]:
    return list(tx.execute(sa.select(workspaces.c.slug).order_by(workspaces.c.slug)).scalars())


def count_up(tx: Transaction) -> None:
    tx.execute(
        sa.update(queue_control)
        .where(queue_control.c.name == "dispatch")
        .values(order_version=queue_control.c.order_version + 1)
    )


def version(database: Database) -> int:
    chosen = sa.select(queue_control.c.order_version).where(queue_control.c.name == "dispatch")
    return int(database.read(lambda tx: tx.execute(chosen).scalar_one()))


def test_what_was_written_is_there_for_the_next_one(database: Database) -> None:
    database.write(lambda tx: rows.add_workspace(tx, slug="kept"))

    assert database.read(slugs) == ["kept"]


def test_an_exception_takes_everything_back(database: Database) -> None:
    def break_half_way(tx: Transaction) -> None:
        rows.add_workspace(tx, slug="lost")
        raise LookupError("on purpose")

    with pytest.raises(LookupError, match="on purpose"):
        database.write(break_half_way)

    assert database.read(slugs) == []


def test_actions_after_commit_run_once_and_only_when_committed(database: Database) -> None:
    done: list[str] = []

    def tell(tx: Transaction, *, is_broken: bool) -> None:
        tx.after_commit(lambda: done.append("told"))
        assert done == []
        if is_broken:
            raise LookupError

    with pytest.raises(LookupError):
        database.write(lambda tx: tell(tx, is_broken=True))
    assert done == []

    database.write(lambda tx: tell(tx, is_broken=False))
    assert done == ["told"]


@pytest.mark.req("W5")
def test_racing_writers_lose_no_update(database: Database) -> None:
    with ThreadPoolExecutor(8) as pool:
        for finished in [pool.submit(database.write, count_up) for _ in range(80)]:
            finished.result()

    assert version(database) == 80


@pytest.mark.req("W5")
def test_a_reader_does_not_wait_for_a_writer(database: Database) -> None:
    writing, read = threading.Event(), threading.Event()

    def hold(tx: Transaction) -> None:
        count_up(tx)
        writing.set()
        assert read.wait(timeout=30)

    with ThreadPoolExecutor(1) as pool:
        holder = pool.submit(database.write, hold)
        assert writing.wait(timeout=30)
        assert version(database) == 0  # it sees the state before, at once
        read.set()
        holder.result()
    assert version(database) == 1


def test_two_that_wait_for_each_other_both_get_through(database: Database) -> None:
    """A deadlock is broken by the database and the loser tried again as a whole; SQLite has none to break."""
    both_started = threading.Barrier(2, timeout=5)
    tries: list[str] = []

    def lock_both(first: str, second: str) -> None:
        def work(tx: Transaction) -> None:
            tries.append(first)
            _bump(tx, first)
            if database.dialect != "sqlite" and len(tries) <= 2:
                both_started.wait()
            _bump(tx, second)

        database.write(work)

    with ThreadPoolExecutor(2) as pool:
        for finished in [pool.submit(lock_both, "dispatch", "upkeep"), pool.submit(lock_both, "upkeep", "dispatch")]:
            finished.result()

    assert version(database) == 2
    if database.dialect != "sqlite":
        assert len(tries) > 2


def test_contention_that_never_ends_is_an_error_of_its_own(database: Database) -> None:
    clock = FakeClock()
    started = clock.now()
    impatient = Database(database.url.render_as_string(hide_password=False), clock=clock)
    tries = 0

    def always_in_the_way(tx: Transaction) -> None:
        nonlocal tries
        tries += 1
        raise CONTENTION[tx.dialect]

    with pytest.raises(DatabaseBusy):
        impatient.write(always_in_the_way)

    impatient.close()
    assert tries == MOST_TRIES
    assert clock.now() - started > timedelta(milliseconds=500)  # it waited in between, ever longer


def test_an_error_that_is_not_contention_is_not_tried_again(database: Database) -> None:
    tries = 0

    def wrong(tx: Transaction) -> None:
        nonlocal tries
        tries += 1
        tx.execute(sa.text("SELECT * FROM no_such_table"))

    with pytest.raises(sa.exc.DBAPIError):
        database.write(wrong)

    assert tries == 1


def test_time_is_the_databases_and_stands_still_within_a_transaction(database: Database) -> None:
    first, again = database.read(lambda tx: (tx.now, tx.now))
    later = database.read(lambda tx: tx.now)

    assert first == again <= later
    assert abs(SystemClock().now() - first) < timedelta(minutes=1)  # the same machine, the same time zone


def test_an_injected_clock_replaces_the_databases(database: Database, clock: FakeClock) -> None:
    driven = Database(database.url.render_as_string(hide_password=False), clock=clock)
    before = driven.read(lambda tx: tx.now)
    clock.advance(timedelta(hours=1))

    assert driven.read(lambda tx: tx.now) == before + timedelta(hours=1)
    driven.close()


def test_a_connection_cut_while_idle_is_replaced(database: Database) -> None:
    if database.dialect != "postgresql":
        return  # a file has no connection to cut
    database.write(count_up)
    _cut_all_other_connections(database)

    database.write(count_up)

    assert version(database) == 2


def test_all_connections_cut_while_idle_cost_one_try_more(database: Database) -> None:
    if database.dialect != "postgresql":
        return
    together = threading.Barrier(10)
    with ThreadPoolExecutor(10) as pool:
        list(pool.map(lambda _: database.read(lambda tx: (tx.now, together.wait(30))), range(10)))
    _cut_all_other_connections(database)
    tries = 0

    def count_tries(tx: Transaction) -> None:
        nonlocal tries
        tries += 1
        count_up(tx)

    database.write(count_tries)

    assert (tries, version(database)) == (2, 1)


def test_a_connection_cut_in_the_middle_is_tried_again_as_a_whole(database: Database) -> None:
    if database.dialect != "postgresql":
        return
    tries = 0

    def cut_once(tx: Transaction) -> None:
        nonlocal tries
        tries += 1
        count_up(tx)
        if tries == 1:
            _cut(database, tx.execute(sa.text("SELECT pg_backend_pid()")).scalar_one())
        count_up(tx)

    database.write(cut_once)

    assert (tries, version(database)) == (2, 2)


def test_a_database_that_is_not_there_is_named_without_its_password() -> None:
    absent = Database("postgresql://ade:hunter2@127.0.0.1:1/ade")

    with pytest.raises(DatabaseUnreachable) as refused:
        absent.read(lambda tx: tx.now)

    assert "127.0.0.1:1" in str(refused.value)
    assert "hunter2" not in str(refused.value)


def _bump(tx: Transaction, name: str) -> None:
    tx.execute(
        sa.update(queue_control)
        .where(queue_control.c.name == name)
        .values(order_version=queue_control.c.order_version + 1)
    )


def _cut_all_other_connections(database: Database) -> None:
    cutter = Database(database.url.render_as_string(hide_password=False))
    others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
    cutter.write(lambda tx: tx.execute(sa.text(f"{others} AND pid <> pg_backend_pid()")).all())
    cutter.close()


def _cut(database: Database, pid: int) -> None:
    cutter = Database(database.url.render_as_string(hide_password=False))
    cutter.write(lambda tx: tx.execute(sa.text("SELECT pg_terminate_backend(:pid)"), {"pid": pid}))
    cutter.close()


@pytest.mark.req("Q8", "W4")
def test_a_process_stopped_while_it_holds_the_queue_keeps_nobody_waiting(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    if database.dialect != "postgresql":
        pytest.skip("SQLite is local: who stops a process there can start it again")
    assert "idle_in_transaction_session_timeout" in ON_CONNECT["postgresql"][0]
    monkeypatch.setitem(ON_CONNECT, "postgresql", ("SET idle_in_transaction_session_timeout = '300ms'",))
    other = Database(database.url.render_as_string(hide_password=False))
    is_held, is_passed_on = threading.Event(), threading.Event()

    def stop_half_way(tx: Transaction) -> None:
        lock_dispatch(tx)
        is_held.set()
        assert is_passed_on.wait(60)  # a stopped process does not go on by itself

    with ThreadPoolExecutor(1) as thread:
        stopped = thread.submit(other.write, stop_half_way)
        is_held.wait(60)
        database.write(lock_dispatch)
        is_passed_on.set()
        with pytest.raises(OutcomeUnknown):
            stopped.result()
    other.close()


@pytest.mark.req("Q6", "Q8")
def test_time_is_read_after_the_wait_for_the_queue(database: Database) -> None:
    """Also when who held it takes back what it wrote: nothing but the wait has changed the row then."""
    other = Database(database.url.render_as_string(hide_password=False))
    with ThreadPoolExecutor(1) as thread:
        with stopped_half_way(other, lock_dispatch):
            waiting = thread.submit(database.write, lock_dispatch)
            SystemClock().sleep(LONGEST_UNNOTICED_WAIT + timedelta(seconds=0.5))
            is_passed = database.read(lambda tx: tx.now)

        assert waiting.result().now >= is_passed
