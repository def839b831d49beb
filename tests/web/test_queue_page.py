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
    expect(queue.get_by_text("No worker is at work")).to_be_visible()
    expect(queue.get_by_text("ade worker")).to_be_visible()


@pytest.mark.req("U1", "Q14")
def test_the_oldest_wait_is_that_of_a_run_far_behind(page: Page, tmp_path: Path) -> None:
    with Server(tmp_path, "--no-worker") as server:
        starving = server.submit(server.upload("offset.xlsx", "starving.xlsx"), priority="background")
        with sqlite3.connect(tmp_path / "data/ade.db") as database:  # as if it waited for three days
            database.execute("UPDATE runs SET created_at = created_at - 259200000000 WHERE id = ?", [starving])
        documents = [server.upload_content(f"{number}.csv", f"Name\n{number}\n".encode()) for number in range(100)]
        address = f"/configurations/{server.configuration_id}/runs/batch"
        server.call("POST", address, {"input_document_ids": documents, "priority": "urgent"})
        page.goto(f"{server.url}/queue")
        expect(page.get_by_text(re.compile("^Oldest wait3 d"))).to_have_count(1)
