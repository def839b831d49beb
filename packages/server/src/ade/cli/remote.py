"""ade runs, queue, documents, configurations, workers: the server's things from a terminal."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ade.cli.connection import DEFAULT_URL, connect, plain, show
from ade.cli.groups import JsonOption, KeyOption, UrlOption, WorkspaceOption, lists_alone, server_command
from ade.cli.output import print_json, say
from ade.cli.submit import COLUMNS
from ade.errors import Invalid

if TYPE_CHECKING:
    from ade.client.api import Client

runs = typer.Typer(invoke_without_command=True)
queue = typer.Typer(invoke_without_command=True)
documents = typer.Typer(invoke_without_command=True)
configurations = typer.Typer(invoke_without_command=True)
workers = typer.Typer(invoke_without_command=True)

WORKER_COLUMNS = {
    "worker": "id",
    "name": "name",
    "state": "state",
    "runs": "running_count",
    "slots": "slots",
    "isolation": "isolation",
    "heard of": "heartbeat_at",
    "claims nothing because": "idle_reason",
}
RunId = Annotated[str, typer.Argument(help="Id of the run.")]


@server_command(runs, "list")
def list_runs(
    client: "Client",
    status: Annotated[str | None, typer.Option(help="Only runs of this status.")] = None,
    verdict: Annotated[str | None, typer.Option(help="Only those that are ready, check or not_usable.")] = None,
    limit: Annotated[int, typer.Option(help="Maximum number of runs to list.", min=1)] = 20,
    as_json: JsonOption = False,
) -> None:
    """List runs, the latest submission first."""
    from itertools import islice

    show(
        islice(client.runs(status=status, verdict=verdict), limit),
        COLUMNS,
        as_json=as_json,
        nothing=f"No {status or ''} runs.".replace("  ", " "),
    )


@server_command(runs, "show")
def show_run(client: "Client", run_id: RunId) -> None:
    """Show everything about a run, as JSON."""
    print_json(client.call("GET", f"/runs/{run_id}"))


@server_command(runs, "events")
def follow_run(client: "Client", run_id: RunId) -> None:
    """Print the events of a run until it ends, one JSON document per line."""
    for event in client.events(run_id):
        print_json(event.data, indent=None)


@server_command(runs, "logs")
def print_log(
    client: "Client",
    run_id: RunId,
    is_followed: Annotated[bool, typer.Option("--follow", "-f", help="Continue printing until the run ends.")] = False,
) -> None:
    """Print the log of a run."""
    for text in client.follow_log(run_id) if is_followed else [client.logs(run_id)]:
        say(text, is_line=False)


@server_command(runs, "cancel")
def cancel_run(
    client: "Client",
    run_id: RunId,
    reason: Annotated[str | None, typer.Option(help="Why.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Cancel a run."""
    show([client.cancel(run_id, reason=reason)], COLUMNS, as_json=as_json)


@server_command(runs, "again")
def run_again(
    client: "Client",
    run_id: RunId,
    version: Annotated[int | None, typer.Option(help="A version; by default the published one.")] = None,
    network: Annotated[
        bool | None,
        typer.Option("--network/--no-network", help="Whether it may reach public addresses; by default as before."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Queue a new run of the same document."""
    wanted = {"version": version, "runtime_network_access": network}
    options = {name: value for name, value in wanted.items() if value is not None}
    show([client.run_again(run_id, **options)], COLUMNS, as_json=as_json)


@server_command(runs, "output")
def save_output(
    client: "Client",
    run_id: RunId,
    target: Annotated[Path, typer.Argument(help="File to write.")],
) -> None:
    """Download the output of a run."""
    typer.echo(f"{client.download(client.run(run_id).links['output'], target)} bytes to {target}")


@server_command(runs, "combine")
def combine_runs(
    client: "Client",
    run_ids: Annotated[list[str], typer.Argument(help="Ids of the runs, in the order that their rows shall have.")],
    into: Annotated[Path, typer.Option(help="File to write: .xlsx, .csv or .parquet.", dir_okay=False)],
) -> None:
    """Download the outputs of several runs as one document; tables of the same name become one."""
    say(str(client.combine(client.run(run_ids[0]).workspace_id, run_ids, into)))


@server_command(runs, "save-case")
def save_case(
    client: "Client",
    run_id: RunId,
    name: Annotated[str | None, typer.Option(help="Name of the case; by default that of the document.")] = None,
) -> None:
    """Save the document and the output of a run as a case of its configuration's draft."""
    say(client.save_case(client.run(run_id).configuration_id, run_id, name=name))


@server_command(queue, "list")
def list_queue(client: "Client", as_json: JsonOption = False) -> None:
    """List the queued runs in the order they will be claimed, and the pauses in force."""
    columns = {"#": "position", "run": "run_id", "document": "document_name", "priority": "effective_priority",
               "waits for": "waiting_for", "because": "waiting_reason"}  # fmt: skip
    show(client.queue(), columns, as_json=as_json, nothing="Nothing waits.")
    for pause in client.pauses() if not as_json else ():
        who, since = pause.created_by or "somebody", pause.created_at[:16].replace("T", " ")
        said = f"Paused: {pause.what}, by {who} since {since}: {pause.reason} (ade queue resume {pause.id})"
        typer.echo(plain(said))


@server_command(queue, "pause")
def pause_queue(
    client: "Client",
    reason: Annotated[str, typer.Argument(help="The reason; everyone sees it.")],
    scope: Annotated[str, typer.Option(help="all, priority, workspace or plan.")] = "all",
    value: Annotated[str | None, typer.Option(help="Which priority, workspace or plan.")] = None,
) -> None:
    """Hold back everything, a priority, a workspace or a plan; prints the id that resumes it."""
    say(client.pause(scope, value, reason))


@server_command(queue, "resume")
def resume_queue(client: "Client", pause_id: Annotated[str, typer.Argument(help="Id of the pause.")]) -> None:
    """Lift a pause."""
    client.resume(pause_id)


@server_command(documents, "list")
def list_documents(
    client: "Client",
    workspace: WorkspaceOption = None,
    name: Annotated[str | None, typer.Option(help="Part of the name.")] = None,
    as_json: JsonOption = False,
) -> None:
    """List documents, newest first."""
    columns = {"document": "id", "name": "name", "bytes": "size_bytes", "uploaded": "created_at"}
    found = client.documents(client.workspace(workspace).id, name=name)
    show(found, columns, as_json=as_json, nothing="No documents. `ade documents upload` adds some.")


@server_command(documents, "upload")
def upload_documents(
    client: "Client",
    files: Annotated[list[Path], typer.Argument(exists=True, dir_okay=False)],
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Upload documents."""
    place = client.workspace(workspace)
    made = [client.upload(place.id, path) for path in files]
    show(made, {"document": "id", "name": "name", "same as": "duplicate_of"}, as_json=as_json)


@server_command(documents, "download")
def download_document(client: "Client", document_id: str, target: Annotated[Path, typer.Argument()]) -> None:
    """Download a document."""
    typer.echo(f"{client.download(f'/api/v1/documents/{document_id}/content', target)} bytes to {target}")


@server_command(configurations, "list")
def list_configurations(client: "Client", workspace: WorkspaceOption = None, as_json: JsonOption = False) -> None:
    """List configurations, newest first."""
    columns = {"configuration": "id", "name": "name", "published": "published_version", "draft": "draft_version"}
    found = client.configurations(client.workspace(workspace).id)
    show(found, columns, as_json=as_json, nothing="No configurations. `ade configurations push` adds one.")


@configurations.command("import")
def import_configuration(
    folder: Annotated[Path, typer.Argument(exists=True, file_okay=False, help="A configuration folder.")],
    name: Annotated[str | None, typer.Option(help="Its name on the server; by default the folder's name.")] = None,
    is_published: Annotated[bool, typer.Option("--publish", help="Publish it at once.")] = False,
    workspace: WorkspaceOption = None,
    url: UrlOption = DEFAULT_URL,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Create a configuration on the server from a folder."""
    from ade.domain.configuration_files import pack

    packed = pack(_files_of(folder))
    with connect(url, key) as client:
        made = client.import_configuration(client.workspace(workspace).id, name or folder.resolve().name, packed)
        if is_published:
            client.publish(made.id)
        show([made], {"configuration": "id", "name": "name"}, as_json=as_json)


def _files_of(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder. A stranger may have made it: a link must not take other files of the user along."""
    files = {}
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or "__pycache__" in path.parts:
            continue
        name = path.relative_to(folder).as_posix()
        if not path.resolve().is_relative_to(folder.resolve()):
            raise Invalid(f"{name} is a link to a file outside of the folder. Copy the file if the rules need it.")
        files[name] = path.read_bytes()
    return files


@configurations.command("push")
def push_configuration(
    folder: Annotated[Path, typer.Argument(exists=True, file_okay=False, help="A configuration folder.")],
    name: Annotated[str | None, typer.Option(help="Name or id on the server; by default the folder's name.")] = None,
    is_published: Annotated[bool, typer.Option("--publish", help="Test it, then publish it.")] = False,
    note: Annotated[str | None, typer.Option(help="What is new.")] = None,
    skips_tests: Annotated[bool, typer.Option("--skip-tests", help="Publish without running the cases.")] = False,
    workspace: WorkspaceOption = None,
    url: UrlOption = DEFAULT_URL,
    key: KeyOption = None,
) -> None:
    """Upload a folder as a new version of the configuration with its name, which is created if needed.

    Exit codes: 0 done, 1 a case did not pass or the server refused, 2 wrong usage.
    """
    from ade.domain.configuration_files import pack

    packed = pack(_files_of(folder))
    with connect(url, key) as client:
        pushed = client.push(client.workspace(workspace).id, name or folder.resolve().name, packed, note=note)
        state = "is the draft" if pushed.is_draft else "has these files already, and is published"
        say(f"Version {pushed.version} of {pushed.name} {state}.")
        if is_published and pushed.is_draft:
            _publish(client, pushed.configuration_id, note=note, skips_tests=skips_tests)


def _publish(client: "Client", configuration_id: str, *, note: str | None, skips_tests: bool) -> None:
    """Test the draft and publish it; end the command when a case did not pass."""
    if not skips_tests:
        _test(client, configuration_id)
    say(f"Published version {client.publish(configuration_id, note=note, skip_tests=skips_tests)}.")


def _test(client: "Client", configuration_id: str) -> None:
    found = client.test_draft(configuration_id)
    for case in found.cases:
        say(f"{case['status']:9} {plain(case['name'])}")
        for line in [case["failure"]] if case["failure"] else case["differences"]:
            say(f"          {plain(line)}")
    if found.failure or any(case["status"] != "passed" for case in found.cases):
        say(found.failure or "A case did not pass; nothing was published.")
        raise typer.Exit(1)


ConfigurationName = Annotated[str, typer.Argument(help="Name or id of the configuration.")]


@server_command(configurations, "test")
def try_configuration(client: "Client", configuration: ConfigurationName, workspace: WorkspaceOption = None) -> None:
    """Run the cases of a configuration's draft on the server; exit 1 when one did not pass."""
    _test(client, client.configuration(client.workspace(workspace).id, configuration).id)


@server_command(configurations, "export")
def export_configuration(
    client: "Client",
    configuration: ConfigurationName,
    target: Annotated[Path, typer.Argument(help="Zip archive to write.")],
    workspace: WorkspaceOption = None,
) -> None:
    """Download a configuration as a zip archive."""
    found = client.configuration(client.workspace(workspace).id, configuration)
    typer.echo(f"{client.download(f'/api/v1/configurations/{found.id}/export', target)} bytes to {target}")


@server_command(configurations, "publish")
def publish_configuration(
    client: "Client",
    configuration: ConfigurationName,
    note: Annotated[str | None, typer.Option(help="What is new.")] = None,
    skips_tests: Annotated[bool, typer.Option("--skip-tests", help="Publish without running the cases.")] = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Test the draft of a configuration, and publish it."""
    found = client.configuration(client.workspace(workspace).id, configuration)
    _publish(client, found.id, note=note, skips_tests=skips_tests)


@server_command(workers, "list")
def list_workers(client: "Client", as_json: JsonOption = False) -> None:
    """List live and silent workers, and those that stopped within the last day."""
    show(client.workers(), WORKER_COLUMNS, as_json=as_json, nothing="No worker. `ade worker` starts one.")


@server_command(workers, "drain")
def drain_worker(
    client: "Client",
    worker_id: Annotated[str, typer.Argument(help="Id of the worker.")],
    as_json: JsonOption = False,
) -> None:
    """Let a worker finish its runs and claim no others until it is started again."""
    show([client.drain_worker(worker_id)], WORKER_COLUMNS, as_json=as_json)


lists_alone(runs, list_runs, "List, follow and cancel runs on a server; alone: list them.")
lists_alone(queue, list_queue, "Show the queue of a server, pause and resume it; alone: list the queued runs.")
lists_alone(documents, list_documents, "List, upload and download documents on a server; alone: list them.")
lists_alone(
    configurations,
    list_configurations,
    "List, push, test, publish, import and export configurations; alone: list them.",
)
lists_alone(workers, list_workers, "Show the workers of a server, and drain one; alone: list them.")
