"""Two runs side by side: what is the same stays the same wherever it is, and nothing leads nowhere."""

import re

import pytest
from playwright.sync_api import Page, expect

from web.server import Server

pytestmark = pytest.mark.slow
ROWS = "".join(f"MB{100000 + n},p{n}@example.org,{n + 1:02}.01.2024\n" for n in range(20))
LIST = f"Member ID,E-Mail,Member since\n{ROWS}"
UNKNOWN = f"Member ID,E-Mail,Entry\n{ROWS}"


def run_of(server: Server, content: str, *, configuration: str) -> str:
    run = server.submit(server.upload_content("members.csv", content.encode()), configuration=configuration)
    assert server.finished(run)["status"] == "succeeded"
    return run


def test_a_table_further_down_is_the_same_table(page: Page, server: Server, configuration: str) -> None:
    before = run_of(server, LIST, configuration=configuration)
    after = run_of(server, f"Members of the club\n\n{LIST}", configuration=configuration)
    page.goto(f"{server.url}/compare?before={before}&after={after}")
    expect(page.get_by_text("Both decided the same")).to_be_visible()


def test_a_renamed_column_is_named_with_both_headers(page: Page, server: Server, configuration: str) -> None:
    before = run_of(server, LIST, configuration=configuration)
    after = run_of(server, LIST.replace("Member since", "Start date"), configuration=configuration)
    page.goto(f"{server.url}/compare?before={before}&after={after}")
    changed = page.get_by_role("table", name="Columns mapped differently")
    expect(
        changed.get_by_role("row", name=re.compile("Member since → Start date Joined on.*Joined on"))
    ).to_be_visible()
    expect(changed.get_by_role("row")).to_have_count(2)


def test_values_that_become_dates_are_no_warning(page: Page, server: Server, configuration: str) -> None:
    before = run_of(server, UNKNOWN, configuration=configuration)
    after = run_of(server, LIST, configuration=configuration)
    for first, second, sign in ((before, after, "+"), (after, before, "−")):  # noqa: RUF001
        page.goto(f"{server.url}/compare?before={first}&after={second}")
        values = page.get_by_text("Values changed").locator("..")
        expect(values).to_contain_text(f"{sign}20")
        expect(values.locator("[data-better]")).to_have_count(0)
        expect(page.get_by_text("Columns mapped").locator("..").locator("[data-better]")).to_have_count(1)


def test_a_test_run_that_failed_is_not_compared_with(page: Page, server: Server, configuration: str) -> None:
    document = server.upload_content("members.csv", UNKNOWN.encode())
    published = server.submit(document, configuration=configuration)
    assert server.finished(published)["status"] == "succeeded"
    path = "columns/joined_on.py"
    right = server.read_file(configuration, path)
    server.write_file(configuration, path, right + "raise RuntimeError('not yet')\n")
    page.goto(f"{server.url}/configurations/{configuration}/edit?document={document}&file={path}")
    sample = page.get_by_role("complementary", name="Sample")
    page.get_by_role("button", name="Test run").click()
    expect(sample.get_by_text("Failed")).to_be_visible(timeout=60_000)
    editor = page.get_by_role("textbox", name=f"Content of {path}")
    editor.click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text(right.replace('"Member since"', '"Entry"'))
    page.get_by_role("button", name="Test run").click()
    expect(sample.get_by_text(re.compile("^(Ready|Check|Not usable)$"))).to_be_visible(timeout=60_000)
    sample.get_by_role("link", name="What changed").click()
    changed = page.get_by_role("table", name="Columns mapped differently")
    expect(changed.get_by_role("row", name=re.compile("Joined on"))).to_be_visible()


def test_a_run_without_a_result_leads_to_the_other_one(page: Page, server: Server, configuration: str) -> None:
    good = run_of(server, LIST, configuration=configuration)
    server.write_file(configuration, "hooks/report.py", "def on_workbook_start():\n    raise RuntimeError\n")
    order = {"input_document_id": server.call("GET", f"/runs/{good}")["input_document_id"]}
    bad = server.finished(server.call("POST", f"/configurations/{configuration}/test-run", order)["id"])
    assert bad["status"] == "failed"
    page.goto(f"{server.url}/compare?before={bad['id']}&after={good}")
    expect(page.get_by_text("The earlier run has no result")).to_be_visible()
    page.get_by_role("link", name="Open the other run").click()
    expect(page).to_have_url(re.compile(good))
