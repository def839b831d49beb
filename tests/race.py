"""Lets several things happen at once, in threads that start together."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest

from ade.database.transaction import Database, Transaction


def together(*works: Callable[[], Any]) -> list[Any]:
    """Do all at once; return what each returned or raised, in the order given."""
    gate = threading.Barrier(len(works))

    def run(work: Callable[[], Any]) -> Any:
        gate.wait()
        try:
            return work()
        except Exception as error:  # noqa: BLE001 - the test looks at it
            return error

    with ThreadPoolExecutor(len(works)) as pool:
        return [started.result() for started in [pool.submit(run, work) for work in works]]


def raised(outcomes: list[Any], kind: type[Exception]) -> int:
    """Count the outcomes that are errors of a kind; any other error fails the test."""
    strange = [outcome for outcome in outcomes if isinstance(outcome, Exception) and not isinstance(outcome, kind)]
    assert strange == []
    return sum(isinstance(outcome, kind) for outcome in outcomes)


class _GivenUp(Exception):
    pass


@contextmanager
def stopped_half_way(database: Database, work: Callable[[Transaction], Any]) -> Iterator[None]:
    """Do something in a transaction that stays open during the block and is rolled back then; close the database."""
    is_held, is_over = threading.Event(), threading.Event()

    def hold(tx: Transaction) -> None:
        work(tx)
        is_held.set()
        assert is_over.wait(60)
        raise _GivenUp

    with ThreadPoolExecutor(1) as thread:
        holder = thread.submit(database.write, hold)
        try:
            assert is_held.wait(60)
            yield
        finally:
            is_over.set()
        with pytest.raises(_GivenUp):
            holder.result()
    database.close()
