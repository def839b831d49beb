"""ade proposals: corrections that operators made for one document, and that an author accepts or declines."""

from enum import StrEnum
from itertools import islice
from typing import TYPE_CHECKING, Annotated

import typer

from ade.cli.connection import show
from ade.cli.groups import JsonOption, WorkspaceOption, lists_alone, server_command

if TYPE_CHECKING:
    from ade.client import Client

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


@server_command(proposals, "list")
def list_proposals(
    client: "Client",
    state: Annotated[State, typer.Option(help="Which proposals: waiting, accepted or declined.")] = State.WAITING,
    limit: Annotated[int, typer.Option(help="Maximum number to list.", min=1)] = 20,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the proposals of operators, the latest first."""
    found = client.proposals(client.workspace(workspace).id, state=state)
    show(islice(found, limit), COLUMNS, as_json=as_json, nothing="There are no waiting proposals.")


@server_command(proposals, "accept")
def accept_proposal(
    client: "Client",
    run_id: RunId,
    note: Annotated[str | None, typer.Option(help="What is new, for the version.")] = None,
    skip_tests: Annotated[bool, typer.Option("--skip-tests", help="Publish without running the cases.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Publish a version with the corrections of a run, so that they apply from now on, and run its document again."""
    made = client.accept_proposal(run_id, note=note, skip_tests=skip_tests)
    show([made], RUN_COLUMNS, as_json=as_json)


@server_command(proposals, "decline")
def decline_proposal(
    client: "Client",
    run_id: RunId,
    note: Annotated[str | None, typer.Option(help="Why, for the operator.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Decline a proposal: its corrections stay with the one document."""
    show([client.decline_proposal(run_id, note=note)], RUN_COLUMNS, as_json=as_json)


lists_alone(proposals, list_proposals, "List, accept and decline proposals of operators; alone: list the waiting ones.")
