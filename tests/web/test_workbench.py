"""Editing a configuration: edit, test, publish."""

import re

import pytest
from playwright.sync_api import Page, expect

from web.server import Server

pytestmark = pytest.mark.slow


@pytest.mark.req("U1")
def test_a_rule_is_edited_tested_and_published(page: Page, server: Server, configuration: str) -> None:
    document = server.upload("values_with_issues.xlsx")
    page.goto(f"{server.url}/configurations/{configuration}/edit?document={document}")
    page.get_by_role("button", name="joined_on.py").click()
    editor = page.get_by_role("textbox", name="Content of columns/joined_on.py")
    expect(editor).to_contain_text("Start date")
    editor.click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text(
        "from ade_engine import Field\n\n"
        'field = Field("joined_on", label="Joined on", type="date", aliases=["Joined"])\n'
    )
    expect(page.get_by_text("Draft of version 2")).to_be_visible()
    page.keyboard.press("ControlOrMeta+Enter")
    mapping = page.get_by_role("table", name=re.compile("Mapping of"))
    expect(mapping.get_by_role("row", name=re.compile("Joined.*joined_on"))).to_be_visible(timeout=60_000)
    page.get_by_role("button", name="Publish…").click()
    page.get_by_label("What is new").fill("Knows Joined")
    page.get_by_role("button", name="Publish", exact=True).click()
    expect(page.get_by_text("Version 2 is published").first).to_be_visible()
    assert server.call("GET", f"/configurations/{configuration}")["published_version"] == 2


@pytest.mark.req("U1")
def test_a_mistake_is_told_with_its_line(page: Page, server: Server, configuration: str) -> None:
    page.goto(f"{server.url}/configurations/{configuration}/edit?file=columns/email.py")
    page.get_by_role("textbox", name="Content of columns/email.py").click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text("from ade_engine import Field\n\nfield = Field(\n")
    problems = page.get_by_role("region", name="Problems")
    expect(problems.get_by_text(re.compile(r"columns/email\.py:\d"))).to_be_visible()
