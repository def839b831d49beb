"""Makes the pictures of the README: python tools/screenshots.py (from the test environment, with the UI built)

A real server, real runs, a real browser: what the pictures show is what the product does.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[0] = str(ROOT / "tests")  # instead of this folder: it has a web.py

from playwright.sync_api import Page, sync_playwright  # noqa: E402 - after the path

from web.chromium import find_chromium  # noqa: E402
from web.server import Server  # noqa: E402

IMAGES = ROOT / "docs/images"
WAITING = [
    ("offset.xlsx", "branch north.xlsx", "urgent"),
    ("blank_rows.xlsx", "branch south.xlsx", "high"),
    ("merged_headers.xlsx", "spring intake.xlsx", "normal"),
    ("title_above_header.xlsx", "reading circle.xlsx", "normal"),
    ("stacked_tables.xlsx", "members and orders.xlsx", "normal"),
    ("sheets_with_other_names.xlsx", "three offices.xlsx", "low"),
    ("without_header.xlsx", "old register.xlsx", "background"),
]


def main() -> int:
    """Fill a server, and take the pictures."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="ade-pictures-") as folder:
        server = Server(Path(folder)).start()
        try:
            take(server, fill(server))
        finally:
            server.stop()
    return 0


def fill(server: Server) -> dict[str, Any]:
    """Run the first sample, then let others wait; return the run."""
    run: dict[str, Any] = server.finished(server.submit(server.upload("members_list.xlsx", "members list.xlsx")))
    server.call("POST", "/queue/pauses", {"scope": "all", "reason": "Month end: invoices first"})
    for sample, name, priority in WAITING:
        server.submit(server.upload(sample, name), priority=priority)
    return run


def take(server: Server, run: dict[str, Any]) -> None:
    """Take the four pictures."""
    document = run["input_document_id"]
    pages = {
        "result": f"/runs/{run['id']}",
        "explanation": f"/runs/{run['id']}?tab=explanation&column=A4.A",
        "document": f"/documents/{document}?run={run['id']}&cell=C10",
        "queue": "/queue",
    }
    chromium = find_chromium(ROOT / ".venvs/browsers")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.path, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1280, "height": 800}, reduced_motion="reduce", bypass_csp=True)
        for name, path in pages.items():
            page.goto(server.url + path)
            settle(page)
            page.screenshot(path=IMAGES / f"{name}.png")
            print(IMAGES / f"{name}.png")
        browser.close()


def settle(page: Page) -> None:
    """Wait until everything is loaded."""
    page.wait_for_function("document.querySelector('main h1') && !document.querySelector('[aria-busy=true]')")
    page.wait_for_timeout(700)


if __name__ == "__main__":
    sys.exit(main())
