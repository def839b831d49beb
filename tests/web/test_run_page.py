"""What a run page tells, and what can be done from it."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from web.server import Server
from web.watch import GONE
from web.workbooks import Rows, workbook

pytestmark = pytest.mark.slow
SLOW = """import time

def on_workbook_start():
    time.sleep(600)
"""


@pytest.mark.req("U1", "E6")
def test_each_mapping_is_explained_by_its_contributions(page: Page, server: Server, sample_run: dict[str, Any]) -> None:
    page.goto(f"{server.url}/runs/{sample_run['id']}?tab=explanation")
    expect(page.get_by_text("Row 1 is the header")).to_be_visible()
    page.get_by_role("button", name=re.compile("Member ID")).click()
    reasons = page.get_by_role("list", name="Contributions")
    expect(reasons.get_by_text("The header is one of the field's names")).to_be_visible()
    expect(reasons.get_by_text("+1.00")).to_be_visible()


@pytest.mark.req("U1")
def test_an_issue_leads_to_its_cell(page: Page, server: Server, sample_run: dict[str, Any]) -> None:
    page.goto(f"{server.url}/runs/{sample_run['id']}?tab=issues")
    page.get_by_role("link", name="Members!D3").click()
    expect(page).to_have_url(re.compile(r"cell=D3"))
    expect(page.get_by_role("gridcell", selected=True)).to_have_text("not an address")
    expect(page.get_by_text("does not match the field's pattern")).to_be_visible()


@pytest.mark.req("U1")
def test_what_a_transform_changed_stands_beside_what_it_was(
    page: Page, server: Server, sample_run: dict[str, Any]
) -> None:
    page.goto(f"{server.url}/runs/{sample_run['id']}?tab=changes&changed=1")
    table = page.get_by_role("table", name="Before and after")
    expect(table.get_by_role("deletion")).to_have_text("mb100222")
    expect(table.get_by_role("insertion")).to_have_text("MB100222")


@pytest.mark.req("U1", "R6")
def test_run_again_makes_a_new_run_and_leaves_the_old_one(page: Page, server: Server) -> None:
    first = server.submit(server.upload("offset.xlsx"))
    server.finished(first)
    page.goto(f"{server.url}/runs/{first}")
    page.get_by_role("button", name="Run again").click()
    expect(page).not_to_have_url(re.compile(first))
    expect(page.get_by_role("tab", name="Result")).to_be_visible(timeout=60_000)
    assert server.call("GET", f"/runs/{first}")["status"] == "succeeded"


@pytest.mark.req("U1", "R5")
def test_a_queued_run_is_cancelled(page: Page, queue_server: Server) -> None:
    run = queue_server.submit(queue_server.upload("offset.xlsx"))
    page.goto(f"{queue_server.url}/runs/{run}")
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("Cancelled", exact=True)).to_be_visible()
    assert queue_server.call("GET", f"/runs/{run}")["status"] == "cancelled"


@pytest.mark.req("U1", "A3", "R5")
def test_the_log_of_a_run_is_watched_while_it_goes_on_until_it_is_cancelled(page: Page, server: Server) -> None:
    configuration = server.configure("Slow", {"hooks/act.py": SLOW})
    run = server.submit(server.upload("offset.xlsx"), configuration=configuration)
    page.goto(f"{server.url}/runs/{run}")
    log = page.get_by_role("log")
    expect(log.get_by_text("run.queued")).to_be_visible()
    expect(log.get_by_text("engine.run.started")).to_be_visible(timeout=60_000)
    expect(page.get_by_text("Running", exact=True)).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("Cancelled", exact=True)).to_be_visible(timeout=60_000)
    expect(page.get_by_role("button", name="Run again")).to_be_visible()


@pytest.mark.req("U1", "W4")
@pytest.mark.provokes(GONE)
def test_a_page_goes_on_by_itself_when_the_server_restarts_during_a_stream(page: Page, own_server: Server) -> None:
    own_server.call("POST", "/queue/pauses", {"scope": "all", "reason": "until the restart"})
    run = own_server.submit(own_server.upload("offset.xlsx"))
    page.goto(f"{own_server.url}/runs/{run}")
    log = page.get_by_role("log")
    expect(log.get_by_text("run.queued")).to_be_visible()
    own_server.stop()
    expect(page.get_by_text("The connection is lost.")).to_be_visible()
    own_server.start()
    expect(page.get_by_text("The connection is lost.")).to_be_hidden()
    for pause in own_server.call("GET", "/queue")["pauses"]:
        own_server.call("DELETE", f"/queue/pauses/{pause['id']}")
    expect(page.get_by_role("tab", name="Result")).to_be_visible(timeout=60_000)
    page.get_by_role("tab", name="Log").click()
    expect(log.get_by_text("engine.table.found")).to_be_visible()
    expect(log.get_by_text("run.queued")).to_have_count(1)


WAITING_COLUMN = """import time
from ade_engine import Field

field = Field("state", label="State")

def transform(value):
    if value == "stop":
        time.sleep(600)
    return value
"""


@pytest.fixture
def hasty_server(tmp_path: Path) -> Iterator[Server]:
    """A server that gives its runs back as soon as it is to stop."""
    with Server(tmp_path, ADE_SHUTDOWN_GRACE_SECONDS="1") as server:
        yield server


@pytest.mark.req("U1", "W4")
@pytest.mark.provokes(GONE)
def test_a_run_that_begins_again_counts_only_what_it_finds_now(page: Page, hasty_server: Server) -> None:
    halting = "import time\n\ndef before_write():\n    time.sleep(600)\n"
    configuration = hasty_server.configure("Halting", {"hooks/halt.py": halting})
    run = hasty_server.submit(hasty_server.upload("values_with_issues.xlsx"), configuration=configuration)
    page.goto(f"{hasty_server.url}/runs/{run}")
    mapped = page.get_by_role("log").get_by_text("engine.table.mapped")
    expect(mapped).to_have_count(1, timeout=60_000)
    hasty_server.stop()
    hasty_server.start()
    expect(mapped).to_have_count(2, timeout=60_000)
    progress = page.get_by_role("list", name="Progress")
    expect(progress.get_by_role("listitem").filter(has_text="Structure")).to_contain_text("1 table")
    expect(progress.get_by_role("listitem").filter(has_text="Mapping")).to_contain_text(re.compile(r"\d of 5 columns"))


@pytest.mark.req("U1")
def test_a_long_run_shows_how_many_rows_of_how_many_are_written(page: Page, server: Server) -> None:
    configuration = server.configure("Long", {"columns/state.py": WAITING_COLUMN})
    rows = "".join(f"MB{100000 + n},{'stop' if n == 10_500 else 'x'}\n" for n in range(12_800))
    document = server.upload_content("ledger.csv", f"Member ID,State\n{rows}".encode())
    run = server.submit(document, configuration=configuration)
    page.goto(f"{server.url}/runs/{run}")
    expect(page.get_by_text("10,240 of about 12,800 rows written")).to_be_visible(timeout=60_000)
    expect(page.get_by_role("progressbar", name="Rows of it")).to_have_attribute("aria-valuenow", "80")
    expect(page.get_by_role("log").get_by_text("10,240 rows so far")).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("Cancelled", exact=True)).to_be_visible(timeout=60_000)


@pytest.mark.req("U1")
def test_the_steps_of_a_run_are_listed_in_the_order_they_happen(
    page: Page, server: Server, sample_run: dict[str, Any]
) -> None:
    page.goto(f"{server.url}/runs/{sample_run['id']}?tab=details")
    expect(page.get_by_text(re.compile("^fetch .* prepare .* execute .* collect "))).to_be_visible()


def finished_run(server: Server, **sheets: Rows) -> str:
    """Run a workbook with these sheets; return the id of the run."""
    run = server.submit(server.upload_content("list.xlsx", workbook(sheets)))
    assert server.finished(run)["status"] == "succeeded"
    return run


@pytest.mark.req("U1")
def test_a_text_that_became_a_date_is_shown_as_changed(page: Page, server: Server) -> None:
    rows = [[f"MB{100000 + n}", f"p{n}@example.org", f"2024-01-{n + 1:02}"] for n in range(5)]
    run = finished_run(server, List=[["Member ID", "Email", "Joined on"], *rows])
    page.goto(f"{server.url}/runs/{run}")
    page.get_by_role("link").filter(has_text=re.compile("Values changed *5 *by")).click()
    page.get_by_role("switch", name="Changed rows only").check(force=True)
    table = page.get_by_role("table", name="Before and after")
    expect(table.get_by_role("cell").filter(has_text="text → date")).to_have_count(5)
    expect(table.get_by_role("columnheader", name="Joined on")).to_contain_text("from column C, 5 values changed")


@pytest.mark.req("U1")
def test_rows_beside_each_other_are_the_same_where_blank_ones_were_left_out(page: Page, server: Server) -> None:
    run = server.submit(server.upload("blank_rows.xlsx"))
    server.finished(run)
    page.goto(f"{server.url}/runs/{run}?tab=changes")
    table = page.get_by_role("table", name="Before and after")
    expect(table.get_by_role("row", name=re.compile("^3 MB100000"))).to_be_visible()
    expect(table.get_by_role("row", name=re.compile("^12 MB100259"))).to_be_visible()
    expect(table.get_by_role("deletion")).to_have_count(0)


@pytest.mark.req("U1")
def test_rows_that_are_left_out_are_shown_between_the_others(page: Page, server: Server) -> None:
    run = server.submit(server.upload("members_list.xlsx"))
    server.finished(run)
    page.goto(f"{server.url}/runs/{run}?tab=changes")
    expect(page.get_by_text("Left out of the result: title in rows 1 and 2, totals in row 29.")).to_be_visible()
    table = page.get_by_role("table", name="Before and after")
    expect(table.get_by_role("row", name=re.compile("^29 Grand total .*totals row, left out"))).to_be_visible()
    expect(table.get_by_role("columnheader", name="City")).to_contain_text("from column E, not mapped")
    wrong = table.get_by_role("cell", name="ask at the desk")
    expect(wrong).to_contain_text("does not match the field's pattern")
    expect(wrong).to_have_attribute("data-issue", "error")


@pytest.mark.req("U1")
def test_the_whole_result_can_be_looked_through_with_its_marks(page: Page, server: Server) -> None:
    rows: list[list[Any]] = [[f"MB{100000 + n}", f"p{n}@example.org", n * 1.5] for n in range(250)]
    rows[120][0], rows[121][1] = "mb100120", "nowhere"
    run = finished_run(server, List=[["Member ID", "Email", "Amount"], *rows])
    page.goto(f"{server.url}/runs/{run}")
    result = page.get_by_role("region", name="Rows of the result")
    expect(result.get_by_role("cell", name="MB100099")).to_be_attached()
    expect(page.get_by_text("Rows 1 to 100 of 250")).to_be_visible()
    page.get_by_role("button", name="Later").click()
    expect(page.get_by_text("Rows 101 to 200 of 250")).to_be_visible()
    expect(result.get_by_role("cell", name="MB100120")).to_have_attribute("title", "was mb100120")
    expect(result.get_by_role("cell", name="nowhere")).to_have_attribute("data-issue", "error")
    expect(result.get_by_role("cell", name="181.5", exact=True)).to_have_css("text-align", "right")
    page.get_by_role("button", name="Later").click()
    expect(result.get_by_role("cell", name="MB100249")).to_be_attached()
    expect(page.get_by_role("button", name="Later")).to_be_disabled()


@pytest.mark.req("U1")
def test_a_document_without_a_table_is_not_shown_as_mapped_or_clean(page: Page, server: Server) -> None:
    run = finished_run(server, Empty=[])
    page.goto(f"{server.url}/runs/{run}")
    mapped = page.get_by_role("link").filter(has_text="Columns mapped")
    expect(mapped).to_contain_text("no table was found")
    expect(mapped).not_to_contain_text("0 of 0")
    issues = page.get_by_role("link").filter(has_text=re.compile("^Issues"))
    expect(issues).to_be_visible()
    expect(issues.locator("[data-tone=good]")).to_have_count(0)


@pytest.mark.req("U1")
def test_rows_left_out_are_counted_with_titles_and_notes_and_lead_to_where_they_are(page: Page, server: Server) -> None:
    run = server.submit(server.upload("title_above_header.xlsx"))
    server.finished(run)
    page.goto(f"{server.url}/runs/{run}")
    page.get_by_role("link").filter(has_text=re.compile(r"Rows written.*\d left out")).click()
    expect(page.get_by_text(re.compile("not data: title in rows 1"))).to_be_visible()


@pytest.mark.req("U1")
def test_one_error_is_not_called_errors(page: Page, server: Server) -> None:
    run = finished_run(server, List=[["Member ID", "Email"], ["MB100000", "a@example.org"], ["MB100001", "nowhere"]])
    page.goto(f"{server.url}/runs/{run}")
    expect(page.get_by_text("1 error, 0 warnings")).to_be_visible()


def test_no_issues_are_not_called_right_where_fields_are_missing(page: Page, server: Server) -> None:
    content = workbook({"Members": [["Member ID", "Call"], *[[f"MB{100000 + n}", "x"] for n in range(9)]]})
    run = server.finished(server.submit(server.upload_content("no addresses.xlsx", content)))
    assert (run["verdict"], run["metrics"]["summary"]["issues"]["total"]) == ("check", 0)
    page.goto(f"{server.url}/runs/{run['id']}?tab=issues")
    panel = page.get_by_role("tabpanel")
    expect(panel).to_contain_text("No value that was checked has one. ")
    expect(panel).to_contain_text("not found")
    expect(panel).not_to_contain_text("Every value passed")


def test_a_document_without_a_table_leads_to_where_one_is_pointed_out(page: Page, server: Server) -> None:
    run = server.finished(server.submit(server.upload_content("nothing.xlsx", workbook({"Sheet1": []}))))
    page.goto(f"{server.url}/runs/{run['id']}?tab=explanation")
    page.get_by_role("tabpanel").get_by_role("link", name="review").click()
    expect(page.get_by_role("tab", name="Review")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_text("mark it as the header")).to_be_visible()
