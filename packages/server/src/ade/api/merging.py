"""Several streams as one, in the order in which they have something to send."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, suppress

MOST_WAITING = 100
Stream = AsyncGenerator[bytes, None]


async def merged(leading: Stream, others: Sequence[Stream]) -> AsyncIterator[bytes]:
    """Yield what any stream yields, as it comes, until the leading one ends; the others may end before it."""
    pieces: asyncio.Queue[bytes | None] = asyncio.Queue(MOST_WAITING)
    tasks = [asyncio.create_task(_pass_on(stream, pieces, stream is leading)) for stream in (leading, *others)]
    try:
        while (piece := await pieces.get()) is not None:
            yield piece
    finally:
        for task in tasks:
            task.cancel()
        for task in tasks:
            with suppress(asyncio.CancelledError):
                await task


async def _pass_on(stream: Stream, pieces: asyncio.Queue[bytes | None], is_leading: bool) -> None:
    try:
        async with aclosing(stream):
            async for piece in stream:
                await pieces.put(piece)
    except Exception:
        await pieces.put(None)  # the error is raised when the task is awaited
        raise
    if is_leading:
        await pieces.put(None)
