"""axe on every page, light and dark; and every page usable on a telephone."""

from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from web.server import ROOT, Server

pytestmark = pytest.mark.slow
AXE = ROOT / "web/node_modules/axe-core/axe.min.js"
PAGES = {
    "home": "/",
    "documents": "/documents",
    "document": "/documents/{document}?run={run}&cell=D3",
    "runs": "/runs",
    "result": "/runs/{run}",
    "explanation": "/runs/{run}?tab=explanation&column=A1.A",
    "issues": "/runs/{run}?tab=issues",
    "before and after": "/runs/{run}?tab=changes",
    "log": "/runs/{run}?tab=log",
    "details": "/runs/{run}?tab=details",
    "comparison": "/compare?before={run}&after={run}",
    "queue": "/queue",
    "analytics": "/queue?tab=analytics",
    "configurations": "/configurations",
    "configuration": "/configurations/{configuration}",
    "workbench": "/configurations/{configuration}/edit",
    "builds": "/builds",
    "build": "/builds/{build}",
    "workers": "/workers",
    "members": "/settings",
    "limits": "/settings?tab=limits",
    "audit": "/settings?tab=audit",
}


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
    expect(page.locator("[aria-busy=true]")).to_have_count(0)


@pytest.mark.req("U2")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_serious(
    browser: Browser, server: Server, sample_run: dict[str, Any], name: str, scheme: Any
) -> None:
    if not AXE.is_file():
        pytest.skip("axe-core is not installed: npm ci in web/")
    with browser.new_context(color_scheme=scheme, bypass_csp=True) as context:
        page = context.new_page()
        page.goto(address(server, PAGES[name], sample_run))
        settled(page)
        page.add_script_tag(path=AXE)
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    serious = [
        f"{violation['id']}: {node['html'][:160]} {node['failureSummary'][:200]}"
        for violation in found["violations"]
        if violation["impact"] in {"serious", "critical"}
        for node in violation["nodes"][:3]
    ]
    assert serious == []


@pytest.mark.req("U2")
@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_wider_than_a_telephone(
    browser: Browser, server: Server, sample_run: dict[str, Any], name: str
) -> None:
    with browser.new_context(viewport={"width": 390, "height": 844}) as context:
        page = context.new_page()
        page.goto(address(server, PAGES[name], sample_run))
        settled(page)
        width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= 390
