"""ade learn: accepted mappings become evidence for the next documents; lists what was learned, and undoes it."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ade.cli.local_options import DEFAULT_MEMORY_MB, DEFAULT_SECONDS, MemoryMb, MinIsolation, Timeout, sandbox_choice
from ade.cli.output import print_json, printable, refuse

_MOST_BYTES = 4 * 1024 * 1024


def learn(
    folder: Annotated[Path, typer.Argument(help="Configuration folder.")],
    documents: Annotated[list[Path] | None, typer.Argument(help="Documents whose results were accepted.")] = None,
    sender: Annotated[
        str | None, typer.Option(help='Use it only for documents with such a name, for example "acme*".')
    ] = None,
    undo: Annotated[str | None, typer.Option(help="Remove what was learned from the document with this name.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Answer as JSON.")] = False,
    timeout: Timeout = DEFAULT_SECONDS,
    memory_mb: MemoryMb = DEFAULT_MEMORY_MB,
    min_isolation: MinIsolation = "",
) -> None:
    """Learn from documents whose results were accepted; without documents, list what was learned.

    Each document runs with the configuration. The headers of mapped columns and the profiles of their values, no value
    itself, are added to learned.json.
    """
    if not folder.is_dir():
        refuse(f"{folder} is not a folder")
    choice = sandbox_choice(timeout=timeout, memory_mb=memory_mb, min_isolation=min_isolation)
    if undo is not None:
        _forget(folder, undo)
    for document in documents or []:
        if not document.is_file():
            refuse(f"there is no file {document}")
        _learn(folder, document, sender, choice)
    _show(folder, as_json=as_json)


def _learn(folder: Path, document: Path, sender: str | None, choice: Any) -> None:
    from ade.cli.local_sandbox import LocalSandbox
    from ade.sandbox.collector import RefusedOutput, collect
    from ade_engine.configuration.learned import FILE
    from ade_engine.protocol import INFERRED

    options = {"sender": sender}
    try:
        with (
            LocalSandbox(choice) as sandbox,
            sandbox.execute("learn", document=document, configuration=folder, options=options) as ended,
        ):
            if ended.failure is not None:
                refuse(ended.failure["message"], code=1)
            collect(ended.output / INFERRED, FILE, folder / FILE, max_bytes=_MOST_BYTES)
    except RefusedOutput as error:
        refuse(str(error), code=1)
    except OSError as error:
        refuse(f"{folder} could not be written: {error.strerror or error}", code=1)


def _forget(folder: Path, origin: str) -> None:
    from ade_engine.configuration.learned import forget
    from ade_engine.errors import ConfigurationError

    try:
        is_forgotten = forget(folder, origin)
    except ConfigurationError as error:
        refuse(str(error))
    if not is_forgotten:
        refuse(f"nothing was learned from {origin}")


def _show(folder: Path, *, as_json: bool) -> None:
    from ade_engine.configuration.learned import FILE, read_learned

    learned, problems = read_learned(folder)
    if problems:
        refuse(f"{FILE}: {problems[0].message}", code=1)
    if as_json:
        print_json({"learned": [_as_json(entry) for entry in learned.entries]})
        return
    if not learned.entries:
        typer.echo("nothing learned yet")
    for entry in learned.entries:
        sender = f" for {entry.sender}" if entry.sender else ""
        count = f"{len(entry.fields)} field{'s' * (len(entry.fields) != 1)}"
        typer.echo(printable(f"{entry.origin}{sender}: {count} ({', '.join(sorted(entry.fields))})"))


def _as_json(entry: Any) -> dict[str, Any]:
    headers = {name: list(column.headers) for name, column in entry.fields.items()}
    return {"origin": entry.origin, "sender": entry.sender, "headers": headers}
