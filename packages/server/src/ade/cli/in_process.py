"""Runs the engine in this process, for --debug: no sandbox, no limits; breakpoints and prints work at once."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ade.cli.combining import combine_here
from ade.cli.reports import OnEvent, Order, failed, report_of, unwritable


class InProcessEngine:
    """Normalises one document after another, with everything this user may do."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave nothing behind: there is nothing."""

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
