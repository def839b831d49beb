"""Editing a configuration: edit, test, publish."""

import re

import pytest
from playwright.sync_api import Page, expect

from web.server import SAMPLES, Server

pytestmark = pytest.mark.slow


@pytest.mark.req("U1")
def test_a_rule_is_edited_tested_and_published(page: Page, server: Server, configuration: str) -> None:
    document = server.upload("values_with_issues.xlsx")
    page.goto(f"{server.url}/configurations/{configuration}/edit?document={document}")
    page.get_by_role("button", name="joined_on.py").click()
    editor = page.get_by_role("textbox", name="Content of columns/joined_on.py")
    expect(editor).to_contain_text("Start date")
    editor.click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text(
        "from ade_engine import Field\n\n"
        'field = Field("joined_on", label="Joined on", type="date", aliases=["Joined"])\n'
    )
    expect(page.get_by_role("heading", name="Version 2, a draft")).to_be_visible()
    page.keyboard.press("ControlOrMeta+Enter")
    mapping = page.get_by_role("table", name=re.compile("Mapping of"))
    expect(mapping.get_by_role("row", name=re.compile("Joined.*joined_on"))).to_be_visible(timeout=60_000)
    page.get_by_role("button", name="Publish…").click()
    page.get_by_label("What is new").fill("Knows Joined")
    page.get_by_role("button", name="Publish", exact=True).click()
    expect(page.get_by_text("Version 2 is published").first).to_be_visible()
    assert server.call("GET", f"/configurations/{configuration}")["published_version"] == 2


@pytest.mark.req("U1")
def test_a_mistake_is_told_with_its_line(page: Page, server: Server, configuration: str) -> None:
    page.goto(f"{server.url}/configurations/{configuration}/edit?file=columns/email.py")
    page.get_by_role("textbox", name="Content of columns/email.py").click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text("from ade_engine import Field\n\nfield = Field(\n")
    problems = page.get_by_role("region", name="Problems")
    expect(problems.get_by_text(re.compile(r"columns/email\.py:\d"))).to_be_visible()


def test_files_are_created_renamed_and_deleted(page: Page, server: Server, configuration: str) -> None:
    page.goto(f"{server.url}/configurations/{configuration}/edit?file=columns/email.py")
    files = page.get_by_role("navigation", name="Files")
    files.get_by_role("button", name="New file…").click()
    page.get_by_role("dialog").get_by_text("Hook", exact=True).click()
    page.get_by_label("What it does").fill("Say when empty")
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_role("textbox", name="Content of hooks/say_when_empty.py")).to_contain_text("on_table_end")
    page.get_by_role("button", name="Actions for hooks/say_when_empty.py").click()
    page.get_by_role("menuitem", name="Rename…").click()
    page.get_by_label("New path").fill("hooks/empty.py")
    page.get_by_role("button", name="Rename", exact=True).click()
    expect(page.get_by_role("textbox", name="Content of hooks/empty.py")).to_contain_text("on_table_end")
    expect(page.get_by_role("region", name="Problems").get_by_text("No problems found")).to_be_visible()
    page.get_by_role("button", name="Actions for hooks/empty.py").click()
    page.get_by_role("menuitem", name="Delete…").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(files.get_by_role("button", name="empty.py")).to_have_count(0)
    expect(files.get_by_role("button", name="say_when_empty.py")).to_have_count(0)
    listed = server.call("GET", f"/configurations/{configuration}/files")["items"]
    assert [file["path"] for file in listed if file["path"].startswith("hooks/")] == ["hooks/report.py"]


def test_a_document_that_is_not_among_the_newest_is_found_by_its_name(
    page: Page, server: Server, configuration: str
) -> None:
    document = server.upload("values_with_issues.xlsx", "found by name only.xlsx")
    # As if a hundred others had been uploaded since.
    page.route(
        lambda address: "/documents?" in address and "name=" not in address,
        lambda route: route.fulfill(json={"items": [], "next_cursor": None}),
    )
    page.goto(f"{server.url}/configurations/{configuration}/edit")
    page.get_by_role("combobox", name="Test with").fill("by name only")
    page.get_by_role("option", name="found by name only.xlsx").click()
    page.get_by_role("button", name="Test run").hover()
    expect(page.get_by_role("combobox", name="Test with")).to_have_value("found by name only.xlsx")
    expect(page).to_have_url(re.compile(document))


def test_what_the_rules_print_is_shown_with_the_test(page: Page, server: Server, configuration: str) -> None:
    document = server.upload("values_with_issues.xlsx")
    server.write_file(configuration, "hooks/talk.py", "def on_workbook_start():\n    print('hello from a hook')\n")
    page.goto(f"{server.url}/configurations/{configuration}/edit?document={document}")
    page.get_by_role("button", name="Test run").click()
    printed = page.get_by_role("region", name="Printed by the rules")
    expect(printed).to_contain_text("hello from a hook", timeout=60_000)


def test_arguments_of_a_field_and_hooks_are_completed(page: Page, server: Server, configuration: str) -> None:
    page.goto(f"{server.url}/configurations/{configuration}/edit?file=columns/email.py")
    editor = page.get_by_role("textbox", name="Content of columns/email.py")
    editor.click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text('from ade_engine import Field\n\nfield = Field("email", )\n')
    page.keyboard.press("ArrowUp")
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    page.keyboard.type("ali")
    expect(page.get_by_role("option", name="aliases")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_text("other headers it goes by")).to_be_visible()
    page.get_by_role("option", name="aliases").click()
    page.keyboard.type("E-Mail")
    expect(editor).to_contain_text('field = Field("email", aliases=["E-Mail"])')

    page.get_by_role("navigation", name="Files").get_by_role("button", name="report.py").click()
    editor = page.get_by_role("textbox", name="Content of hooks/report.py")
    editor.click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.press("Delete")
    page.keyboard.type("on_table_m")
    page.get_by_role("option", name="on_table_mapped").click()
    expect(editor).to_contain_text("def on_table_mapped(table, mapping):")


def test_a_hook_starts_with_the_moment_that_was_chosen(page: Page, server: Server, configuration: str) -> None:
    page.goto(f"{server.url}/configurations/{configuration}/edit")
    page.get_by_role("button", name="New file…").click()
    page.get_by_role("dialog").get_by_text("Hook", exact=True).click()
    page.get_by_label("What it does").fill("Keep members")
    page.get_by_label("Which hook").select_option("keep")
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_role("textbox", name="Content of hooks/keep_members.py")).to_contain_text("def keep(row)")
    expect(page.get_by_role("region", name="Problems").get_by_text("No problems found")).to_be_visible()


def test_what_a_running_test_prints_is_read_while_it_runs(page: Page, own_server: Server) -> None:
    configuration = own_server.configure("Talks")
    words = "import time\n\n\ndef on_workbook_start():\n    print('it began', flush=True)\n    time.sleep(600)\n"
    own_server.write_file(configuration, "hooks/talk.py", words)
    document = own_server.upload("values_with_issues.xlsx")
    page.goto(f"{own_server.url}/configurations/{configuration}/edit?document={document}")
    page.get_by_role("button", name="Test run").click()
    printed = page.get_by_role("region", name="Printed by the rules")
    expect(printed).to_contain_text("it began", timeout=60_000)
    sample = page.get_by_role("complementary", name="Sample")
    expect(sample.get_by_text("Running")).to_be_visible()
    [run] = own_server.call("GET", f"/workspaces/{own_server.workspace_id}/runs")["items"]
    own_server.call("POST", f"/runs/{run['id']}/cancel")
    expect(sample.get_by_text("Cancelled")).to_be_visible()
    expect(printed).to_contain_text("it began")


def test_a_test_run_shows_its_rows_and_becomes_a_case_that_later_changes_are_tested_with(
    page: Page, server: Server, configuration: str
) -> None:
    document = server.upload("values_with_issues.xlsx", "members of march.xlsx")
    page.goto(f"{server.url}/configurations/{configuration}/edit?document={document}&file=columns/joined_on.py")
    page.get_by_role("button", name="Test run").click()
    rows = page.get_by_role("table", name="Result of A1:E9")
    expect(rows.get_by_role("row", name=re.compile("^MB100000 .*2023-01-05"))).to_be_visible(timeout=60_000)
    cases = page.get_by_role("region", name="Cases of the draft")
    cases.get_by_role("button", name="Save this result as a case").click()
    cases.get_by_role("button", name="Run the cases").click()
    expect(cases.get_by_role("status")).to_have_text("1 of 1 case passed.", timeout=60_000)
    editor = page.get_by_role("textbox", name="Content of columns/joined_on.py")
    editor.click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text(
        'from ade_engine import Field\n\nfield = Field("joined_on", label="Came on", type="date", aliases=["Joined"])\n'
    )
    expect(cases.get_by_role("status")).to_have_text("Its cases were not run since the last edit.")
    cases.get_by_role("button", name="Run the cases").click()
    expect(cases.get_by_role("status")).to_have_text("0 of 1 case passed.", timeout=60_000)
    expect(cases).to_contain_text("Came on")


def test_a_workbook_of_a_case_is_downloaded_and_not_edited_as_text(
    page: Page, server: Server, configuration: str
) -> None:
    run = server.submit(server.upload("offset.xlsx", "one case.xlsx"), configuration=configuration)
    server.finished(run)
    server.call("POST", f"/configurations/{configuration}/cases", {"run_id": run})
    page.goto(f"{server.url}/configurations/{configuration}/edit")
    page.get_by_role("navigation", name="Files").get_by_role("button", name=re.compile("case.xlsx$")).click()
    expect(page.get_by_text("This is a workbook, which cannot be edited here.")).to_be_visible()
    expect(page.get_by_role("textbox", name=re.compile("^Content of"))).to_have_count(0)
    with page.expect_download() as download:
        page.get_by_role("link", name="Download it").click()
    assert download.value.path().read_bytes() == (SAMPLES / "offset.xlsx").read_bytes()
    page.get_by_role("button", name=re.compile("^Actions for tests")).click()
    expect(page.get_by_role("menuitem", name="Delete…")).to_be_visible()
    expect(page.get_by_role("menuitem", name="Rename…")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(page.get_by_role("menu")).to_have_count(0)


def test_what_changed_leads_back_to_the_file_that_was_edited(page: Page, server: Server, configuration: str) -> None:
    document = server.upload("values_with_issues.xlsx", "compared.xlsx")
    server.finished(server.submit(document, configuration=configuration))
    page.goto(f"{server.url}/configurations/{configuration}/edit?document={document}&file=hooks/report.py")
    page.get_by_role("button", name="Test run").click()
    page.get_by_role("link", name="What changed").click(timeout=60_000)
    page.get_by_role("link", name="Open the draft").click()
    expect(page.get_by_role("textbox", name="Content of hooks/report.py")).to_be_visible()
