"""ade submit: uploads files, queues a run for each, and waits for them when asked to."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ade.cli.connection import DEFAULT_URL, AsJson, Key, Url, WorkspaceName, connect, show

if TYPE_CHECKING:
    from ade.client import Client, Run

COLUMNS = {
    "run": "id",
    "document": "document_name",
    "status": "status",
    "waits for": "waiting_for",
    "#": "position",
    "submitted": "created_at",
}


def submit(
    files: Annotated[list[Path], typer.Argument(help="Documents to normalise.", exists=True, dir_okay=False)],
    configuration: Annotated[
        str | None, typer.Option("--configuration", "-c", help="Configuration by name or id; else the only one.")
    ] = None,
    workspace: Annotated[str | None, WorkspaceName] = None,
    priority: Annotated[str, typer.Option(help="urgent, high, normal, low, background, or 0 to 100.")] = "normal",
    is_waiting: Annotated[bool, typer.Option("--wait", help="Wait until the runs have ended.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Folder for the outputs; implies --wait.")
    ] = None,
    url: Annotated[str, Url] = DEFAULT_URL,
    key: Annotated[str | None, Key] = None,
    as_json: Annotated[bool, AsJson] = False,
) -> None:
    """Upload documents to a server and queue a run for each."""
    level = _level(priority)
    with connect(url, key) as client:
        place = client.workspace(workspace)
        chosen = client.configuration(place.id, configuration)
        documents = [client.upload(place.id, path) for path in files]
        runs = client.submit_batch(chosen.id, [document.id for document in documents], priority=level)
        if is_waiting or output is not None:
            runs = [_wait(client, run, is_quiet=as_json) for run in runs]
        if output is not None:
            _save(client, runs, output)
        show(runs, COLUMNS, as_json=as_json)
    if any(run.status in {"failed", "cancelled"} for run in runs):
        for run in runs:
            if run.failure:
                typer.echo(f"{run.document_name}: {run.failure['message']}", err=True)
        raise typer.Exit(1)


def _level(priority: str) -> int:
    """Return a priority as a number; before anything is uploaded."""
    from ade.domain.priority import parse_priority

    try:
        return parse_priority(priority)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--priority") from None


def _wait(client: "Client", run: "Run", *, is_quiet: bool) -> "Run":
    """Follow a run to its end, showing what happens."""
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True, quiet=is_quiet or not sys.stderr.isatty())
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        bar = progress.add_task(f"{run.document_name}: {run.status}", total=None)
        for event in client.events(run.id):
            progress.update(bar, description=f"{run.document_name}: {event.type}")
    return client.run(run.id)


def _save(client: "Client", runs: list["Run"], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for run in runs:
        if run.status == "succeeded":
            output = client.save(run.links["output"], folder)
            client.save(run.links["artifact"], folder, name=f"{output.stem.replace('-normalized', '-artifact')}.json")
            typer.echo(f"wrote {output}", err=True)
