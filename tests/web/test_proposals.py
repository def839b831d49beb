"""What an operator corrects for one document comes to an author, who applies it from now on or declines it."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import FilePayload, Page, expect

from web.server import Server
from web.test_roles import add_account, signed_in
from web.watch import Watch
from web.workbooks import workbook

pytestmark = [pytest.mark.slow, pytest.mark.provokes("^401 ")]
HEADER = ["Member ID", "Contact", "Begin"]
ROWS = [[f"MB{100000 + n}", f"p{n}@example.org", f"2024-01-{n + 1:02}"] for n in range(20)]
ADA, OTTO = "ada@example.org", "otto@example.org"


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder: Path = tmp_path_factory.mktemp("proposing")
    with Server(folder, ADE_AUTH_MODE="team") as server:
        add_account(folder, ADA, "Ada")
        add_account(folder, OTTO, "Otto")
        yield server


def proposed(page: Page, server: Server, name: str, header: list[str]) -> str:
    """Upload a document, run it, and correct it for this document alone; return the address of the corrected run."""
    page.goto(server.url)
    content = workbook({"Members": [header, *ROWS]})
    mime = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    page.get_by_test_id("upload-input").set_input_files(FilePayload(name=name, mimeType=mime, buffer=content))
    page.get_by_role("button", name="Start the run").click()
    expect(page.get_by_role("tab", name="Review")).to_be_visible(timeout=60_000)
    page.get_by_role("tab", name="Review").click()
    before = page.url.split("?")[0]
    page.get_by_role("combobox", name="Column of Email").select_option(f"B · {header[1]}")
    page.get_by_role("button", name="Only this document").click()
    expect(page).not_to_have_url(re.compile(re.escape(before)))
    expect(page.get_by_text("They wait for an author")).to_be_visible(timeout=60_000)
    return page.url


@pytest.mark.req("U3")
def test_an_author_finds_what_operators_corrected_accepts_one_and_declines_another(watch: Watch, team: Server) -> None:
    ada = signed_in(watch, team, ADA)
    expect(ada.get_by_role("button", name="Run the sample")).to_be_enabled()
    ada.goto(f"{team.url}/settings")
    ada.get_by_role("combobox", name="Add").click()
    ada.get_by_role("option", name="Otto").click()
    ada.get_by_role("combobox", name="As").click()
    ada.get_by_role("option", name="Operator:").click()
    ada.get_by_role("button", name="Add", exact=True).click()
    expect(ada.get_by_role("table", name="Members").get_by_text("Otto", exact=True)).to_be_visible()

    otto = signed_in(watch, team, OTTO)
    expect(otto.get_by_role("button", name="Run the sample")).to_be_enabled()
    proposed(otto, team, "october.xlsx", HEADER)
    declined = proposed(otto, team, "odd.xlsx", ["Member ID", "Whom to call", "Begin"])
    otto.goto(f"{team.url}/proposals")
    expect(otto.get_by_role("button", name="Apply from now on… corrections of odd.xlsx")).to_be_disabled()

    ada.goto(team.url)
    ada.get_by_role("link", name="Corrections of 2 documents wait for an author").click()
    listed = ada.get_by_role("region", name="Starter")
    expect(listed.get_by_role("listitem").filter(has_text="october.xlsx")).to_contain_text("“Contact” is Email")
    ada.get_by_role("button", name="Decline… corrections of odd.xlsx").focus()
    ada.keyboard.press("Enter")
    ada.get_by_label("Why").fill("This sender only.")
    ada.keyboard.press("Tab")
    ada.get_by_role("dialog").get_by_role("button", name="Decline").press("Enter")
    expect(listed.get_by_role("listitem").filter(has_text="odd.xlsx")).to_have_count(0)

    ada.get_by_role("button", name="Apply from now on… corrections of october.xlsx").click()
    ada.get_by_role("dialog").get_by_role("button", name="Publish").click()
    expect(ada.get_by_text("Version 2 is published").first).to_be_visible()
    ada.goto(f"{team.url}/proposals")
    expect(ada.get_by_text("No corrections wait")).to_be_visible()
    ada.get_by_text("Accepted", exact=True).click()
    expect(ada.get_by_role("listitem").filter(has_text="october.xlsx").first).to_contain_text("they apply from now on")

    otto.goto(declined)
    expect(otto.get_by_text("“This sender only.”")).to_be_visible()


@pytest.mark.req("U3")
def test_a_correction_of_the_configuration_is_taken_back_on_its_page(
    page: Page, server: Server, configuration: str
) -> None:
    document = server.upload_content("members.xlsx", workbook({"Members": [HEADER, *ROWS]}))
    order = {
        "input_document_id": document,
        "corrections": [{"kind": "header", "header": "Contact", "field": "email"}],
        "note": "Knows Contact",
    }
    run = server.call("POST", f"/configurations/{configuration}/corrections", order)
    server.finished(run["id"])

    page.goto(f"{server.url}/runs/{run['id']}?tab=explanation")
    page.get_by_role("button", name=re.compile("^B Contact")).click()
    page.get_by_role("link", name="Corrections of the configuration").click()
    corrections = page.get_by_role("region", name="Corrections", exact=True)
    expect(corrections).to_contain_text("“Contact” is Email")
    expect(corrections).to_contain_text("from members.xlsx")
    corrections.get_by_role("button", name="Undo: “Contact” is Email").press("Enter")
    page.get_by_label("What is new").fill("Contact was wrong")
    page.get_by_role("dialog").get_by_role("button", name="Publish").click()

    expect(corrections).to_have_count(0)

    assert json.loads(server.read_file(configuration, "corrections.json"))["corrections"] == []
    newest = server.call("GET", f"/configurations/{configuration}/versions")["items"][0]
    assert (newest["status"], newest["note"]) == ("published", "Contact was wrong")


@pytest.mark.req("U3")
def test_a_correction_is_taken_back_after_the_cases_of_its_configuration_ran(
    page: Page, server: Server, configuration: str
) -> None:
    document = server.upload_content("members.xlsx", workbook({"Members": [HEADER, *ROWS]}))
    correction = {"kind": "header", "header": "Contact", "field": "email"}
    order = {"input_document_id": document, "corrections": [correction], "note": "Knows Contact"}
    run = server.call("POST", f"/configurations/{configuration}/corrections", order)
    server.finished(run["id"])
    server.call("POST", f"/configurations/{configuration}/versions", {})
    server.call("POST", f"/configurations/{configuration}/cases", {"run_id": run["id"]})

    page.goto(f"{server.url}/configurations/{configuration}")
    undo = page.get_by_role("button", name="Undo: “Contact” is Email")
    expect(undo).to_be_disabled()  # the draft would be published too
    server.call("POST", f"/configurations/{configuration}/publish", {"note": "with a case", "skip_tests": True})
    page.reload()
    undo.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Run the cases").click()
    expect(dialog.get_by_text("0 of 1 case passed.")).to_be_visible(timeout=60_000)
    expect(dialog.get_by_role("button", name="Publish")).to_be_disabled()
    dialog.get_by_role("button", name="Not yet").click()
    expect(undo).to_be_enabled()  # the draft is discarded again
