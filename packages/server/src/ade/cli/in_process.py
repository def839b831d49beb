"""Runs the engine in this process, for --debug: no sandbox, no limits; breakpoints and prints work at once."""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import typer

from ade.cli.combining import combine_here
from ade.cli.output import printable
from ade.cli.reports import OnEvent, Order, failed, report_of, unwritable

_MOST_SHOWN = 5  # exceptions of one rule
_LONGEST_SHOWN = 2000


class InProcessEngine:
    """Normalises documents with everything this user may do, and shows what rules raise in full."""

    def __init__(self) -> None:
        self._shown: Counter[str] = Counter()

    def __enter__(self) -> Self:
        from ade_engine import rules

        rules.watchers.append(self._show)
        return self

    def _show(self, function: Any, error: Exception) -> None:
        """Print the text of an exception, its traceback from the rule on, and what the rule was given."""
        self._shown[function.rule] += 1
        if self._shown[function.rule] > _MOST_SHOWN:
            return
        frames = [
            one for one in traceback.walk_tb(error.__traceback__) if one[0].f_code.co_filename.endswith(function.file)
        ]
        shown = traceback.TracebackException.from_exception(error)
        shown.stack = traceback.StackSummary.from_list(
            [frame for frame in shown.stack if frame.filename.endswith(function.file)] or list(shown.stack)
        )
        typer.echo(printable("".join(shown.format())), err=True, nl=False)
        given = frames[0][0].f_locals if frames else {}
        for name in (name for name in function.parameters if name in ("value", "values", "row", "source")):
            if name in given:
                typer.echo(printable(f"  {name} = {given[name]!r}"[:_LONGEST_SHOWN]), err=True)
        if self._shown[function.rule] == _MOST_SHOWN:
            typer.echo(f"  {function.rule}: further exceptions are not shown", err=True)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Show no more exceptions."""
        from ade_engine import rules

        rules.watchers.remove(self._show)

    def normalize(self, order: Order, *, on_event: OnEvent) -> dict[str, Any]:
        """Return the report of a document; whatever goes wrong is a sentence in it."""
        try:
            return _normalize(order, on_event)
        except OSError as error:
            return unwritable(error)
        except Exception as error:  # noqa: BLE001 - the other files are still to be done
            message = f"The engine failed on this file ({_place(error)}). Please report this line."
            return failed("internal_error", message)

    def combine(self, out: Path, folders: Sequence[Path], into: Path) -> list[Path]:  # noqa: ARG002 - as in the sandbox
        """Put the results in folders into one file; return the files written."""
        return combine_here(folders, into)


def _normalize(order: Order, on_event: OnEvent) -> dict[str, Any]:
    from ade_engine import normalize

    result = normalize(
        order.path,
        order.out,
        configuration=order.configuration,
        sheets=order.sheets,
        format=order.output_format,
        encoding=order.encoding,
        events=lambda event: on_event(event["event"], event),
    )
    failure = result.failure.as_json() if result.failure else None
    outputs = [path.name for path in result.output_paths]
    return report_of(result.artifact, order.out, outputs=outputs, failure=failure, isolation="open")


def _place(error: Exception) -> str:
    """Name the kind of error and where it came from, but not its text: that may hold what is in the cells."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {Path(frame.filename).name}, line {frame.lineno}"
