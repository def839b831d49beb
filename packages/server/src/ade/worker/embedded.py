"""A worker inside another process: `ade serve` is API and worker in one."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Self

from ade.logs import get_logger
from ade.system import System
from ade.worker.start import create_worker

log = get_logger()


class EmbeddedWorker:
    """Runs a worker in a thread of its own for as long as the block lasts."""

    def __init__(self, system: System) -> None:
        self._worker, self._tools = create_worker(system)
        self._thread = threading.Thread(target=self._run, name="worker")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def stop(self) -> None:
        """Claim nothing from now on; leaving the block waits for what runs."""
        self._worker.stop()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._worker.stop()
        self._thread.join()
        self._tools.close()

    def _run(self) -> None:
        try:
            self._worker.run()
        except Exception:  # the API must go on telling what happened
            log.exception("worker.crashed")
            raise
