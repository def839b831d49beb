"""What people of different roles see and may do."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from web.server import SAMPLES, Server
from web.watch import Watch

# A person who is not signed in is asked to, and signs in.
pytestmark = [pytest.mark.slow, pytest.mark.provokes("^401 ")]
PASSWORD = "long enough to be one"
PEOPLE = {"ada@example.org": "Ada", "vera@example.org": "Vera", "otto@example.org": "Otto"}


@pytest.fixture(scope="module")
def team_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("team")
    provider = {"ADE_OIDC_ISSUER": "https://login.example.org", "ADE_OIDC_CLIENT_ID": "ade"}
    with Server(folder, ADE_AUTH_MODE="team", **provider) as server:
        for email, name in PEOPLE.items():
            add_account(folder, email, name)
        yield server


def add_account(folder: Path, email: str, name: str) -> None:
    command = [sys.executable, "-m", "ade", "users", "create", email, "--name", name]
    environment = {**os.environ, "ADE_DATA_DIR": str(folder / "data"), "ADE_AUTH_MODE": "team"}
    subprocess.run(
        [*command, "--admin"] if name == "Ada" else command,
        env={**environment, "ADE_NEW_PASSWORD": PASSWORD},
        check=True,
        capture_output=True,
    )


def signed_in(watch: Watch, server: Server, email: str) -> Page:
    page = watch.page()
    page.goto(server.url)
    sign_in(page, email)
    return page


def sign_in(page: Page, email: str) -> None:
    page.get_by_label("Email").fill(email)
    page.get_by_role("textbox", name="Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()


@pytest.mark.req("U1", "S1")
def test_an_administrator_adds_people_and_each_may_do_what_the_role_allows(watch: Watch, team_server: Server) -> None:
    ada = signed_in(watch, team_server, "ada@example.org")
    expect(ada.get_by_role("button", name="Run the sample")).to_be_enabled()
    ada.goto(f"{team_server.url}/settings")
    for name, role in (("Vera", "Viewer"), ("Otto", "Operator")):
        ada.get_by_role("combobox", name="Add").click()
        ada.get_by_role("option", name=name).click()
        ada.get_by_role("combobox", name="As").click()
        ada.get_by_role("option", name=f"{role}:").click()
        ada.get_by_role("button", name="Add", exact=True).click()
        expect(ada.get_by_role("table", name="Members").get_by_text(name, exact=True)).to_be_visible()

    otto = signed_in(watch, team_server, "otto@example.org")
    otto.get_by_test_id("upload-input").set_input_files([str(SAMPLES / "offset.xlsx")])
    otto.get_by_role("button", name="Start the run").click()
    expect(otto.get_by_role("tab", name="Result")).to_be_visible(timeout=60_000)
    otto.get_by_role("tab", name="Review").click()
    otto.get_by_role("combobox", name="Column of Email").select_option("No column")
    expect(otto.get_by_role("button", name="Only this document")).to_be_enabled()
    expect(otto.get_by_role("button", name="From now on…")).to_be_disabled()

    vera = signed_in(watch, team_server, "vera@example.org")
    expect(vera.get_by_role("link", name="offset.xlsx")).to_be_visible()
    expect(vera.get_by_role("button", name="Choose files")).to_be_disabled()
    expect(vera.get_by_role("button", name="Run the sample")).to_be_disabled()
    vera.goto(f"{team_server.url}/queue")
    expect(vera.get_by_role("button", name="Pause…")).to_be_disabled()
    why = "You are a viewer here; this needs the role operator."
    expect(vera.get_by_role("button", name="Pause…")).to_have_attribute("title", why)


@pytest.mark.req("S1")
def test_a_wrong_password_is_told_and_signing_out_ends_the_session(watch: Watch, team_server: Server) -> None:
    page = signed_in(watch, team_server, "ada@example.org")
    expect(page.get_by_role("navigation", name="Pages")).to_be_visible()
    page.get_by_role("button", name="Account").click()
    page.get_by_role("menuitem", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in to ADE")).to_be_visible()
    page.get_by_label("Email").fill("ada@example.org")
    page.get_by_role("textbox", name="Password").fill("not this one at all")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_be_visible()


@pytest.mark.req("S1", "U2")
def test_the_way_in_fits_on_a_telephone(watch: Watch, team_server: Server) -> None:
    page = watch.page(viewport={"width": 390, "height": 844})
    page.goto(team_server.url)
    expect(page.get_by_role("button", name="Sign in")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.req("S1")
def test_whoever_has_an_account_at_the_provider_is_led_there_and_back_to_the_page(
    watch: Watch, team_server: Server
) -> None:
    page = watch.page()
    page.goto(f"{team_server.url}/queue?tab=analytics")
    way = page.get_by_role("link", name="Sign in with your organisation")
    expect(way).to_have_attribute("href", "/api/v1/sign-on?return_to=%2Fqueue%3Ftab%3Danalytics")


@pytest.mark.req("S1", "U1")
def test_a_lost_session_asks_to_sign_in_and_goes_on_at_the_same_page(watch: Watch, team_server: Server) -> None:
    page = signed_in(watch, team_server, "ada@example.org")
    expect(page.get_by_role("navigation", name="Pages")).to_be_visible()
    page.context.clear_cookies()
    page.get_by_role("link", name="Builds", exact=True).click()
    expect(page.get_by_text("Your session has ended")).to_be_visible()
    page.get_by_label("Email").fill("ada@example.org")
    page.get_by_role("textbox", name="Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Builds", level=1)).to_be_visible()


def arrived(watch: Watch, server: Server, email: str) -> Page:
    """Sign in, and wait until that is done: another address would interrupt it."""
    page = signed_in(watch, server, email)
    expect(page.get_by_role("navigation", name="Pages")).to_be_visible()
    return page


@pytest.fixture
def vera_is_viewer(watch: Watch, team_server: Server) -> None:
    """Vera sees the workspace: as another test left it, or as it is made here."""
    ada = arrived(watch, team_server, "ada@example.org")
    make_viewer_of_vera(ada, team_server)


def make_viewer_of_vera(ada: Page, server: Server) -> None:
    if not members_of(ada, server).get_by_text("Vera", exact=True).count():
        add_member(ada, "Vera", "Viewer")


def members_of(page: Page, server: Server) -> Locator:
    page.goto(f"{server.url}/settings")
    members = page.get_by_role("table", name="Members")
    expect(members.or_(page.get_by_role("heading", name="This workspace has no members yet"))).to_be_visible()
    return members


def add_member(page: Page, name: str, role: str) -> None:
    page.get_by_role("combobox", name="Add").click()
    page.get_by_role("option", name=name).click()
    page.get_by_role("combobox", name="As").click()
    page.get_by_role("option", name=f"{role}:").click()
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("table", name="Members").get_by_text(name, exact=True)).to_be_visible()


@pytest.mark.req("U1", "S1")
@pytest.mark.usefixtures("vera_is_viewer")
def test_a_viewer_is_told_what_is_not_hers_to_do_or_see(watch: Watch, team_server: Server) -> None:
    vera = arrived(watch, team_server, "vera@example.org")
    refused: list[str] = []
    vera.on("response", lambda answer: refused.append(answer.url) if answer.status == 403 else None)
    upload = vera.get_by_role("button", name="Upload", exact=True)
    expect(upload).to_be_disabled()
    expect(upload).to_have_attribute("title", "You are a viewer here; this needs the role operator.")
    vera.get_by_test_id("upload-input").set_input_files([str(SAMPLES / "offset.xlsx")])
    expect(vera.get_by_text("Nothing was uploaded")).to_be_visible()
    expect(vera.get_by_role("dialog")).to_have_count(0)
    vera.goto(f"{team_server.url}/settings?tab=audit")
    expect(vera.get_by_role("heading", name="You have no access to the audit log")).to_be_visible()
    vera.get_by_role("tab", name="Server settings").click()
    expect(
        vera.get_by_role("heading", name=re.compile("Only administrators of the deployment see server settings"))
    ).to_be_visible()
    vera.goto(f"{team_server.url}/workers")
    expect(vera.get_by_role("heading", name="Only operators see workers")).to_be_visible()
    assert refused == []


@pytest.mark.req("U1", "S1")
def test_a_member_is_added_by_an_empty_form_and_removed_after_a_question(watch: Watch, team_server: Server) -> None:
    ada = arrived(watch, team_server, "ada@example.org")
    members = members_of(ada, team_server)
    admins = ada.get_by_role("region", name="Administrators of the deployment")
    expect(admins.get_by_text("ada@example.org")).to_be_visible()
    for name in ("Otto", "Vera"):
        if members.get_by_text(name, exact=True).count() > 0:
            remove_member(ada, name)
    expect(ada.get_by_role("heading", name="This workspace has no members yet")).to_be_visible()
    add_member(ada, "Vera", "Viewer")
    expect(ada.get_by_role("combobox", name="Add")).to_have_value("")
    expect(ada.get_by_role("button", name="Add", exact=True)).to_be_disabled()
    add_member(ada, "Otto", "Operator")
    expect(ada.get_by_role("combobox", name="Add")).to_have_count(1)  # Ada herself can still be added
    members.get_by_role("row", name=re.compile("Otto")).get_by_role("button", name="Remove").click()
    question = ada.get_by_role("dialog", name="Remove Otto?")
    question.get_by_role("button", name="Keep").click()
    expect(question).to_be_hidden()
    expect(members.get_by_text("Otto", exact=True)).to_be_visible()
    remove_member(ada, "Otto")


@pytest.mark.req("U1", "S1")
@pytest.mark.provokes("^404 POST /api/v1/workspaces/[^/]+/members")
def test_an_administrator_of_the_workspace_alone_adds_people_by_their_address(
    watch: Watch, team_server: Server
) -> None:
    ada = arrived(watch, team_server, "ada@example.org")
    members = members_of(ada, team_server)
    for name in ("Otto", "Vera"):
        if members.get_by_text(name, exact=True).count() > 0:
            remove_member(ada, name)
    add_member(ada, "Otto", "Admin")
    otto = arrived(watch, team_server, "otto@example.org")
    members = members_of(otto, team_server)
    address = otto.get_by_role("textbox", name="Add")
    address.fill("nobody@example.org")
    address.press("Enter")
    expect(otto.get_by_role("alert").filter(has_text="There is no account for nobody@example.org")).to_be_visible()
    expect(address).to_have_value("nobody@example.org")
    address.fill("vera@example.org")
    otto.get_by_role("combobox", name="As").click()
    otto.get_by_role("option", name="Viewer:").click()
    otto.get_by_role("button", name="Add", exact=True).click()
    expect(members.get_by_role("row", name=re.compile("Vera vera@example.org"))).to_be_visible()
    expect(address).to_have_value("")


def remove_member(page: Page, name: str) -> None:
    members = page.get_by_role("table", name="Members")
    members.get_by_role("row", name=re.compile(name)).get_by_role("button", name="Remove").click()
    page.get_by_role("dialog", name=f"Remove {name}?").get_by_role("button", name="Remove").click()
    expect(members.get_by_text(name, exact=True)).to_have_count(0)


@pytest.mark.req("U1", "S1")
def test_the_audit_log_is_filtered_and_names_people_in_full(watch: Watch, team_server: Server) -> None:
    ada = arrived(watch, team_server, "ada@example.org")
    make_viewer_of_vera(ada, team_server)
    ada.get_by_role("tab", name="Audit log").click()
    log = ada.get_by_role("table", name="Audit log")
    expect(log.get_by_text("User: ").first).to_be_visible()
    who = log.get_by_role("row").nth(1).get_by_role("cell").nth(1)
    assert who.evaluate("(cell) => cell.scrollWidth <= cell.clientWidth")
    ada.get_by_role("combobox", name="Changes of").click()
    ada.get_by_role("option", name="Workspaces and members").click()
    expect(log.get_by_text("User: ")).to_have_count(0)
    expect(log.get_by_text("Workspace: ").or_(log.get_by_text("Member: ")).first).to_be_visible()
