"""Correcting a column: the draft says what it is, still builds, and can be as it was before."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from web.server import Server

pytestmark = pytest.mark.slow
ROWS = "".join(f"MB{100000 + n},p{n}@example.org,2024-01-{n + 1:02},x{n},y{n}\n" for n in range(20))
MEMBERS = f"Member ID,E-Mail,Joined,城市,国家\n{ROWS}"
PLAIN = f"Member ID,Email,Joined,Town,Land\n{ROWS}"


@pytest.fixture
def run(server: Server, configuration: str) -> str:
    """A finished run of a member list."""
    return finished(server, configuration, MEMBERS)


def finished(server: Server, configuration: str, content: str) -> str:
    run = server.submit(server.upload_content("members.csv", content.encode()), configuration=configuration)
    assert server.finished(run)["status"] == "succeeded"
    return run


def correct(page: Page, server: Server, run: str, column: str, choice: str) -> None:
    page.goto(f"{server.url}/runs/{run}?tab=explanation&column=A1.{column}")
    page.get_by_role("button", name=re.compile(f"^(This column is wrong|Give this column a field): {column}$")).click()
    page.get_by_role("combobox", name="The right field").click()
    page.get_by_role("option", name=re.compile(choice)).click()
    page.get_by_role("button", name="Add to a draft and test").click()


def expect_change(page: Page, words: str) -> None:
    changed = page.get_by_role("table", name="Columns mapped differently")
    expect(changed.get_by_role("row", name=re.compile(words))).to_be_visible(timeout=60_000)


def draft(server: Server, configuration: str) -> Any:
    return server.call("GET", f"/configurations/{configuration}")["draft_version"]


@pytest.mark.req("U3")
def test_a_header_moves_to_the_right_field_and_more_can_be_corrected(
    page: Page, server: Server, configuration: str, run: str
) -> None:
    correct(page, server, run, "B", "joined_on")
    expect_change(page, "E-Mail.*email.*joined_on")
    assert '"E-Mail"' in server.read_file(configuration, "columns/joined_on.py")
    assert '"E-Mail"' not in server.read_file(configuration, "columns/email.py")
    page.get_by_role("link", name="Correct another column").click()
    expect(page.get_by_role("heading", name="members.csv")).to_be_visible()
    correct(page, server, run, "B", "A new field")
    expect_change(page, "E-Mail.*email.*e_mail")
    assert '"E-Mail"' not in server.read_file(configuration, "columns/joined_on.py")
    assert server.call("POST", f"/configurations/{configuration}/check")["is_valid"]


@pytest.mark.req("U3")
def test_a_column_can_be_left_out(page: Page, server: Server, configuration: str, run: str) -> None:
    correct(page, server, run, "B", "Not a field")
    expect_change(page, "E-Mail.*email.*left out")
    mapped = page.get_by_role("group", name="Columns mapped")
    expect(mapped).to_contain_text("−1")  # noqa: RUF001
    expect(mapped.locator("[data-better]")).to_have_count(0)
    assert 'ignore = ["E-Mail"]' in server.read_file(configuration, "settings.toml")
    correct(page, server, run, "B", "joined_on")
    expect_change(page, "E-Mail.*email.*joined_on")
    assert "E-Mail" not in server.read_file(configuration, "settings.toml")


@pytest.mark.req("U3")
def test_a_correction_that_would_not_build_is_not_saved(page: Page, server: Server, configuration: str) -> None:
    run = finished(server, configuration, PLAIN)
    correct(page, server, run, "B", "joined_on")  # while Email is also the label of another field
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("The configuration would not build")).to_be_visible()
    expect(dialog.get_by_text(re.compile("Nothing was saved"))).to_be_visible()
    assert draft(server, configuration) is None


@pytest.mark.req("U3")
def test_a_correction_is_undone(page: Page, server: Server, configuration: str, run: str) -> None:
    before = {path: server.read_file(configuration, path) for path in ("columns/email.py", "columns/joined_on.py")}
    correct(page, server, run, "B", "joined_on")
    expect_change(page, "E-Mail.*joined_on")
    page.get_by_role("button", name="Undo the correction").click()
    expect(page.get_by_text("The draft is as it was before the correction")).to_be_visible()
    assert {path: server.read_file(configuration, path) for path in before} == before


@pytest.mark.provokes("^412 PATCH .*/files$")
def test_nothing_is_undone_when_someone_changed_the_file_since(
    page: Page, server: Server, configuration: str, run: str
) -> None:
    correct(page, server, run, "C", "joined_on")
    expect_change(page, "Joined.*joined_on")
    theirs = server.read_file(configuration, "columns/joined_on.py") + "# by someone else\n"
    server.write_file(configuration, "columns/joined_on.py", theirs)
    page.get_by_role("button", name="Undo the correction").click()
    expect(page.get_by_text("The files have been changed since")).to_be_visible()
    assert server.read_file(configuration, "columns/joined_on.py") == theirs


@pytest.mark.req("U3")
def test_fields_of_any_script_have_names_of_their_own_and_can_be_made_again(
    page: Page, server: Server, configuration: str, run: str
) -> None:
    for column, label in (("D", "城市"), ("E", "国家"), ("D", "城市")):
        correct(page, server, run, column, "A new field|A field of its own")
        expect_change(page, f"{label}.*not mapped.*{label}")
    listed = [file["path"] for file in server.call("GET", f"/configurations/{configuration}/files")["items"]]
    assert {"columns/城市.py", "columns/国家.py"} <= set(listed)
    assert len([path for path in listed if path.startswith("columns/")]) == 5


@pytest.mark.req("U1")
def test_a_correction_is_published_where_its_effect_is_shown(
    page: Page, server: Server, configuration: str, run: str
) -> None:
    correct(page, server, run, "C", "joined_on")
    expect_change(page, "Joined.*joined_on")
    page.get_by_role("link", name="Open the draft").click()
    expect(page.get_by_role("textbox", name="Content of columns/joined_on.py")).to_contain_text('"Joined"')
    page.go_back()
    page.get_by_role("button", name="Publish…").click()
    page.get_by_label("What is new").fill("Knows Joined")
    page.get_by_role("button", name="Publish", exact=True).click()
    expect(page.get_by_text("Version 2 is published").first).to_be_visible()
    assert server.call("GET", f"/configurations/{configuration}")["published_version"] == 2
