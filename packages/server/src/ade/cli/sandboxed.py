"""Normalises documents with the engine in the sandbox, and brings its results to where the user wants them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from ade.cli.artifact_shape import Malformed, read_artifact
from ade.cli.combining import combine_in_sandbox
from ade.cli.local_sandbox import Ended, LocalSandbox
from ade.cli.reports import OnEvent, Order, Report, failed, report_of, unwritable
from ade.sandbox.collector import RefusedOutput, collect
from ade_engine.outputs import OUTPUT_NAME, remove_earlier
from ade_engine.protocol import ARTIFACT, ISSUES

_MOST_OUTPUTS = 1000
_MOST_FILE_BYTES = 1 << 40  # the child has been held to its disk limit


class SandboxedEngine:
    """Normalises one document after another, each in a child of its own."""

    def __init__(self, sandbox: LocalSandbox) -> None:
        self._sandbox = sandbox

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._sandbox.__exit__(kind, error, trace)

    def normalize(self, order: Order, *, on_event: OnEvent) -> Report:
        """Return the report of a document; whatever goes wrong is a sentence in it."""
        options = {"sheets": order.sheets, "format": order.output_format, "encoding": order.encoding}
        try:
            _prepare(order)
            with self._sandbox.execute(
                "engine", document=order.path, configuration=order.configuration, options=options, on_event=on_event
            ) as ended:
                return _bring(ended, order)
        except OSError as error:
            return unwritable(error)

    def combine(self, out: Path, folders: Sequence[Path], into: Path) -> list[Path]:
        """Put results below a folder into one file; return the files written."""
        return combine_in_sandbox(self._sandbox, out, folders, into)


def _prepare(order: Order) -> None:
    """Make the folder, without the results of an earlier run: they would pass for those of this one."""
    order.out.mkdir(parents=True, exist_ok=True)
    remove_earlier(order.out, order.path)
    for name in (ARTIFACT, ISSUES):
        (order.out / name).unlink(missing_ok=True)


def _bring(ended: Ended, order: Order) -> Report:
    outcome = ended.outcome
    isolation = str(outcome.level) if outcome.level else None
    if outcome.result is None or not os.path.lexists(ended.output / ARTIFACT):
        failure = ended.failure or {"code": "process_terminated", "message": "The engine left no results."}
        return failed(failure["code"], failure["message"], isolation=isolation)
    try:
        artifact = read_artifact(ended.output)
        outputs = _checked(outcome.result.outputs)
        _copy(ended.output, order.out, [ARTIFACT, ISSUES, *outputs])
    except (RefusedOutput, FileNotFoundError, Malformed) as error:
        message = f"The results were refused: {error}. A configuration must not write to them."
        return failed("configuration_error", message, isolation=isolation)
    return report_of(artifact, order.out, outputs=outputs, failure=ended.failure, isolation=isolation)


def _checked(names: Sequence[str]) -> list[str]:
    """Return the names of the outputs, which the child could have chosen to be anything."""
    if len(names) > _MOST_OUTPUTS:
        raise Malformed(f"more than {_MOST_OUTPUTS} files")
    for name in names:
        if not OUTPUT_NAME.fullmatch(name):
            raise Malformed(f"{name[:80]!r} is not the name of an output")
    return list(dict.fromkeys(names))


def _copy(source: Path, target: Path, names: Sequence[str]) -> None:
    """Copy files that the child wrote; they appear under their names once all of them are complete."""
    with tempfile.TemporaryDirectory(prefix=".ade-", dir=target) as folder:
        for name in names:
            collect(source, name, Path(folder) / name, max_bytes=_MOST_FILE_BYTES)
        for name in names:
            (Path(folder) / name).replace(target / name)
