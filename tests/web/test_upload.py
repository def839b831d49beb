"""Uploading: what can run, what becomes of it when nobody looks, and the way back to it."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from postgres import wait_until
from web.held import Held
from web.server import SAMPLES, Server

pytestmark = pytest.mark.slow


@pytest.fixture
def uploads(page: Page) -> Held:
    """Uploads that take as long as the test wants."""
    return Held(page, r"/api/v1/workspaces/[^/]+/documents$")


def choose(page: Page, *paths: Path) -> None:
    page.get_by_test_id("upload-input").set_input_files([str(path) for path in paths])


def copies(folder: Path, *names: str) -> list[Path]:
    for name in names:
        (folder / name).write_bytes((SAMPLES / "offset.xlsx").read_bytes())
    return [folder / name for name in names]


def run_names(server: Server) -> list[str]:
    listed = server.call("GET", f"/workspaces/{server.workspace_id}/runs?limit=100")["items"]
    return [run["document_name"] for run in listed]


@pytest.mark.req("U1")
def test_a_closed_drawer_leaves_a_tray_and_the_runs_asked_for_start(
    page: Page, queue_server: Server, uploads: Held, tmp_path: Path
) -> None:
    page.goto(f"{queue_server.url}/documents")
    choose(page, *copies(tmp_path, "tray one.xlsx", "tray two.xlsx"))
    drawer = page.get_by_role("dialog", name="Upload documents")
    drawer.get_by_role("button", name="Start 2 runs when uploaded").click()
    expect(drawer.get_by_role("button", name="2 runs start when uploaded")).to_be_disabled()
    drawer.get_by_role("button", name="Close").click()
    expect(drawer).to_be_hidden()
    tray = page.get_by_role("region", name="Uploads")
    expect(tray).to_contain_text("0 of 2 uploaded: tray one.xlsx, tray two.xlsx. 2 runs start after that.")
    expect(tray.get_by_role("progressbar", name="Uploaded")).to_be_attached()
    page.get_by_role("link", name="Workers", exact=True).click()
    expect(page.get_by_role("heading", name="Workers", level=1)).to_be_visible()
    expect(tray).to_be_visible()
    uploads.let_go()
    expect(page.get_by_text("2 runs queued: tray one.xlsx, tray two.xlsx")).to_be_visible()
    expect(tray).to_be_hidden()
    expect(page).to_have_url(re.compile("/workers"))
    assert {"tray one.xlsx", "tray two.xlsx"} <= set(run_names(queue_server))


@pytest.mark.req("U1")
def test_the_tray_leads_back_to_the_drawer(page: Page, queue_server: Server, uploads: Held, tmp_path: Path) -> None:
    page.goto(f"{queue_server.url}/documents")
    choose(page, *copies(tmp_path, "back again.xlsx"))
    drawer = page.get_by_role("dialog", name="Upload documents")
    expect(drawer.get_by_role("progressbar", name="back again.xlsx is uploaded")).to_be_attached()
    page.keyboard.press("Escape")
    tray = page.get_by_role("region", name="Uploads")
    expect(tray).to_contain_text("0 of 1 uploaded: back again.xlsx.")
    uploads.let_go()
    expect(tray).to_contain_text("1 of 1 file can run: back again.xlsx.")
    assert "back again.xlsx" not in run_names(queue_server)
    tray.get_by_role("button", name="Show").click()
    drawer.get_by_role("button", name="Start the run").click()
    expect(page.get_by_role("region", name="Why it waits")).to_be_visible()
    assert run_names(queue_server).count("back again.xlsx") == 1


@pytest.mark.req("U1", "Q5")
@pytest.mark.provokes("^429 POST .*/runs$")
def test_runs_that_cannot_start_are_told_in_the_tray(
    page: Page, queue_server: Server, uploads: Held, tmp_path: Path
) -> None:
    document = queue_server.upload("offset.xlsx")
    for _ in range(6):
        queue_server.submit(document)
    page.goto(f"{queue_server.url}/documents")
    choose(page, *copies(tmp_path, "no room.xlsx"))
    drawer = page.get_by_role("dialog", name="Upload documents")
    drawer.get_by_role("button", name="Start the run when uploaded").click()
    page.keyboard.press("Escape")
    uploads.let_go()
    tray = page.get_by_role("region", name="Uploads")
    expect(tray).to_contain_text("queue is full", ignore_case=True)
    tray.get_by_role("button", name="Show").click()
    expect(drawer.get_by_role("alert")).to_contain_text("Your documents are kept.")


@pytest.mark.req("U1")
@pytest.mark.provokes("^415 POST .*/documents$")
def test_the_drawer_says_how_many_can_run_and_shows_these_first(
    page: Page, queue_server: Server, tmp_path: Path
) -> None:
    bad = [tmp_path / f"picture {number}.png" for number in range(5)]
    for path in bad:
        path.write_bytes(b"\x89PNG")
    page.goto(f"{queue_server.url}/documents")
    choose(page, *bad, *copies(tmp_path, "good one.xlsx", "good two.xlsx"))
    drawer = page.get_by_role("dialog", name="Upload documents")
    expect(drawer.get_by_role("status").first).to_have_text("2 of 7 files can run, 5 were refused")
    expect(drawer.get_by_role("listitem").nth(0)).to_contain_text("good one.xlsx")
    expect(drawer.get_by_role("listitem").nth(1)).to_contain_text("good two.xlsx")
    expect(drawer.get_by_role("button", name="Start 2 runs")).to_be_enabled()
    page.keyboard.press("Escape")
    expect(page.get_by_text("2 documents uploaded, not run: good one.xlsx, good two.xlsx")).to_be_visible()


@pytest.mark.req("U1", "E2")
def test_sheets_of_a_workbook_are_chosen_before_it_runs(page: Page, queue_server: Server) -> None:
    page.goto(f"{queue_server.url}/documents")
    choose(page, SAMPLES / "hidden_rows_and_sheets.xlsx")
    drawer = page.get_by_role("dialog", name="Upload documents")
    drawer.get_by_role("combobox", name="Sheets").click()
    first = page.get_by_role("option").first
    name = first.inner_text()
    first.click()
    page.keyboard.press("Escape")
    drawer.get_by_role("button", name="Start the run").click()
    expect(page).to_have_url(re.compile("/runs/"))
    wait_until(lambda: len(queue_server.call("GET", "/queue")["items"]) == 1, what="the run to be queued", seconds=30)
    run = queue_server.call("GET", "/queue")["items"][0]["run_id"]
    assert queue_server.call("GET", f"/runs/{run}")["sheets"] == [name]
