"""Server-sent events, as a browser reads them."""

import json
from collections.abc import AsyncIterator
from typing import Any

from fastapi.responses import StreamingResponse

HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
# Without an id: a browser that connects again still names the last event it saw.
END = b"event: end\ndata: {}\n\n"
HEARTBEAT = b": still here\n\n"
EXAMPLE = 'id: 3\nevent: run.claimed\ndata: {"seq": 3, "at": "2026-01-01T00:00:00Z", "type": "run.claimed"}\n\n'
RESPONSE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Server-sent events; each `id` can be sent back as Last-Event-ID to continue after it.",
        "content": {"text/event-stream": {"schema": {"type": "string"}, "example": EXAMPLE}},
    }
}


def message(event_id: object | None, kind: str, data: Any) -> bytes:
    """Return one event."""
    return text_message(event_id, kind, json.dumps(data, ensure_ascii=False).encode())


def text_message(event_id: object | None, kind: str, text: bytes) -> bytes:
    """Return one event of JSON text, which has no raw line breaks, so that it always fits one data line."""
    head = "" if event_id is None else f"id: {event_id}\n"
    return f"{head}event: {kind}\ndata: ".encode() + text + b"\n\n"


class EventStream(StreamingResponse):
    """An answer that continues until what it reports ends, or the listener leaves."""

    media_type = "text/event-stream"

    def __init__(self, messages: AsyncIterator[bytes]) -> None:
        super().__init__(messages, headers=HEADERS)
