"""Every page: for eyes, screen readers, keyboards, telephones and large screens; and nothing goes wrong on it."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from web.server import Server
from web.watch import serious

pytestmark = pytest.mark.slow
PAGES = {
    "home": "/",
    "documents": "/documents",
    "documents, none found": "/documents?name=nothing+has+this+name",
    "document": "/documents/{document}?run={run}&cell=D3",
    "runs": "/runs",
    "runs, none found": "/runs?status=failed&document={document}",
    "result": "/runs/{run}",
    "explanation": "/runs/{run}?tab=explanation&column=A1.A",
    "review": "/runs/{run}?tab=review",
    "issues": "/runs/{run}?tab=issues",
    "before and after": "/runs/{run}?tab=changes",
    "log": "/runs/{run}?tab=log",
    "details": "/runs/{run}?tab=details",
    "comparison": "/compare?before={run}&after={run}",
    "comparison of nothing": "/compare",
    "queue": "/queue",
    "plans": "/queue?tab=plans",
    "analytics": "/queue?tab=analytics",
    "configurations": "/configurations",
    "configuration": "/configurations/{configuration}",
    "workbench": "/configurations/{configuration}/edit?document={document}",
    "builds": "/builds",
    "build": "/builds/{build}",
    "workers": "/workers",
    "members": "/settings",
    "keys": "/settings?tab=keys",
    "limits": "/settings?tab=limits",
    "audit": "/settings?tab=audit",
    "a run there is not": "/runs/0197a000-0000-7000-8000-000000000000",
    "a page there is not": "/nowhere",
}


def file_action(page: Page, name: str) -> None:
    page.get_by_role("button", name="Actions for columns/email.py").click()
    page.get_by_role("menuitem", name=name).click()


def open_correction(page: Page) -> None:
    """Correct something, and open what publishes it."""
    page.get_by_role("button", name="Leave out: ").first.click()
    page.get_by_role("button", name="From now on…").click()


# What lies over a page: where, and what opens it.
DIALOGS: dict[str, tuple[str, Callable[[Page], None]]] = {
    "palette": ("/", lambda page: page.keyboard.press("ControlOrMeta+k")),
    "keys": ("/", lambda page: page.keyboard.press("?")),
    "pause": ("/queue", lambda page: page.get_by_role("button", name="Pause…").click()),
    "correction": (
        "/runs/{run}?tab=review",
        open_correction,
    ),
    "run": ("/documents/{document}", lambda page: page.get_by_role("button", name="Run", exact=True).click()),
    "new file": (
        "/configurations/{configuration}/edit",
        lambda page: page.get_by_role("button", name="New file…").click(),
    ),
    "rename a file": (
        "/configurations/{configuration}/edit?file=columns/email.py",
        lambda page: file_action(page, "Rename…"),
    ),
    "delete a file": (
        "/configurations/{configuration}/edit?file=columns/email.py",
        lambda page: file_action(page, "Delete…"),
    ),
    "new configuration": (
        "/configurations",
        lambda page: page.get_by_role("button", name="New", exact=True).click(),
    ),
}
# What shows a hand under the mouse must be reachable without one.
OUT_OF_REACH = """
() => [...document.querySelectorAll("main *, header *")].filter((element) => {
  const isHand = (one) => one && getComputedStyle(one).cursor === "pointer";
  if (!isHand(element) || isHand(element.parentElement) || element.getClientRects().length === 0) return false;
  const focusable = "a[href], button, input, select, textarea, summary, [tabindex]:not([tabindex='-1'])";
  return !element.matches(focusable) && !element.closest(focusable) && !element.querySelector(focusable)
    && !element.closest("label, [role=row], [role=option], [role=radiogroup]");
}).map((element) => element.outerHTML.slice(0, 200))
"""


def address(server: Server, path: str, run: dict[str, Any]) -> str:
    facts = {
        "run": run["id"],
        "document": run["input_document_id"],
        "configuration": run["configuration_id"],
        "build": run["build_id"],
    }
    return server.url + path.format(**facts)


def settled(page: Page) -> None:
    expect(page.locator("main")).to_be_visible()
    expect(page.locator("main h1, main [role=alert]").first).to_be_visible()
    expect(page.locator("[aria-busy=true]")).to_have_count(0)


def darken(page: Page) -> None:
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    expect(page.locator("html[data-mantine-color-scheme=dark]")).to_be_attached()


def width_at(page: Page, width: int) -> int:
    page.set_viewport_size({"width": width, "height": 844})
    settled(page)
    return int(page.evaluate("document.documentElement.scrollWidth"))


@pytest.mark.req("U2")
@pytest.mark.provokes("^404 GET /api/v1/runs/0197a000")
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_for_everyone(bare_page: Page, server: Server, sample_run: dict[str, Any], name: str) -> None:
    bare_page.goto(address(server, PAGES[name], sample_run))
    settled(bare_page)
    assert serious(bare_page) == []
    darken(bare_page)
    assert serious(bare_page) == []
    assert bare_page.evaluate(OUT_OF_REACH) == []
    assert width_at(bare_page, 1920) <= 1920
    assert width_at(bare_page, 390) <= 390  # and is checked so narrow at the end of the test


@pytest.mark.req("U2")
def test_nothing_moves_for_people_who_ask_for_less_motion(
    bare_page: Page, server: Server, sample_run: dict[str, Any]
) -> None:
    """Not for a moment either: a layout that comes a frame late is seen, and measured."""
    bare_page.goto(address(server, PAGES["explanation"], sample_run))
    settled(bare_page)
    lengths = "[...document.querySelectorAll('*')].map((one) => getComputedStyle(one).transitionDuration)"
    assert {length for one in bare_page.evaluate(lengths) for length in one.split(", ")} == {"0s"}


@pytest.mark.req("U2")
@pytest.mark.parametrize("name", DIALOGS)
def test_a_dialog_is_for_everyone(bare_page: Page, server: Server, sample_run: dict[str, Any], name: str) -> None:
    path, show = DIALOGS[name]
    bare_page.goto(address(server, path, sample_run))
    settled(bare_page)
    show(bare_page)
    expect(bare_page.get_by_role("dialog")).to_be_visible()
    expect(bare_page.locator("[role=menu]:visible")).to_have_count(0)  # the one that opened it may still be closing
    assert serious(bare_page) == []
    darken(bare_page)
    assert serious(bare_page) == []
    assert width_at(bare_page, 390) <= 390
    bare_page.keyboard.press("Escape")
    expect(bare_page.get_by_role("dialog")).to_be_hidden()
