"""The cases of a configuration: a document in tests/CASE/ and the output that is expected of it, compared by cell."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any, TextIO

from ade_engine.cells import cell_name
from ade_engine.formats import SUFFIXES
from ade_engine.records import record

CASES = "tests"
MOST_TOLD = 20  # differences of one case
MOST_DIFFERENCES = 10_000  # further ones are not looked for
_MOST_CASES = 200
_DELIMITERS = (",", ";", "\t")
_LONGEST = 240
_LONGEST_VALUE = 1000
# Rules of a stranger may have written what is compared, and `ade test` compares outside of the sandbox.
_MOST_BYTES = 16 * 1024 * 1024


@record(kw_only=True)
class CaseResult:
    """How a case came out: what differs from what is expected, or why it did not run."""

    name: str
    differences: tuple[str, ...] = ()
    difference_count: int = 0
    failure: str | None = None

    @property
    def status(self) -> str:
        """Return passed, differs or failed."""
        return "failed" if self.failure is not None else "differs" if self.difference_count else "passed"

    def as_json(self) -> dict[str, Any]:
        """Return the result as plain values."""
        return {
            "name": self.name,
            "status": self.status,
            "differences": list(self.differences),
            "difference_count": self.difference_count,
            "failure": self.failure,
        }


def run_cases(configuration: Path, out: Path) -> Iterator[CaseResult]:
    """Run all cases of a configuration, in this process, and yield how they came out."""
    from ade_engine.configuration.load import load_configuration
    from ade_engine.pipeline import normalize

    loaded = None
    for case in islice(case_folders(configuration), _MOST_CASES):
        document = document_of(configuration, case)
        if isinstance(document, str):
            yield CaseResult(name=case.name, failure=document)
            continue
        loaded = loaded or load_configuration(configuration)
        result = normalize(document, out / case.name, configuration=loaded, format="csv")
        if result.failure is not None:
            yield CaseResult(name=case.name, failure=result.failure.message)
        else:
            yield compared(case, outputs_of(result.output_paths))


def case_folders(configuration: Path) -> Iterator[Path]:
    """Yield the folders of cases, by name."""
    home = configuration / CASES
    yield from sorted(path for path in home.iterdir() if path.is_dir()) if home.is_dir() else ()


def document_of(configuration: Path, case: Path) -> Path | str:
    """Return the document of a case, or what is wrong with the case."""
    if wrong := _wrong_file(configuration, case):
        return wrong
    found = [path for path in sorted(case.iterdir()) if _is_document(path)]
    return found[0] if len(found) == 1 else f"a case has one document, and this one has {len(found)}"


def _wrong_file(configuration: Path, case: Path) -> str | None:
    """Return which file of a case is not one, or lies outside of the configuration folder by way of a link.

    The author of the configuration chose where links lead: to what only the user may read, or to what is written next.
    """
    home = configuration.resolve()
    if not case.resolve().is_relative_to(home):
        return f"the folder {case.name} leads out of the configuration folder"
    for path in sorted(case.iterdir()):
        is_used = _is_document(path) or path.match("expected*.csv")
        if is_used and not (path.is_file() and path.resolve().is_relative_to(home)):
            return f"{path.name} must be a plain file of the configuration folder"
    return None


def _is_document(path: Path) -> bool:
    return path.suffix.lower() in SUFFIXES and not path.name.startswith(("expected", "~$", "."))


def outputs_of(paths: Iterator[Path] | tuple[Path, ...] | list[Path]) -> dict[str, Path]:
    """Return the outputs of a run by the names they are expected under."""
    return {path.name.replace("normalized", "expected", 1): path for path in paths}


def compared(case: Path, written: Mapping[str, Path]) -> CaseResult:
    """Compare the output of a case with what is expected."""
    told: list[str] = []
    count = 0
    for count, difference in enumerate(islice(differences(case, written), MOST_DIFFERENCES), start=1):
        if count <= MOST_TOLD:
            told.append(difference[:_LONGEST])
    return CaseResult(name=case.name, differences=tuple(told), difference_count=count)


def differences(case: Path, written: Mapping[str, Path]) -> Iterator[str]:
    """Yield where the output differs from the files expected, by cell."""
    expected = {path.name: path for path in sorted(case.glob("expected*.csv"))}
    if not expected:
        yield "there is no expected result yet; save it with --accept"
        return
    for name in (*expected, *(name for name in written if name not in expected)):
        if name not in written or name not in expected:
            yield f"{name}: {'is expected, but there is no such output' if name in expected else 'is not expected'}"
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


def _delimiter(expected: TextIO, written: TextIO) -> str:
    """Return what separates the cells expected: spreadsheet programs of many countries save csv with semicolons."""
    columns = len(next(csv.reader(written), ()))
    found = []
    for delimiter in _DELIMITERS:
        expected.seek(0)
        width = len(next(csv.reader(expected, delimiter=delimiter), ()))
        found.append((width == columns, width))
    expected.seek(0)
    written.seek(0)
    return _DELIMITERS[found.index(max(found))]


def _cell_differences(name: str, expected: Path, written: Path) -> Iterator[str]:
    with expected.open(encoding="utf-8-sig", newline="") as old, written.open(encoding="utf-8", newline="") as new:
        header: list[str] = []
        delimiter = _delimiter(old, new)
        pairs = zip_longest(csv.reader(old, delimiter=delimiter), csv.reader(new))
        for number, (wanted, got) in enumerate(pairs, start=1):
            if wanted is None or got is None:
                yield f"{name}: row {number} is {'not expected' if wanted is None else 'missing'}"
                continue
            header = header or wanted
            for column, (before, after) in enumerate(zip_longest(wanted, got, fillvalue=""), start=1):
                if before != after:
                    title = f" ({header[column - 1][:_LONGEST_VALUE]})" if column <= len(header) and number > 1 else ""
                    shown = f"expected {before[:_LONGEST_VALUE]!r}, got {after[:_LONGEST_VALUE]!r}"
                    yield f"{name}: {cell_name(number, column)}{title}: {shown}"
