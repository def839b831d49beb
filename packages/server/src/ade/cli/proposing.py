"""ade proposals: corrections that operators made for one document, and that an author accepts or declines."""

from enum import StrEnum
from itertools import islice
from typing import Annotated

import typer

from ade.cli.connection import DEFAULT_URL, connect, show
from ade.cli.groups import JsonOption, KeyOption, UrlOption, WorkspaceOption, lists_alone

proposals = typer.Typer(invoke_without_command=True)
COLUMNS = {
    "run": "id",
    "configuration": "configuration_name",
    "document": "document_name",
    "by": "by",
    "corrections": "count",
    "before": "before",
    "with them": "verdict",
    "since": "created_at",
    "decided by": "decided_by",
    "note": "note",
}
RUN_COLUMNS = {"run": "id", "configuration": "configuration_name", "version": "version", "status": "status"}
RunId = Annotated[str, typer.Argument(help="Id of the run with the corrections.")]


class State(StrEnum):
    """What can be listed."""

    WAITING = "waiting"
    ACCEPTED = "accepted"
    DECLINED = "declined"


@proposals.command("list")
def list_proposals(
    state: Annotated[State, typer.Option(help="Those that wait, were accepted, or were declined.")] = State.WAITING,
    limit: Annotated[int, typer.Option(help="Most to list.", min=1)] = 20,
    workspace: WorkspaceOption = None,
    url: UrlOption = DEFAULT_URL,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """List corrections that operators made for one document, the latest first."""
    with connect(url, key) as client:
        found = client.proposals(client.workspace(workspace).id, state=state)
        show(islice(found, limit), COLUMNS, as_json=as_json, nothing="No corrections wait for an author.")


@proposals.command("accept")
def accept_proposal(
    run_id: RunId,
    note: Annotated[str | None, typer.Option(help="What is new, for the version.")] = None,
    skip_tests: Annotated[bool, typer.Option("--skip-tests", help="Publish without running the cases.")] = False,
    url: UrlOption = DEFAULT_URL,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Publish a version with the corrections of a run, so that they hold from now on, and run its document with it."""
    with connect(url, key) as client:
        made = client.accept_proposal(run_id, note=note, skip_tests=skip_tests)
        show([made], RUN_COLUMNS, as_json=as_json)


@proposals.command("decline")
def decline_proposal(
    run_id: RunId,
    note: Annotated[str | None, typer.Option(help="Why, for the operator.")] = None,
    url: UrlOption = DEFAULT_URL,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Leave the corrections of a run with its document alone."""
    with connect(url, key) as client:
        show([client.decline_proposal(run_id, note=note)], RUN_COLUMNS, as_json=as_json)


lists_alone(proposals, list_proposals, "List, accept and decline what operators corrected; alone: list what waits.")
