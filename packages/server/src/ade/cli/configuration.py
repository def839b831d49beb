"""ade init, check and explain: write a configuration, find its mistakes, understand a result."""

import json
from pathlib import Path
from shlex import quote
from typing import Annotated, Any, NoReturn

import typer

from ade.cli.output import print_json

AsJson = Annotated[bool, typer.Option("--json", help="Answer as JSON.")]


def init(
    folder: Annotated[Path, typer.Argument(help="Folder to make.")],
    example: Annotated[
        Path | None, typer.Option("--from", help="Infer fields, types and names from this file.")
    ] = None,
) -> None:
    """Write a starter configuration, or one inferred from an example."""
    from ade_engine import EngineError, example_tables, infer_configuration, init_configuration

    if folder.exists() and any(folder.iterdir() if folder.is_dir() else [folder]):
        _refuse(f"{folder} is there already and not empty")
    try:
        written = infer_configuration(folder, example_tables(example)) if example else init_configuration(folder)
    except EngineError as error:
        _refuse(str(error))
    for path in written:
        typer.echo(f"wrote {path}")
    named, document = quote(str(folder)), quote(str(example or "FILE.xlsx"))
    typer.echo(f"Next: ade check {named} && ade run {document} --config {named}")


def check(
    folder: Annotated[Path, typer.Argument(help="Configuration folder.")],
    as_json: AsJson = False,
) -> None:
    """Find wrong names, signatures, duplicate fields and rules that never apply; exit 1 when there are any."""
    from ade_engine import check_configuration
    from ade_engine.errors import EngineError

    if not folder.is_dir():
        _refuse(f"{folder} is not a folder")
    try:
        problems = check_configuration(folder)
    except EngineError as error:
        _refuse(str(error))
    if as_json:
        print_json({"problems": [_as_json(problem) for problem in problems]})
    else:
        for problem in problems:
            place = f"{problem.file}:{problem.line}" if problem.line else problem.file
            hint = f". {problem.suggestion}" if problem.suggestion else ""
            typer.echo(f"{place}: {problem.message}{hint} [{problem.code}]")
        typer.echo(f"{len(problems)} problem{'s' if len(problems) > 1 else ''}" if problems else "no problems")
    raise typer.Exit(1 if problems else 0)


def _as_json(problem: Any) -> dict[str, Any]:
    return {key: getattr(problem, key) for key in ("file", "line", "code", "message", "suggestion")}


def explain(
    artifact: Annotated[Path, typer.Argument(help="artifact.json, or the folder of a run.")],
    as_json: AsJson = False,
) -> None:
    """Say in words why each header row and each mapping was chosen."""
    from ade_engine import explain as explain_artifact

    path = artifact / "artifact.json" if artifact.is_dir() else artifact
    try:
        content = json.loads(path.read_bytes())
        words = explain_artifact(content)
    except OSError as error:
        _refuse(f"cannot read {path}: {error.strerror}")
    except (ValueError, KeyError, TypeError):
        _refuse(f"{path} is not an artifact of ade")
    if as_json:
        print_json({"artifact": str(path), "explanation": words})
    else:
        typer.echo(words, nl=False)


def _refuse(reason: str) -> NoReturn:
    typer.echo(f"ade: {reason}", err=True)
    raise typer.Exit(2)
