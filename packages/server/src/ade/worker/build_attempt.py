"""One attempt at a build: write the configuration, install its dependencies, prove it in the sandbox, publish it."""

from __future__ import annotations

import threading
from typing import Any

import structlog

from ade.domain.queue import Claim, Failure
from ade.domain.run import FailureCode, LimitedResource
from ade.errors import AdeError, LeaseLost
from ade.operations import attempts
from ade.operations.attempts import BuildOrder
from ade.operations.builds import fail_build, finish_build, give_back_build
from ade.sandbox.child import Child
from ade.sandbox.outcome import Outcome, OutcomeKind
from ade.system import System
from ade.worker.environments import CONFIGURATION, SITE_PACKAGES, remove_read_only
from ade.worker.event_log import EventLog
from ade.worker.installing import Installer, InstallFailed
from ade.worker.steps import Steps
from ade.worker.tools import Tools, run_limits
from ade_engine.protocol import Request

log = structlog.get_logger()


class BuildAttempt:
    """Makes one claimed build in a thread of the worker; may be stopped from any other."""

    def __init__(self, system: System, tools: Tools, claim: Claim, *, slot: int, worker_id: str) -> None:
        self.claim = claim
        self.slot = slot
        self._system = system
        self._tools = tools
        self._worker_id = worker_id
        self._folder = tools.work_dir / f"build-{claim.id}-{claim.token}"
        self._key = f"builds/{claim.id}/{claim.token}"
        self._installer = Installer(system.settings)
        self._child: Child | None = None
        self._lock = threading.Lock()
        self._stopped_because: str | None = None

    def cancel(self) -> None:
        """Stop because someone asked for it."""
        self._stop("cancelled")

    def lose(self) -> None:
        """Stop because another worker may own the build; write nothing."""
        self._stop("lost")

    def give_back(self) -> None:
        """Stop because the worker stops; the build returns to the queue."""
        self._stop("given_back")

    def _stop(self, reason: str) -> None:
        with self._lock:
            self._stopped_because = self._stopped_because or reason
            if self._child is not None:
                self._child.kill()
        self._installer.kill()

    def execute(self) -> None:
        """Take the build to its end."""
        with structlog.contextvars.bound_contextvars(build_id=self.claim.id, token=self.claim.token):
            log.info("build.started", slot=self.slot)
            try:
                (self._folder / "staged" / CONFIGURATION).mkdir(parents=True)
                self._execute()
            except LeaseLost as error:
                log.warning("build.lost", reason=str(error))
                self._system.files.delete_folder(self._key)
            finally:
                if self._folder.exists():
                    remove_read_only(self._folder)

    def _execute(self) -> None:
        order = self._system.database.write(lambda tx: attempts.begin_build(tx, self.claim))
        events = EventLog(self._system.files, self._key, clock=self._system.clock, subject={"build_id": self.claim.id})
        events.begin(earlier_folder=None, lifecycle=order.lifecycle)
        steps = Steps(events)
        failure: Failure | None = None
        facts: dict[str, Any] = {}
        try:
            steps.run("snapshot", lambda: self._write_configuration(order))
            steps.run("install", lambda: self._install(events))
            outcome = steps.run("prove", lambda: self._prove())
            failure = _failure_of(outcome)
            if failure is None:
                facts = self._publish(steps, outcome)
        except InstallFailed as error:
            failure = Failure(code=FailureCode.CONFIGURATION_ERROR, message=str(error)[:240])
        except (OSError, AdeError) as error:
            if isinstance(error, LeaseLost):
                raise
            log.exception("build.broken")
            failure = _broken(error)
        self._finish(failure, facts)

    def _write_configuration(self, order: BuildOrder) -> None:
        for name, content in order.files.items():
            path = self._folder / "staged" / CONFIGURATION / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def _install(self, events: EventLog) -> None:
        staged = self._folder / "staged"
        self._installer.install(
            staged / CONFIGURATION, staged / SITE_PACKAGES, tell=lambda line: events.tell("build.log", line=line)
        )

    def _prove(self) -> Outcome:
        """Import and check the configuration where it cannot do harm."""
        output = self._folder / "output"
        output.mkdir(exist_ok=True)
        site_packages = self._folder / "staged" / SITE_PACKAGES
        request = Request(
            entry="check",
            output_folder=str(output),
            configuration_path=str(self._folder / "staged" / CONFIGURATION),
            site_packages=str(site_packages) if site_packages.is_dir() else None,
        )
        child = self._tools.launcher.start(request, limits=run_limits(self._system.settings), slot=self.slot)
        with self._lock:
            self._child = child
            if self._stopped_because is not None:
                child.kill()
        return child.wait()

    def _publish(self, steps: Steps, outcome: Outcome) -> dict[str, Any]:
        staged, key = self._folder / "staged", f"{self._key}/environment.tar"
        kept = steps.run("publish", lambda: self._tools.environments.publish(self.claim.id, staged, key=key))
        manifest = dict(outcome.result.summary) if outcome.result is not None else {}
        metrics = {"steps": steps.durations, "sha256": kept["sha256"], "worker_id": self._worker_id}
        return {"file_key": key, "size_bytes": kept["size_bytes"], "manifest": manifest, "metrics": metrics}

    def _finish(self, failure: Failure | None, facts: dict[str, Any]) -> None:
        if self._stopped_because == "lost":
            raise LeaseLost("The lease was lost while the build was made.")
        if self._stopped_because == "given_back":
            self._system.database.write(lambda tx: give_back_build(tx, self.claim))
        elif failure is None:
            self._system.database.write(lambda tx: finish_build(tx, self.claim, **facts))
        else:
            self._system.database.write(lambda tx: fail_build(tx, self.claim, failure))
        log.info("build.finished", failure=failure.code if failure else None)


def _failure_of(outcome: Outcome) -> Failure | None:
    if outcome.kind is OutcomeKind.SUCCEEDED:
        return None
    said = outcome.result.failure if outcome.result is not None else None
    if said is not None:
        return Failure(code=FailureCode(said.code), message=said.message)
    resource = LimitedResource(outcome.cause) if outcome.kind is OutcomeKind.RESOURCE_LIMIT else None
    codes = {str(code) for code in FailureCode}
    code = FailureCode(outcome.code) if outcome.code in codes else FailureCode.PROCESS_TERMINATED
    return Failure(
        code=code, message=outcome.message or "The configuration's check ended without a result.", resource=resource
    )


def _broken(error: Exception) -> Failure:
    message = f"The worker could not make the build ({type(error).__name__}). Its log has the cause; run it again."
    return Failure(code=FailureCode.INTERNAL_ERROR, message=message)
