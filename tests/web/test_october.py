"""October: last month's file with other headers, another place, bad dates and a new value is put right without code."""

import re
import urllib.request
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from web.server import Server
from web.workbooks import workbook

pytestmark = pytest.mark.slow
STATUS = """from ade_engine import Field

field = Field("status", label="Status", choices=["active", "paused", "left"])
"""
STATES = ("active", "paused", "left")
SEPTEMBER = ["Member ID", "Email", "Joined on", "Status"]
OCTOBER = ["Member ID", "Contact", "Begin", "Status"]
MOST_CLICKS = 8


def members(count: int) -> list[list[Any]]:
    return [
        [f"MB{100000 + n}", f"p{n}@example.org", f"2024-{n % 12 + 1:02}-{n % 28 + 1:02}", STATES[n % 3]]
        for n in range(count)
    ]


def september() -> bytes:
    """Return the file of September: the headers in the first row."""
    return workbook({"Members": [SEPTEMBER, *members(38)]})


def october() -> bytes:
    """Return the file of October: titles above, two other headers, three bad dates, a value nobody has seen."""
    rows = members(40)
    for place, words in ((4, "soon"), (11, "next spring"), (23, "unknown")):
        rows[place][2] = words
    rows[30][3] = "actve"
    return workbook({"Members": [["Members of the club"], ["As of 31 October"], [], OCTOBER, *rows]})


class Clicks:
    """Clicks, and counts them."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, target: Locator) -> None:
        self.count += 1
        target.click()


@pytest.fixture
def months(server: Server) -> tuple[str, str, str]:
    """September's run, which is ready, and October's, which is not; with their configuration."""
    configuration = server.configure("October", {"columns/status.py": STATUS})
    runs = []
    for name, content in (("september.xlsx", september()), ("october.xlsx", october())):
        runs.append(server.submit(server.upload_content(name, content), configuration=configuration))
    verdicts = [server.finished(run)["verdict"] for run in runs]
    assert verdicts == ["ready", "check"]
    return configuration, runs[0], runs[1]


def output(server: Server, run: str) -> bytes:
    """Return the result of a run."""
    with urllib.request.urlopen(f"{server.url}/api/v1/runs/{run}/output", timeout=60) as answer:
        return bytes(answer.read())


@pytest.mark.req("U3")
def test_october_is_put_right_in_eight_clicks_and_september_stays_as_it_was(
    page: Page, server: Server, months: tuple[str, str, str]
) -> None:
    configuration, before, run = months
    page.goto(f"{server.url}/runs/{run}")
    click = Clicks()

    click(page.get_by_role("tab", name="Review"))
    fields = page.get_by_role("region", name="Fields")
    expect(fields.get_by_text(re.compile("40 of 40 look like e-mail addresses"))).to_be_visible()
    click(fields.get_by_role("button", name="Contact is Email"))
    click(fields.get_by_role("button", name="Begin is Joined on"))
    click(page.get_by_role("region", name="Values of Joined on").get_by_role("button", name="Make all 3 empty"))
    click(page.get_by_role("region", name="Values of Status").get_by_role("button", name="active", exact=True))
    corrections = page.get_by_role("region", name="Corrections")
    expect(corrections.get_by_text("6 corrections, not kept yet")).to_be_visible()
    expect(corrections.get_by_role("status")).to_contain_text("Ready")
    click(page.get_by_role("button", name="From now on…"))
    click(page.get_by_role("dialog").get_by_role("button", name="Publish"))

    expect(page.get_by_text("Version 2 is published").first).to_be_visible()
    expect(page.get_by_role("heading", name=re.compile("october.xlsx.*Ready"))).to_be_visible()
    assert click.count <= MOST_CLICKS
    made = page.url.split("/runs/")[1].split("?")[0]
    assert (server.finished(made)["version"], server.finished(made)["is_test"]) == (2, False)
    again = server.submit(server.call("GET", f"/runs/{before}")["input_document_id"], configuration=configuration)
    assert server.finished(again)["version"] == 2
    assert output(server, again) == output(server, before)
