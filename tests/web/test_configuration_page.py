"""A configuration and its versions."""

import pytest
from playwright.sync_api import Page, expect

from web.server import Server

pytestmark = pytest.mark.slow
FILE = "columns/email.py"


def test_a_discarded_draft_is_called_that_and_not_compared_with(page: Page, server: Server, configuration: str) -> None:
    server.write_file(configuration, FILE, server.read_file(configuration, FILE) + "# draft\n")
    page.goto(f"{server.url}/configurations/{configuration}")
    versions = page.get_by_role("region", name="Versions")
    versions.get_by_role("button", name="Discard").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("Discard version 2, a draft?")).to_be_visible()
    dialog.get_by_role("button", name="Keep it").click()
    expect(dialog).to_be_hidden()
    assert server.call("GET", f"/configurations/{configuration}")["draft_version"] == 2
    versions.get_by_role("button", name="Discard").click()
    dialog.get_by_role("button", name="Discard", exact=True).click()
    expect(versions.get_by_text("Discarded")).to_be_visible()
    expect(versions.get_by_text("Archived")).to_have_count(0)

    server.write_file(configuration, FILE, server.read_file(configuration, FILE) + "# next\n")
    server.call("POST", f"/configurations/{configuration}/publish", {})
    page.reload()
    expect(page.get_by_role("combobox", name="From version")).to_have_value("Version 1")
    expect(page.get_by_role("combobox", name="To version")).to_have_value("Version 3 (published)")
    expect(page.get_by_role("region", name=FILE)).to_contain_text("# next")
    expect(versions.get_by_text("Archived")).to_have_count(1)
