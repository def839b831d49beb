"""ade submit: uploads files, queues a run for each, and waits for them when asked to."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ade.cli.connection import DEFAULT_URL, AsJson, Key, Url, WorkspaceName, connect, show
from ade.cli.output import printable, result_folders, say
from ade.cli.verdicts import WORDS, Accept, check_accept, exit_code_of
from ade.errors import AdeError, ServerRefused
from ade_engine.protocol import ARTIFACT, ISSUES

if TYPE_CHECKING:
    from rich.console import Console

    from ade.client import Client, Run

COLUMNS = {
    "run": "id",
    "document": "document_name",
    "status": "status",
    "verdict": "verdict",
    "issues": "issue_count",
    "waits for": "waiting_for",
    "#": "position",
    "submitted": "created_at",
}

MOST_OUTPUTS = 1000  # a worker keeps no more files of a run
OF_THE_FILE = {"unreadable_document", "document_too_large", "too_large", "unsupported_type"}


def submit(
    files: Annotated[list[Path], typer.Argument(help="Documents to normalise.", exists=True, dir_okay=False)],
    configuration: Annotated[
        str | None, typer.Option("--configuration", "-c", help="Configuration by name or id; else the only one.")
    ] = None,
    workspace: Annotated[str | None, WorkspaceName] = None,
    priority: Annotated[str, typer.Option(help="urgent, high, normal, low, background, or 0 to 100.")] = "normal",
    encoding: Annotated[
        str | None, typer.Option(help="Encoding of csv files, such as cp1250. By default it is detected.")
    ] = None,
    network: Annotated[
        bool | None,
        typer.Option(
            "--network/--no-network", help="Whether the runs may reach public addresses; else the server decides."
        ),
    ] = None,
    is_waiting: Annotated[bool, typer.Option("--wait", help="Wait until the runs have ended.")] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Folder for the results, one folder a file; implies --wait."),
    ] = None,
    accept: Accept = "ready",
    url: Annotated[str, Url] = DEFAULT_URL,
    key: Annotated[str | None, Key] = None,
    as_json: Annotated[bool, AsJson] = False,
) -> None:
    """Upload documents to a server and queue a run for each.

    Exit codes: 0 queued, with --wait ready; 3 a result should be checked; 4 a result is not usable; 1 a run failed or
    was cancelled, or the server refused; 2 wrong usage.

    A file the server refuses is named; the others are queued.
    """
    check_accept(accept)
    level = _level(priority)
    options = {} if network is None else {"runtime_network_access": network}
    with connect(url, key) as client:
        place = client.workspace(workspace)
        chosen = client.configuration(place.id, configuration)
        documents, refused = _upload(client, place.id, files, encoding=encoding)
        runs = client.submit_batch(chosen.id, documents, priority=level, **options) if documents else []
        if is_waiting or output is not None:
            runs = [_wait(client, run, is_quiet=as_json) for run in runs]
        if output is not None:
            _save(client, runs, output)
        show(runs, COLUMNS, as_json=as_json, nothing="Nothing was submitted.")
    failed = [f"{run.document_name}: {run.failure['message']}" for run in runs if run.failure]
    for line in [*refused, *failed]:
        say(line, is_error=True)
    if refused or any(run.status in {"failed", "cancelled"} for run in runs):
        raise typer.Exit(1)
    for run in runs:
        if run.verdict_reason and run.verdict != "ready":
            say(f"{run.document_name}: {WORDS.get(run.verdict or '', 'Check')}: {run.verdict_reason}", is_error=True)
    raise typer.Exit(exit_code_of([run.verdict for run in runs if run.verdict], accept))


def _upload(
    client: "Client", workspace_id: str, files: list[Path], *, encoding: str | None
) -> tuple[list[str], list[str]]:
    """Return the ids of the documents, and why others were refused: one bad file must not keep back the rest."""
    documents: list[str] = []
    refused: list[str] = []
    for path in files:
        try:
            documents.append(client.upload(workspace_id, path, encoding=encoding).id)
        except ServerRefused as error:
            if error.problem.get("code") not in OF_THE_FILE:
                raise
            named = "" if path.name in str(error) else f"{path.name}: "
            refused.append(f"Not submitted: {named}{error}")
    return documents, refused


def _level(priority: str) -> int:
    """Return a priority as a number; before anything is uploaded."""
    from ade.domain.priority import parse_priority

    try:
        return parse_priority(priority)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--priority") from None


def _wait(client: "Client", run: "Run", *, is_quiet: bool) -> "Run":
    """Follow a run to its end, showing what happens and what it prints."""
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True, quiet=is_quiet)
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with (
        Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress,
        _printed(client, run, console),
    ):
        bar = progress.add_task(printable(f"{run.document_name}: {run.status}"), total=None)
        for event in client.events(run.id):
            progress.update(bar, description=printable(f"{run.document_name}: {event.type}"))
    return client.run(run.id)


@contextmanager
def _printed(client: "Client", run: "Run", console: "Console") -> Iterator[None]:
    """Show what a run prints, from a thread of its own, and all of it by the end."""
    if console.quiet:
        yield
        return
    is_over = threading.Event()
    thread = threading.Thread(target=_print_log, args=(client, run, console, is_over), daemon=True)
    thread.start()
    yield
    is_over.set()
    thread.join()


def _print_log(client: "Client", run: "Run", console: "Console", is_over: threading.Event) -> None:
    from ade.client.api import LOG_SECONDS

    rest = ""
    with suppress(AdeError, RuntimeError):  # the server is gone, or the connection closed: the main thread tells it
        for text in client.follow_log(run.id, pause=lambda: is_over.wait(LOG_SECONDS)):
            *lines, rest = (rest + text).split("\n")
            for line in lines:
                console.print(printable(line), markup=False, highlight=False, soft_wrap=True)
    if rest:
        console.print(printable(rest), markup=False, highlight=False, soft_wrap=True)


def _save(client: "Client", runs: list["Run"], out: Path) -> None:
    """Save what the runs that succeeded left, in the places where `ade run` writes it."""
    for run, folder in zip(runs, result_folders((run.document_name for run in runs), out), strict=True):
        if run.status != "succeeded":
            continue
        folder.mkdir(parents=True, exist_ok=True)
        output, *others = _save_outputs(client, run.links["output"], folder)
        client.download(run.links["artifact"], folder / ARTIFACT)
        client.download(run.links["issues"], folder / ISSUES)
        message = ", ".join([f"wrote {output}", *(path.name for path in others)])
        if run.issue_count:
            message += f" and {run.issue_count} issue{'s' * (run.issue_count > 1)} in issues.ndjson"
        say(message, is_error=True)


def _save_outputs(client: "Client", link: str, folder: Path) -> list[Path]:
    """Save the workbook, or every file where each table has one."""
    saved = [_save_output(client, link, folder)]
    if saved[0].suffix == ".xlsx":
        return saved
    for number in range(2, MOST_OUTPUTS + 1):
        try:
            saved.append(_save_output(client, f"{link}?table={number}", folder))
        except ServerRefused as error:
            if error.problem.get("code") != "file_missing":
                raise
            break
    return saved


def _save_output(client: "Client", link: str, folder: Path) -> Path:
    """Save a file under the name it has in its run; the server's name begins with that of the document."""
    saved = client.save(link, folder)
    return saved.replace(folder / f"normalized{saved.stem.rpartition('-normalized')[2]}{saved.suffix}")
