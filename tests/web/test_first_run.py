"""From an empty installation to a result on the screen."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from web.server import SAMPLES, Server

pytestmark = pytest.mark.slow


@pytest.mark.req("U1")
def test_an_empty_installation_offers_the_sample_and_shows_its_result(page: Page, own_server: Server) -> None:
    page.goto(own_server.url)
    expect(page.get_by_role("heading", name="Messy spreadsheets in, clean workbooks out")).to_be_visible()
    page.get_by_role("button", name="Run the sample").click()
    expect(page).to_have_url(re.compile("/runs/"))
    expect(page.get_by_role("tab", name="Result")).to_be_visible(timeout=60_000)
    expect(page.get_by_text("Rows written")).to_be_visible()


@pytest.mark.req("U1")
@pytest.mark.provokes("^415 POST .*/documents$")
def test_files_are_uploaded_together_and_a_bad_one_stops_no_other(page: Page, server: Server, tmp_path: Path) -> None:
    page.goto(server.url)
    good = [str(SAMPLES / name) for name in ("offset.xlsx", "blank_rows.xlsx")]
    bad = tmp_path / "picture.png"
    bad.write_bytes(b"\x89PNG")
    page.get_by_test_id("upload-input").set_input_files(good)
    drawer = page.get_by_role("dialog", name="Upload documents")
    expect(drawer.get_by_text("offset.xlsx")).to_be_visible()
    page.get_by_test_id("upload-input").set_input_files([bad])
    expect(
        drawer.get_by_text("The file is an image. Ask the sender for the table itself, saved as xlsx or csv.")
    ).to_be_visible()
    expect(drawer.get_by_text(re.compile("Would be #"))).to_be_visible()
    drawer.get_by_role("button", name="Start 2 runs").click()
    expect(page).to_have_url(re.compile("/queue"))
    page.goto(f"{server.url}/runs")
    for name in ("offset.xlsx", "blank_rows.xlsx"):
        row = page.get_by_role("row", name=re.compile(name)).first
        expect(row.get_by_text("Ready", exact=True)).to_be_visible(timeout=60_000)


@pytest.mark.req("Q5", "U1")
@pytest.mark.provokes("^429 POST .*/runs$")
def test_a_full_queue_is_told_kindly_and_the_documents_stay(page: Page, queue_server: Server) -> None:
    document = queue_server.upload("offset.xlsx")
    for _ in range(6):
        queue_server.submit(document)
    page.goto(queue_server.url)
    page.get_by_test_id("upload-input").set_input_files([str(SAMPLES / "blank_rows.xlsx")])
    page.get_by_role("button", name="Start the run").click()
    expect(page.get_by_role("alert")).to_contain_text("The queue is full.")
    expect(page.get_by_role("alert")).to_contain_text("Your documents are kept.")
