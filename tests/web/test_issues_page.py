"""What is wrong in the data: shown with its value, counted exactly, gone through one by one."""

import csv
import io
import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from web.server import Server
from web.test_pages import width_at
from web.watch import serious

pytestmark = pytest.mark.slow
ROWS = 20_000


@pytest.fixture(scope="module")
def large_run(server: Server) -> dict[str, Any]:
    """A run with 26,667 issues: every second member id and date is wrong, and every third address."""
    lines = ["Member ID,Name,Email,Joined on"]
    for number in range(ROWS):
        member = f"MB{100_000 + number}" if number % 2 else f"nonsense {number}"
        email = f"p{number}@example.org" if number % 3 else "ask at the desk"
        lines.append(f"{member},Person {number},{email},{'soon' if number % 2 else '2024-01-05'}")
    document = server.upload_content("large.csv", "\n".join(lines).encode())
    found: dict[str, Any] = server.finished(server.submit(document))
    assert found["metrics"]["summary"]["issues"]["total"] == 26_667
    return found


def facet(page: Page, title: str) -> Locator:
    return page.get_by_role("group", name=title, exact=True).get_by_role("button")


def issues(page: Page) -> Locator:
    return page.get_by_role("table", name="Issues").locator("tbody tr[data-row]")


@pytest.mark.req("U1")
def test_facets_count_every_issue_of_a_large_run(page: Page, server: Server, large_run: dict[str, Any]) -> None:
    page.goto(f"{server.url}/runs/{large_run['id']}?tab=issues")
    expect(facet(page, "Rule")).to_have_text(["Rule of Member ID10,000", "Date10,000", "Pattern6,667"])
    expect(facet(page, "Field")).to_have_text(["Member ID10,000", "Joined on10,000", "Email6,667"])
    expect(page.get_by_role("status").filter(has_text="26,667 issues")).to_be_visible()
    expect(page.get_by_role("tab", name="Issues (26,667)")).to_be_visible()
    facet(page, "Rule").filter(has_text="Pattern").click()
    expect(page.get_by_role("status").filter(has_text="6,667 of 26,667 issues")).to_be_visible()
    expect(facet(page, "Field")).to_have_text(["Email6,667", "Member ID0", "Joined on0"])
    expect(issues(page).first).to_contain_text("C2")


@pytest.mark.req("U1")
def test_issues_far_down_a_large_list_can_be_reached(page: Page, server: Server, large_run: dict[str, Any]) -> None:
    page.goto(f"{server.url}/runs/{large_run['id']}?tab=issues&rule=pattern")
    expect(page.get_by_role("status").filter(has_text="6,667 of")).to_be_visible()
    page.get_by_label("Sort by").select_option("cell")
    expect(page.get_by_role("table", name="Issues")).to_have_attribute("aria-rowcount", "6667")
    page.keyboard.press("End")
    expect(page.get_by_role("link", name="C20000", exact=True)).to_be_visible()


@pytest.mark.req("U1")
def test_a_bad_row_far_down_a_large_sheet_is_marked(page: Page, server: Server, large_run: dict[str, Any]) -> None:
    document = large_run["input_document_id"]
    page.goto(f"{server.url}/documents/{document}?run={large_run['id']}&cell=D19999")
    cell = page.get_by_role("gridcell", selected=True)
    expect(cell).to_have_text("soon")
    expect(cell).to_have_attribute("data-issue", "error")
    expect(page.get_by_text("is not a date")).to_be_visible()
    expect(page.locator("#cell-D19998")).not_to_have_attribute("data-issue", "error")


@pytest.mark.req("U1")
def test_an_issue_shows_its_value_and_its_rule_in_plain_words(
    page: Page, server: Server, sample_run: dict[str, Any]
) -> None:
    page.goto(f"{server.url}/runs/{sample_run['id']}?tab=issues")
    row = issues(page).filter(has_text="Members!D3")
    expect(row).to_contain_text("not an address")
    expect(row).to_contain_text("Email")
    expect(row).to_contain_text("Pattern")


@pytest.mark.req("U1")
def test_issues_are_gone_through_one_by_one_with_the_row_around_them(
    page: Page, server: Server, large_run: dict[str, Any]
) -> None:
    page.goto(f"{server.url}/runs/{large_run['id']}?tab=issues")
    issues(page).first.get_by_text("must have 8 characters").click()
    panel = page.get_by_role("region", name="Issue", exact=True)
    expect(panel).to_contain_text("1 of 26,667")
    expect(panel.get_by_role("button", name="Previous issue")).to_be_disabled()
    expect(panel.get_by_role("cell", name="nonsense 0")).to_be_visible()
    expect(panel.get_by_role("cell", name="Person 0")).to_be_visible()
    panel.get_by_role("button", name="Next issue").click()
    expect(panel).to_contain_text("2 of 26,667")
    expect(panel).to_contain_text("ask at the desk")
    page.keyboard.press("n")
    expect(panel).to_contain_text("3 of 26,667")
    page.keyboard.press("p")
    expect(panel).to_contain_text("2 of 26,667")
    panel.get_by_role("link", name="Open in the document").click()
    expect(page).to_have_url(re.compile("cell=C2"))
    expect(page.get_by_role("gridcell", selected=True)).to_have_text("ask at the desk")


@pytest.mark.req("U1")
def test_header_and_facets_stay_while_the_list_scrolls(page: Page, server: Server, large_run: dict[str, Any]) -> None:
    page.goto(f"{server.url}/runs/{large_run['id']}?tab=issues")
    expect(issues(page).first).to_be_visible()
    page.mouse.move(900, 600)
    page.mouse.wheel(0, 4000)
    expect(page.get_by_role("link", name="A2", exact=True)).to_have_count(0)
    expect(page.get_by_role("columnheader", name="What is wrong")).to_be_in_viewport()
    expect(facet(page, "Rule").first).to_be_in_viewport()


@pytest.mark.req("U1")
def test_the_chosen_issues_are_downloaded_as_a_table(page: Page, server: Server, large_run: dict[str, Any]) -> None:
    page.goto(f"{server.url}/runs/{large_run['id']}?tab=issues&field=email")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download as CSV").click()
    assert download.value.suggested_filename == "large-issues.csv"
    rows = list(csv.reader(io.StringIO(download.value.path().read_text("utf-8-sig"))))
    assert rows[0] == ["Severity", "Sheet", "Cell", "Field", "What is wrong", "Rule"]
    assert len(rows) == 1 + 6667
    assert {row[3] for row in rows[1:]} == {"email"}


@pytest.mark.req("U1")
def test_on_a_small_screen_the_issues_come_first_and_their_message_is_whole(
    page: Page, server: Server, large_run: dict[str, Any]
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{server.url}/runs/{large_run['id']}?tab=issues")
    expect(issues(page).first).to_contain_text("nonsense 0")
    expect(facet(page, "Rule").first).to_be_hidden()
    message = issues(page).nth(1).get_by_text("does not match the field's pattern")
    assert message.evaluate("one => one.scrollWidth <= one.clientWidth && one.scrollHeight <= one.clientHeight + 1")
    page.get_by_role("button", name="Filter").click()
    facet(page, "Rule").filter(has_text="Date").click()
    expect(page.get_by_role("button", name="Only Date")).to_be_visible()
    expect(issues(page).first).to_contain_text("is not a date")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.req("U1")
def test_a_name_longer_than_its_facet_stays_inside_it(page: Page, server: Server, large_run: dict[str, Any]) -> None:
    page.goto(f"{server.url}/runs/{large_run['id']}?tab=issues")
    for button in facet(page, "Rule").all():
        assert button.evaluate("one => one.scrollWidth <= one.clientWidth")


@pytest.mark.req("U2")
def test_an_open_issue_is_for_everyone(page: Page, server: Server, sample_run: dict[str, Any]) -> None:
    page.goto(f"{server.url}/runs/{sample_run['id']}?tab=issues")
    issues(page).filter(has_text="Members!D3").get_by_text("does not match").click()
    expect(page.get_by_role("region", name="Row 3").get_by_role("cell", name="not an address")).to_be_visible()
    assert serious(page) == []
    assert width_at(page, 390) <= 390
    assert serious(page) == []


VALUE_RULES = """
from ade_engine import Field

fields = [
    Field("name", label="Name"),
    Field("land", label="Land", choices=["Germany", "Norway", "Austria"]),
    Field("city", label="City", pattern="[A-Z][a-z]+"),
]
"""


@pytest.mark.req("U1")
def test_values_with_issues_are_decided_about_once_for_all_of_their_cells(page: Page, server: Server) -> None:
    rows = ["Name,Land,City"]
    rows += [f"P{n},{'Gremany' if n < 4 else 'Norway'},{'bonn' if n in (5, 6) else 'Oslo'}" for n in range(1, 13)]
    rows += ["X,Atlantis,BONN", "Y,unknown,Oslo"]
    configuration = server.configure("values", {"columns/all.py": VALUE_RULES})
    document = server.upload_content("values.csv", ("\n".join(rows) + "\n").encode())
    run = server.finished(server.submit(document, configuration=configuration))
    page.goto(f"{server.url}/runs/{run['id']}?tab=issues")
    page.get_by_text("By value", exact=True).click()
    land = page.get_by_role("region", name="Values of Land")
    expect(land).to_contain_text("Gremany")
    expect(land).to_contain_text("× 3")
    actions = page.get_by_role("group", name="What becomes of Gremany")
    actions.get_by_role("button", name="Germany").click()
    expect(actions).to_contain_text("becomes “Germany”")
    page.get_by_role("button", name="Undo what becomes of Gremany").click()
    actions.get_by_role("combobox", name="What Gremany means").select_option("Austria")
    page.get_by_role("group", name="What becomes of Atlantis").get_by_role("button", name="It is right").click()
    page.get_by_role("group", name="What becomes of unknown").get_by_role("button", name="Leave the row out").click()
    city = page.get_by_role("region", name="Values of City")
    city.get_by_role("button", name="1 group of similar values").click()
    city.get_by_role("textbox", name=re.compile("^One spelling")).fill("Bonn")
    city.get_by_role("button", name="Use it for 3 cells").click()
    page.get_by_role("button", name="Run this document with them").click()
    expect(page).not_to_have_url(re.compile(run["id"]), timeout=60_000)
    again = server.finished(page.url.partition("/runs/")[2].partition("?")[0])
    assert len(again["corrections"]) == 5
    assert server.call("GET", f"/runs/{again['id']}/issues/values")["items"] == []
    cells = server.call("GET", f"/runs/{again['id']}/output/cells?range=A1:C20")["rows"]
    output = [[cell and cell["value"] for cell in row["cells"]] for row in cells]
    assert output[1][:3] == ["P1", "Austria", "Oslo"]
    assert [row[2] for row in output if row[0] in ("P5", "P6", "X")] == ["Bonn"] * 3
    assert [row[0] for row in output][-2:] == ["P12", "X"]


def test_the_cells_of_a_value_lead_to_the_document(page: Page, server: Server, sample_run: dict[str, Any]) -> None:
    page.goto(f"{server.url}/runs/{sample_run['id']}?tab=issues&by=value")
    page.get_by_role("button", name="Show cells").first.click()
    page.get_by_role("main").get_by_role("link", name=re.compile("[A-Z]+[0-9]+$")).first.click()
    expect(page.get_by_role("grid", name="Cells")).to_be_visible()
