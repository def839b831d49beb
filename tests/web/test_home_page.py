"""What Home counts, and where its numbers lead."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from web.server import Server

pytestmark = pytest.mark.slow
BROKEN = """def on_workbook_start():
    raise ValueError("broken on purpose")
"""


@pytest.fixture(scope="module")
def mixed_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose one document with issues was run twice, and which has failed, test and cancelled runs."""
    with Server(tmp_path_factory.mktemp("mixed")) as server:
        document = server.upload("values_with_issues.xlsx", "two runs.xlsx")
        for _ in range(2):
            server.finished(server.submit(document))
        broken = server.configure("Broken", {"hooks/act.py": BROKEN})
        server.finished(server.submit(server.upload("offset.xlsx", "failed.xlsx"), configuration=broken))
        server.write_file(broken, "hooks/act.py", BROKEN + "\n")
        tested = {"input_document_id": server.upload("offset.xlsx", "tested.xlsx")}
        server.finished(server.call("POST", f"/configurations/{broken}/test-run", tested)["id"])
        pause = server.call("POST", "/queue/pauses", {"scope": "all", "reason": "for the test"})
        server.call("POST", f"/runs/{server.submit(server.upload('offset.xlsx', 'called off.xlsx'))}/cancel")
        server.call("DELETE", f"/queue/pauses/{pause['id']}")
        yield server


def tile(page: Page, label: str) -> Locator:
    return page.get_by_role("link", name=re.compile(f"^{label}"))


@pytest.mark.req("U1")
def test_issues_and_failures_are_those_of_the_newest_run_of_each_document(page: Page, mixed_server: Server) -> None:
    issues = mixed_server.call("GET", f"/workspaces/{mixed_server.workspace_id}/overview")["issue_count"]
    assert issues > 0
    page.goto(mixed_server.url)
    expect(tile(page, "Issues found")).to_have_text(f"Issues found{issues}in 1 of 2 documents")
    expect(tile(page, "Failed")).to_have_text("Failed1of 2 documents")
    expect(tile(page, "Running")).to_have_text(re.compile("^Running0of"))
    expect(tile(page, "Waiting")).to_have_text("Waiting0of 0 in the queue")


@pytest.mark.req("U1")
def test_a_number_leads_to_the_runs_it_counts(page: Page, mixed_server: Server) -> None:
    page.goto(mixed_server.url)
    tile(page, "Failed").click()
    runs = page.get_by_role("table", name="Runs")
    expect(runs.get_by_role("link", name="failed.xlsx")).to_have_count(1)
    expect(runs.locator("tbody tr[data-row]")).to_have_count(1)
    page.go_back()
    tile(page, "Issues found").click()
    expect(runs.get_by_role("link", name="two runs.xlsx")).to_have_count(1)
    expect(runs.locator("tbody tr[data-row]")).to_have_count(1)
    page.get_by_role("button", name="Only the newest run of each document with issues").click()
    expect(runs.locator("tbody tr[data-row]")).to_have_count(5)


@pytest.mark.req("U1")
def test_recent_runs_are_neither_test_runs_nor_cancelled_ones(page: Page, mixed_server: Server) -> None:
    page.goto(mixed_server.url)
    recent = page.get_by_role("table", name="Recent runs")
    expect(recent.get_by_role("link", name="two runs.xlsx")).to_have_count(2)
    expect(recent.get_by_role("link", name="failed.xlsx")).to_have_count(1)
    expect(recent.locator("tbody tr[data-row]")).to_have_count(3)


@pytest.mark.req("U1", "Q12")
def test_home_says_that_everything_is_paused_and_why(page: Page, queue_server: Server) -> None:
    page.goto(queue_server.url)
    expect(page.get_by_role("button", name="Choose files")).to_be_visible()
    expect(page.get_by_text("Everything is paused.")).to_be_hidden()
    queue_server.call("POST", "/queue/pauses", {"scope": "all", "reason": "Month end"})
    expect(page.get_by_text("Everything is paused.")).to_be_visible()
    expect(page.get_by_text("Month end")).to_be_visible()
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_text("Everything is paused.")).to_be_hidden()
    assert queue_server.call("GET", "/queue")["pauses"] == []


@pytest.mark.req("U1")
def test_more_runs_waiting_than_a_list_shows_are_counted(page: Page, long_queue_server: Server) -> None:
    server = long_queue_server
    documents = [server.upload_content(f"{number}.csv", f"Name\n{number}\n".encode()) for number in range(101)]
    address = f"/configurations/{server.configuration_id}/runs/batch"
    server.call("POST", address, {"input_document_ids": documents})
    page.goto(server.url)
    expect(tile(page, "Waiting")).to_have_text("Waiting101of 101 in the queue")
