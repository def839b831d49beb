"""Infers a configuration from a document, which a stranger may have made: the sandbox reads it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from ade.cli.local_sandbox import Ended, LocalSandbox, SandboxChoice
from ade.sandbox.collector import RefusedOutput, collect
from ade.sandbox.inside.spec import MIB
from ade_engine.protocol import INFERRED

_LONGEST_NAME = 200
_MOST_BYTES = 16 * MIB


class NotInferred(Exception):
    """No configuration could be inferred."""


def infer(folder: Path, examples: Sequence[Path], *, encoding: str | None, choice: SandboxChoice) -> list[Path]:
    """Write a configuration inferred from examples, and return its files, or raise NotInferred."""
    options = {"encoding": encoding}
    try:
        with (
            _as_one(examples) as given,
            LocalSandbox(choice) as sandbox,
            sandbox.execute("infer", document=given, options=options) as ended,
        ):
            if ended.failure is not None:
                raise NotInferred(ended.failure["message"])
            return _copy(ended, folder)
    except OSError as error:
        raise NotInferred(f"{folder} could not be written: {error.strerror or error}") from None


@contextmanager
def _as_one(examples: Sequence[Path]) -> Iterator[Path]:
    """Yield the example, or a folder with a copy of each, in the order they were named."""
    if len(examples) == 1:
        yield examples[0]
        return
    with TemporaryDirectory(prefix="ade-examples-") as folder:
        for number, example in enumerate(examples):
            shutil.copyfile(example, Path(folder) / f"{number:04d}{example.suffix}")
        yield Path(folder)


def _copy(ended: Ended, folder: Path) -> list[Path]:
    names: Sequence[str] = ended.outcome.result.outputs if ended.outcome.result else ()
    written = []
    for name in names:
        if not _is_of_configuration(name):
            raise NotInferred(f"{name[:80]!r} is not a file of a configuration")
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            collect(ended.output / INFERRED, name, target, max_bytes=_MOST_BYTES)
        except RefusedOutput as error:
            raise NotInferred(str(error)) from None
        written.append(target)
    return written


def _is_of_configuration(name: str) -> bool:
    """Return whether a configuration has a file of this name: what a child names is not followed anywhere else.

    Names of fields are identifiers. They may have vowel signs and other marks, which patterns do not count as letters.
    """
    field = name.removeprefix("columns/").removesuffix(".py")
    is_column = name == f"columns/{field}.py" and field.isidentifier() and len(field) <= _LONGEST_NAME
    return is_column or name in {"settings.toml", "profiles.json"}
