"""The grid of a document and of a result: find, from issue to issue, what stays in sight, and all rows."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from web.server import Server

pytestmark = pytest.mark.slow
ROWS = 1500
WRONG = {3, 700, 1400}


@pytest.fixture(scope="module")
def long_run(server: Server) -> dict[str, Any]:
    """A run of a document with a title, 1,500 rows and three wrong dates."""
    days = ["soon" if n in WRONG else f"2024-01-{n % 28 + 1:02}" for n in range(1, ROWS + 1)]
    lines = ["Members of the club,,", "", "Member ID,Email,Joined on"]
    lines += [f"MB{n:06},p{n}@example.org,{day}" for n, day in enumerate(days, 1)]
    document = server.upload_content("long list.csv", "\n".join(lines).encode())
    found: dict[str, Any] = server.finished(server.submit(document))
    assert found["status"] == "succeeded"
    return found


def chosen(page: Page) -> Locator:
    return page.locator("[role=gridcell][aria-selected=true]")


@pytest.mark.req("U1")
def test_a_text_is_found_far_below_and_the_search_goes_round(
    page: Page, server: Server, long_run: dict[str, Any]
) -> None:
    page.goto(f"{server.url}/documents/{long_run['input_document_id']}")
    box = page.get_by_role("textbox", name="Find in this sheet")
    expect(box).to_be_visible()
    page.keyboard.press("/")
    expect(box).to_be_focused()
    box.fill("mb0014")
    box.press("Enter")
    expect(chosen(page)).to_have_text("MB001400")
    box.press("Enter")
    expect(chosen(page)).to_have_text("MB001401")
    box.press("Shift+Enter")
    expect(chosen(page)).to_have_text("MB001400")
    box.press("Shift+Enter")
    expect(page.get_by_text(re.compile("^Past the beginning"))).to_be_visible()
    box.fill("nowhere")
    box.press("Enter")
    expect(page.get_by_text("Nothing here has “nowhere”")).to_be_visible()


@pytest.mark.req("U1")
def test_keys_go_from_issue_to_issue_with_the_header_in_sight(
    page: Page, server: Server, long_run: dict[str, Any]
) -> None:
    page.goto(f"{server.url}/documents/{long_run['input_document_id']}")
    grid = page.get_by_role("grid", name="Cells")
    expect(grid.get_by_text("MB000001")).to_be_visible()
    for n in sorted(WRONG):
        page.keyboard.press("n")
        expect(chosen(page)).to_have_attribute("id", f"cell-C{n + 3}")
    expect(grid.get_by_role("gridcell", name="Joined on")).to_be_in_viewport()
    page.keyboard.press("n")
    expect(page.get_by_text("No further issue")).to_be_visible()
    page.get_by_role("button", name="Previous issue (p)").click()
    expect(chosen(page)).to_have_attribute("id", "cell-C703")


@pytest.mark.req("U1")
def test_the_whole_result_is_in_one_grid_with_its_issues(page: Page, server: Server, long_run: dict[str, Any]) -> None:
    page.goto(f"{server.url}/runs/{long_run['id']}")
    page.get_by_text("All rows", exact=True).click()
    grid = page.get_by_role("grid", name="Cells")
    expect(grid).to_have_attribute("aria-rowcount", re.compile("15[0-9][0-9]"))
    expect(page.get_by_role("button", name="Next issue (n)")).to_be_visible()
    page.keyboard.press("n")
    expect(chosen(page)).to_have_attribute("data-issue", "error")
    expect(chosen(page)).to_have_text("soon")
    page.get_by_role("textbox", name="Find in this sheet").fill("MB001500")
    page.keyboard.press("Enter")
    expect(chosen(page)).to_have_attribute("id", "cell-A1501")
    expect(grid.get_by_role("gridcell", name="Member ID")).to_be_in_viewport()
