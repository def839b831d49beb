"""Steering the queue by mouse, keyboard and menu."""

import re
import sqlite3
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from postgres import wait_until
from web.server import Server

pytestmark = pytest.mark.slow
NAMES = ["first.xlsx", "second.xlsx", "third.xlsx"]


def expect_order(server: Server, *names: str) -> None:
    """Wait until the server has it so: the page shows a move before it is made."""

    def is_so() -> bool:
        return [item["document_name"] for item in server.call("GET", "/queue")["items"]] == list(names)

    wait_until(is_so, what=f"the order {names}", seconds=30)


@pytest.fixture
def queue(page: Page, queue_server: Server) -> Page:
    for name in NAMES:
        queue_server.submit(queue_server.upload("offset.xlsx", name))
    page.goto(f"{queue_server.url}/queue")
    expect(page.get_by_role("list", name="Waiting runs").get_by_role("listitem")).to_have_count(3)
    return page


@pytest.mark.req("U1", "Q13")
def test_a_run_is_dragged_to_another_place(queue: Page, queue_server: Server) -> None:
    grip = queue.get_by_role("button", name="Move third.xlsx, now #3").bounding_box()
    top = queue.get_by_role("button", name="Move first.xlsx, now #1").bounding_box()
    assert grip is not None
    assert top is not None
    queue.mouse.move(grip["x"] + 8, grip["y"] + 8)
    queue.mouse.down()
    queue.mouse.move(grip["x"] + 8, grip["y"] - 20, steps=5)
    queue.mouse.move(top["x"] + 8, top["y"] + 2, steps=10)
    queue.mouse.up()
    expect(queue.get_by_role("button", name="Move third.xlsx, now #1")).to_be_visible()
    expect(queue.get_by_role("list", name="Waiting runs").get_by_role("link").first).to_have_text("third.xlsx")
    expect_order(queue_server, "third.xlsx", "first.xlsx", "second.xlsx")


@pytest.mark.req("U1", "Q13")
def test_a_run_is_moved_by_keyboard(queue: Page, queue_server: Server) -> None:
    grip = queue.get_by_role("button", name="Move third.xlsx, now #3")
    grip.focus()
    grip.press("Space")
    expect(queue.get_by_text("third.xlsx would be #3.")).to_be_attached()
    queue.evaluate("new Promise((done) => setTimeout(done))")  # arrows are heard from a timer on that was set before
    queue.keyboard.press("ArrowUp")
    expect(queue.get_by_text("third.xlsx would be #2.")).to_be_attached()
    queue.keyboard.press("Space")
    expect(queue.get_by_role("button", name="Move third.xlsx, now #2")).to_be_visible()
    expect_order(queue_server, "first.xlsx", "third.xlsx", "second.xlsx")


@pytest.mark.req("U1", "Q10")
def test_the_menu_moves_a_run_and_gives_it_another_priority(queue: Page, queue_server: Server) -> None:
    queue.get_by_role("button", name=re.compile("Actions for second.xlsx")).click()
    queue.get_by_role("menuitem", name="urgent").click()
    expect(queue.get_by_role("button", name="Move second.xlsx, now #1")).to_be_visible()
    queue.get_by_role("button", name=re.compile("Actions for third.xlsx")).click()
    queue.get_by_role("menuitem", name="Move to the top").click()
    queue.get_by_role("button", name="Change and move").click()
    expect(queue.get_by_role("button", name="Move third.xlsx, now #1")).to_be_visible()
    expect_order(queue_server, "third.xlsx", "second.xlsx", "first.xlsx")


@pytest.mark.req("U1", "Q12")
def test_the_queue_is_paused_with_a_reason_and_resumed(queue: Page, queue_server: Server) -> None:
    queue.get_by_role("button", name="Pause…").click()
    queue.get_by_label("Why").fill("Month end")
    queue.get_by_role("button", name="Pause", exact=True).click()
    expect(queue.get_by_text("Everything is paused.")).to_be_visible()
    expect(queue.get_by_text("Month end")).to_be_visible()
    queue.get_by_role("button", name="Resume").click()
    expect(queue.get_by_text("Everything is paused.")).to_be_hidden()
    assert queue_server.call("GET", "/queue")["pauses"] == []


@pytest.mark.req("U1", "R5")
def test_a_waiting_run_is_cancelled_from_the_queue(queue: Page) -> None:
    queue.get_by_role("button", name=re.compile("Actions for second.xlsx")).click()
    queue.get_by_role("menuitem", name="Cancel").click()
    expect(queue.get_by_role("button", name="Move third.xlsx, now #2")).to_be_visible()
    expect(queue.get_by_role("list", name="Waiting runs").get_by_role("listitem")).to_have_count(2)


@pytest.mark.req("U1")
def test_a_queue_without_a_worker_says_how_to_start_one(queue: Page) -> None:
    expect(queue.get_by_text("No worker is running")).to_be_visible()
    expect(queue.get_by_text("ade worker")).to_be_visible()


@pytest.mark.req("U1", "Q14")
def test_the_oldest_wait_is_that_of_a_run_far_behind(page: Page, long_queue_server: Server, tmp_path: Path) -> None:
    server = long_queue_server
    starving = server.submit(server.upload("offset.xlsx", "starving.xlsx"), priority="background")
    with sqlite3.connect(tmp_path / "data/ade.db") as database:  # as if it waited for three days
        database.execute("UPDATE runs SET created_at = created_at - 259200000000 WHERE id = ?", [starving])
    documents = [server.upload_content(f"{number}.csv", f"Name\n{number}\n".encode()) for number in range(100)]
    address = f"/configurations/{server.configuration_id}/runs/batch"
    server.call("POST", address, {"input_document_ids": documents, "priority": "urgent"})
    page.goto(f"{server.url}/queue")
    expect(page.get_by_text(re.compile("^Oldest wait3 d"))).to_have_count(1)


@pytest.mark.req("U1", "R5")
def test_several_runs_are_ticked_and_cancelled_together(queue: Page, queue_server: Server) -> None:
    queue.get_by_role("checkbox", name="Choose first.xlsx, #1").check()
    queue.get_by_role("checkbox", name="Choose third.xlsx, #3").click(modifiers=["Shift"])
    chosen = queue.get_by_role("group", name="The chosen runs")
    expect(chosen).to_contain_text("3 chosen")
    queue.get_by_role("checkbox", name="Choose second.xlsx, #2").uncheck()
    chosen.get_by_role("button", name="Cancel 2 runs…").click()
    queue.get_by_role("dialog").get_by_role("button", name="Cancel 2 runs").click()
    expect(queue.get_by_text("2 runs cancelled")).to_be_visible()
    expect(chosen).to_be_hidden()
    expect_order(queue_server, "second.xlsx")


@pytest.mark.req("U1", "Q10")
def test_all_waiting_runs_are_given_another_priority_together(queue: Page, queue_server: Server) -> None:
    queue.get_by_role("checkbox", name="Choose all waiting runs").click()  # ticked when all are loaded
    chosen = queue.get_by_role("group", name="The chosen runs")
    expect(chosen).to_contain_text("3 chosen")
    chosen.get_by_role("button", name="Priority").click()
    queue.get_by_role("menuitem", name="low").click()
    expect(queue.get_by_text("3 runs now low")).to_be_visible()
    items = queue_server.call("GET", "/queue")["items"]
    assert [item["priority"] for item in items] == [70, 70, 70]
    assert [item["document_name"] for item in items] == NAMES


@pytest.mark.req("U1", "Q13")
def test_a_run_is_moved_to_a_position(queue: Page, queue_server: Server) -> None:
    queue.get_by_role("button", name=re.compile("Actions for third.xlsx")).click()
    queue.get_by_role("menuitem", name="Move to position…").click()
    place = queue.get_by_role("textbox", name="Position")
    place.fill("4")
    expect(queue.get_by_text("A whole number from 1 to 3")).to_be_visible()
    expect(queue.get_by_role("button", name="Move", exact=True)).to_be_disabled()
    place.fill("1")
    place.press("Enter")
    expect(queue.get_by_role("button", name="Move third.xlsx, now #1")).to_be_visible()
    expect_order(queue_server, "third.xlsx", "first.xlsx", "second.xlsx")


@pytest.mark.req("U1")
def test_waiting_runs_are_found_by_name_and_keep_their_places(queue: Page, queue_server: Server) -> None:
    queue.get_by_role("textbox", name="Find waiting runs").fill("THIRD starter")
    rows = queue.get_by_role("list", name="Waiting runs").get_by_role("listitem")
    expect(rows).to_have_count(1)
    expect(queue.get_by_text("1 run found")).to_be_visible()
    expect(rows).to_contain_text("#3")
    queue.get_by_role("checkbox", name="Choose all that match").check()
    expect(queue.get_by_role("group", name="The chosen runs")).to_contain_text("1 chosen")
    queue.get_by_role("button", name=re.compile("Actions for third.xlsx")).click()
    queue.get_by_role("menuitem", name="Move to the top").click()
    expect_order(queue_server, "third.xlsx", "first.xlsx", "second.xlsx")
    expect(rows).to_contain_text("#1")
    queue.get_by_role("textbox", name="Find waiting runs").fill("nothing like it")
    expect(queue.get_by_text("No waiting run matches")).to_be_visible()


@pytest.mark.req("U1", "Q10")
def test_a_priority_without_a_name_is_shown_in_words(queue: Page, queue_server: Server) -> None:
    first = queue_server.call("GET", "/queue")["items"][0]["run_id"]
    queue_server.call("PATCH", f"/runs/{first}", {"priority": 0})
    expect(queue.get_by_text("urgent (0)")).to_be_visible()


@pytest.mark.req("U1", "R5")
def test_waiting_runs_are_cancelled_from_the_list_of_runs(queue: Page, queue_server: Server) -> None:
    queue.goto(f"{queue_server.url}/runs?status=queued")
    for name in ("first.xlsx", "second.xlsx"):
        queue.get_by_role("checkbox", name=f"Choose the run of {name}").check()
    queue.get_by_role("button", name="Cancel 2 runs…").click()
    queue.get_by_role("dialog").get_by_role("button", name="Cancel 2 runs").click()
    expect(queue.get_by_text("2 runs cancelled")).to_be_visible()
    expect_order(queue_server, "third.xlsx")


@pytest.mark.req("U1", "Q12")
def test_a_paused_run_says_who_paused_what_and_why(queue: Page, queue_server: Server) -> None:
    queue_server.call("POST", "/queue/pauses", {"scope": "all", "reason": "Month end: invoices first"})
    first = queue_server.call("GET", "/queue")["items"][0]["run_id"]
    queue.goto(f"{queue_server.url}/runs/{first}")
    panel = queue.get_by_role("region", name="Why it waits")
    expect(panel).to_contain_text("Everything is paused")
    expect(panel).to_contain_text("Month end: invoices first")
    expect(panel.get_by_role("button", name="Resume")).to_be_visible()
    panel.get_by_role("button", name="Resume").click()
    expect(panel).not_to_contain_text("Month end")
    assert queue_server.call("GET", "/queue")["pauses"] == []


@pytest.mark.req("U1", "Q9")
def test_plans_are_listed_with_their_phases_and_cancelled(queue: Page, queue_server: Server) -> None:
    configuration = queue_server.configuration_id
    document = queue_server.upload("offset.xlsx", "phase one.xlsx")
    phases = [
        {"configuration_id": configuration, "input_document_id": document},
        {"configuration_id": configuration, "input": "previous_output"},
    ]
    plan = queue_server.call("POST", f"/workspaces/{queue_server.workspace_id}/plans", {"phases": phases})
    queue.get_by_role("tab", name="Plans").click()
    card = queue.get_by_role("region", name=f"Plan {plan['id'][-12:]}")
    expect(card.get_by_role("list", name="Phases").get_by_role("listitem")).to_have_count(2)
    expect(card.get_by_role("link", name="phase one.xlsx").first).to_be_visible()
    expect(card.get_by_text("Waiting for an earlier phase")).to_be_visible()
    card.get_by_role("button", name="Cancel").click()
    expect(card).to_contain_text("cancelled")
    assert queue_server.call("GET", f"/plans/{plan['id']}")["status"] == "cancelled"
