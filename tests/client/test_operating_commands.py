"""The commands that operate a deployment, against a real server on a real port."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from typer.testing import CliRunner

import rows
from ade.cli import app
from ade.client import Client
from ade.database.schema import builds
from ade.database.transaction import Database
from ade.domain.access import Role
from ade.system import System
from api.conftest import Place, furnish, make_system
from api.people import Person, add_person
from api.serving import serving

pytestmark = pytest.mark.req("C1")


@dataclass(frozen=True)
class Done:
    """What a command printed, and how it failed."""

    stdout: str
    error: str


Ade = Callable[..., Done]


@pytest.fixture
def system(database: Database, tmp_path: Path) -> System:
    return make_system(database, tmp_path, auth_mode="team", webhook_hosts="receiver.internal")


@pytest.fixture
def place(system: System) -> Place:
    return furnish(system)


@pytest.fixture
def url(system: System) -> Iterator[str]:
    with serving(system) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def member(system: System, place: Place) -> Person:
    return add_person(system, workspace_id=place.workspace_id, role=Role.ADMIN)


@pytest.fixture
def ade(url: str, member: Person) -> Ade:
    """Return what calls a command with the key of a person; it must go well unless an error is expected."""

    def call(*words: str, key: str = member.key, is_well: bool = True) -> Done:
        environment = {"ADE_URL": url, "ADE_API_KEY": key, "COLUMNS": "250"}
        done = CliRunner().invoke(app, list(words), env=environment)
        if is_well:
            assert done.exit_code == 0, done.output or done.exception
        # The server is in this process too, and logs where the command prints.
        lines = [line for line in done.stdout.splitlines(keepends=True) if " request " not in line]
        return Done("".join(lines), str(done.exception))

    return call


def told(done: Done) -> Any:
    """Return what a command printed as JSON."""
    return json.loads(done.stdout)


def submit_one(ade: Ade, tmp_path: Path) -> dict[str, Any]:
    (tmp_path / "people.csv").write_text("Name,Age\nAda,36\n")
    [run] = told(ade("submit", str(tmp_path / "people.csv"), "--json"))
    made: dict[str, Any] = run
    return made


def test_the_queue_shows_a_pause_with_its_id_author_and_reason(
    ade: Ade, place: Place, member: Person, tmp_path: Path
) -> None:
    submit_one(ade, tmp_path)
    pause_id = ade("queue", "pause", "Month end: [b]invoices\x1b[31m first", "--scope", "workspace", "--value",
                   place.workspace_id).stdout.strip()  # fmt: skip

    shown = ade("queue", "list").stdout

    assert "people.csv" in shown
    assert f"workspace {place.workspace_id}, by {member.email} (test)" in shown
    assert f"Month end: [b]invoices [31m first (ade queue resume {pause_id})" in shown
    assert isinstance(told(ade("queue", "list", "--json")), list)


def test_pauses_are_listed_created_and_deleted(ade: Ade, place: Place, member: Person) -> None:
    scope = ("--scope", "workspace", "--value", place.workspace_id)
    pause_id = ade("pauses", "create", "Stocktaking", *scope).stdout.strip()

    [listed] = told(ade("pauses", "--json"))
    shown = ade("pauses", "list").stdout
    ade("pauses", "delete", pause_id)

    assert (listed["id"], listed["reason"], listed["scope"]) == (pause_id, "Stocktaking", "workspace")
    assert all(part in shown for part in (pause_id, "Stocktaking", member.email))
    assert told(ade("pauses", "list", "--json")) == []


def test_builds_are_listed_shown_and_cancelled(ade: Ade, system: System, tmp_path: Path) -> None:
    run = submit_one(ade, tmp_path)
    [listed] = told(ade("builds", "list", "--status", "queued", "--json"))
    shown = told(ade("builds", "show", listed["id"]))

    [cancelled] = told(ade("builds", "cancel", listed["id"], "--json"))

    assert listed["id"] == shown["id"] == run["build_id"]
    assert cancelled["status"] == "cancelled"
    assert listed["id"] in ade("builds").stdout
    assert told(ade("builds", "list", "--status", "queued", "--json")) == []


def test_the_log_of_a_build_is_printed(ade: Ade, system: System, tmp_path: Path) -> None:
    build_id = submit_one(ade, tmp_path)["build_id"]
    key = f"builds/{build_id}/1"
    system.files.write(f"{key}/logs.txt", [b"installing\n"])
    values = {"status": "ready", "file_key": key}
    system.database.write(lambda tx: tx.execute(sa.update(builds).values(**values)))

    assert ade("builds", "log", build_id).stdout == "installing\n"


def test_the_audit_log_is_read_and_narrowed(ade: Ade, place: Place, member: Person) -> None:
    ade("members", "set", member.email, "admin")
    ade("webhooks", "create", "https://example.org/ade")

    listed = told(ade("audit", "list", "--json"))
    [hook] = told(ade("audit", "list", "--kind", "webhook", "--json"))
    shown = ade("audit").stdout

    assert {row["action"] for row in listed} >= {"member.set", "webhook.create"}
    assert hook["action"] == "webhook.create"
    assert "webhook.create" in shown
    assert told(ade("audit", "list", "--action", "no.such", "--json")) == []


def test_webhooks_are_created_with_a_secret_shown_once_tried_and_deleted(ade: Ade) -> None:
    [made] = told(ade("webhooks", "create", "https://example.org/ade", "--status", "failed", "--json"))
    [listed] = told(ade("webhooks", "--json"))
    [pinged] = told(ade("webhooks", "ping", made["id"], "--json"))
    [message] = told(ade("webhooks", "deliveries", made["id"], "--json"))
    [again] = told(ade("webhooks", "send-again", made["id"], message["id"], "--json"))
    shown = told(ade("webhooks", "show", made["id"]))
    ade("webhooks", "delete", made["id"])

    assert made["secret"].startswith("whsec_")
    assert (listed["id"], listed["statuses"], listed["secret"]) == (made["id"], ["failed"], None)
    assert "secret" not in shown
    assert pinged["id"] == message["id"] == again["id"]
    assert told(ade("webhooks", "list", "--json")) == []


def test_members_are_set_by_email_listed_and_removed(ade: Ade, system: System, place: Place) -> None:
    other = add_person(system)
    [made] = told(ade("members", "set", other.email.upper(), "author", "--json"))
    emails = {one["email"]: one["role"] for one in told(ade("members", "--json"))}

    assert (made["user_id"], made["role"]) == (other.id, "author")
    assert emails[other.email] == "author"
    ade("members", "set", other.email, "viewer")
    ade("members", "remove", other.email)
    assert other.email not in ade("members", "list").stdout


def test_someone_unknown_and_someone_who_may_not_add_members_are_refused_with_the_reason(
    ade: Ade, system: System, place: Place
) -> None:
    author = add_person(system, workspace_id=place.workspace_id, role=Role.AUTHOR)
    other = add_person(system)

    unknown = ade("members", "set", "nobody@example.org", "author", is_well=False)
    stranger = ade("members", "remove", "nobody@example.org", is_well=False)
    forbidden = ade("members", "set", other.email, "author", key=author.key, is_well=False)

    assert "There is no account for nobody@example.org" in unknown.error
    assert "nobody@example.org is not a member of this workspace" in stranger.error
    assert "admin" in forbidden.error
    assert other.email not in ade("members", "list").stdout


def test_a_name_that_looks_like_markup_is_shown_as_it_is(ade: Ade, system: System, place: Place) -> None:
    name = "[/bold] [red].csv"
    system.database.write(lambda tx: rows.add_document(tx, workspace_id=place.workspace_id, name=name))

    assert name in ade("documents", "list").stdout


def test_proposals_are_listed_accepted_and_declined(ade: Ade, url: str, system: System, place: Place) -> None:
    operator = add_person(system, workspace_id=place.workspace_id, role=Role.OPERATOR)
    with Client(url, key=operator.key) as client:
        run = client.submit(place.configuration_id, place.document_id)
        made = [_propose(client, run.id, header) for header in ("Mail address", "Post")]

    rows_ = told(ade("proposals", "list", "--json"))
    assert [row["id"] for row in rows_] == made[::-1]
    assert {row["configuration_id"] for row in rows_} == {place.configuration_id}
    accepted = told(ade("proposals", "accept", made[0], "--note", "Renamed.", "--json"))
    assert accepted[0]["version"] == 2
    ade("proposals", "decline", made[1], "--note", "This sender only.")
    assert made[1] in ade("proposals", "list", "--state", "declined").stdout
    assert "This sender only." in ade("proposals", "list", "--state", "declined").stdout
    assert told(ade("proposals", "list", "--json")) == []
    late = ade("proposals", "decline", made[0], is_well=False)
    assert "accepted already" in late.error


def _propose(client: Client, run_id: str, header: str) -> str:
    correction = {"kind": "header", "header": header, "field": "email"}
    return str(client.call("POST", f"/runs/{run_id}/run-again", json={"corrections": [correction]})["id"])
