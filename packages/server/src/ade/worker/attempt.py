"""One attempt at a run: fetch the document, prepare the environment, execute the engine, collect what it wrote.

The claim's token is in the path of everything written, and the folder becomes the run's only while the claim holds; so
an attempt whose lease was lost leaves nothing that anybody takes for the run's result.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ade.database.transaction import Transaction
from ade.domain.queue import Claim, Ending, Failure
from ade.domain.run import RunStatus
from ade.errors import AdeError, FileMissing, FileRemoved, FilesUnreachable, LeaseLost
from ade.files import save
from ade.logs import bound_contextvars, get_logger
from ade.operations.queue import attempts
from ade.operations.queue.attempts import Produced, RunOrder
from ade.operations.queue.claiming import finish_run
from ade.operations.queue.returning import return_uncounted
from ade.operations.queue.rules import queue_rules
from ade.sandbox.inside.spec import Limits
from ade.sandbox.outcome import Outcome
from ade.sandbox.removal import remove_folder
from ade.system import System
from ade.telemetry import span
from ade.worker import failures
from ade.worker.claimed import ClaimedAttempt
from ade.worker.collecting import OutOfTime, OutputRefused, OutputTooLarge, collect_outputs, hand_on
from ade.worker.endings import Endings
from ade.worker.environments import Environment, EnvironmentMissing, make_readable
from ade.worker.event_log import EventLog
from ade.worker.following import follow
from ade.worker.metrics import run_metrics
from ade.worker.steps import TRANSIENT, ChildVanished, Steps
from ade.worker.tools import Tools, collect_deadline, run_limits
from ade_engine.protocol import Event, Request

log = get_logger()
_UNSAFE = re.compile(r"[^\w.\- ]")
LONGEST_NAME_BYTES = 120


class Attempt(ClaimedAttempt):
    """Executes one claimed run."""

    forbids_writing = frozenset({"lost"})

    def __init__(
        self, system: System, tools: Tools, claim: Claim, *, slot: int, worker_id: str, endings: Endings
    ) -> None:
        super().__init__(system, tools, claim, slot=slot, worker_id=worker_id)
        self._endings = endings
        self._passes: Any = None
        self._produced: Produced | None = None

    def execute(self) -> None:
        """Take the run to its end."""
        with bound_contextvars(run_id=self.claim.id, token=self.claim.token):
            log.info("run.started", slot=self.slot)
            try:
                self._make_folder()
                self._execute()
            except LeaseLost as error:
                log.warning("run.lost", reason=str(error))
                self._forget()
            except (OSError, FilesUnreachable) as error:
                self._return_if_store_is_down(error)
            finally:
                remove_folder(self._folder)

    def _execute(self) -> None:
        order = self._system.database.read(lambda tx: attempts.begin_run(tx, self.claim, folder=self._key))
        if not order.is_build_fitting:
            fitting = self._system.database.write(lambda tx: attempts.fit_order(tx, self.claim, order))
            if fitting is None:
                log.info("run.waits_for_fitting_build", build_id=order.build.id)
                return
            order = fitting
        facts = {"run_id": self.claim.id, "build_id": order.build.id, "worker_id": self._worker_id}
        with span("run", trace_id=order.run.trace_id, **facts):
            self._carry_out(order)

    def _carry_out(self, order: RunOrder) -> None:
        events = EventLog(self._system.files, self._key, clock=self._system.clock, subject={"run_id": self.claim.id})
        events.begin(earlier_folder=order.earlier_folder, lifecycle=order.lifecycle)
        self._log.begin(earlier_folder=order.earlier_folder)
        if order.earlier_folder is not None or not order.is_use_noted:
            self._system.database.write(lambda tx: attempts.adopt_run(tx, self.claim, order.build.id, folder=self._key))
        steps = self._steps(events, timeout_seconds=self._system.settings.run_timeout_seconds)
        outcome: Outcome | None = None
        output_bytes = 0
        try:
            document = steps.run("fetch", lambda: self._fetch(order), passing=(*TRANSIENT, FileMissing))
            environment = steps.run("prepare", lambda: self._tools.environments.ensure(order.build))
            ended = steps.run("execute", lambda: self._run_engine(order, document, environment, events))
            outcome, failure = ended, failures.of_run(ended, self._system.settings)
            if self.stopped_because != "lost":
                output_bytes = steps.run("collect", lambda: self._collect(order, ended))
        except EnvironmentMissing as error:
            self._ask_for_rebuild(order, str(error))
            return
        except ChildVanished as gone:
            outcome, failure = gone.outcome, failures.of_run(gone.outcome, self._system.settings)
        except (OutputRefused, OutputTooLarge, OutOfTime) as error:
            failure = self._not_collected(error, order)
        except FileMissing as error:
            log.exception("run.document_missing")
            failure = failures.document_missing(is_removed=isinstance(error, FileRemoved))
        except (OSError, ValueError, AdeError) as error:
            if isinstance(error, LeaseLost) or self._tools.store.is_to_blame(error):
                raise
            log.exception("run.broken")
            failure = failures.broken("run", error)
        if failure is not None and self._return_if_disk_is_to_blame(failure):
            self._remove_earlier(order)
            return
        facts = run_metrics(steps, outcome, output_bytes, passes=self._passes, worker_id=self._worker_id)
        self._finish(events, steps, failure, facts, order)

    def _fetch(self, order: RunOrder) -> Path:
        """Copy the document to a folder the child may only read."""
        if not order.run.document_key:
            raise FileRemoved("Retention removed the file of the document.")
        inputs = self._folder / "inputs"
        inputs.mkdir(exist_ok=True)
        path = inputs / safe_name(order.run.document_name)
        save(self._system.files.read(order.run.document_key), path)
        make_readable(inputs)
        return path

    def _run_engine(self, order: RunOrder, document: Path, environment: Environment, events: EventLog) -> Outcome:
        output = self._folder / "output"
        remove_folder(output)  # a first try may have left something
        output.mkdir()
        request = Request(
            entry="engine",
            output_folder=str(output),
            input_path=str(document),
            configuration_path=str(environment.configuration),
            site_packages=str(environment.site_packages) if environment.site_packages else None,
            options={
                "sheets": order.run.sheets,
                "encoding": order.run.document_encoding,
                "run_id": self.claim.id,
                "corrections": order.run.corrections or [],
            },
        )
        if order.run.runtime_network_access and self._system.settings.runtime_network_access == "never":
            return failures.NETWORK_FORBIDDEN  # what was decided when it was submitted may be decided otherwise here
        child = self._tools.launcher.start(
            request,
            limits=self._limits(order),
            slot=self.slot,
            is_network_allowed=order.run.runtime_network_access,
        )
        self._watch(child.kill)
        return follow(
            child,
            lambda batch: self._relay(batch, events),
            self._log,
            settings=self._system.settings,
            note_network=lambda event: events.record(event.name, **event.data),
        )

    def _limits(self, order: RunOrder) -> Limits:
        elapsed = time.monotonic() - self._claimed
        return run_limits(self._system.settings, memory_mb=order.run.memory_mb, elapsed_seconds=elapsed)

    def _relay(self, batch: Sequence[Event], events: EventLog) -> None:
        for event in batch:
            if event.name == "run.finished":
                self._passes = event.data.get("passes")
        events.relay(batch)

    def _collect(self, order: RunOrder, outcome: Outcome) -> int:
        files, deadline = self._system.files, collect_deadline(self._system.settings, claimed=self._claimed)
        output_bytes = collect_outputs(
            files, self._folder, self._key, outcome, log=self._log, limits=self._limits(order), deadline=deadline
        )
        wanted = order.wanted_by_next_phase
        if wanted and outcome.result is not None and outcome.result.outputs:
            first = f"{self._key}/{outcome.result.outputs[0]}"
            self._produced = hand_on(files, first, wanted, deadline=deadline)
        return output_bytes

    def _not_collected(self, error: Exception, order: RunOrder) -> Failure:
        if isinstance(error, OutputRefused):
            return failures.refused(error.name, error.reason)
        if isinstance(error, OutputTooLarge):
            return failures.too_large(self._limits(order).disk_bytes)
        return failures.run_timed_out(self._system.settings)

    def _finish(
        self, events: EventLog, steps: Steps, failure: Failure | None, facts: dict[str, Any], order: RunOrder
    ) -> None:
        """Write the end, unless someone else has."""
        if self.stopped_because == "lost":
            raise LeaseLost("The lease was lost while the run was executed.")
        if self.stopped_because == "returned":
            self._system.database.write(lambda tx: return_uncounted(tx, self.claim))
            log.info("run.returned")
            return
        ending = Ending(claim=self.claim, failure=failure, facts=facts)
        status = "succeeded" if failure is None else "cancelled" if self.stopped_because == "cancelled" else "failed"
        events.note("run.finishing", status=status)
        steps.persist("finish", events.flush)
        status = self._write(ending)
        log.info("run.finished", status=status, failure=failure.code if failure else None)
        self._remove_earlier(order)

    def _write(self, ending: Ending) -> RunStatus:
        """Write the end; with the document that the next phase of the plan reads, if this made one."""
        produced = self._produced
        if ending.failure is not None or produced is None:
            return self._endings.write(self, ending)

        def work(tx: Transaction) -> RunStatus:
            attempts.fill_document(tx, self.claim, produced)
            return finish_run(tx, ending, rules=queue_rules(self._system.settings))

        return self._system.database.write(work)

    def _remove_earlier(self, order: RunOrder) -> None:
        """Remove the folder of the claim before: its stream is part of ours."""
        if order.earlier_folder is not None:
            with suppress(AdeError, OSError):  # retention finds what is left
                self._system.files.delete_folder(order.earlier_folder)

    def _ask_for_rebuild(self, order: RunOrder, reason: str) -> None:
        """Return the run uncounted and have its build made again, because the environment is gone."""
        log.warning("build.missing", build_id=order.build.id, reason=reason)
        self._system.database.write(lambda tx: attempts.return_for_rebuild(tx, self.claim, order.build))


def safe_name(name: str) -> str:
    """Return a document's name as a file name: nothing that leads elsewhere, and no longer than a disk takes.

    Its end is kept, which says of what kind it is. Disks count bytes, and a letter may have four.
    """
    cleaned = _UNSAFE.sub("_", name).strip(". ").encode()[-LONGEST_NAME_BYTES:].decode(errors="ignore")
    return cleaned or "document"
