"""Pages under watch: whatever a test does on one, nothing goes wrong on it that the test did not provoke."""

import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Error, Page, Request, Response

from web.server import ROOT

AXE = ROOT / "web/node_modules/axe-core/axe.min.js"
SCREEN = {"width": 1440, "height": 900}
PATIENCE_MS = 30_000
# What a browser says of a server that stops or is away, for the mark `provokes`.
GONE = r"^net::ERR_(CONNECTION|EMPTY_RESPONSE|INCOMPLETE_CHUNKED|CONTENT_LENGTH|SOCKET)"
# What fades in has no contrast yet; what turns for ever has.
SETTLE = """Promise.allSettled(
  document.getAnimations().filter((one) => one.effect.getTiming().iterations < Infinity).map((one) => one.finished)
)"""


class Watch:
    """Opens pages, and gathers what goes wrong on them until the test ends."""

    def __init__(self, browser: Browser, provoked: Iterable[str]) -> None:
        self._browser = browser
        self._provoked = [re.compile(pattern) for pattern in provoked]
        self._contexts: list[BrowserContext] = []
        self._pages: list[Page] = []
        self.faults: list[str] = []

    def context(self, **options: Any) -> BrowserContext:
        """Return a browser that remembers nothing; every page of it is watched."""
        context = self._browser.new_context(**{"locale": "en-US", "viewport": SCREEN, **options})
        self._contexts.append(context)
        context.on("page", self.follow)
        return context

    def page(self, **options: Any) -> Page:
        """Return a page in a browser of its own."""
        return self.context(**options).new_page()

    def follow(self, page: Page) -> None:
        """Gather what goes wrong on a page from now on."""
        self._pages.append(page)
        page.set_default_timeout(PATIENCE_MS)
        page.on("pageerror", self._note_error)
        page.on("console", self._note_console)
        page.on("response", self._note_response)
        page.on("requestfailed", self._note_failure)

    def finish(self) -> None:
        """Check what the pages show at the end, close them, and fail for all that went wrong on any of them."""
        found = [finding for page in self._pages if not page.is_closed() for finding in serious(page)]
        self.close()
        wrong = "\n".join([*self.faults, *found])
        assert not wrong, wrong

    def close(self) -> None:
        """Close what was opened."""
        for page in self._pages:
            page.close()
        while self._contexts:
            self._contexts.pop().close()

    def _note_error(self, error: Error) -> None:
        self.faults.append(str(error))

    def _note_console(self, line: ConsoleMessage) -> None:
        # The browser itself reports each request that failed; those are noted with their addresses below.
        if line.type == "error" and not line.text.startswith("Failed to load resource"):
            self.faults.append(line.text)

    def _note_response(self, answer: Response) -> None:
        if answer.status >= 400:
            self._note_request(str(answer.status), answer.request)

    def _note_failure(self, request: Request) -> None:
        # A request that the page gives up, or that is under way when the page is left, is no failure.
        if request.failure != "net::ERR_ABORTED":
            self._note_request(str(request.failure), request)

    def _note_request(self, outcome: str, request: Request) -> None:
        place = f"{outcome} {request.method} {urlsplit(request.url).path}"
        if not any(pattern.search(place) for pattern in self._provoked):
            self.faults.append(f"A request failed that the test does not provoke: {place}")


def serious(page: Page) -> list[str]:
    """Return what axe finds on a page that keeps people from using it."""
    page.emulate_media(reduced_motion="reduce")
    page.evaluate(SETTLE)
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{violation['id']}: {node['html'][:160]} {node['failureSummary'][:300]}"
        for violation in found["violations"]
        if violation["impact"] in {"serious", "critical"}
        for node in violation["nodes"][:3]
    ]
