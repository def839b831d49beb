"""People click faster than a server answers: each wish is carried out once, and all of them are."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from postgres import wait_until
from web.held import Held
from web.server import Server

pytestmark = pytest.mark.slow
NAMES = ["a.xlsx", "b.xlsx", "c.xlsx", "d.xlsx", "e.xlsx"]


def runs_of(server: Server) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = server.call("GET", f"/workspaces/{server.workspace_id}/runs?limit=100")["items"]
    return found


def documents_of(server: Server) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = server.call("GET", f"/workspaces/{server.workspace_id}/documents?limit=100")["items"]
    return found


def order_of(server: Server) -> list[str]:
    return [item["document_name"] for item in server.call("GET", "/queue")["items"]]


@pytest.fixture
def queue(page: Page, queue_server: Server) -> Page:
    for name in NAMES:
        queue_server.submit(queue_server.upload("offset.xlsx", name))
    page.goto(f"{queue_server.url}/queue")
    expect(page.get_by_role("list", name="Waiting runs").get_by_role("listitem")).to_have_count(len(NAMES))
    return page


@pytest.mark.req("U1", "R1")
def test_a_double_click_on_the_sample_makes_one_document_and_one_run(page: Page, own_server: Server) -> None:
    page.goto(own_server.url)
    page.get_by_role("button", name="Run the sample").dblclick()
    expect(page).to_have_url(re.compile("/runs/"))
    expect(page.get_by_role("tab", name="Result")).to_be_visible(timeout=60_000)
    assert len(runs_of(own_server)) == 1
    assert len(documents_of(own_server)) == 1


@pytest.mark.req("U1", "R1")
def test_two_clicks_on_the_sample_before_the_answer_make_one_run(page: Page, own_server: Server) -> None:
    page.goto(own_server.url)
    button = page.get_by_role("button", name="Run the sample")
    expect(button).to_be_enabled()
    held = Held(page, r"/api/v1/workspaces/[^/]+/documents$")
    # As two presses of a key would: the second comes before the page has drawn that the first is under way.
    button.evaluate("(button) => { button.click(); button.click(); }")
    held.let_go()
    expect(page).to_have_url(re.compile("/runs/"))
    expect(page.get_by_role("tab", name="Result")).to_be_visible(timeout=60_000)
    assert len(runs_of(own_server)) == 1
    assert len(documents_of(own_server)) == 1


@pytest.mark.req("U1", "R1")
def test_a_double_click_on_run_again_makes_one_run_and_does_not_cancel_it(
    page: Page, queue_server: Server, request: pytest.FixtureRequest
) -> None:
    run = queue_server.submit(queue_server.upload("offset.xlsx", f"{request.node.name}.xlsx"))
    queue_server.call("POST", f"/runs/{run}/cancel")
    before = len(runs_of(queue_server))
    page.goto(f"{queue_server.url}/runs/{run}")
    page.get_by_role("button", name="Run again").dblclick()
    expect(page.get_by_role("region", name="Why it waits")).to_be_visible()
    assert len(runs_of(queue_server)) == before + 1
    assert runs_of(queue_server)[0]["status"] == "queued"


@pytest.mark.req("U1", "R1")
@pytest.mark.provokes("^net::ERR_CONNECTION_RESET POST .*/run-again$")
def test_a_run_whose_answer_was_lost_is_not_made_again_by_the_next_click(
    page: Page, queue_server: Server, request: pytest.FixtureRequest
) -> None:
    run = queue_server.submit(queue_server.upload("offset.xlsx", f"{request.node.name}.xlsx"))
    queue_server.call("POST", f"/runs/{run}/cancel")
    before = len(runs_of(queue_server))
    page.goto(f"{queue_server.url}/runs/{run}")

    def lose(route: Route) -> None:
        route.fetch()
        route.abort("connectionreset")

    page.route(re.compile("/run-again$"), lose, times=1)
    page.get_by_role("button", name="Run again").click()
    expect(page.get_by_text("The server does not answer")).to_be_visible()
    page.get_by_role("button", name="Run again").click()
    expect(page.get_by_role("region", name="Why it waits")).to_be_visible()
    assert len(runs_of(queue_server)) == before + 1


@pytest.mark.req("U1", "Q13")
def test_four_quick_moves_up_are_all_made(queue: Page, queue_server: Server) -> None:
    held = Held(queue, r"/api/v1/queue/[^/]+/position$")
    for place in (5, 4, 3, 2):
        queue.get_by_role("button", name=f"Actions for e.xlsx, #{place}").click()
        queue.get_by_role("menuitem", name="Move up").click()
    expect(queue.get_by_role("button", name="Move e.xlsx, now #1")).to_be_visible()
    held.let_go()
    wait_until(lambda: order_of(queue_server)[0] == "e.xlsx", what="the moves to be made", seconds=30)
    expect(queue.get_by_role("button", name="Move e.xlsx, now #1")).to_be_visible()
    expect(queue.get_by_role("button", name="Move d.xlsx, now #5")).to_be_visible()
    expect(queue.get_by_text("Another person changed the order")).to_have_count(0)
    assert order_of(queue_server) == ["e.xlsx", "a.xlsx", "b.xlsx", "c.xlsx", "d.xlsx"]


@pytest.mark.req("U1", "Q13")
@pytest.mark.provokes("^412 PUT .*/position$")
def test_a_move_is_made_though_the_order_changed_elsewhere(queue: Page, queue_server: Server) -> None:
    held = Held(queue, r"/api/v1/queue/[^/]+/position$")
    queue.get_by_role("button", name="Actions for e.xlsx, #5").click()
    queue.get_by_role("menuitem", name="Move up").click()
    expect(queue.get_by_role("button", name="Move e.xlsx, now #4")).to_be_visible()
    items = queue_server.call("GET", "/queue")["items"]
    queue_server.call("PUT", f"/queue/{items[1]['run_id']}/position", {"before": items[0]["run_id"]})
    held.let_go()
    wait_until(lambda: order_of(queue_server)[3] == "e.xlsx", what="the move to be made", seconds=30)
    expect(queue.get_by_role("button", name="Move b.xlsx, now #1")).to_be_visible()
    expect(queue.get_by_text("Another person changed the order")).to_have_count(0)
    assert order_of(queue_server) == ["b.xlsx", "a.xlsx", "c.xlsx", "e.xlsx", "d.xlsx"]


@pytest.mark.req("U1", "Q13")
@pytest.mark.provokes("^412 PUT .*/position$")
def test_a_run_that_somebody_else_moved_is_looked_at_again(queue: Page, queue_server: Server) -> None:
    held = Held(queue, r"/api/v1/queue/[^/]+/position$")
    queue.get_by_role("button", name="Actions for e.xlsx, #5").click()
    queue.get_by_role("menuitem", name="Move up").click()
    expect(queue.get_by_role("button", name="Move e.xlsx, now #4")).to_be_visible()
    items = queue_server.call("GET", "/queue")["items"]
    queue_server.call("PUT", f"/queue/{items[4]['run_id']}/position", {"before": items[0]["run_id"]})
    held.let_go()
    expect(queue.get_by_text("Another person changed the order")).to_be_visible()
    expect(queue.get_by_role("button", name="Move e.xlsx, now #1")).to_be_visible()


@pytest.mark.req("U1")
@pytest.mark.provokes("^net::ERR_CONNECTION_RESET POST .*/cancel$")
def test_a_message_covers_no_menu_of_a_row(queue: Page, queue_server: Server) -> None:
    gone = queue_server.call("GET", "/queue")["items"][1]["run_id"]
    queue.set_viewport_size({"width": 1440, "height": 620})  # the last rows are where messages appear
    queue.get_by_role("button", name="Actions for b.xlsx, #2").click()
    queue.route(re.compile(f"/api/v1/runs/{gone}/cancel$"), lambda route: route.abort("connectionreset"))
    queue.get_by_role("menuitem", name="Cancel").click()
    message = queue.get_by_role("alert").filter(has_text="The server does not answer")
    expect(message).to_be_visible()
    queue.get_by_role("button", name="Actions for e.xlsx, #5").scroll_into_view_if_needed()
    place = message.bounding_box()
    assert place is not None
    for name in NAMES:
        button = queue.get_by_role("button", name=f"Actions for {name}").bounding_box()
        assert button is not None
        assert button["x"] > place["x"] + place["width"]
    queue.get_by_role("button", name="Actions for e.xlsx, #5").click()
    queue.get_by_role("menuitem", name="Move up").click()
    expect(queue.get_by_role("button", name="Move e.xlsx, now #4")).to_be_visible()
