"""A browser and a server for each test that wants them."""

import os
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect, sync_playwright

from web.chromium import Chromium, NoChromium, find_chromium
from web.server import ROOT, Server
from web.watch import Watch

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
def watch(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Watch]:
    """Pages on which every error, failed request and serious finding of axe fails the test."""
    marks = request.node.iter_markers("provokes")
    watch = Watch(browser, [pattern for mark in marks for pattern in mark.args])
    yield watch
    watch.close()


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Look at the pages of a test right after it, while its servers still run."""
    outcome = yield
    watch = pyfuncitem.funcargs.get("watch")
    if isinstance(watch, Watch):
        watch.finish()
    return outcome


@pytest.fixture
def page(watch: Watch) -> Page:
    """A page in a browser of its own."""
    return watch.page()


@pytest.fixture(scope="module")
def open_context(browser: Browser) -> Iterator[BrowserContext]:
    """A browser that keeps what it loaded, for all tests here."""
    view = ViewportSize(width=1280, height=850)
    with browser.new_context(locale="en-US", viewport=view, reduced_motion="reduce") as context:
        yield context


@pytest.fixture
def bare_page(open_context: BrowserContext, watch: Watch) -> Page:
    """A page of it."""
    page = open_context.new_page()
    watch.follow(page)
    return page


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that all tests share; what a test changes for others, it changes back."""
    with Server(tmp_path_factory.mktemp("server")) as server:
        yield server


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Server]:
    """A server for one test alone."""
    with Server(tmp_path) as server:
        yield server


@pytest.fixture(scope="session")
def idle_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server without a worker."""
    with Server(tmp_path_factory.mktemp("idle"), "--no-worker", ADE_QUEUE_SIZE="6") as server:
        yield server


@pytest.fixture
def long_queue_server(tmp_path: Path) -> Iterator[Server]:
    """A server without a worker for one test alone; more runs can wait than a page lists."""
    with Server(tmp_path, "--no-worker") as server:
        yield server


@pytest.fixture
def queue_server(idle_server: Server) -> Iterator[Server]:
    """A server without a worker, with an empty queue: what waits stays where it is."""
    yield idle_server
    queue = idle_server.call("GET", "/queue")
    for pause in queue["pauses"]:
        idle_server.call("DELETE", f"/queue/pauses/{pause['id']}")
    for run in queue["items"]:
        idle_server.call("POST", f"/runs/{run['run_id']}/cancel")


@pytest.fixture(scope="session")
def sample_run(server: Server) -> dict[str, Any]:
    """A finished run with issues and an unmapped column."""
    found: dict[str, Any] = server.finished(server.submit(server.upload("values_with_issues.xlsx")))
    assert found["status"] == "succeeded"
    return found


@pytest.fixture
def configuration(server: Server, request: pytest.FixtureRequest) -> str:
    """A published configuration for one test alone; return its id."""
    return server.configure(request.node.name[:60])
