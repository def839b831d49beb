"""A browser and a server for each test that wants them."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from web.chromium import Chromium, NoChromium, find_chromium
from web.server import ROOT, Server

CACHE = ROOT / ".venvs/browsers"
BUILT = ROOT / "packages/server/src/ade/api/static/index.html"
# Long: a shared machine may be busy. Nothing waits longer than it has to.
expect.set_options(timeout=30_000)
FLAGS = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]


@pytest.fixture(scope="session")
def chromium() -> Chromium:
    """A browser; without one the tests are left out, unless ADE_REQUIRE_BROWSER says they must run."""
    try:
        if not BUILT.is_file():
            raise NoChromium("The web UI is not built: python packages/server/hatch_build.py")  # noqa: TRY301
        return find_chromium(CACHE)
    except NoChromium as reason:
        if os.environ.get("ADE_REQUIRE_BROWSER"):
            raise
        pytest.skip(str(reason))


@pytest.fixture(scope="session")
def browser(chromium: Chromium) -> Iterator[Browser]:
    """The browser all tests share; each has a window of its own, without a memory."""
    flags = [*FLAGS, "--no-sandbox"] if os.getuid() == 0 else FLAGS
    environment: dict[str, str | float | bool] = {**os.environ, **chromium.environment}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.path, args=flags, env=environment)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page on which every error of the console fails the test."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.set_default_timeout(30_000)
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda line: faults.append(line.text) if line.type == "error" and _is_ours(line.text) else None)
    yield page
    context.close()
    assert faults == []


def _is_ours(text: str) -> bool:
    # The browser itself tells of each answer that is no success; tests that provoke one look at what the page says.
    return not text.startswith("Failed to load resource")


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that all tests share which leave it as they found it."""
    server = Server(tmp_path_factory.mktemp("server")).start()
    yield server
    server.stop()


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Server]:
    """A server for one test alone."""
    server = Server(tmp_path).start()
    yield server
    server.stop()


@pytest.fixture
def queue_server(tmp_path: Path) -> Iterator[Server]:
    """A server without a worker: what waits stays where it is."""
    server = Server(tmp_path, "--no-worker", ADE_QUEUE_SIZE="6").start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def sample_run(server: Server) -> dict[str, Any]:
    """A finished run with issues and an unmapped column."""
    found: dict[str, Any] = server.finished(server.submit(server.upload("values_with_issues.xlsx")))
    assert found["status"] == "succeeded"
    return found
