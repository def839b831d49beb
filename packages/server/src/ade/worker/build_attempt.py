"""One attempt at a build: write the configuration, install its dependencies, prove it in the sandbox, publish it."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Any

from ade.domain.queue import Claim, Failure
from ade.errors import AdeError, FilesUnreachable, LeaseLost
from ade.logs import bound_contextvars, get_logger
from ade.operations.queue import attempts
from ade.operations.queue.attempts import BuildOrder
from ade.operations.queue.builds import fail_build, finish_build
from ade.operations.queue.returning import return_uncounted
from ade.sandbox.outcome import Outcome
from ade.system import System
from ade.worker import failures
from ade.worker.claimed import ClaimedAttempt
from ade.worker.environments import ARCHIVE, CONFIGURATION, SITE_PACKAGES, make_readable, remove_read_only
from ade.worker.event_log import EventLog
from ade.worker.following import follow
from ade.worker.installing import CACHES, Installer, InstallFailed
from ade.worker.steps import ChildVanished, Steps
from ade.worker.tools import Tools, build_limits
from ade_engine.protocol import Request

log = get_logger()


class BuildAttempt(ClaimedAttempt):
    """Makes one claimed build."""

    forbids_writing = frozenset({"lost", "cancelled"})

    def __init__(self, system: System, tools: Tools, claim: Claim, *, slot: int, worker_id: str) -> None:
        super().__init__(system, tools, claim, slot=slot, worker_id=worker_id)
        self._staged = self._folder / "staged"

    def execute(self) -> None:
        """Take the build to its end."""
        with bound_contextvars(build_id=self.claim.id, token=self.claim.token):
            log.info("build.started", slot=self.slot)
            try:
                self._make_folder()
                (self._staged / CONFIGURATION).mkdir(parents=True)
                self._execute()
            except LeaseLost as error:
                log.warning("build.lost", reason=str(error))
                self._forget()
            except (OSError, FilesUnreachable) as error:
                self._return_if_store_is_down(error)
            finally:
                if self._folder.exists():
                    remove_read_only(self._folder)

    def _execute(self) -> None:
        order = self._system.database.read(lambda tx: attempts.begin_build(tx, self.claim, folder=self._key))
        events = EventLog(self._system.files, self._key, clock=self._system.clock, subject={"build_id": self.claim.id})
        events.begin(earlier_folder=order.earlier_folder, lifecycle=order.lifecycle)
        self._log.begin(earlier_folder=order.earlier_folder)
        self._system.database.write(lambda tx: attempts.adopt_build(tx, self.claim, folder=self._key))
        steps = self._steps(events, timeout_seconds=self._system.settings.build_timeout_seconds)
        facts: dict[str, Any] = {}
        try:
            failure, facts = self._make(order, steps, events)
        except InstallFailed as error:
            failure = failures.of_install(error)
        except ChildVanished as gone:
            failure = failures.of_build(gone.outcome, self._system.settings)
        except (OSError, AdeError) as error:
            if isinstance(error, LeaseLost) or self._tools.store.is_to_blame(error):
                raise
            log.exception("build.broken")
            failure = failures.broken("build", error)
        if failure is not None and self._return_if_disk_is_to_blame(failure):
            self._remove_earlier(order)
            return
        self._finish(events, failure, facts)
        self._remove_earlier(order)

    def _make(self, order: BuildOrder, steps: Steps, events: EventLog) -> tuple[Failure | None, dict[str, Any]]:
        """Return why the build failed, or what is known of it."""
        if not order.is_as_submitted:
            return failures.other_fingerprint(), {}
        steps.run("snapshot", lambda: self._write_configuration(order))
        steps.run("install", lambda: self._install(events, order.build.configuration_id))
        outcome = steps.run("prove", lambda: self._prove(events))
        failure = failures.of_build(outcome, self._system.settings)
        if failure is not None or self.stopped_because is not None:
            return failure, {}
        kept = steps.run("publish", lambda: self._publish())
        manifest = dict(outcome.result.summary) if outcome.result is not None else {}
        metrics = {"steps": steps.durations, "sha256": kept["sha256"], "worker_id": self._worker_id}
        return None, {"size_bytes": kept["size_bytes"], "manifest": manifest, "metrics": metrics}

    @property
    def _elapsed(self) -> float:
        return time.monotonic() - self._claimed

    def _write_configuration(self, order: BuildOrder) -> None:
        for name, content in order.files.items():
            path = self._staged / CONFIGURATION / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def _install(self, events: EventLog, configuration_id: str) -> None:
        settings = self._system.settings
        installer = Installer(settings, cache=settings.data_dir.absolute() / CACHES / configuration_id)
        self._watch(installer.kill)
        installer.install(
            self._staged / CONFIGURATION,
            self._staged / SITE_PACKAGES,
            seconds=max(settings.build_timeout_seconds - self._elapsed, 0),
            on_line=lambda line: self._record_line(events, line),
        )

    def _record_line(self, events: EventLog, line: str) -> None:
        events.record("build.log", line=line)
        self._log.add(f"{line}\n".encode())
        self._log.show()

    def _prove(self, events: EventLog) -> Outcome:
        """Import and check the configuration, and run its cases, where it cannot do harm."""
        output = self._folder / "output"
        output.mkdir(exist_ok=True)
        make_readable(self._staged)
        site_packages = self._staged / SITE_PACKAGES
        request = Request(
            entry="check",
            output_folder=str(output),
            options={"cases": True},
            configuration_path=str(self._staged / CONFIGURATION),
            site_packages=str(site_packages) if site_packages.is_dir() else None,
        )
        limits = build_limits(self._system.settings, elapsed_seconds=self._elapsed)
        child = self._tools.launcher.start(request, limits=limits, slot=self.slot)
        self._watch(child.kill)
        outcome = follow(child, events.relay, self._log, settings=self._system.settings)
        self._system.files.write(self._log.key, [self._log.content])
        return outcome

    def _publish(self) -> dict[str, Any]:
        key = f"{self._key}/{ARCHIVE}"
        return self._tools.environments.publish(self.claim.id, self._staged, key=key)

    def _finish(self, events: EventLog, failure: Failure | None, facts: dict[str, Any]) -> None:
        if self.stopped_because in self.forbids_writing:
            raise LeaseLost("The lease was lost while the build was made.")
        if self.stopped_because == "returned":
            self._system.database.write(lambda tx: return_uncounted(tx, self.claim))
            log.info("build.returned")
            return
        events.record("build.finishing", status="failed" if failure else "ready")
        if failure is None:
            self._system.database.write(lambda tx: finish_build(tx, self.claim, **facts))
        else:
            self._system.database.write(lambda tx: fail_build(tx, self.claim, failure))
        log.info("build.finished", failure=failure.code if failure else None)

    def _remove_earlier(self, order: BuildOrder) -> None:
        """Remove the folder of the claim before: its stream is part of ours, and its archive is replaced."""
        if order.earlier_folder is not None and self.stopped_because is None:
            with suppress(AdeError, OSError):  # retention finds what is left
                self._system.files.delete_folder(order.earlier_folder)
