"""ade bench: the benchmarks, which are part of a clone and not of the package."""

import os
from pathlib import Path

import typer

from ade.cli.output import fail
from ade.errors import NotFound

BENCHMARKS = "bin/bench"


def bench(
    quick: bool = typer.Option(False, "--quick", help="Small sizes: tests that it works, not how fast."),
    picture: Path = typer.Option(Path("bench.png"), help="File of the picture."),  # noqa: B008 - Typer's way
) -> None:
    """Measure queue, runs and engine together with their peers: one table and one picture."""
    clone = next((folder for folder in Path(__file__).resolve().parents if (folder / BENCHMARKS).is_file()), None)
    if clone is None:
        raise typer.Exit(fail(NotFound("The benchmarks come with the repository, not with the package: clone it.")))
    words = [str(clone / BENCHMARKS), "table", "--picture", str(picture), *(["--quick"] if quick else [])]
    os.execv(words[0], words)  # noqa: S606 - our own program
