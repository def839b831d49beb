"""What can be corrected on the page of a document."""

import re

import pytest
from playwright.sync_api import Page, expect

from web.server import Server

pytestmark = pytest.mark.slow


@pytest.mark.req("U1", "E2")
def test_another_encoding_shows_at_once_and_can_be_taken_back(page: Page, server: Server) -> None:
    document = server.upload("semicolon_latin_1.csv")
    page.goto(f"{server.url}/documents/{document}")
    choice = page.get_by_role("combobox", name="Encoding")
    umlaut = page.get_by_role("gridcell").filter(has_text=re.compile("[äöüß]")).first
    expect(umlaut).to_be_visible()
    expect(choice).to_have_value("Encoding detected: cp1252")

    choice.click()
    page.get_by_role("option", name=re.compile("^cp1251 ")).click()

    expect(page.get_by_role("gridcell").filter(has_text=re.compile("[а-я]")).first).to_be_visible()  # noqa: RUF001
    assert server.call("GET", f"/documents/{document}")["encoding"] == "cp1251"
    choice.click()
    page.get_by_role("option", name="Detect the encoding").click()
    expect(umlaut).to_be_visible()


@pytest.mark.req("U1")
def test_a_title_is_readable_over_the_empty_cells_beside_it(page: Page, server: Server) -> None:
    document = server.upload("members_list.xlsx")
    page.goto(f"{server.url}/documents/{document}")
    title = page.get_by_text("Members of the reading circle", exact=True)
    expect(title).to_be_visible()
    assert title.evaluate("text => text.scrollWidth <= text.clientWidth")
    below = page.get_by_role("gridcell", name="ada.moreau0@example.org")
    assert below.evaluate("cell => getComputedStyle(cell).overflow") == "hidden"


@pytest.mark.req("U1")
def test_the_run_whose_marks_are_drawn_is_chosen_by_a_label(page: Page, server: Server) -> None:
    document = server.upload("offset.xlsx")
    for _ in range(2):
        server.finished(server.submit(document))
    page.goto(f"{server.url}/documents/{document}")
    expect(page.get_by_text("Marks from the run")).to_be_visible()
    choice = page.get_by_role("combobox", name="Marks from the run")
    expect(choice).to_have_value(re.compile("newest"))
    choice.click()
    page.get_by_role("option").nth(1).click()
    expect(page).to_have_url(re.compile("run="))


@pytest.mark.req("U1")
def test_a_range_of_cells_is_copied_for_a_spreadsheet(page: Page, server: Server) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=server.url)
    document = server.upload("members_list.xlsx")
    page.goto(f"{server.url}/documents/{document}")
    page.get_by_role("gridcell", name="Employee ID").click()
    page.get_by_role("gridcell", name="Bruno Petrov").first.click(modifiers=["Shift"])
    expect(page.get_by_role("gridcell", selected=True)).to_have_count(6)
    page.keyboard.press("Shift+ArrowUp")
    expect(page.get_by_role("gridcell", selected=True)).to_have_count(4)
    page.keyboard.press("ControlOrMeta+c")
    expect(page.get_by_text("A4:B5 copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == "Employee ID\tName\nMB100000\tAda Moreau"
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("gridcell", selected=True)).to_have_text("MB100000")


@pytest.mark.req("U1")
def test_a_range_is_chosen_before_the_address_has_its_first_cell(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/documents/{server.upload('members_list.xlsx')}")
    expect(page.get_by_role("gridcell", name="Employee ID")).to_be_visible()
    clicking = """async (grid) => {
      const click = (name, shiftKey) =>
        grid.querySelector(name).dispatchEvent(new MouseEvent("click", { shiftKey, bubbles: true }));
      click("#cell-A4", false);
      await null;
      click("#cell-B6", true);
    }"""
    page.get_by_role("grid").evaluate(clicking)
    expect(page.get_by_role("gridcell", selected=True)).to_have_count(6)


@pytest.mark.req("U1")
def test_a_sheet_of_hundreds_of_columns_is_shown(page: Page, server: Server) -> None:
    header = ",".join(f"c{number}" for number in range(300))
    rows = [",".join(str(number * row) for number in range(300)) for row in range(1, 121)]
    document = server.upload_content("wide.csv", "\n".join([header, *rows]).encode())
    server.finished(server.submit(document))  # a run knows how wide its table is
    page.goto(f"{server.url}/documents/{document}?cell=B110")
    expect(page.get_by_role("gridcell", name="109", exact=True).first).to_be_visible()
