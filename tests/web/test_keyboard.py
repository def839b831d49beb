"""Every action without a mouse."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from web.server import SAMPLES, Server

pytestmark = [pytest.mark.slow, pytest.mark.req("U2")]


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def reach(page: Page, name: str) -> None:
    """Press Tab until what has this name has the focus."""
    for _ in range(80):
        page.keyboard.press("Tab")
        focused = page.locator("*:focus")
        said = focused.get_attribute("aria-label") or focused.inner_text() or ""
        if name in said:
            return
    raise AssertionError(f"Tab does not reach {name}")


def test_pages_are_reached_by_two_letters_and_rows_by_j_and_k(page: Page, server: Server, sample_run: Any) -> None:
    page.goto(server.url)
    expect(page.get_by_role("table", name="Recent runs")).to_be_visible()
    press(page, "g", "q")
    expect(page).to_have_url(re.compile("/queue"))
    press(page, "g", "d")
    expect(page.get_by_role("table", name="Documents")).to_be_visible()
    press(page, "/")
    expect(page.get_by_role("textbox", name="Find by name")).to_be_focused()
    page.keyboard.type("values_with")
    expect(page).to_have_url(re.compile("name=values_with"))
    press(page, "Escape")
    page.get_by_role("textbox", name="Find by name").blur()
    expect(page.get_by_role("row", name=re.compile("values_with_issues")).first).to_be_visible()
    press(page, "j", "Enter")
    expect(page.get_by_role("heading", name="values_with_issues.xlsx")).to_be_visible()


def test_the_palette_finds_pages_and_documents(page: Page, server: Server, sample_run: Any) -> None:
    page.goto(server.url)
    expect(page.get_by_role("table", name="Recent runs")).to_be_visible()
    press(page, "ControlOrMeta+k")
    expect(page.get_by_role("combobox", name="Search and commands")).to_be_focused()
    page.keyboard.type("values_with")
    expect(page.get_by_role("dialog").get_by_text("values_with_issues.xlsx").first).to_be_visible()
    press(page, "Escape", "?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()


def test_files_are_chosen_and_run_without_a_mouse(page: Page, server: Server) -> None:
    page.goto(server.url)
    expect(page.get_by_role("button", name="Choose files")).to_be_enabled()
    with page.expect_file_chooser() as chooser:
        reach(page, "Choose files")
        press(page, "Enter")
    chooser.value.set_files(str(SAMPLES / "offset.xlsx"))
    expect(page.get_by_role("button", name="Start the run")).to_be_enabled()
    reach(page, "Start the run")
    press(page, "Enter")
    expect(page).to_have_url(re.compile("/runs/"))


def test_the_queue_is_paused_and_resumed_without_a_mouse(page: Page, queue_server: Server) -> None:
    queue_server.submit(queue_server.upload("offset.xlsx"))
    page.goto(f"{queue_server.url}/queue")
    expect(page.get_by_role("button", name="Pause…")).to_be_enabled()
    reach(page, "Pause…")
    press(page, "Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.get_by_label("Why").focus()
    page.keyboard.type("Month end")
    press(page, "Enter")
    expect(page.get_by_text("Everything is paused.")).to_be_visible()
    expect(page.get_by_role("dialog")).to_be_hidden()
    reach(page, "Resume")
    press(page, "Enter")
    expect(page.get_by_text("Everything is paused.")).to_be_hidden()


def test_a_run_is_cancelled_and_run_again_without_a_mouse(page: Page, queue_server: Server) -> None:
    run = queue_server.submit(queue_server.upload("offset.xlsx"))
    page.goto(f"{queue_server.url}/runs/{run}")
    expect(page.get_by_role("button", name="Cancel")).to_be_enabled()
    reach(page, "Cancel")
    press(page, "Enter")
    expect(page.get_by_role("button", name="Run again")).to_be_enabled()
    reach(page, "Run again")
    press(page, "Enter")
    expect(page).not_to_have_url(re.compile(run))


def test_cells_are_walked_with_arrows(page: Page, server: Server, sample_run: dict[str, Any]) -> None:
    page.goto(f"{server.url}/documents/{sample_run['input_document_id']}?cell=A1")
    expect(page.get_by_role("gridcell", selected=True)).to_have_text("Member ID")
    page.get_by_role("grid").focus()
    press(page, "ArrowDown", "ArrowRight")
    expect(page).to_have_url(re.compile("cell=B2"))


def test_arrows_pressed_faster_than_the_address_follows_move_by_one_cell_each(
    page: Page, server: Server, sample_run: dict[str, Any]
) -> None:
    page.goto(f"{server.url}/documents/{sample_run['input_document_id']}?cell=A1")
    expect(page.get_by_role("gridcell", selected=True)).to_have_text("Member ID")
    pressing = """async (grid) => {
      for (let count = 0; count < 12; count++) {
        grid.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true }));
        for (let turn = 0; turn < count + 5; turn++) await null; // the page draws
      }
    }"""
    page.get_by_role("grid").evaluate(pressing)
    expect(page).to_have_url(re.compile("cell=A13"))
    expect(page.locator("#cell-A13")).to_have_attribute("aria-selected", "true")
