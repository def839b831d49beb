"""Addresses that people write by hand, or that are older than what they name."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, Response, expect

from web.server import Server

pytestmark = [pytest.mark.slow, pytest.mark.req("U1")]


def test_show_all_empties_the_search_box(page: Page, server: Server, sample_run: Any) -> None:
    page.goto(f"{server.url}/documents")
    expect(page.get_by_role("table", name="Documents")).to_be_visible()
    box = page.get_by_role("textbox", name="Find by name")
    box.fill("zzzz")
    page.get_by_role("button", name="Show all").click()
    expect(page.get_by_role("table", name="Documents")).to_be_visible()
    expect(box).to_have_value("")
    box.fill("values_with")
    expect(page).to_have_url(re.compile("name=values_with"))
    box.press_sequentially("_issues")
    expect(page).to_have_url(re.compile("name=values_with_issues"))
    expect(box).to_have_value("values_with_issues")


@pytest.mark.parametrize(
    ("path", "tab"),
    [("/runs/{run}?tab=nowhere", "Result"), ("/settings?tab=nowhere", "Members"), ("/queue?tab=nowhere", "Now")],
)
def test_an_unknown_tab_in_the_address_shows_the_first(
    page: Page, server: Server, sample_run: Any, path: str, tab: str
) -> None:
    page.goto(server.url + path.format(run=sample_run["id"]))
    expect(page.get_by_role("tab", name=tab)).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("tabpanel", name=tab)).not_to_be_empty()


def test_a_cell_outside_the_sheet_shows_the_nearest_one(page: Page, server: Server, sample_run: Any) -> None:
    refused: list[str] = []

    def note(answer: Response) -> None:
        if answer.status >= 400:
            refused.append(answer.url)

    page.on("response", note)
    page.goto(f"{server.url}/documents/{sample_run['input_document_id']}?cell=ZZZ9999999")
    expect(page.get_by_text("The sheet has no cell ZZZ9999999.")).to_be_visible()
    expect(page.get_by_role("gridcell", selected=True)).to_be_visible()
    expect(page.get_by_role("gridcell").filter(has_text=re.compile("[a-z]")).first).to_be_visible()
    assert refused == []
