"""Single cells are changed by typing into the grid of a review or of a result, and wait as corrections."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from web.server import Server
from web.workbooks import workbook

pytestmark = pytest.mark.slow
DAYS = ["2024-01-01", "soon", "2024-01-03", "2024-01-04"]
ROWS = [[f"MB{100001 + n}", f"p{n + 1}@example.org", day] for n, day in enumerate(DAYS)]
SHEET = [["Member ID", "Email", "Joined on"], *ROWS]


@pytest.fixture
def run(server: Server, configuration: str) -> str:
    document = server.upload_content("members.xlsx", workbook({"Members": SHEET}))
    found = server.submit(document, configuration=configuration)
    assert server.finished(found)["status"] == "succeeded"
    return found


def opened(page: Page, server: Server, run: str) -> Locator:
    page.goto(f"{server.url}/runs/{run}?tab=review")
    expect(page.get_by_role("grid", name="Cells").get_by_text("MB100001")).to_be_visible()
    return page.get_by_role("region", name="Corrections")


def result(page: Page, server: Server, run: str) -> None:
    page.goto(f"{server.url}/runs/{run}")
    page.get_by_role("radio", name="All rows").locator("xpath=..").get_by_text("All rows").click()
    expect(page.get_by_role("grid", name="Cells").get_by_text("MB100001")).to_be_visible()


def made_with(page: Page, server: Server, before: str) -> dict:  # type: ignore[type-arg]
    expect(page).not_to_have_url(re.compile(before))
    made = page.url.split("/runs/")[1].split("?")[0]
    assert server.finished(made)["status"] == "succeeded"
    artifact: dict = server.call("GET", f"/runs/{made}/artifact")  # type: ignore[type-arg]
    return artifact


@pytest.mark.req("U3")
def test_a_cell_of_the_document_is_typed_over_and_the_result_follows(page: Page, server: Server, run: str) -> None:
    waiting = opened(page, server, run)
    page.locator("#cell-C3").dblclick()
    editor = page.get_by_role("textbox", name="New value of C3")
    expect(editor).to_be_focused()
    expect(editor).to_have_value("soon")
    editor.fill("5 April 2024")
    editor.press("Enter")
    expect(waiting.get_by_text("C3 on sheet “Members” becomes “5 April 2024”")).to_be_visible()
    expect(waiting.get_by_role("list", name="What changes")).to_contain_text("Issues 1 → 0")
    expect(page.locator("#cell-C3")).to_have_text("5 April 2024 (not kept yet)")
    expect(page.locator("#cell-C4")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("button", name="From now on…")).to_be_disabled()

    page.get_by_role("button", name="Only this document").click()
    artifact = made_with(page, server, run)
    assert artifact["sheets"][0]["tables"][0]["corrected_cells"] == 1
    expect(page.locator("#cell-C3")).to_have_text(re.compile("^5 April 2024 \\(corrected by "))
    page.get_by_role("tab", name="Before/after").click()
    pair = page.get_by_role("cell", name=re.compile("corrected by"))
    expect(pair).to_contain_text("soon")
    expect(pair).to_contain_text("2024-04-05")


@pytest.mark.req("U3")
def test_cells_are_changed_by_keyboard_alone_and_what_was_typed_can_be_undone(
    page: Page, server: Server, run: str
) -> None:
    waiting = opened(page, server, run)
    grid = page.get_by_role("grid", name="Cells")
    page.locator("#cell-B2").click()
    grid.press("Enter")
    editor = page.get_by_role("textbox", name="New value of B2")
    editor.fill("x")
    editor.press("Escape")
    expect(grid).to_be_focused()
    expect(waiting.get_by_text("not kept yet")).to_be_hidden()
    grid.press("F2")
    editor.fill("")
    editor.press("Tab")
    expect(waiting.get_by_text("B2 on sheet “Members” is made empty")).to_be_visible()
    expect(page.locator("#cell-C2")).to_have_attribute("aria-selected", "true")
    expect(page.locator("#cell-B2")).to_have_text("empty (not kept yet)")
    grid.press("ArrowLeft")
    grid.press("F2")
    editor.fill("p1@example.org")
    editor.press("Enter")
    expect(waiting.get_by_text("not kept yet")).to_be_hidden()

    page.locator("#cell-A1").click()
    grid.press("Enter")
    expect(page.get_by_text("A1: only cells in rows of data can be changed.")).to_be_visible()


@pytest.mark.req("U3")
def test_a_cell_of_the_result_is_typed_over_and_the_document_runs_with_it(page: Page, server: Server, run: str) -> None:
    result(page, server, run)
    grid = page.get_by_role("grid", name="Cells")
    title = grid.locator("[role=gridcell]").filter(has_text=re.compile("^Email$")).first.get_attribute("id")
    assert title is not None
    letter = title.removeprefix("cell-")[:-1]
    page.locator(f"#cell-{letter}4").dblclick()
    editor = page.get_by_role("textbox", name=f"New value of {letter}4")
    expect(editor).to_have_value("p3@example.org")
    editor.fill("Right@Example.org")
    editor.press("Enter")
    expect(page.locator(f"#cell-{letter}4")).to_have_text("Right@Example.org (not kept yet)")
    page.locator(f"#cell-{letter}1").first.dblclick()
    expect(page.get_by_text(re.compile(f"^{letter}1: this is the header"))).to_be_visible()

    page.get_by_role("button", name="Run this document with it").click()
    artifact = made_with(page, server, run)
    (entry,) = artifact["configuration"]["corrections"]
    assert entry["place"].items() >= {"sheet": "Members"}.items()
    assert artifact["sheets"][0]["tables"][0]["corrected_cells"] == 1
