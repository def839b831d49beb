"""How much a first visit loads, and that nothing of its style is missing."""

import gzip
import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Page, Response, expect

from web.conftest import BUILT
from web.server import ROOT, Server

MOST_BYTES = 250_000
ASSETS = BUILT.parent / "assets"
MANTINE = ROOT / "web/node_modules/@mantine/core/styles.css"


@pytest.mark.slow
@pytest.mark.req("U2")
def test_a_first_visit_loads_at_most_250_kb(page: Page, server: Server) -> None:
    """Count what the browser really asks for, gzipped; assets are kept for ever."""
    answers: list[Response] = []
    page.on("response", lambda answer: answers.append(answer))
    page.goto(server.url)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.locator("[aria-busy=true]")).to_have_count(0)
    assets = [answer for answer in answers if "/assets/" in answer.url]
    names = [Path(answer.url).name for answer in assets]
    assert len(assets) > 10
    assert {answer.headers.get("content-encoding") for answer in assets} == {"br"}
    assert all("immutable" in answer.headers["cache-control"] for answer in assets)
    sizes = {name: (ASSETS / f"{name}.gz").stat().st_size for name in names}
    sizes[BUILT.name] = len(gzip.compress(BUILT.read_bytes()))
    assert sum(sizes.values()) < MOST_BYTES, sizes


@pytest.mark.slow
@pytest.mark.req("U2")
@pytest.mark.usefixtures("chromium")  # and a build
def test_the_page_that_is_measured_is_built_from_these_sources() -> None:
    asked = "import hatch_build; print(hatch_build.built_from() == hatch_build.digest())"
    told = subprocess.run(
        [sys.executable, "-c", asked], cwd=ROOT / "packages/server", capture_output=True, text=True, check=True
    )
    assert told.stdout == "True\n", "tools/web.py build"


@pytest.mark.req("U2")
def test_each_component_in_the_scripts_has_its_style() -> None:
    if not BUILT.is_file():
        pytest.skip("The web UI is not built: python packages/server/hatch_build.py")
    styled = _classes(MANTINE.read_text())
    used = set().union(*(_classes(path.read_text()) for path in ASSETS.glob("*.js"))) & styled
    present = set().union(*(_classes(path.read_text()) for path in ASSETS.glob("*.css")))
    assert len(used) > 50
    assert used - present == set(), "import their style sheets in web/src/mantine.css"


def _classes(text: str) -> set[str]:
    """Return the names Mantine gives to the classes of its components."""
    return set(re.findall(r"\bm_[0-9a-f]{6,8}\b", text))
