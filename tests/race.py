"""Lets several things happen at once, in threads that start together."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any


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
