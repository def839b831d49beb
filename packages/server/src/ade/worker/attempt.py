"""One attempt at a run: fetch the document, prepare the environment, execute the engine, collect what it wrote.

The claim's token is in the path of everything written, and the folder becomes the run's only in the transaction that
finishes it; so an attempt whose lease was lost leaves nothing that anybody reads.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import structlog

from ade.domain.queue import Claim, Failure
from ade.domain.run import FailureCode, LimitedResource
from ade.errors import AdeError, LeaseLost
from ade.files import chunks_of, save
from ade.operations import attempts
from ade.operations.attempts import RunOrder
from ade.operations.runs import fail_run, give_back_run, succeed_run
from ade.sandbox.child import Child
from ade.sandbox.collector import RefusedOutput, collect
from ade.sandbox.inside.spec import MIB
from ade.sandbox.outcome import Outcome, OutcomeKind
from ade.sandbox.removal import remove_folder
from ade.system import System
from ade.worker.environments import Environment, EnvironmentMissing
from ade.worker.event_log import EventLog
from ade.worker.steps import Steps
from ade.worker.tools import Tools, run_limits
from ade_engine.protocol import Request

log = structlog.get_logger()
LOGS = "logs.txt"
ALWAYS_COLLECTED = ("artifact.json", "issues.ndjson")


class Attempt:
    """Executes one claimed run in a thread of the worker; may be stopped from any other."""

    def __init__(self, system: System, tools: Tools, claim: Claim, *, slot: int, worker_id: str) -> None:
        self.claim = claim
        self.slot = slot
        self._system = system
        self._tools = tools
        self._worker_id = worker_id
        self._folder = tools.work_dir / f"run-{claim.id}-{claim.token}"
        self._key = f"runs/{claim.id}/{claim.token}"
        self._child: Child | None = None
        self._lock = threading.Lock()
        self._stopped_because: str | None = None  # cancelled, lost, given_back

    def cancel(self) -> None:
        """Stop because someone asked for it."""
        self._stop("cancelled")

    def lose(self) -> None:
        """Stop because another worker may own the run; write nothing."""
        self._stop("lost")

    def give_back(self) -> None:
        """Stop because the worker stops; the run returns to its place."""
        self._stop("given_back")

    def _stop(self, reason: str) -> None:
        with self._lock:
            if self._stopped_because is None:
                self._stopped_because = reason
            if self._child is not None:
                self._child.kill()

    def execute(self) -> None:
        """Take the run to its end."""
        with structlog.contextvars.bound_contextvars(run_id=self.claim.id, token=self.claim.token):
            log.info("run.started", slot=self.slot)
            try:
                self._folder.mkdir(parents=True)
                self._execute()
            except LeaseLost as error:
                log.warning("run.lost", reason=str(error))
                self._system.files.delete_folder(self._key)
            finally:
                remove_folder(self._folder)

    def _execute(self) -> None:
        order = self._system.database.write(lambda tx: attempts.begin_run(tx, self.claim, folder=self._key))
        events = EventLog(self._system.files, self._key, clock=self._system.clock, subject={"run_id": self.claim.id})
        events.begin(earlier_folder=order.earlier_folder, lifecycle=order.lifecycle)
        self._system.database.write(lambda tx: attempts.adopt_folder(tx, self.claim, folder=self._key))
        steps = Steps(events)
        try:
            document = steps.run("fetch", lambda: self._fetch(order))
            environment = steps.run("prepare", lambda: self._tools.environments.ensure(order.build))
            outcome = steps.run("execute", lambda: self._run_engine(order, document, environment, events))
            failure = self._failure_of(outcome)
            collected = steps.run("collect", lambda: self._collect(outcome))
        except EnvironmentMissing:
            self._ask_for_rebuild(order)
            return
        except RefusedOutput as error:
            outcome, failure, collected = None, _refused(error), 0
        except (OSError, AdeError) as error:
            if isinstance(error, LeaseLost):
                raise
            log.exception("run.broken")
            outcome, failure, collected = None, _broken(error), 0
        self._finish(events, steps, outcome, failure, output_bytes=collected)

    def _fetch(self, order: RunOrder) -> Path:
        """Copy the document to a folder the child may only read."""
        inputs = self._folder / "inputs"
        inputs.mkdir(exist_ok=True)
        path = inputs / order.document_name
        save(self._system.files.read(order.document_key), path)
        return path

    def _run_engine(self, order: RunOrder, document: Path, environment: Environment, events: EventLog) -> Outcome:
        output = self._folder / "output"
        output.mkdir(exist_ok=True)
        request = Request(
            entry="engine",
            output_folder=str(output),
            input_path=str(document),
            configuration_path=str(environment.configuration),
            site_packages=str(environment.site_packages) if environment.site_packages else None,
            options={"sheets": order.sheets, "run_id": self.claim.id},
        )
        child = self._tools.launcher.start(
            request,
            limits=run_limits(self._system.settings),
            slot=self.slot,
            is_network_allowed=order.is_network_allowed,
        )
        with self._lock:
            self._child = child
            if self._stopped_because is not None:
                child.kill()
        for event in child.events():
            events.tell(f"engine.{event.name}", **event.data)
        return child.wait()

    def _failure_of(self, outcome: Outcome) -> Failure | None:
        if outcome.kind is OutcomeKind.SUCCEEDED:
            return None
        resource = LimitedResource(outcome.cause) if outcome.kind is OutcomeKind.RESOURCE_LIMIT else None
        said = outcome.result.failure if outcome.result is not None else None
        if said is not None:
            resource = LimitedResource(said.cause) if said.cause else None
            return Failure(code=FailureCode(said.code), message=said.message, resource=resource)
        code = FailureCode.TIMED_OUT if outcome.kind is OutcomeKind.TIMED_OUT else _code(outcome)
        return Failure(
            code=code,
            message=outcome.message or "The run ended without a result. Its log may tell why.",
            resource=resource,
        )

    def _collect(self, outcome: Outcome) -> int:
        """Copy what the child wrote into the file store, trusting nothing in its folder; return how many bytes."""
        total = self._system.files.write(f"{self._key}/{LOGS}", [outcome.log])
        names = [*ALWAYS_COLLECTED, *(outcome.result.outputs if outcome.result is not None else ())]
        for name in names:
            with suppress(FileNotFoundError):
                total += self._collect_file(name)
        return total

    def _collect_file(self, name: str) -> int:
        limit = self._system.settings.worker_fsize_mb * MIB
        copied = self._folder / "collected"
        copied.unlink(missing_ok=True)
        collect(self._folder / "output", name, copied, max_bytes=limit)
        return self._system.files.write(f"{self._key}/{name}", chunks_of(copied))

    def _finish(
        self, events: EventLog, steps: Steps, outcome: Outcome | None, failure: Failure | None, *, output_bytes: int
    ) -> None:
        """Write the end, unless someone else has."""
        if self._stopped_because == "lost":
            raise LeaseLost("The lease was lost while the run was executed.")
        if self._stopped_because == "given_back":
            self._system.database.write(lambda tx: give_back_run(tx, self.claim))
            return
        facts = self._facts(steps, outcome, output_bytes=output_bytes)
        if failure is None:
            events.tell("run.finishing", status="succeeded")
            self._system.database.write(lambda tx: succeed_run(tx, self.claim, **facts))
        else:
            events.tell("run.finishing", status="failed", code=failure.code)
            self._system.database.write(lambda tx: fail_run(tx, self.claim, failure, **facts))
        log.info("run.finished", failure=failure.code if failure else None)

    def _facts(self, steps: Steps, outcome: Outcome | None, *, output_bytes: int) -> dict[str, Any]:
        metrics: dict[str, Any] = {"steps": steps.durations, "output_bytes": output_bytes, "worker_id": self._worker_id}
        if outcome is None:
            return {"metrics": metrics}
        metrics["cpu_seconds"] = round(outcome.usage.cpu_seconds, 3)
        metrics["peak_memory_bytes"] = outcome.usage.peak_memory_bytes
        metrics["wall_seconds"] = round(outcome.usage.wall_seconds, 4)
        metrics["missing_layers"] = dict(outcome.missing)
        if outcome.result is not None:
            metrics["summary"] = dict(outcome.result.summary)
        return {"metrics": metrics, "isolation": outcome.level}

    def _ask_for_rebuild(self, order: RunOrder) -> None:
        """Give the run back and have its build made again, because the environment is gone."""
        log.warning("build.missing", build_id=order.build.id)
        self._system.database.write(lambda tx: attempts.give_back_for_rebuild(tx, self.claim, order.build.id))


def _code(outcome: Outcome) -> FailureCode:
    try:
        return FailureCode(outcome.code)
    except ValueError:
        return FailureCode.PROCESS_TERMINATED


def _refused(error: RefusedOutput) -> Failure:
    message = f"The output {error.name} was refused: {error.reason}. A configuration must write plain files only."
    return Failure(code=FailureCode.CONFIGURATION_ERROR, message=message)


def _broken(error: Exception) -> Failure:
    message = f"The worker could not carry out the run ({type(error).__name__}). Its log has the cause; run it again."
    return Failure(code=FailureCode.INTERNAL_ERROR, message=message)
