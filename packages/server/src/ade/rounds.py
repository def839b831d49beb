"""Periodic work in a thread of its own."""

import threading
from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self

from ade.errors import AdeError
from ade.logs import get_logger

log = get_logger()


class Rounds(ABC):
    """Makes a round every few seconds for as long as the block lasts; no error ends them."""

    def __init__(self, name: str, *, every_seconds: float) -> None:
        self._name = name
        self._every_seconds = every_seconds
        self.is_over = threading.Event()
        self._thread = threading.Thread(target=self._until_over, name=name, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.is_over.set()
        self._thread.join()

    @abstractmethod
    def make_round(self) -> None:
        """Do what is due."""

    def _until_over(self) -> None:
        while not self.is_over.wait(self._every_seconds):
            try:
                self.make_round()
            except AdeError as error:  # the database or the files are away for a moment
                log.warning("round.postponed", what=self._name, error=str(error))
            except Exception:  # whatever it is, the next round may do better
                log.exception("round.crashed", what=self._name)
