"""The editor keeps what is typed: no save races another, nobody's text is overwritten, nothing is lost."""

import re

import pytest
from playwright.sync_api import Dialog, Locator, Page, Request, Route, expect

from web.server import Server

pytestmark = pytest.mark.slow
PATH = "columns/email.py"
FIRST = 'from ade_engine import Field\n\nfield = Field("email", label="Email")\n'
WRITES = re.compile(r"/api/v1/configurations/[^/]+/files/")


def opened(page: Page, server: Server, configuration: str, **search: str) -> Locator:
    """Open the file in the editor."""
    words = "".join(f"&{name}={value}" for name, value in search.items())
    page.goto(f"{server.url}/configurations/{configuration}/edit?file={PATH}{words}")
    editor = page.get_by_role("textbox", name=f"Content of {PATH}")
    expect(editor).to_contain_text("Field")
    return editor


def write(page: Page, editor: Locator, text: str) -> None:
    editor.click()
    page.keyboard.press("ControlOrMeta+End")
    page.keyboard.insert_text(text)


def status(page: Page) -> Locator:
    return page.get_by_role("main").get_by_role("status").filter(has_text=re.compile("[Ss]av|Another person"))


def test_a_save_waits_for_the_one_before_it(page: Page, server: Server, configuration: str) -> None:
    server.write_file(configuration, PATH, FIRST)
    document = server.upload("values_with_issues.xlsx")
    editor = opened(page, server, configuration, document=document)
    held: list[Route] = []
    sent: list[Request] = []

    def hold_the_first(route: Route) -> None:
        if route.request.method != "PUT":
            route.continue_()
            return
        sent.append(route.request)
        if len(sent) == 1:
            held.append(route)
        else:
            route.continue_()

    page.route(WRITES, hold_the_first)
    with page.expect_request(lambda request: request.method == "PUT"):
        write(page, editor, "# one\n")
    write(page, editor, "# two\n")
    page.keyboard.press("ControlOrMeta+Enter")  # a test run saves at once
    expect(page.get_by_role("button", name="Test run")).to_have_attribute("data-loading", "true")
    held[0].continue_()
    expect(page.get_by_role("link", name="Open the run")).to_be_visible(timeout=60_000)
    expect(status(page)).to_have_text("Saved")
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert server.read_file(configuration, PATH) == FIRST + "# one\n# two\n"
    tags = [request.header_value("if-match") for request in sent]
    assert len(tags) == len(set(tags)) == 2


@pytest.mark.provokes("^412 PUT ")
def test_leaving_the_question_whose_text_to_keep_changes_nothing(
    page: Page, server: Server, configuration: str
) -> None:
    server.write_file(configuration, PATH, FIRST)
    editor = opened(page, server, configuration)
    theirs = FIRST + "# theirs\n"
    server.write_file(configuration, PATH, theirs)
    write(page, editor, "# mine\n")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("Another person changed this file")).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(status(page)).to_have_text("Another person changed it")
    assert server.read_file(configuration, PATH) == theirs
    write(page, editor, "# more\n")
    expect(dialog.get_by_text("Another person changed this file")).to_be_visible()
    page.mouse.click(5, 5)
    expect(dialog).to_be_hidden()
    assert server.read_file(configuration, PATH) == theirs
    page.get_by_role("button", name="Choose a text…").click()
    dialog.get_by_role("button", name="Keep mine").click()
    expect(status(page)).to_have_text("Saved")
    assert server.read_file(configuration, PATH) == FIRST + "# mine\n# more\n"


@pytest.mark.provokes("^net::ERR_FAILED PUT ")
def test_text_that_is_not_saved_survives_a_reload(page: Page, server: Server, configuration: str) -> None:
    server.write_file(configuration, PATH, FIRST)
    editor = opened(page, server, configuration)
    page.route(WRITES, lambda route: route.abort() if route.request.method == "PUT" else route.continue_())
    write(page, editor, "# typed\n")
    expect(editor).to_contain_text("# typed")
    questions: list[str] = []

    def leave(dialog: Dialog) -> None:
        questions.append(dialog.type)
        dialog.accept()

    page.on("dialog", leave)
    page.reload()
    expect(editor).to_contain_text("# typed")
    expect(page.get_by_role("note")).to_contain_text("had not been saved")
    page.unroute_all()
    expect(status(page)).to_have_text("Saved")
    assert server.read_file(configuration, PATH) == FIRST + "# typed\n"
    assert questions == ["beforeunload"]
    page.get_by_role("button", name="Use the other text").click()
    expect(editor).not_to_contain_text("# typed")
    with page.expect_response(lambda answer: answer.request.method == "PUT"):
        pass
    expect(status(page)).to_have_text("Saved")
    assert server.read_file(configuration, PATH) == FIRST


@pytest.mark.provokes("^net::ERR_FAILED PUT ")
def test_a_save_that_failed_is_tried_again(page: Page, server: Server, configuration: str) -> None:
    server.write_file(configuration, PATH, FIRST)
    editor = opened(page, server, configuration)
    page.route(WRITES, lambda route: route.abort() if route.request.method == "PUT" else route.continue_())
    write(page, editor, "# typed\n")
    expect(status(page)).to_contain_text("The server does not answer")
    page.unroute_all()
    expect(status(page)).to_have_text("Saved")
    assert server.read_file(configuration, PATH) == FIRST + "# typed\n"


def test_a_file_left_in_a_hurry_is_saved_and_not_in_its_own_way(page: Page, server: Server, configuration: str) -> None:
    server.write_file(configuration, PATH, FIRST)
    editor = opened(page, server, configuration)
    files = page.get_by_role("navigation", name="Files")
    write(page, editor, "# one\n")
    files.get_by_role("button", name="joined_on.py").click()
    expect(page.get_by_role("textbox", name="Content of columns/joined_on.py")).to_contain_text("Field")
    files.get_by_role("button", name="email.py").click()
    expect(editor).to_contain_text("# one")
    write(page, editor, "# two\n")
    expect(status(page)).to_have_text("Saved")
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert server.read_file(configuration, PATH) == FIRST + "# one\n# two\n"
