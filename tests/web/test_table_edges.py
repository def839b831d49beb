"""The edges of tables and of their headers are moved in the grid of a review: by mouse, by touch and by keyboard."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from web.server import Server
from web.workbooks import workbook

pytestmark = pytest.mark.slow
ROWS = [[f"MB{100000 + n}", f"p{n}@example.org", f"2024-01-{n + 1:02}"] for n in range(12)]
SHEET = [["Member ID", "Email", "Joined on"], *ROWS]


@pytest.fixture
def run(server: Server, configuration: str) -> str:
    document = server.upload_content("members.xlsx", workbook({"Members": SHEET}))
    found = server.submit(document, configuration=configuration)
    assert server.finished(found)["status"] == "succeeded"
    return found


def edge(page: Page, name: str) -> Locator:
    return page.get_by_role("slider", name=re.compile(f"^{name} of the table"))


def opened(page: Page, server: Server, run: str) -> Locator:
    """Open the review; return what waits there."""
    page.goto(f"{server.url}/runs/{run}?tab=review")
    expect(page.get_by_role("grid", name="Cells").get_by_text("MB100000")).to_be_visible()
    expect(edge(page, "Bottom edge")).to_be_visible()
    edge(page, "Bottom edge").scroll_into_view_if_needed()
    return page.get_by_role("region", name="Corrections")


def cell(page: Page, name: str) -> dict[str, Any]:
    box = page.locator(f"#cell-{name}").bounding_box()
    assert box is not None
    return {**box}


def middle(target: Locator) -> tuple[float, float]:
    box = target.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def table_of(server: Server, run: str) -> tuple[str, list[int]]:
    assert server.finished(run)["status"] == "succeeded"
    (table,) = server.call("GET", f"/runs/{run}/artifact")["sheets"][0]["tables"]
    return table["range"], table["header"]["rows"]


@pytest.mark.req("U3")
def test_the_bottom_edge_is_dragged_and_the_result_follows(page: Page, server: Server, run: str) -> None:
    waiting = opened(page, server, run)
    below = cell(page, "A9")
    x, y = middle(edge(page, "Bottom edge"))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, below["y"] + below["height"] + 60, steps=4)
    page.mouse.move(x, below["y"] + below["height"] + 4, steps=4)
    expect(edge(page, "Bottom edge")).to_have_attribute("aria-valuetext", "row 9: A1:C9 with 1 header row")
    expect(waiting.get_by_text("1 correction")).to_be_hidden()
    page.mouse.up()
    expect(waiting.get_by_text("A1:C9 is a table with 1 header row on sheet “Members”")).to_be_visible()
    expect(waiting.get_by_role("list", name="What changes")).to_contain_text("Rows 12 → 8")
    page.get_by_role("button", name="Only this document").click()
    expect(page).not_to_have_url(re.compile(run))
    assert table_of(server, page.url.split("/runs/")[1].split("?")[0]) == ("A1:C9", [1])


@pytest.mark.req("U3")
def test_edges_and_header_are_moved_by_keyboard_and_what_was_moved_is_undone(
    page: Page, server: Server, run: str
) -> None:
    waiting = opened(page, server, run)
    right = edge(page, "Right edge")
    right.focus()
    page.keyboard.press("ArrowLeft")
    expect(right).to_have_attribute("aria-valuetext", "column B: A1:B13 with 1 header row")
    expect(waiting.get_by_role("list", name="What changes")).to_contain_text("Columns mapped 3 → 2")
    header = edge(page, "Lower edge of the header")
    header.focus()
    page.keyboard.press("ArrowDown")
    expect(waiting.get_by_text("A1:B13 is a table with 2 header rows")).to_be_visible()
    expect(waiting.get_by_text("1 correction, not kept yet")).to_be_visible()
    top = edge(page, "Top edge")
    top.focus()
    page.keyboard.press("PageDown")
    expect(top).to_have_attribute("aria-valuenow", "13")
    waiting.get_by_role("button", name="Undo all").click()
    expect(header).to_have_attribute("aria-valuetext", "row 1: A1:C13 with 1 header row")


@pytest.mark.req("U3")
def test_an_edge_is_dragged_by_touch_on_a_phone_in_the_dark(page: Page, server: Server, run: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.emulate_media(color_scheme="dark")
    waiting = opened(page, server, run)
    header = edge(page, "Lower edge of the header")
    header.scroll_into_view_if_needed()
    x, y = middle(header)
    below = cell(page, "A2")
    touches = page.context.new_cdp_session(page)
    touches.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for place in (y + 10, below["y"] + below["height"] - 2):
        touches.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [{"x": x, "y": place}]})
    touches.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    expect(waiting.get_by_text("A1:C13 is a table with 2 header rows")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.req("U3")
def test_chosen_cells_become_a_table(page: Page, server: Server, run: str) -> None:
    waiting = opened(page, server, run)
    page.locator("#cell-B3").click()
    page.locator("#cell-C8").click(modifiers=["Shift"])
    page.get_by_role("button", name="These cells are a table").click()
    expect(waiting.get_by_text("B3:C8 is a table with 1 header row")).to_be_visible()
    expect(waiting.get_by_role("list", name="What changes")).to_contain_text("Rows 12 → 5")
