"""The rows of a result are sorted and filtered: over the API, and in the grid with the address keeping how."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from web.server import Server

pytestmark = pytest.mark.slow
ROWS = 1200
WRONG = {3, 700, 1100}


@pytest.fixture(scope="module")
def long_run(server: Server) -> dict[str, Any]:
    """A run of a document with 1,200 rows, three wrong dates and a title above."""
    days = ["soon" if n in WRONG else f"2024-01-{n % 28 + 1:02}" for n in range(1, ROWS + 1)]
    lines = ["Members of the club,,", "", "Member ID,Email,Joined on"]
    lines += [f"MB{n:06},p{ROWS - n:04}@example.org,{day}" for n, day in enumerate(days, 1)]
    document = server.upload_content("long list.csv", "\n".join(lines).encode())
    found: dict[str, Any] = server.finished(server.submit(document))
    assert found["status"] == "succeeded"
    return found


def shown(server: Server, run: dict[str, Any], query: str) -> tuple[list[int], list[Any]]:
    """Return the numbers and the first cells of the rows of a view, without the header."""
    answer = server.call("GET", f"/runs/{run['id']}/output/cells?range=A1:C100&{query}")
    header, *rows = answer["rows"]
    assert (header["row"], header["cells"][0]["value"]) == (1, "Member ID")
    return [row["row"] for row in rows], [row["cells"][0]["value"] for row in rows]


@pytest.mark.req("U1")
def test_a_view_names_rows_by_the_numbers_they_have_in_the_output(server: Server, long_run: dict[str, Any]) -> None:
    numbers, keys = shown(server, long_run, "sort=B")
    assert numbers[:3] == [ROWS + 1, ROWS, ROWS - 1]
    assert keys[0] == f"MB{ROWS:06}"
    assert shown(server, long_run, "sort=B&descending=true")[0][:3] == [2, 3, 4]
    assert shown(server, long_run, "contains=B:P0001&contains=A:mb")[1] == [f"MB{ROWS - 1:06}"]
    assert shown(server, long_run, "equals=A:MB000005")[0] == [6]
    assert shown(server, long_run, "only=issues")[0] == [n + 1 for n in sorted(WRONG)]
    assert shown(server, long_run, "only=changes")[0][:4] == [2, 3, 5, 6]  # texts became dates, but for the wrong one
    found = server.call("GET", f"/runs/{long_run['id']}/output/cells/find?text=mb000700&only=issues")
    assert found["items"] == ["A3"]


def opened(page: Page, server: Server, run: dict[str, Any], query: str = "") -> Locator:
    page.goto(f"{server.url}/runs/{run['id']}?rows=all{query}")
    grid = page.get_by_role("grid", name="Cells")
    expect(grid.get_by_role("gridcell").first).to_be_visible()
    return grid


@pytest.mark.req("U1")
def test_rows_are_sorted_and_filtered_and_the_address_keeps_it(
    page: Page, server: Server, long_run: dict[str, Any]
) -> None:
    grid = opened(page, server, long_run)
    page.get_by_role("button", name="Sort and filter Email").click()
    page.get_by_role("button", name="Ascending").click()
    expect(grid.locator("#cell-A2")).to_have_text(f"MB{ROWS:06}")
    expect(grid.get_by_role("rowheader", name=str(ROWS + 1), exact=True)).to_be_visible()
    expect(grid.get_by_role("columnheader", name="Sort and filter Email")).to_have_attribute("aria-sort", "ascending")
    expect(page).to_have_url(re.compile("sort=B"))

    page.get_by_role("button", name="Sort and filter Member ID").click()
    box = page.get_by_role("textbox", name="Only rows that contain")
    expect(box).to_be_focused()
    box.fill("mb0011")
    box.press("Enter")
    expect(page.get_by_text(f"100 of {ROWS:,} rows")).to_be_visible()
    expect(grid.locator("#cell-A2")).to_have_text("MB001199")
    page.reload()
    expect(page.get_by_text(f"100 of {ROWS:,} rows")).to_be_visible()
    expect(grid.locator("#cell-A2")).to_have_text("MB001199")
    page.get_by_role("button", name="Remove: Member ID contains “mb0011”").click()
    page.get_by_role("button", name="Remove: by Email, ascending").click()
    expect(grid.locator("#cell-A2")).to_have_text("MB000001")
    expect(page).not_to_have_url(re.compile("sort|filter"))


@pytest.mark.req("U1")
def test_a_row_with_an_issue_is_found_by_the_filter_and_typed_into(
    page: Page, server: Server, long_run: dict[str, Any]
) -> None:
    grid = opened(page, server, long_run)
    page.get_by_role("combobox", name="Which rows").select_option("Rows with issues")
    expect(page.get_by_text(f"3 of {ROWS:,} rows")).to_be_visible()
    expect(grid.locator("#cell-A3")).to_have_text("MB000700")
    expect(grid.locator("#cell-C3")).to_have_attribute("data-issue", "error")
    grid.locator("#cell-C3").click()
    expect(page.get_by_role("link", name="C703")).to_be_visible()
    page.get_by_role("button", name="Change C701").click()
    editor = page.get_by_role("textbox", name="New value of C701")
    expect(editor).to_have_value("soon")
    editor.fill("2024-02-02")
    editor.press("Enter")
    expect(grid.locator("#cell-C3")).to_have_text("2024-02-02 (not kept yet)")
    page.get_by_role("combobox", name="Which rows").select_option("All rows")
    expect(grid.locator("#cell-C3")).to_have_text(re.compile("2024-01"))
    page.get_by_role("button", name="Run this document with it").click()
    expect(page).not_to_have_url(re.compile(long_run["id"]))
    made = page.url.split("/runs/")[1].split("?")[0]
    assert server.finished(made)["status"] == "succeeded"
    artifact = server.call("GET", f"/runs/{made}/artifact")
    (entry,) = artifact["configuration"]["corrections"]
    assert entry["place"]["cell"] == "C703"
    assert artifact["summary"]["issues"]["total"] == len(WRONG) - 1


@pytest.mark.req("U1")
def test_a_range_of_sorted_rows_is_copied_as_it_is_shown(page: Page, server: Server, long_run: dict[str, Any]) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    grid = opened(page, server, long_run, "&sort=-A")
    expect(grid.locator("#cell-A2")).to_have_text(f"MB{ROWS:06}")
    grid.locator("#cell-A2").click()
    grid.locator("#cell-A3").click(modifiers=["Shift"])
    page.keyboard.press("ControlOrMeta+c")
    expect(page.get_by_text("A2:A3 copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == f"MB{ROWS:06}\nMB{ROWS - 1:06}"
