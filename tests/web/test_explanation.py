"""Why columns are what they are: which column of which sheet, with its values, in words."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from web.server import Server
from web.workbooks import workbook

pytestmark = pytest.mark.slow
MONTHS = ("January", "February", "March")


@pytest.fixture(scope="module")
def months(server: Server) -> str:
    """A finished run of three sheets with the same columns at the same place."""
    header = ["Member ID", "Name", "E-Mail"]
    rows = [[f"MB{100000 + n}", f"Person {n}", f"p{n}@example.org"] for n in range(6)]
    run = server.submit(server.upload_content("months.xlsx", workbook({month: [header, *rows] for month in MONTHS})))
    assert server.finished(run)["status"] == "succeeded"
    return run


@pytest.mark.req("U1")
def test_one_click_opens_one_column_of_one_sheet(page: Page, server: Server, months: str) -> None:
    page.goto(f"{server.url}/runs/{months}?tab=explanation")
    february = page.get_by_role("region", name="Table February A1:C7")
    february.get_by_role("button", name=re.compile("^B Name")).click()
    expect(page.get_by_role("button", expanded=True).filter(has_text="Name")).to_have_count(1)
    expect(february.get_by_role("button", expanded=True).filter(has_text="Name")).to_be_visible()
    page.reload()
    expect(february.get_by_role("button", expanded=True).filter(has_text="Name")).to_be_visible()
    expect(page.get_by_role("button", expanded=True).filter(has_text="Name")).to_have_count(1)


@pytest.mark.req("U1")
def test_columns_that_are_not_mapped_are_named_with_their_sheets(page: Page, server: Server, months: str) -> None:
    page.goto(f"{server.url}/runs/{months}")
    named = page.get_by_role("region", name="Not mapped")
    expect(named).to_contain_text("Name on January, February, March")
    named.get_by_role("link", name="Name on March").click()
    march = page.get_by_role("region", name="Table March A1:C7")
    expect(march.get_by_role("button", expanded=True)).to_contain_text("Name")
    expect(page.get_by_role("button", expanded=True)).to_have_count(1)


@pytest.mark.req("U1")
def test_a_cell_leads_to_the_column_of_its_own_sheet(page: Page, server: Server, months: str) -> None:
    document = server.call("GET", f"/runs/{months}")["input_document_id"]
    page.goto(f"{server.url}/documents/{document}?run={months}&sheet=February&cell=B3")
    page.get_by_role("link", name="an unmapped column").click()
    february = page.get_by_role("region", name="Table February A1:C7")
    expect(february.get_by_role("button", expanded=True)).to_contain_text("Name")


@pytest.mark.req("U1", "E6")
def test_a_column_is_shown_with_its_values_its_label_and_what_it_needed(
    page: Page, server: Server, sample_run: dict[str, Any]
) -> None:
    page.goto(f"{server.url}/runs/{sample_run['id']}?tab=explanation")
    column = page.get_by_role("button", name=re.compile("^A Member ID"))
    expect(column).to_contain_text("MB100000")
    expect(column).to_contain_text(re.compile(r"\d\.\d\d of 0\.50 needed"))
    email = page.get_by_role("button", name=re.compile("becomes Email"))
    expect(email).to_be_visible()
    expect(page.get_by_text("joined_on", exact=True)).to_have_count(0)


@pytest.mark.req("U1", "U3")
def test_only_a_mapped_column_can_be_wrong_and_others_are_given_a_field(
    page: Page, server: Server, sample_run: dict[str, Any]
) -> None:
    page.goto(f"{server.url}/runs/{sample_run['id']}?tab=explanation")
    expect(page.get_by_role("link", name="This column is wrong: A")).to_be_visible()
    expect(page.get_by_role("link", name="This column is wrong: B")).to_have_count(0)
    page.get_by_role("link", name="Give this column a field: B").click()
    expect(page.get_by_role("region", name="Other columns")).to_contain_text("column B")
