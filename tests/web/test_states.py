"""Every page while it loads, after an error of the server, with nothing to show, and with long and many things."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from web.server import Server
from web.test_pages import PAGES, address, settled
from web.watch import serious
from web.workbooks import workbook

pytestmark = pytest.mark.slow
LONG = "Quarterly delivery of all member organisations of the northern and southern regions, final version (3)"
HEADER = ["Member ID", "Email", "Joined on"]
MONTHS = [f"{month} of the year 2024" for month in ("January", "February", "March", "April", "May", "June", "July")]
# What a page asks for first, of whom it shows and where.
NEEDED = re.compile(r"/api/v1/(session|workspaces|events|meta)(\?|$)")
ALL = re.compile("/api/v1/")
PROBLEM = '{"type": "about:blank", "title": "Internal error", "status": 500, "code": "internal", "detail": "It broke."}'
TABS = ["", "?tab=explanation", "?tab=review", "?tab=issues"]
ALL_TABS = [*TABS, "?rows=all", "?tab=issues&by=value", "?tab=changes", "?tab=log", "?tab=details"]
TABS_OF = {"long": ALL_TABS, "blank": ALL_TABS, "failed": ALL_TABS[-2:], "waiting": ALL_TABS[-2:]}
ASK_NOTHING = {"comparison of nothing", "members", "keys", "a page there is not"}  # in local mode
OF_LISTS = ["home", "documents", "runs", "queue", "plans", "analytics", "configurations", "builds", "workers", "audit"]


def row(number: int) -> list[Any]:
    return [f"MB{100000 + number}", f"p{number}@example.org", f"2024-01-{number % 28 + 1:02}"]


CROWDED: dict[str, dict[str, list[list[Any]]]] = {
    "long": {
        f"Sheet {LONG}"[:31]: [
            [*HEADER, f"{LONG}, as the sender calls it"],
            *([*row(n), f"{'x' * 120} {n}"] for n in range(20)),
            ["MB1", "not an address but a sentence that does not fit into its cell", "soon", LONG],
        ]
    },
    "many sheets": {name: [HEADER, *map(row, range(5))] for name in MONTHS},
    "wide": {"Wide": [[*HEADER, *(f"Column {n}" for n in range(60))], *([*row(n), *range(60)] for n in range(9))]},
    "many issues": {"Issues": [HEADER, *([f"x{n}", f"nobody {n}", f"day {n}"] for n in range(400))]},
    "blank": {"Blank": []},
    "of another kind": {"Food": [["Food", "Energy"], ["Apple", 52], ["Bread", 265]]},
}


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, dict[str, str]]]:
    """A server with results of every kind, each with the long name, and many runs that wait."""
    with Server(tmp_path_factory.mktemp("crowded")) as server:
        broken = server.configure(
            f"{LONG} (broken)"[:100], {"hooks/act.py": f"def on_workbook_start():\n    raise ValueError({LONG!r})\n"}
        )
        runs = {
            kind: server.submit(server.upload_content(f"{LONG}, {kind}.xlsx", workbook(sheets)))
            for kind, sheets in CROWDED.items()
        }
        runs["failed"] = server.submit(server.upload("offset.xlsx", f"{LONG}.xlsx"), configuration=broken)
        for run in runs.values():
            server.finished(run)
        server.call("POST", "/queue/pauses", {"scope": "all", "reason": LONG})
        document = server.upload("offset.xlsx", f"{LONG} that waits.xlsx")
        runs["waiting"] = [server.submit(document, priority=50 + n) for n in range(40)][-1]
        yield server, runs


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server nobody has used."""
    with Server(tmp_path_factory.mktemp("empty")) as server:
        yield server


def expect_for_everyone(page: Page) -> None:
    """Expect no serious finding of axe, and no page that scrolls sideways, in light and dark, wide and narrow."""
    found: list[str] = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        expect(page.locator(f"html[data-mantine-color-scheme={scheme}]")).to_be_attached()
        for width in (1920, 390):
            page.set_viewport_size({"width": width, "height": 844})
            page.wait_for_timeout(50)  # an observer of sizes tells the next frame what it saw
            found += [f"{scheme}, {width}: {one}" for one in serious(page)]
            if page.evaluate("document.documentElement.scrollWidth") > width:
                found.append(f"{scheme}, {width}: the page scrolls sideways")
    assert not found, "\n".join(found)


@pytest.mark.req("U2")
@pytest.mark.parametrize("name", OF_LISTS)
def test_a_page_without_anything_on_it_is_for_everyone(bare_page: Page, empty: Server, name: str) -> None:
    bare_page.goto(empty.url + PAGES[name])
    settled(bare_page)
    expect_for_everyone(bare_page)


@pytest.mark.req("U2")
@pytest.mark.parametrize("name", OF_LISTS)
def test_a_list_of_long_and_many_things_is_for_everyone(
    bare_page: Page,
    crowded: tuple[Server, dict[str, str]],
    name: str,
) -> None:
    bare_page.goto(crowded[0].url + PAGES[name])
    settled(bare_page)
    expect_for_everyone(bare_page)


@pytest.mark.req("U2")
@pytest.mark.parametrize("kind", [*CROWDED, "failed", "waiting"])
def test_a_run_of_any_kind_is_for_everyone(
    bare_page: Page,
    crowded: tuple[Server, dict[str, str]],
    kind: str,
) -> None:
    server, runs = crowded
    for tab in TABS_OF.get(kind, TABS):
        bare_page.goto(f"{server.url}/runs/{runs[kind]}{tab}")
        settled(bare_page)
        expect_for_everyone(bare_page)


@pytest.mark.req("U2")
@pytest.mark.parametrize("kind", CROWDED)
def test_a_document_of_any_kind_is_for_everyone(
    bare_page: Page,
    crowded: tuple[Server, dict[str, str]],
    kind: str,
) -> None:
    server, runs = crowded
    document = server.call("GET", f"/runs/{runs[kind]}")["input_document_id"]
    bare_page.goto(f"{server.url}/documents/{document}?cell=B2")
    settled(bare_page)
    expect_for_everyone(bare_page)


def refuse(route: Route) -> None:
    if NEEDED.search(route.request.url):
        route.continue_()
    else:
        route.fulfill(status=500, content_type="application/problem+json", body=PROBLEM)


@pytest.mark.req("U2")
@pytest.mark.provokes("^500 ")
@pytest.mark.parametrize("name", PAGES)
def test_a_page_whose_server_answers_with_errors_says_so_to_everyone(
    bare_page: Page,
    server: Server,
    sample_run: dict[str, Any],
    name: str,
) -> None:
    bare_page.route(ALL, refuse)
    bare_page.goto(address(server, PAGES[name], sample_run))
    settled(bare_page)
    if name not in ASK_NOTHING:
        expect(bare_page.get_by_role("alert").first).to_contain_text("It broke.")
        expect(bare_page.get_by_role("button", name="Load again").first).to_be_visible()
    expect_for_everyone(bare_page)


@pytest.mark.req("U2")
@pytest.mark.parametrize("name", PAGES)
def test_a_page_that_still_loads_is_for_everyone(
    bare_page: Page,
    server: Server,
    sample_run: dict[str, Any],
    name: str,
) -> None:
    held: list[Route] = []
    bare_page.route(ALL, lambda route: route.continue_() if NEEDED.search(route.request.url) else held.append(route))
    bare_page.goto(address(server, PAGES[name], sample_run))
    expect(bare_page.locator("main")).to_be_visible()
    expect(bare_page.locator("main > *").first).to_be_attached()
    expect_for_everyone(bare_page)
