"""On a telephone: everything can be hit, seen or scrolled to."""

from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from web.chromium import Chromium
from web.conftest import FLAGS
from web.server import Server
from web.test_pages import address, settled
from web.watch import Watch

pytestmark = [pytest.mark.slow, pytest.mark.req("U2")]
PAGES = {
    "home": "/",
    "documents": "/documents",
    "document": "/documents/{document}?run={run}&cell=D3",
    "runs": "/runs",
    "result": "/runs/{run}",
    "explanation": "/runs/{run}?tab=explanation",
    "review": "/runs/{run}?tab=review",
    "issues": "/runs/{run}?tab=issues",
    "before and after": "/runs/{run}?tab=changes",
    "log": "/runs/{run}?tab=log",
    "details": "/runs/{run}?tab=details",
    "queue": "/queue",
    "analytics": "/queue?tab=analytics",
    "configurations": "/configurations",
    "configuration": "/configurations/{configuration}",
    "new configuration": "/configurations/new?document={document}",
    "workbench": "/configurations/{configuration}/edit",
    "builds": "/builds",
    "build": "/builds/{build}",
    "workers": "/workers",
    "members": "/settings",
    "limits": "/settings?tab=limits",
    "audit": "/settings?tab=audit",
}
# A link within a sentence is as high as its line; what a label is around is hit by the label.
TOO_SMALL = """
() => {
  const kinds = "a[href], button, input, select, textarea, summary, [role=tab], [role=button], [role=option]";
  const isSeen = (one) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true })
    && one.getClientRects().length > 0 && !one.closest(".only-sr, [aria-hidden=true]");
  const isInSentence = (one) => getComputedStyle(one).display === "inline"
    && [...one.parentElement.childNodes].some((node) => node !== one && node.textContent.trim() !== "");
  const place = (one) => (one.closest("label") ?? one).getBoundingClientRect();
  return [...document.querySelectorAll(kinds)]
    .filter((one) => isSeen(one) && !isInSentence(one) && place(one).right > 0)
    .filter((one) => place(one).height < 23.9 || place(one).width < 23.9)
    .map((one) => `${Math.round(place(one).width)}x${Math.round(place(one).height)} ${one.outerHTML.slice(0, 180)}`);
}
"""


@pytest.fixture
def phone(watch: Watch) -> Page:
    """A page as narrow as a telephone."""
    return watch.page(viewport={"width": 390, "height": 844}, has_touch=True)


@pytest.mark.parametrize("name", PAGES)
def test_everything_on_a_page_can_be_hit_with_a_finger(
    phone: Page, server: Server, sample_run: dict[str, Any], name: str
) -> None:
    phone.goto(address(server, PAGES[name], sample_run))
    settled(phone)
    small = phone.evaluate(TOO_SMALL)
    assert not small, "\n".join(small)


@pytest.mark.parametrize("path", ["/", "/runs"])
def test_a_telephone_shows_how_many_issues_a_run_found(phone: Page, server: Server, path: str) -> None:
    run = server.finished(server.submit(server.upload("values_with_issues.xlsx")))
    phone.goto(server.url + path)
    row = phone.get_by_role("row").filter(has=phone.locator(f"a[href='/runs/{run['id']}']"))
    found = str(run["metrics"]["summary"]["issues"]["total"])
    # Down alone: the first column is in view anyway.
    phone.get_by_role("columnheader", name="Document").scroll_into_view_if_needed()
    expect(phone.get_by_role("columnheader", name="Issues")).to_be_in_viewport(ratio=0.9)
    row.get_by_role("link").first.scroll_into_view_if_needed()
    expect(row.get_by_role("cell", name=found, exact=True)).to_be_in_viewport(ratio=0.9)


@pytest.mark.parametrize(("path", "least"), [("/", 100), ("/documents", 100), ("/runs", 60)])
def test_a_telephone_has_room_for_the_names_of_documents(phone: Page, server: Server, path: str, least: int) -> None:
    run = server.finished(server.submit(server.upload("offset.xlsx", "members of the reading circle.xlsx")))
    phone.goto(server.url + path)
    name = phone.get_by_role("link", name="members of the reading circle.xlsx").first
    expect(name).to_be_visible()
    place = name.bounding_box()
    assert place is not None
    assert place["width"] >= least
    assert name.evaluate("(link) => link.clientHeight > parseFloat(getComputedStyle(link).lineHeight) * 1.5")
    row = phone.get_by_role("row").filter(has=phone.locator(f"a[href$='{run['id']}']")).first
    assert path == "/documents" or row.evaluate("(row) => row.getBoundingClientRect().height") < 46


def test_a_telephone_shows_what_a_draft_takes_out_of_a_line(phone: Page, server: Server, configuration: str) -> None:
    """That it can be read is what axe is asked at the end of each test."""
    field = 'from ade_engine import Field\n\nfield = Field("email", kind="email")\n'
    server.write_file(configuration, "columns/email.py", field)
    phone.goto(f"{server.url}/configurations/{configuration}")
    expect(phone.locator(".cm-deletedText").first).to_be_visible()


def test_facts_of_a_run_have_most_of_a_telephone(phone: Page, server: Server, sample_run: dict[str, Any]) -> None:
    phone.goto(f"{server.url}/runs/{sample_run['id']}?tab=details")
    value = phone.get_by_text(sample_run["id"], exact=True).locator("xpath=ancestor::dd")
    expect(value).to_be_visible()
    assert value.evaluate("(dd) => dd.clientWidth") > 180


@pytest.mark.parametrize("role", ["list", "tablist"])
def test_a_row_that_scrolls_sideways_shows_where_it_goes_on(
    phone: Page, server: Server, sample_run: dict[str, Any], role: str
) -> None:
    # The progress of a run that succeeded is folded to what fits.
    late = {"scheduled_at": "2100-01-01T00:00:00Z"}
    run_id = server.submit(server.upload("offset.xlsx"), **late) if role == "list" else sample_run["id"]
    phone.goto(f"{server.url}/runs/{run_id}")
    row = phone.get_by_role("list", name="Progress") if role == "list" else phone.get_by_role("tablist")
    expect(row).to_be_visible()
    assert row.evaluate("(row) => row.scrollWidth > row.clientWidth")
    layers = row.evaluate("(row) => getComputedStyle(row).backgroundAttachment")
    assert layers.startswith("local, local, scroll, scroll")
    if role == "list":
        server.call("POST", f"/runs/{run_id}/cancel")


def test_a_dialog_covers_the_page_to_its_right_edge(chromium: Chromium, browser: Browser, server: Server) -> None:
    """Scrollbars are shown here, as on most screens: their room belongs to the page too."""
    flags = [*FLAGS, "--no-sandbox"]
    environment: dict[str, str | float | bool] = dict(chromium.environment)
    seen = browser.browser_type.launch(
        executable_path=chromium.path, args=flags, env=environment, ignore_default_args=["--hide-scrollbars"]
    )
    page = seen.new_page(viewport={"width": 1440, "height": 900})
    page.goto(f"{server.url}/queue")
    title = page.get_by_role("heading", name="Queue", level=1)
    expect(title).to_be_visible()
    button = page.get_by_role("button", name="Pause…")
    before = button.bounding_box()
    button.click()
    expect(page.get_by_role("dialog")).to_be_visible()
    overlay = page.locator(".mantine-Modal-overlay").bounding_box()
    assert overlay is not None
    assert overlay["width"] == page.evaluate("window.innerWidth")
    assert button.bounding_box() == before  # and nothing below it moves
    seen.close()
