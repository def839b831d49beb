"""ade test: run the cases of a configuration and compare what comes out, cell by cell."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer

from ade.cli.local_options import (
    DEFAULT_DISK_MB,
    DEFAULT_MEMORY_MB,
    DEFAULT_SECONDS,
    Debug,
    DiskMb,
    MemoryMb,
    MinIsolation,
    Timeout,
    sandbox_choice,
    warn_of_debugging,
)
from ade.cli.output import print_json, printable, refuse
from ade_engine.cases import CASES, MOST_DIFFERENCES, case_folders, differences, document_of, outputs_of

PASSED, FAILED = 0, 1
_MOST_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Case:
    """How a case came out: what differs from the files expected, or why it did not run."""

    name: str
    differences: list[str] = field(default_factory=list)
    failure: str | None = None
    accepted: bool = False

    @property
    def status(self) -> str:
        """Return passed, accepted, differs or failed."""
        if self.failure is not None:
            return "failed"
        return "accepted" if self.accepted else "differs" if self.differences else "passed"


def run_cases(
    folder: Annotated[Path, typer.Argument(help="Configuration folder, with cases in tests/CASE/.")],
    case: Annotated[list[str] | None, typer.Option(help="Only this case; may be repeated.")] = None,
    accept: Annotated[bool, typer.Option("--accept", help="Save the results as the expected ones.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Answer with one JSON document.")] = False,
    timeout: Timeout = DEFAULT_SECONDS,
    memory_mb: MemoryMb = DEFAULT_MEMORY_MB,
    disk_mb: DiskMb = DEFAULT_DISK_MB,
    min_isolation: MinIsolation = "",
    debug: Debug = False,
) -> None:
    """Run the cases of a configuration: a document in tests/CASE/, and its output in expected.csv.

    Several output tables are expected in expected-1-NAME.csv and so on, as `ade run --format csv` names them.

    Exit codes: 0 all cases passed, 1 a case differs or failed, 2 wrong usage.
    """
    cases = _cases(folder, case)
    limits = {"timeout": timeout, "memory_mb": memory_mb, "disk_mb": disk_mb, "min_isolation": min_isolation}
    with _engine(limits, is_debugged=debug) as engine:
        found = [_run(engine, folder, path, is_accepted=accept) for path in cases]
    if as_json:
        print_json({"cases": [_as_json(result) for result in found]})
    else:
        _print(found)
    raise typer.Exit(PASSED if all(result.status in ("passed", "accepted") for result in found) else FAILED)


def _cases(folder: Path, names: Sequence[str] | None) -> list[Path]:
    """Return the folders of the cases; end the command when there is none."""
    home = folder / CASES
    known = list(case_folders(folder))
    chosen = [path for path in known if not names or path.name in names]
    missing = [name for name in names or () if name not in {path.name for path in known}]
    if not folder.is_dir() or not chosen or missing:
        what = f"there is no case {missing[0]}" if missing else "there is no case"
        refuse(f"{what} in {home}; put a document into {home}/NAME and use --accept")
    return chosen


def _engine(limits: dict[str, Any], *, is_debugged: bool) -> Any:
    if is_debugged:
        from ade.cli.in_process import InProcessEngine

        warn_of_debugging()
        return InProcessEngine()
    choice = sandbox_choice(**limits)
    from ade.cli.local_sandbox import LocalSandbox
    from ade.cli.sandboxed import SandboxedEngine

    return SandboxedEngine(LocalSandbox(choice, is_for_many=True))


def _run(engine: Any, folder: Path, case: Path, *, is_accepted: bool) -> Case:
    from ade.cli.reports import Order

    document = document_of(folder, case)
    if isinstance(document, str):
        return Case(case.name, failure=document)
    with tempfile.TemporaryDirectory(prefix="ade-test-") as out:
        order = Order(path=document, out=Path(out), configuration=folder, sheets=None, output_format="csv")
        report = engine.normalize(order, on_event=_ignore)
        if report["failure"]:
            return Case(case.name, failure=report["failure"]["message"])
        written = outputs_of([Path(path) for path in report["outputs"]])
        if not all(name.endswith(".csv") for name in written):
            return Case(case.name, failure="the rules changed the format of the output, which is csv in a case")
        if is_accepted:
            _accept(case, written)
            return Case(case.name, accepted=True)
        return Case(case.name, differences=list(islice(differences(case, written), MOST_DIFFERENCES)))


def _ignore(_: str, __: Any) -> None:
    """Do nothing."""


def _accept(case: Path, written: dict[str, Path]) -> None:
    """Put new files in the place of the old ones; a link is replaced and not followed."""
    with tempfile.TemporaryDirectory(prefix=".ade-", dir=case) as folder:
        for name, path in written.items():
            shutil.copyfile(path, Path(folder) / name)
        for old in case.glob("expected*.csv"):
            old.unlink()
        for name in written:
            (Path(folder) / name).replace(case / name)


def _print(found: Sequence[Case]) -> None:
    for case in found:
        typer.echo(printable(f"{case.status:9} {case.name}"))
        for line in [case.failure] if case.failure else case.differences[:_MOST_SHOWN]:
            typer.echo(printable(f"          {line}"))
        if len(case.differences) > _MOST_SHOWN:
            least = "at least " if len(case.differences) == MOST_DIFFERENCES else ""
            typer.echo(f"          and {least}{len(case.differences) - _MOST_SHOWN} more")
    good = sum(case.status in ("passed", "accepted") for case in found)
    typer.echo(f"{good} of {len(found)} passed")


def _as_json(case: Case) -> dict[str, Any]:
    return {
        "name": case.name,
        "status": case.status,
        "differences": case.differences,
        "failure": case.failure,
    }
