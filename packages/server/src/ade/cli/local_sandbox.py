"""Runs rules for the local commands in the sandbox, at the best level this host offers."""

from __future__ import annotations

import codecs
import math
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ade.cli.interrupts import Interrupts
from ade.cli.output import printable
from ade.cli.reports import OnEvent
from ade.cli.staging import OUTPUT, import_paths, lend, staging_folder
from ade.domain.isolation import Isolation
from ade.sandbox.child import Child
from ade.sandbox.inside.spec import MIB, Limits
from ade.sandbox.launcher import Launcher
from ade.sandbox.outcome import Outcome, OutcomeKind
from ade_engine.errors import DISK_IS_FULL
from ade_engine.protocol import Entry, Request

# Users of this command's children when root starts it: not those of a worker's slots on the same host.
_FIRST_UID, _UID_COUNT = 62_000, 1_000
_OPTIONS = {"wall": "--timeout", "cpu": "--timeout", "memory": "--memory-mb", "disk": "--disk-mb"}
_LEVEL_EXPECTED = Isolation.CONFINED


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxChoice:
    """How much one child may use, and how well it must be isolated."""

    timeout_seconds: float
    memory_mb: int
    disk_mb: int
    min_isolation: Isolation = Isolation.OPEN

    def limits(self) -> Limits:
        """Return the limits of one child."""
        return Limits(
            cpu_seconds=math.ceil(self.timeout_seconds),
            wall_seconds=self.timeout_seconds,
            memory_bytes=self.memory_mb * MIB,
            disk_bytes=self.disk_mb * MIB,
            file_bytes=self.disk_mb * MIB,
            free_disk_bytes=256 * MIB,
            file_count=10_000,
            output_bytes=64 * MIB,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A child that has ended, and the folder it wrote to; nothing in there can be trusted."""

    outcome: Outcome
    output: Path

    @property
    def failure(self) -> dict[str, str] | None:
        """Return why it failed, with the option that changes a limit it met; None when it succeeded."""
        outcome = self.outcome
        if outcome.kind is OutcomeKind.SUCCEEDED:
            return None
        said = outcome.result.failure if outcome.result is not None else None
        message = said.message if said is not None else outcome.message
        if message == DISK_IS_FULL:
            message = "The disk of the temporary folder is full. Make room, or name another folder with TMPDIR."
        if outcome.cause in _OPTIONS and outcome.code in ("timed_out", "resource_limit"):
            message += f" The limit is changed with {_OPTIONS[outcome.cause]}."
        return {"code": outcome.code, "message": message}


class LocalSandbox:
    """Starts one child after another; all of them end with this command."""

    def __init__(self, choice: SandboxChoice, *, is_for_many: bool = False) -> None:
        """`is_for_many` imports the engine once for all children, which one child alone would only wait for."""
        self._limits = choice.limits()
        self._launcher = Launcher(
            minimum=choice.min_isolation,
            mode="zygote" if is_for_many else "spawn",
            first_uid=_FIRST_UID + os.getpid() % _UID_COUNT,
        )
        self._is_weakness_reported = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._launcher.close()

    @contextmanager
    def execute(
        self,
        entry: Entry,
        *,
        document: Path | None = None,
        configuration: Path | None = None,
        options: Mapping[str, Any] | None = None,
        on_event: OnEvent | None = None,
    ) -> Iterator[Ended]:
        """Run one request to its end and yield that; what the child wrote is gone afterwards."""
        with Interrupts() as interrupts, staging_folder() as folder:
            request = Request(
                entry=entry,
                output_folder=str(folder / OUTPUT),
                input_path=lend(document, folder) if document else None,
                configuration_path=lend(configuration, folder) if configuration else None,
                import_paths=import_paths() if configuration else (),
                options=options or {},
            )
            child = self._launcher.start(request, limits=self._limits)
            interrupts.watch(child)
            outcome = _follow(child, on_event or _ignore)
            if configuration and outcome.kind is not OutcomeKind.ISOLATION_UNAVAILABLE:
                self._report_weakness(outcome)
            yield Ended(outcome=outcome, output=folder / OUTPUT)

    def _report_weakness(self, outcome: Outcome) -> None:
        """Say once what is missing where rules are isolated less than could be expected."""
        level = outcome.level
        if level is None or level.rank >= _LEVEL_EXPECTED.rank or self._is_weakness_reported:
            return
        self._is_weakness_reported = True
        lacking = ", ".join(outcome.missing)
        sys.stderr.write(f"ade: the rules ran at isolation level {level}, without {lacking}; `ade doctor` says why\n")


def _follow(child: Child, on_event: OnEvent) -> Outcome:
    """Hand on what the child reports and prints, and return how it ended."""
    show = _printer()
    shown = 0
    try:
        for batch in child.batches():
            for event in batch.events:
                on_event(event.name, event.data)
            shown += len(batch.printed)
            show(batch.printed, False)
    except BaseException:
        child.kill()
        child.wait()
        raise
    outcome = child.wait()
    show(outcome.log[shown:], True)
    return outcome


def _printer() -> Callable[[bytes, bool], None]:
    """Return what writes the prints of rules to standard error, without the control characters of terminals."""
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")

    def show(content: bytes, is_last: bool) -> None:
        text = decoder.decode(content, is_last)
        if text:
            sys.stderr.write(printable(text))
            sys.stderr.flush()

    return show


def _ignore(_: str, __: Mapping[str, Any]) -> None:
    """Do nothing."""
