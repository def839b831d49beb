"""ade test: run the cases of a configuration and compare what comes out, cell by cell."""

from __future__ import annotations

import csv
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, zip_longest
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
from ade.cli.output import print_json, printable
from ade_engine.cells import cell_name
from ade_engine.formats import SUFFIXES

CASES = "tests"
PASSED, FAILED, USAGE = 0, 1, 2
_MOST_SHOWN = 20
_MOST_DIFFERENCES = 10_000  # further ones are not looked for
_LONGEST_SHOWN = 1000
# Rules of a stranger may have written what is compared here, outside of the sandbox.
_MOST_BYTES = 16 * 1024 * 1024


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
    accept: Annotated[bool, typer.Option("--accept", help="Write what comes out as what is expected.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Answer with one JSON document.")] = False,
    timeout: Timeout = DEFAULT_SECONDS,
    memory_mb: MemoryMb = DEFAULT_MEMORY_MB,
    disk_mb: DiskMb = DEFAULT_DISK_MB,
    min_isolation: MinIsolation = "",
    debug: Debug = False,
) -> None:
    """Run the cases of a configuration: a document in tests/CASE/, and its output in expected.csv.

    Several output tables are expected in expected-1-NAME.csv and so on, as `ade run --format csv` names them.

    Exit codes: 0 all cases passed, 1 a case differs or failed, 2 wrong use.
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
    known = sorted(path for path in home.iterdir() if path.is_dir()) if home.is_dir() else []
    chosen = [path for path in known if not names or path.name in names]
    missing = [name for name in names or () if name not in {path.name for path in known}]
    if not folder.is_dir() or not chosen or missing:
        what = f"there is no case {missing[0]}" if missing else "there is no case"
        typer.echo(f"ade: {what} in {home}; put a document into {home}/NAME and use --accept", err=True)
        raise typer.Exit(USAGE)
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

    if wrong := _wrong_file(folder, case):
        return Case(case.name, failure=wrong)
    documents = [path for path in sorted(case.iterdir()) if _is_document(path)]
    if len(documents) != 1:
        return Case(case.name, failure=f"a case has one document, and this one has {len(documents)}")
    with tempfile.TemporaryDirectory(prefix="ade-test-") as out:
        order = Order(path=documents[0], out=Path(out), configuration=folder, sheets=None, output_format="csv")
        report = engine.normalize(order, on_event=_ignore)
        if report["failure"]:
            return Case(case.name, failure=report["failure"]["message"])
        written = {Path(path).name.replace("normalized", "expected", 1): Path(path) for path in report["outputs"]}
        if not all(name.endswith(".csv") for name in written):
            return Case(case.name, failure="the rules changed the format of the output, which is csv in a case")
        if is_accepted:
            _accept(case, written)
            return Case(case.name, accepted=True)
        return Case(case.name, differences=list(islice(_differences(case, written), _MOST_DIFFERENCES)))


def _wrong_file(folder: Path, case: Path) -> str | None:
    """Return which file of a case is not one, or lies outside of the configuration folder by way of a link.

    Whoever sent the configuration chose where links lead: to what only the user may read, or to what is written next.
    """
    home = folder.resolve()
    if not case.resolve().is_relative_to(home):
        return f"the folder {case.name} leads out of the configuration folder"
    for path in sorted(case.iterdir()):
        is_used = _is_document(path) or path.match("expected*.csv")
        if is_used and not (path.is_file() and path.resolve().is_relative_to(home)):
            return f"{path.name} must be a plain file of the configuration folder"
    return None


def _is_document(path: Path) -> bool:
    return path.suffix.lower() in SUFFIXES and not path.name.startswith(("expected", "~$", "."))


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


def _differences(case: Path, written: dict[str, Path]) -> Iterator[str]:
    """Yield where the output differs from the files expected, by cell."""
    expected = {path.name: path for path in sorted(case.glob("expected*.csv"))}
    if not expected:
        yield "nothing is expected yet; write it with --accept"
        return
    for name in (*expected, *(name for name in written if name not in expected)):
        if name not in written or name not in expected:
            yield f"{name}: {'is expected, and there is no such output' if name in expected else 'is not expected'}"
        else:
            yield from _file_differences(name, expected[name], written[name])


def _file_differences(name: str, expected: Path, written: Path) -> Iterator[str]:
    if max(expected.stat().st_size, written.stat().st_size) > _MOST_BYTES:
        yield f"{name}: is larger than {_MOST_BYTES >> 20} MB and was not compared; take a smaller document"
        return
    before = csv.field_size_limit(_MOST_BYTES)
    try:
        yield from _cell_differences(name, expected, written)
    except (UnicodeDecodeError, csv.Error) as error:
        yield f"{name}: cannot be compared, because a file is not csv in UTF-8: {error}"
    finally:
        csv.field_size_limit(before)


def _cell_differences(name: str, expected: Path, written: Path) -> Iterator[str]:
    with expected.open(encoding="utf-8-sig", newline="") as old, written.open(encoding="utf-8", newline="") as new:
        header: list[str] = []
        for number, (wanted, got) in enumerate(zip_longest(csv.reader(old), csv.reader(new)), start=1):
            if wanted is None or got is None:
                yield f"{name}: row {number} is {'not expected' if wanted is None else 'missing'}"
                continue
            header = header or wanted
            for column, (before, after) in enumerate(zip_longest(wanted, got, fillvalue=""), start=1):
                if before != after:
                    title = f" ({header[column - 1][:_LONGEST_SHOWN]})" if column <= len(header) and number > 1 else ""
                    shown = f"expected {before[:_LONGEST_SHOWN]!r}, got {after[:_LONGEST_SHOWN]!r}"
                    yield f"{name}: {cell_name(number, column)}{title}: {shown}"


def _print(found: Sequence[Case]) -> None:
    for case in found:
        typer.echo(printable(f"{case.status:9} {case.name}"))
        for line in [case.failure] if case.failure else case.differences[:_MOST_SHOWN]:
            typer.echo(printable(f"          {line}"))
        if len(case.differences) > _MOST_SHOWN:
            least = "at least " if len(case.differences) == _MOST_DIFFERENCES else ""
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
