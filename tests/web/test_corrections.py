"""The review of a result: columns, rows and values are put right, tried at once, and kept for one document or all."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from web.server import Server
from web.workbooks import workbook

pytestmark = pytest.mark.slow
ROWS = [[f"MB{100000 + n}", f"p{n}@example.org", f"2024-01-{n + 1:02}", f"x{n}", f"y{n}"] for n in range(20)]
HEADER = ["Member ID", "Contact", "Begin", "城市", "国家"]


@pytest.fixture
def run(server: Server, configuration: str) -> str:
    """A finished run of a member list in which two fields were not found."""
    return finished(server, configuration, [HEADER, *ROWS])


def finished(server: Server, configuration: str, rows: list[list[str]]) -> str:
    document = server.upload_content("members.xlsx", workbook({"Members": rows}))
    run = server.submit(document, configuration=configuration)
    assert server.finished(run)["status"] == "succeeded"
    return run


def review(page: Page, server: Server, run: str) -> Locator:
    """Open the review; return what waits there."""
    page.goto(f"{server.url}/runs/{run}?tab=review")
    return page.get_by_role("region", name="Corrections")


def opened_run(page: Page, other_than: str) -> str:
    expect(page).not_to_have_url(re.compile(other_than))
    return page.url.split("/runs/")[1].split("?")[0]


def targets(server: Server, run: str) -> list[Any]:
    assert server.finished(run)["status"] == "succeeded"
    (table,) = server.call("GET", f"/runs/{run}/artifact")["sheets"][0]["tables"]
    return [column["target"] for column in table["columns"]]


@pytest.mark.req("U3")
def test_corrections_show_at_once_what_they_change_and_are_undone(page: Page, server: Server, run: str) -> None:
    waiting = review(page, server, run)
    page.get_by_role("button", name="Contact is Email").click()
    page.get_by_role("button", name="Begin is Joined on").click()
    expect(waiting.get_by_role("list", name="What changes")).to_contain_text("Columns mapped 1 → 3")
    waiting.get_by_role("button", name="Undo: “Contact” is Email").click()
    expect(waiting.get_by_role("list", name="What changes")).to_contain_text("Columns mapped 1 → 2")
    page.reload()
    expect(waiting.get_by_text("1 correction, not kept yet")).to_be_visible()
    waiting.get_by_role("button", name="Undo all").click()
    expect(page.get_by_role("button", name="Begin is Joined on")).to_be_visible()
    newest = server.call("GET", f"/workspaces/{server.workspace_id}/runs?is_newest=true&limit=100")["items"]
    assert run in [one["id"] for one in newest]


@pytest.mark.req("U3")
def test_a_document_alone_is_corrected_and_an_author_makes_it_hold_from_now_on(
    page: Page, server: Server, configuration: str, run: str
) -> None:
    waiting = review(page, server, run)
    page.get_by_role("combobox", name="Column of Email").select_option("B · Contact")
    expect(waiting.get_by_role("list", name="What changes")).to_contain_text("1 → 2")
    page.get_by_role("button", name="Only this document").click()
    alone = opened_run(page, run)
    assert targets(server, alone)[1] == "email"
    assert server.call("GET", f"/configurations/{configuration}")["published_version"] == 1

    expect(waiting.get_by_text("Corrected for this document alone by")).to_be_visible()
    page.get_by_role("button", name="Apply from now on…").click()
    page.get_by_label("What is new").fill("Knows Contact")
    page.get_by_role("dialog").get_by_role("button", name="Publish").click()
    expect(page.get_by_text("Version 2 is published").first).to_be_visible()
    kept = json.loads(server.read_file(configuration, "corrections.json"))["corrections"]
    assert [(one["header"], one["field"]) for one in kept] == [("Contact", "email")]
    versions = server.call("GET", f"/configurations/{configuration}/versions")["items"]
    assert versions[0]["note"] == "Knows Contact"


@pytest.mark.req("U3")
def test_a_column_that_became_the_wrong_field_becomes_another_and_the_next_correction_is_kept_too(
    page: Page, server: Server, configuration: str
) -> None:
    """The header is one of the old field's names, which still has it in its rule."""
    rows = [["Member ID", "E-Mail", "Begin"], *([f"MB{100000 + n}", f"p{n}@example.org", "x"] for n in range(20))]
    wrong = finished(server, configuration, rows)
    assert targets(server, wrong)[1] == "email"
    review(page, server, wrong)
    page.get_by_role("combobox", name="Column of Joined on").select_option("B · E-Mail")
    publish(page, "E-Mail is when they joined", version=2)
    right = finished(server, configuration, rows)
    assert targets(server, right) == ["member_id", "joined_on", None]

    review(page, server, right)
    page.get_by_role("button", name="Leave out: Begin").click()
    publish(page, "Nobody needs Begin", version=3)
    assert targets(server, finished(server, configuration, rows)) == ["member_id", "joined_on", None]
    assert server.call("GET", f"/configurations/{configuration}")["draft_version"] is None


def publish(page: Page, note: str, *, version: int) -> None:
    page.get_by_role("button", name="From now on…").click()
    page.get_by_label("What is new").fill(note)
    page.get_by_role("dialog").get_by_role("button", name="Publish").click()
    expect(page.get_by_text(f"Version {version} is published").first).to_be_visible()


@pytest.mark.req("U3")
def test_unknown_columns_become_fields_or_are_left_out_or_kept(page: Page, server: Server, run: str) -> None:
    waiting = review(page, server, run)
    page.get_by_role("button", name="New field: 城市").click()
    page.get_by_role("button", name="Keep: Contact").click()
    page.get_by_role("button", name="Leave out: 国家").click()
    expect(waiting.get_by_text("4 corrections, not kept yet")).to_be_visible()
    others = page.get_by_role("region", name="Other columns")
    expect(others.get_by_text("column B · kept as it is")).to_be_visible()
    expect(others.get_by_text("column E · left out")).to_be_visible()
    page.get_by_role("button", name="Only this document").click()
    assert targets(server, opened_run(page, run)) == ["member_id", None, None, "城市", None]


@pytest.mark.req("U3")
def test_a_row_becomes_the_header_with_the_keyboard_alone(page: Page, server: Server, configuration: str) -> None:
    run = finished(server, configuration, [HEADER, ["Member ID", "Email", "Joined", "Town", "Land"], *ROWS])
    waiting = review(page, server, run)
    grid = page.get_by_role("grid", name="Cells")
    grid.focus()
    grid.press("ArrowDown")
    button = page.get_by_role("combobox", name=re.compile(r"^Row 2 is"))
    expect(button).to_be_visible()
    button.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(waiting.get_by_text("Row 2 is the header")).to_be_visible()
    expect(waiting.get_by_role("list", name="What changes")).to_contain_text("Columns mapped")
    expect(page.get_by_role("button", name="From now on…")).to_be_disabled()
    page.get_by_role("button", name="Only this document").focus()
    page.keyboard.press("Enter")
    corrected = opened_run(page, run)
    server.finished(corrected)
    (table,) = server.call("GET", f"/runs/{corrected}/artifact")["sheets"][0]["tables"]
    assert table["header"]["rows"] == [2]


@pytest.mark.req("U3")
def test_a_configuration_with_cases_is_published_after_they_passed(
    page: Page, server: Server, configuration: str, run: str
) -> None:
    server.call("POST", f"/configurations/{configuration}/versions", {})
    server.call("POST", f"/configurations/{configuration}/cases", {"run_id": run})
    server.call("POST", f"/configurations/{configuration}/publish", {"note": "with a case", "skip_tests": True})
    review(page, server, run)
    page.get_by_role("button", name="Begin is Joined on").click()
    page.get_by_role("button", name="From now on…").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Run the cases").click()
    expect(dialog.get_by_text("0 of 1 case passed.")).to_be_visible(timeout=60_000)
    expect(dialog.get_by_role("button", name="Publish")).to_be_disabled()
    dialog.get_by_label("Publish it even though its cases have not passed").check()
    dialog.get_by_role("button", name="Publish").click()
    expect(page.get_by_text("Version 3 is published").first).to_be_visible()
    assert targets(server, opened_run(page, run))[2] == "joined_on"


@pytest.mark.req("U3")
def test_a_narrow_dark_review_needs_no_scrolling_to_the_side(page: Page, server: Server, run: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.emulate_media(color_scheme="dark")
    waiting = review(page, server, run)
    page.get_by_role("button", name="Contact is Email").click()
    expect(waiting.get_by_role("list", name="What changes")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
