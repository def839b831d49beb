"""A connection to a server: calls, lists followed to their end, and refusals in the server's words."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Self

import httpx2

from ade.errors import ServerRefused, ServerUnreachable

DEFAULT_URL = "http://127.0.0.1:8000"
PAGE = 200


class Connection:
    """A connection to a server."""

    def __init__(self, url: str = DEFAULT_URL, *, key: str | None = None, http: httpx2.Client | None = None) -> None:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._http = http or httpx2.Client(base_url=_base(url), timeout=60)
        self._http.headers.update(headers)

    def close(self) -> None:
        """Close the connection."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def call(self, method: str, path: str, **options: Any) -> Any:
        """Make a call and return its JSON; raise ServerRefused with the server's words."""
        answer = self._send(method, path, **options)
        return answer.json() if answer.content else None

    @contextmanager
    def _streamed(self, link: str, *, method: str = "GET", **options: Any) -> Iterator[httpx2.Response]:
        try:
            with self._http.stream(method, link, **options) as answer:
                if answer.status_code >= 400:
                    answer.read()
                    raise refusal(answer)
                yield answer
        except httpx2.TransportError as error:
            raise ServerUnreachable(f"{self._http.base_url} went away: {error}.") from error

    def _items(self, path: str, **filters: Any) -> Iterator[Mapping[str, Any]]:
        cursor = None
        while True:
            given = {name: value for name, value in filters.items() if value is not None}
            page = self.call("GET", path, params={"limit": PAGE, **given, **({"cursor": cursor} if cursor else {})})
            yield from page["items"]
            cursor = page.get("next_cursor")
            if cursor is None:
                return

    def _send(self, method: str, path: str, **options: Any) -> httpx2.Response:
        try:
            answer = self._http.request(method, f"/api/v1{path}", **options)
        except httpx2.TransportError as error:
            raise ServerUnreachable(f"{self._http.base_url} does not answer: {error}. Is ade serve running?") from error
        if answer.status_code >= 400:
            raise refusal(answer)
        return answer


def _base(url: str) -> str:
    """Return the address of a server, whether or not it was given with the path of its API."""
    if not url.startswith(("http://", "https://")):
        raise ServerUnreachable(f"{url!r} is not the address of a server. It must begin with http:// or https://")
    return url.rstrip("/").removesuffix("/api/v1")


def refusal(answer: httpx2.Response) -> ServerRefused:
    """Return an answer that is an error as ours."""
    try:
        problem = answer.json()
        error = ServerRefused(f"{problem['detail']} ({problem['code']})")
        error.status, error.problem = answer.status_code, problem
    except (ValueError, KeyError, TypeError):
        error = ServerRefused(f"The server answered {answer.status_code}.")
        error.status = answer.status_code
    return error
