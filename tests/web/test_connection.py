"""The connection of the page: many tabs, a server that goes away and comes back, upgrades, and sign-in."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Error, Page, Request, Route, expect

from postgres import wait_until
from web.held import Held
from web.proxy import proxy_to
from web.server import Server
from web.test_roles import add_account, sign_in
from web.watch import GONE, Watch

pytestmark = [pytest.mark.slow, pytest.mark.req("U2")]
LOST = "The connection is lost"
STREAM = re.compile(r"/api/v1/events(\?|$)")
HIDE = """(isHidden) => {
  Object.defineProperty(document, "hidden", { value: isHidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


@pytest.fixture
def context(watch: Watch) -> BrowserContext:
    """A browser whose tabs share what it remembers."""
    return watch.context()


class Streams:
    """The event streams that are open in a browser."""

    def __init__(self, context: BrowserContext) -> None:
        self.open: list[Request] = []
        context.on("request", lambda one: self.open.append(one) if "/events" in one.url else None)
        context.on("requestfinished", self._end)
        context.on("requestfailed", self._end)

    def _end(self, request: Request) -> None:
        if request in self.open:
            self.open.remove(request)


def opened(context: BrowserContext, server: Server, path: str) -> Page:
    page = context.new_page()
    page.goto(server.url + path)
    expect(page.locator("main h1").first).to_be_visible()
    return page


def test_ten_tabs_with_three_unfinished_runs_share_one_stream(context: BrowserContext, queue_server: Server) -> None:
    server, streams = queue_server, Streams(context)
    runs = [server.submit(server.upload("values_with_issues.xlsx")) for _ in range(3)]
    paths = ["/queue", "/runs", "/", "/documents", "/workers", "/builds", *(f"/runs/{run}" for run in runs), "/queue"]
    tabs = [opened(context, server, path) for path in paths]
    asking = "fetch('/api/v1/queue', {signal: AbortSignal.timeout(20000)}).then((answer) => answer.status)"
    assert [tab.evaluate(asking) for tab in tabs] == [200] * 10
    server.call("POST", f"/runs/{runs[0]}/cancel")
    server.call("POST", f"/runs/{runs[1]}/cancel")
    for tab in tabs[6:8]:
        expect(tab.get_by_text("Cancelled").first).to_be_visible()
    for tab in (tabs[0], tabs[9]):
        expect(tab.get_by_text("values_with_issues.xlsx")).to_have_count(1)
    assert len(streams.open) == 1


def test_a_hidden_tab_has_no_stream_and_another_one_takes_over(context: BrowserContext, queue_server: Server) -> None:
    server, streams = queue_server, Streams(context)
    first, second = (opened(context, server, "/queue") for _ in range(2))
    first.evaluate(HIDE, True)
    run = server.submit(server.upload("offset.xlsx"))
    expect(second.get_by_text("offset.xlsx")).to_have_count(1)
    second.evaluate(HIDE, True)
    holders = "navigator.locks.query().then((locks) => locks.held.length)"
    wait_until(lambda: second.evaluate(holders) == 0, what="the hidden tabs to give up the stream", seconds=30)
    assert streams.open == []
    server.call("POST", f"/runs/{run}/cancel")
    for tab in (first, second):
        tab.evaluate(HIDE, False)
        expect(tab.get_by_text("offset.xlsx")).to_have_count(0)


def test_what_happens_while_the_stream_is_opened_again_is_shown(
    context: BrowserContext, watch: Watch, long_queue_server: Server
) -> None:
    """The tab that leads asks for the events of a run too; nothing happened before, so no event to go on from."""
    server = long_queue_server
    waiting = server.submit(server.upload("offset.xlsx", "first.xlsx"))
    leader, other = (opened(context, server, "/queue") for _ in range(2))
    elsewhere = opened(watch.context(), server, "/queue")  # in another browser, for which the server goes on reading
    for tab in (leader, other, elsewhere):
        expect(tab.get_by_role("list", name="Waiting runs").get_by_role("listitem")).to_have_count(1)
    held = Held(leader, r"/api/v1/events\?run=")
    with leader.expect_request(re.compile(r"/api/v1/events\?run=")):
        leader.get_by_role("link", name="first.xlsx").click()
    expect(leader.get_by_role("region", name="Why it waits")).to_be_visible()
    server.submit(server.upload("offset.xlsx", "second.xlsx"))
    expect(elsewhere.get_by_role("list", name="Waiting runs").get_by_role("listitem")).to_have_count(2)
    held.let_go()
    expect(other.get_by_role("list", name="Waiting runs").get_by_role("listitem")).to_have_count(2)
    server.call("POST", f"/runs/{waiting}/cancel")
    expect(leader.get_by_text("Cancelled", exact=True)).to_be_visible()


@pytest.fixture
def team_server(tmp_path: Path) -> Iterator[Server]:
    """A server where Ada has to sign in."""
    with Server(tmp_path, ADE_AUTH_MODE="team") as server:
        add_account(tmp_path, "ada@example.org", "Ada")
        yield server


@pytest.mark.provokes("^401 ")
def test_the_connection_is_not_called_lost_after_signing_in(page: Page, team_server: Server) -> None:
    streams: list[str] = []
    page.on("request", lambda one: streams.append(one.url) if STREAM.search(one.url) else None)
    page.clock.install()
    page.goto(team_server.url)
    expect(page.get_by_label("Email")).to_be_visible()
    page.clock.run_for(4_500)
    assert streams == []  # nobody is signed in: it would be refused
    sign_in(page, "ada@example.org")
    expect(page.get_by_role("navigation", name="Pages")).to_be_visible()
    let_pass(page, seconds=20)
    expect(page.get_by_text(LOST)).to_be_hidden()
    assert len(streams) == 1


@pytest.mark.provokes("^net::ERR_CONNECTION_RESET GET /api/v1/events")
def test_a_stream_that_is_open_again_within_seconds_is_not_called_lost(page: Page, server: Server) -> None:
    """Nor later on: what would have said so after five seconds is called off."""
    tries: list[Route] = []

    def lose_the_first(route: Route) -> None:
        tries.append(route)
        if len(tries) == 1:
            route.abort("connectionreset")
        else:
            route.continue_()

    page.route(STREAM, lose_the_first)
    page.clock.install()
    page.goto(f"{server.url}/queue")
    expect(page.get_by_role("heading", name="Queue", level=1)).to_be_visible()
    let_pass(page, seconds=20)
    assert len(tries) > 1
    expect(page.get_by_text(LOST)).to_be_hidden()


def let_pass(page: Page, *, seconds: int) -> None:
    """Let time pass on the page, with an answer of the server after each second, so that what opens is open."""
    for _ in range(seconds):
        page.clock.run_for(1_000)
        page.evaluate("fetch('/healthz').then((answer) => answer.status)")


@pytest.mark.provokes(GONE)
def test_a_page_that_could_not_be_loaded_is_when_the_server_is_back(
    context: BrowserContext, own_server: Server
) -> None:
    page = opened(context, own_server, "/documents")
    own_server.stop()
    page.get_by_role("link", name="Workers").click()
    expect(page.get_by_text("This page could not be loaded")).to_be_visible()
    expect(page.get_by_role("navigation", name="Pages")).to_be_visible()
    own_server.start()
    expect(page.get_by_role("heading", name="Workers", level=1)).to_be_visible()
    expect(page.get_by_text(LOST)).to_be_hidden()
    expect(page).to_have_url(re.compile("/workers$"))


@pytest.mark.provokes(GONE, "^502 ")
def test_what_a_page_shows_stays_while_a_proxy_answers_502_and_is_renewed_after(
    context: BrowserContext, own_server: Server
) -> None:
    slow = {"hooks.py": "import time\n\ndef on_workbook_start():\n    time.sleep(20)\n"}
    run = own_server.submit(own_server.upload("offset.xlsx"), configuration=own_server.configure("Slow", slow))
    with proxy_to(own_server.port) as proxy:
        page, settings = context.new_page(), context.new_page()
        page.goto(f"{proxy.url}/runs/{run}")
        settings.goto(f"{proxy.url}/settings?tab=limits")
        expect(page.get_by_role("heading", name="offset.xlsx")).to_be_visible()
        expect(settings.get_by_text("ADE_RETENTION_BUILD_DAYS")).to_be_visible()
        for tab in (page, settings):
            expect(tab.locator("[aria-busy=true]")).to_have_count(0)  # each has all its parts
        proxy.go_away()
        for tab in (page, settings):
            expect(tab.get_by_text(LOST)).to_be_visible()
        assert own_server.finished(run)["status"] == "succeeded"
        settings.get_by_role("button", name="Ask now").click()
        expect(page.get_by_role("heading", name="offset.xlsx")).to_be_visible()
        expect(settings.get_by_text("ADE_RETENTION_BUILD_DAYS")).to_be_visible()
        for tab in (page, settings):
            expect(tab.get_by_role("alert")).to_have_count(0)
        proxy.is_away = False
        expect(page.get_by_text("Ready", exact=True).first).to_be_visible()
        for tab in (page, settings):
            expect(tab.get_by_text(LOST)).to_be_hidden()


@pytest.mark.provokes(GONE)
def test_a_new_version_of_the_page_is_found_and_loaded_once(context: BrowserContext, own_server: Server) -> None:
    page = opened(context, own_server, "/documents")
    loads: list[str] = []
    page.on("domcontentloaded", lambda loaded: loads.append(loaded.url))
    own_server.stop()
    context.route(re.compile(r":\d+/(workers)?$"), _as_a_new_version)
    context.route(re.compile(r"/assets/new\.js"), _the_new_script)
    own_server.start()
    expect(page.get_by_text("There is a new version of this page")).to_be_visible()
    page.get_by_role("link", name="Workers").click()
    expect(page.get_by_role("heading", name="Workers", level=1)).to_be_visible()
    expect(page.get_by_text("There is a new version of this page")).to_be_hidden()
    page.get_by_role("link", name="Queue").click()
    expect(page.get_by_role("heading", name="Queue", level=1)).to_be_visible()
    assert len(loads) == 1
    context.unroute_all(behavior="wait")


@pytest.mark.provokes("^404 GET /assets/")
def test_a_page_that_an_upgrade_removed_is_loaded_with_the_new_version(page: Page, server: Server) -> None:
    """Nobody lost the connection: that there is a new version shows only when a part of the old one is gone."""
    page.goto(f"{server.url}/documents")
    expect(page.get_by_role("heading", name="Documents", level=1)).to_be_visible()
    loads: list[str] = []
    page.on("domcontentloaded", lambda loaded: loads.append(loaded.url))
    page.route(
        re.compile(r"/assets/WorkersPage-[^/]*\.js$"),
        lambda route: route.continue_() if loads else route.fulfill(status=404, body="gone"),
    )
    page.get_by_role("link", name="Workers").click()
    expect(page.get_by_role("heading", name="Workers", level=1)).to_be_visible()
    expect(page.get_by_text("This page could not be loaded")).to_have_count(0)
    assert len(loads) == 1


def _as_a_new_version(route: Route) -> None:
    """Let the page begin with a script of another name, as after an upgrade."""
    try:
        answer = route.fetch()
    except Error:  # the server is still away
        route.abort("connectionrefused")
        return
    renamed = re.sub(r'src="(/assets/index-[^"]+\.js)"', r'src="/assets/new.js?\1"', answer.text())
    route.fulfill(response=answer, body=renamed)


def _the_new_script(route: Route) -> None:
    """Begin as the old one does: the other scripts ask for that by its name, and it must be there once."""
    route.fulfill(content_type="text/javascript", body=f'import "{route.request.url.partition("?")[2]}";')


@pytest.mark.provokes("^net::ERR_INTERNET_DISCONNECTED ")
def test_a_browser_that_is_offline_says_so_instead_of_loading_for_ever(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/runs")
    expect(page.get_by_role("heading", name="Runs", level=1)).to_be_visible()
    page.context.set_offline(True)
    page.get_by_role("radiogroup", name="Status").get_by_text("Cancelled").click()
    expect(page.get_by_role("alert")).to_contain_text("The server does not answer")
    page.context.set_offline(False)
    expect(page.get_by_role("alert")).to_have_count(0)
