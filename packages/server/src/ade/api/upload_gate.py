"""Lets uploads wait for their turn without holding a thread: a month of files arrives at once, and none is refused."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

AT_ONCE = 12
# Fewer than a person may have read at once (operations/reading/places.py), to leave places for previews.
AT_ONCE_OF_WORKSPACE = 6


class UploadGate:
    """The uploads of one server that are being read, and those that wait. For the thread of the event loop alone."""

    def __init__(self) -> None:
        self._inside: Counter[str] = Counter()
        self._waiting: list[tuple[str, asyncio.Future[None]]] = []

    @asynccontextmanager
    async def hold(self, workspace_id: str) -> AsyncIterator[None]:
        """Wait until it is this upload's turn: first come, first served, but workspaces take turns."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((workspace_id, turn))
        self._let_in()
        try:
            await turn
        except asyncio.CancelledError:
            self._leave(workspace_id, turn)
            raise
        try:
            yield
        finally:
            self._leave(workspace_id, turn)

    def _leave(self, workspace_id: str, turn: asyncio.Future[None]) -> None:
        if (workspace_id, turn) in self._waiting:
            self._waiting.remove((workspace_id, turn))
        else:
            self._inside[workspace_id] -= 1
        self._inside += Counter()  # without those that have none
        self._let_in()

    def _let_in(self) -> None:
        while (chosen := self._next()) is not None:
            self._waiting.remove(chosen)
            workspace_id, turn = chosen
            self._inside[workspace_id] += 1
            if not turn.cancelled():
                turn.set_result(None)

    def _next(self) -> tuple[str, asyncio.Future[None]] | None:
        if self._inside.total() >= AT_ONCE:
            return None
        free = [one for one in self._waiting if self._inside[one[0]] < AT_ONCE_OF_WORKSPACE]
        return min(free, key=lambda one: self._inside[one[0]], default=None)
