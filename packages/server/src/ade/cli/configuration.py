"""ade init, check and explain: write a configuration, find its mistakes, understand a result."""

import json
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from ade.cli.local_options import (
    DEFAULT_MEMORY_MB,
    DEFAULT_SECONDS,
    Debug,
    MemoryMb,
    MinIsolation,
    Timeout,
    sandbox_choice,
    warn_of_debugging,
)
from ade.cli.output import print_json, printable, refuse
from ade_engine.protocol import ARTIFACT

if TYPE_CHECKING:
    from ade.cli.local_sandbox import SandboxChoice
    from ade_engine import Problem

_MOST_ARTIFACT_BYTES = 64 * 1024 * 1024
AsJson = Annotated[bool, typer.Option("--json", help="Answer as JSON.")]


def init(
    folder: Annotated[Path, typer.Argument(help="Folder to create.")],
    examples: Annotated[
        list[Path] | None,
        typer.Option("--from", help="Infer fields from this file; may be repeated."),
    ] = None,
    encoding: Annotated[
        str | None, typer.Option(help="Encoding of that file if it is csv, such as cp1250. By default it is detected.")
    ] = None,
) -> None:
    """Write a starter configuration, or one inferred from an example."""
    from ade_engine.encoding_names import known_encoding, unknown_encoding

    if encoding is not None and known_encoding(encoding) is None:
        refuse(f"--encoding: {unknown_encoding(encoding)}")

    if folder.exists() and any(folder.iterdir() if folder.is_dir() else [folder]):
        refuse(f"{folder} is there already and not empty")
    for path in _written(folder, examples or [], encoding=encoding):
        typer.echo(f"wrote {path}")
    named, document = quote(str(folder)), quote(str(examples[0] if examples else "FILE.xlsx"))
    typer.echo(f"Next: ade check {named} && ade run {document} --config {named}")


def _written(folder: Path, examples: list[Path], *, encoding: str | None) -> list[Path]:
    if not examples:
        from ade_engine import init_configuration

        return init_configuration(folder)
    from ade.cli.inferring import NotInferred, infer

    choice = sandbox_choice(timeout=DEFAULT_SECONDS, memory_mb=DEFAULT_MEMORY_MB, min_isolation="")
    try:
        return infer(folder, examples, encoding=encoding, choice=choice)
    except NotInferred as error:
        refuse(str(error))


def check(
    folder: Annotated[Path, typer.Argument(help="Configuration folder.")],
    as_json: AsJson = False,
    timeout: Timeout = DEFAULT_SECONDS,
    memory_mb: MemoryMb = DEFAULT_MEMORY_MB,
    min_isolation: MinIsolation = "",
    debug: Debug = False,
) -> None:
    """Find wrong names, signatures, duplicate fields and rules that never apply; exit 1 when there are errors.

    The rules are imported in a sandbox: they can only read the configuration, and have no network.
    """
    from ade_engine.configuration.problems import errors_of

    choice = sandbox_choice(timeout=timeout, memory_mb=memory_mb, min_isolation=min_isolation)
    if not folder.is_dir():
        refuse(f"{folder} is not a folder")
    problems = _problems(folder, choice, is_debugging=debug)
    errors = errors_of(problems)
    if as_json:
        print_json({"is_valid": not errors, "problems": [problem.as_json() for problem in problems]})
    else:
        for problem in problems:
            place = f"{problem.file}:{problem.line}" if problem.line else problem.file
            hint = f". {problem.suggestion}" if problem.suggestion else ""
            warning = "warning: " if problem.severity == "warning" else ""
            typer.echo(printable(f"{place}: {warning}{problem.message}{hint} [{problem.code}]"))
        typer.echo(_counted(len(errors), len(problems) - len(errors)))
    raise typer.Exit(1 if errors else 0)


def _problems(folder: Path, choice: "SandboxChoice", *, is_debugging: bool) -> "list[Problem]":
    from ade.cli.checking import CheckFailed, problems_here, problems_of

    try:
        if is_debugging:
            warn_of_debugging()
            return problems_here(folder)
        return problems_of(folder, choice)
    except CheckFailed as error:
        refuse(str(error), code=1)


def _counted(error_count: int, warning_count: int) -> str:
    counts = [(error_count, "error"), (warning_count, "warning")]
    return ", ".join(f"{count} {noun}{'s' * (count > 1)}" for count, noun in counts if count) or "no problems"


def explain(
    artifact: Annotated[Path, typer.Argument(help="artifact.json, or the folder of a run.")],
    as_json: AsJson = False,
) -> None:
    """Explain in words why each header row and each mapping was chosen."""
    from ade_engine import explain as explain_artifact

    path = artifact / ARTIFACT if artifact.is_dir() else artifact
    content = _content(path)
    try:
        words = explain_artifact(json.loads(content))
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RuntimeError):
        refuse(f"{path} is not an artifact of ade")
    if as_json:
        print_json({"artifact": str(path), "explanation": words})
    else:
        typer.echo(printable(words), nl=False)


def _content(path: Path) -> bytes:
    """Return the content of a file that a stranger may have sent: it must be a plain one, of a decent size."""
    if path.exists() and not path.is_file():
        refuse(f"{path} is not a plain file")
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_ARTIFACT_BYTES + 1)
    except OSError as error:
        refuse(f"cannot read {path}: {error.strerror}")
    if len(content) > _MOST_ARTIFACT_BYTES:
        refuse(f"{path} is larger than {_MOST_ARTIFACT_BYTES >> 20} MB, which no artifact is")
    return content
