"""A configuration made from a spreadsheet: dropped, adjusted in a table, published and run."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from web.server import Server

pytestmark = pytest.mark.slow
LINES = ["Kunde,Eintritt,Beitrag,Notiz", *(f"Kunde {n},{n:02}.04.2024,{n},frei" for n in range(1, 21))]


@pytest.fixture
def example(tmp_path: Path) -> Path:
    path = tmp_path / "kunden_april.csv"
    path.write_text("\n".join(LINES) + "\n", encoding="utf-8")
    return path


def drop(page: Page, path: Path) -> None:
    """Drop a file on the page as somebody does with a mouse."""
    page.evaluate(
        """([name, text]) => {
            const files = new DataTransfer();
            files.items.add(new File([text], name, { type: "text/csv" }));
            const about = { bubbles: true, cancelable: true, dataTransfer: files };
            for (const type of ["dragenter", "dragover", "drop"])
                document.body.dispatchEvent(new DragEvent(type, about));
        }""",
        [path.name, path.read_text(encoding="utf-8")],
    )


@pytest.mark.req("U1")
def test_a_dropped_example_becomes_a_published_configuration_and_its_result(
    page: Page, own_server: Server, example: Path
) -> None:
    page.goto(f"{own_server.url}/configurations")
    page.get_by_role("button", name="From a spreadsheet").click()
    expect(page.get_by_text("Drop an example anywhere on this page")).to_be_visible()
    drop(page, example)
    fields = page.get_by_role("table", name="Fields")
    expect(fields.get_by_role("row", name=re.compile("01.04.2024"))).to_be_visible()
    expect(page.get_by_label("Type of Eintritt")).to_have_value("date")
    expect(page.get_by_label("Name of the configuration")).to_have_value("Kunden april")
    page.get_by_label("Label of Kunde").fill("Customer")
    page.get_by_label("Name of Kunde").fill("Customer")
    expect(fields.get_by_text("Small letters, digits and _")).to_be_visible()
    expect(page.get_by_role("button", name="Publish")).to_be_disabled()
    page.get_by_label("Name of Kunde").fill("customer")
    page.get_by_label("Use Notiz").uncheck()
    page.get_by_label("Type of Beitrag").select_option("number")
    expect(page.get_by_text("3 of 4 fields")).to_be_visible()
    page.get_by_role("button", name="Publish").click()
    expect(page).to_have_url(re.compile("/runs/"), timeout=60_000)
    expect(page.get_by_text("Customer", exact=True).first).to_be_visible(timeout=60_000)

    listed = own_server.call("GET", f"/workspaces/{own_server.workspace_id}/configurations?limit=200")["items"]
    [made] = [one for one in listed if one["name"] == "Kunden april"]
    assert (made["published_version"], made["draft_version"]) == (1, None)
    assert 'aliases=["Kunde"' in own_server.read_file(made["id"], "columns/customer.py")
    paths = [file["path"] for file in own_server.call("GET", f"/configurations/{made['id']}/files")["items"]]
    assert "columns/notiz.py" not in paths


@pytest.mark.req("U1")
def test_the_code_of_an_example_is_one_click_away(page: Page, server: Server) -> None:
    document = server.upload("members_list.xlsx", "code of an example.xlsx")
    page.goto(f"{server.url}/documents/{document}")
    page.get_by_role("link", name="Make a configuration").click()
    expect(page.get_by_role("table", name="Fields")).to_be_visible()
    page.get_by_role("button", name="Open as code").click()
    expect(page.get_by_role("heading", name="Version 1, a draft")).to_be_visible()
    expect(page.get_by_role("textbox", name=re.compile("^Content of columns"))).to_contain_text("Field(")


@pytest.mark.provokes("^409 POST .*/configurations$")
def test_a_name_that_is_taken_is_refused_and_what_was_adjusted_stays(page: Page, server: Server) -> None:
    document = server.upload("members_list.xlsx", "taken.xlsx")
    server.configure("Taken name")
    page.goto(f"{server.url}/configurations/new?document={document}")
    label = page.get_by_role("textbox", name=re.compile("^Label of")).first
    label.fill("Adjusted")
    page.get_by_label("Name of the configuration").fill("Taken name")
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("alert")).to_contain_text("There is already a configuration Taken name")
    expect(label).to_have_value("Adjusted")
