"""Files that are sent out: whole or in part, with a name."""

import re
from collections.abc import Generator, Iterator
from typing import Any
from urllib.parse import quote

from fastapi import Request
from fastapi.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from ade.files import FileStore

_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")


def download(
    request: Request, files: FileStore, key: str, *, media_type: str, name: str | None, is_shown: bool = False
) -> Response:
    """Return a stored file, or the part of it that the Range header asks for."""
    size_bytes = files.size(key)
    headers = {"Accept-Ranges": "bytes"}
    if name is not None:
        headers["Content-Disposition"] = _disposition(name, is_shown=is_shown)
    span = _span(request.headers.get("range"), size_bytes)
    if span == ():
        return Response(status_code=416, headers={"Content-Range": f"bytes */{size_bytes}"})
    start, end = span or (0, size_bytes)
    headers["Content-Length"] = str(end - start)
    if span:
        headers["Content-Range"] = f"bytes {start}-{end - 1}/{size_bytes}"
    body: Iterator[bytes] = files.read(key, start=start, length=end - start)
    return Sent(body, status_code=206 if span else 200, media_type=media_type, headers=headers)


class Sent(StreamingResponse):
    """A file on its way out; it is closed also when the client disconnects in the middle."""

    def __init__(self, body: Iterator[bytes], **options: Any) -> None:
        super().__init__(body, **options)
        self._body = body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the file."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            if isinstance(self._body, Generator):
                self._body.close()


def _span(header: str | None, size_bytes: int) -> tuple[int, int] | tuple[()] | None:
    """Return the part asked for; None: all of it; (): a part that is not there."""
    found = _RANGE.fullmatch(header.strip()) if header else None
    if found is None or not any(found.groups()):
        return None
    first, last = found.groups()
    if not first:
        start, end = max(0, size_bytes - int(last)), size_bytes
    else:
        start, end = int(first), min(size_bytes, int(last) + 1) if last else size_bytes
    return (start, end) if start < end else ()


def _disposition(name: str, *, is_shown: bool) -> str:
    plain = re.sub(r'[^ -~]|["\\]', "_", name)
    kind = "inline" if is_shown else "attachment"
    return f"{kind}; filename=\"{plain}\"; filename*=UTF-8''{quote(name)}"
