"""How the page behaves with much to show: painted, scrolled, and jumped to the far end of.

    bin/bench web        a machine to itself, some minutes

A real server, a real browser, and 100,000 documents, 10,000 queued runs, a sheet of 1,000,000 rows, a result with
100,000 issues and a log of 100 MB.
For each page: when something is painted and when its content is there, the time between frames while it scrolls, how
many elements exist then, and how long a jump to the far end takes until what is there is shown. The first is a plain
list without any script, scrolled as fast: what the browser takes for itself here.
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[0] = str(ROOT / "tests")  # instead of this folder: this file would be taken for the package

from playwright.sync_api import Page, sync_playwright  # noqa: E402 - after the path

from web.chromium import find_chromium  # noqa: E402
from web.conftest import FLAGS  # noqa: E402
from web.server import Server  # noqa: E402

DOCUMENTS = 100_000
RUNS = 10_000
SHEET_ROWS = 1_000_000
ISSUES = 100_000
LOG_BYTES = 100_000_000
BATCH = 1000
# Scrolls a little in every frame and tells how far apart the frames were.
SCROLL = """
async ([selector, step, frames]) => {
  const target = selector ? document.querySelector(selector) : document.scrollingElement;
  const gaps = [];
  let before = 0;
  await new Promise((done) => {
    const frame = (now) => {
      if (before) gaps.push(now - before);
      before = now;
      target.scrollTop += step;
      if (gaps.length < frames) requestAnimationFrame(frame); else done();
    };
    requestAnimationFrame(frame);
  });
  return gaps;
}
"""
JUMP = """
([selector, share]) => {
  const target = selector ? document.querySelector(selector) : document.scrollingElement;
  target.scrollTop = (target.scrollHeight - target.clientHeight) * share;
}
"""
PLAIN = "<ol>" + "".join(f"<li style='height: 43px'>branch {number:06}.xlsx</li>" for number in range(RUNS)) + "</ol>"
LAST_LINE = "Number([...document.querySelectorAll('[role=log] a')].at(-1)?.innerText) > 900000"


@dataclass(frozen=True)
class Scene:
    """A page with much on it, and how to tell that it shows something."""

    name: str
    path: str
    shown: str
    scrolled: str | None = None
    step: int = 400
    is_end_known: bool = True


def main() -> int:
    """Fill a server, look at each page, print the figures."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    with tempfile.TemporaryDirectory(prefix="ade-web-") as name:
        folder = Path(name)
        told("filling the server")
        facts = fill(folder)
        with Server(folder, "--no-worker", ADE_QUEUE_SIZE=str(2 * RUNS)) as server:
            queue_runs(server, folder)
            rows = [measure(server, scene) for scene in scenes(facts)]
    print(json.dumps(rows))
    return 0


def fill(folder: Path) -> dict[str, str]:
    """Make a run with a long log, one with many issues, a document with a long sheet, and many documents."""
    with Server(folder) as server:
        run = server.finished(server.submit(server.upload("members_list.xlsx")))
        flawed = server.finished(server.submit(upload_flawed(server, folder)))
        sheet = upload_sheet(server, folder)
    if flawed["metrics"]["summary"]["issues"]["total"] != ISSUES:
        raise AssertionError(flawed["metrics"]["summary"]["issues"])
    data = folder / "data"
    database = data / "ade.db"
    with sqlite3.connect(database) as connection:
        key = connection.execute("SELECT file_key FROM runs WHERE id = ?", [run["id"]]).fetchone()[0]
        copy_documents(connection, run["input_document_id"])
    log = next(data.rglob(f"{key.rstrip('/').rpartition('/')[2]}"))
    line = b"2026-01-01 INFO row %08d of the price list was read, and nothing was wrong with it this time either\n"
    with (log / "logs.txt").open("wb") as lines:
        number = 0
        while lines.tell() < LOG_BYTES:
            lines.writelines(line % (number + step) for step in range(10_000))
            number += 10_000
    return {"run": run["id"], "flawed": flawed["id"], "sheet": sheet}


def upload_sheet(server: Server, folder: Path) -> str:
    """Upload a sheet of many rows."""
    path = folder / "long.csv"
    with path.open("w") as sheet:
        sheet.write("Member ID,First name,Last name,Email,Joined,Status,Amount,City\n")
        for number in range(1, SHEET_ROWS):
            sheet.write(
                f"MB{number:07},Ann{number % 97},Lee{number % 89},a{number}@example.org,"
                f"2024-01-{number % 28 + 1:02},active,{number * 1.25},Town {number % 300}\n"
            )
    return server.upload(str(path), "long.csv")


def upload_flawed(server: Server, folder: Path) -> str:
    """Upload a sheet with four issues in three rows: no date is one, and every third address is none."""
    path = folder / "flawed.csv"
    with path.open("w") as sheet:
        sheet.write("Member ID,Email,Joined on\n")
        for number in range(ISSUES * 3 // 4):
            email = f"a{number}@example.org" if number % 3 else f"nobody {number}"
            sheet.write(f"MB{100000 + number},{email},soon\n")
    return server.upload(str(path), "flawed.csv")


def copy_documents(connection: sqlite3.Connection, document_id: str) -> None:
    """Add documents by copying the row of one."""
    connection.row_factory = sqlite3.Row
    template = dict(connection.execute("SELECT * FROM documents WHERE id = ?", [document_id]).fetchone())
    names = ", ".join(template)
    marks = ", ".join("?" for _ in template)
    connection.executemany(f"INSERT INTO documents ({names}) VALUES ({marks})", copies(template))  # noqa: S608


def copies(template: dict[str, Any]) -> Iterator[list[Any]]:
    """Yield rows that differ in id and name."""
    for number in range(DOCUMENTS):
        made = uuid.UUID(int=uuid.UUID(template["id"]).int - (DOCUMENTS - number) * 2**20)
        yield list({**template, "id": str(made), "name": f"branch {number:06}.xlsx"}.values())


def queue_runs(server: Server, folder: Path) -> None:
    """Queue many runs, as a program would."""
    with sqlite3.connect(folder / "data/ade.db") as connection:
        chosen = connection.execute("SELECT id FROM documents WHERE name LIKE 'branch %' LIMIT ?", [RUNS]).fetchall()
    documents = [row[0] for row in chosen]
    for start in range(0, RUNS, BATCH):
        order = {"input_document_ids": documents[start : start + BATCH], "priority": 50 + start // BATCH}
        server.call("POST", f"/configurations/{server.configuration_id}/runs/batch", order)


def scenes(facts: dict[str, str]) -> list[Scene]:
    """Return what is looked at."""
    return [
        Scene("plain list", "", "li", is_end_known=False),
        Scene("documents", "/documents", "table[aria-label=Documents] tbody tr td a", is_end_known=False),
        Scene("runs", "/runs", "table[aria-label=Runs] tbody tr td a", is_end_known=False),
        Scene("queue", "/queue", "ol[aria-label='Waiting runs'] li a"),
        Scene("sheet", f"/documents/{facts['sheet']}", "#cell-A1:not(:empty)", "[role=grid]"),
        Scene(
            "issues",
            f"/runs/{facts['flawed']}?tab=issues",
            "table[aria-label=Issues] tbody tr td a",
            is_end_known=False,
        ),
        Scene("result", f"/runs/{facts['flawed']}", "main table tbody tr td", is_end_known=False),
        Scene("log", f"/runs/{facts['run']}?tab=log", "[role=log] a", "[role=log]"),
    ]


def measure(server: Server, scene: Scene) -> dict[str, Any]:
    """Open a page, scroll it, jump in it."""
    told(f"looking at {scene.name}")
    chromium = find_chromium(ROOT / ".venvs/browsers")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium.path, args=[*FLAGS, "--no-sandbox"], env={**os.environ, **chromium.environment}
        )
        page = browser.new_context(viewport={"width": 1280, "height": 850}, bypass_csp=True).new_page()
        page.set_default_timeout(120_000)
        started = time.perf_counter()
        if scene.path:
            page.goto(server.url + scene.path)
        else:
            page.set_content(PLAIN)
        page.wait_for_selector(scene.shown)
        content_ms = 1000 * (time.perf_counter() - started)
        if scene.name == "log":
            page.wait_for_function("!document.querySelector('[role=status]')?.innerText.includes('loading')")
            page.wait_for_function("document.querySelector('[role=log]').scrollHeight > 1e7")
        loaded_ms = 1000 * (time.perf_counter() - started)
        gaps = sorted(page.evaluate(SCROLL, [scene.scrolled, scene.step, 180]))
        found = {
            "page": scene.name,
            "paint_ms": page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"),
            "content_ms": content_ms,
            "loaded_ms": loaded_ms,
            "frame_median_ms": gaps[len(gaps) // 2],
            "frame_p95_ms": gaps[len(gaps) * 95 // 100],
            "frame_worst_ms": gaps[-1],
            "elements": page.evaluate("document.querySelectorAll('*').length"),
            "jump_ms": jump(page, scene) if scene.is_end_known else None,
        }
        found["heap_mb"] = page.evaluate("(performance.memory?.usedJSHeapSize ?? 0) / 1e6")
        browser.close()
    show(found)
    return found


def jump(page: Page, scene: Scene) -> float:
    """Go to the far end; return how long it takes until it is shown."""
    ends: dict[str, Callable[[], Any]] = {
        "queue": lambda: page.wait_for_selector(f"ol li[aria-posinset='{RUNS}'] a"),
        "sheet": lambda: page.wait_for_selector(f"#cell-A{SHEET_ROWS}:not(:empty)"),
        "log": lambda: page.wait_for_function(LAST_LINE),
    }
    if scene.name == "sheet":  # its end is known once it was read
        page.wait_for_function(f"document.querySelector('[role=grid]').ariaRowCount >= {SHEET_ROWS}")
    started = time.perf_counter()
    page.evaluate(JUMP, [scene.scrolled, 1.0])
    ends[scene.name]()
    return 1000 * (time.perf_counter() - started)


def show(row: dict[str, Any]) -> None:
    """Print the figures of a page."""
    facts = (f"{name} {value:.0f}" if isinstance(value, float) else f"{name} {value}" for name, value in row.items())
    print("  ".join(facts), flush=True)


def told(words: str) -> None:
    """Print what is being done."""
    print(words, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
