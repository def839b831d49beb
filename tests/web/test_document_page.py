"""What can be corrected on the page of a document."""

import re

import pytest
from playwright.sync_api import Page, expect

from web.server import Server

pytestmark = pytest.mark.slow


@pytest.mark.req("U1", "E2")
def test_another_encoding_shows_at_once_and_can_be_taken_back(page: Page, server: Server) -> None:
    document = server.upload("semicolon_latin_1.csv")
    page.goto(f"{server.url}/documents/{document}")
    choice = page.get_by_role("combobox", name="Encoding")
    umlaut = page.get_by_role("gridcell").filter(has_text=re.compile("[äöüß]")).first
    expect(umlaut).to_be_visible()
    expect(choice).to_have_value("Encoding detected: cp1252")

    choice.click()
    page.get_by_role("option", name=re.compile("^cp1251 ")).click()

    expect(page.get_by_role("gridcell").filter(has_text=re.compile("[а-я]")).first).to_be_visible()
    assert server.call("GET", f"/documents/{document}")["encoding"] == "cp1251"
    choice.click()
    page.get_by_role("option", name="Detect the encoding").click()
    expect(umlaut).to_be_visible()
