"""A small world to play the queue in: a workspace, documents, a configuration, workers; the operations by short names.

Time stands still unless `clock` is moved. The `scene` fixture asks the oracle for problems at the end of each test.
"""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any, TypeVar

import sqlalchemy as sa

import calls
import rows
from ade.clock import Clock
from ade.database.queue import builds as build_store
from ade.database.queue import runs as run_store
from ade.database.queue.builds import FullBuild
from ade.database.queue.control import lock_dispatch
from ade.database.queue.runs import FullRun
from ade.database.schema import audit_log, events, plans, queue_control, runs
from ade.database.transaction import Database, Transaction
from ade.domain.claiming import ANY_MEMORY
from ade.domain.fingerprint import fingerprint
from ade.domain.pause import PauseScope
from ade.domain.queue import Claim, Failure, QueueRules
from ade.domain.run import FailureCode, RunStatus
from ade.operations.queue import builds as build_operations
from ade.operations.queue import claiming as queue
from ade.operations.queue import ordering, pauses, returning, upkeep, workers
from ade.operations.queue import runs as run_operations
from ade.operations.queue.builds import BuildRequest
from ade.operations.queue.claiming import Lease, Room
from ade.operations.queue.surroundings import here
from ade.operations.queue.upkeep import Upkept
from ade.operations.queue.workers import WorkerFacts
from calls import PERSON, Wanted
from repeatable import FakeClock

T = TypeVar("T")
BROKEN = Failure(code=FailureCode.CONFIGURATION_ERROR, message="columns/age.py, line 3: no such field.")


class Scene:
    """A database and what a test needs to act in it."""

    def __init__(self, url: str, *, clock: Clock | None = None, rules: QueueRules | None = None) -> None:
        self.url = url
        self.clock = clock
        self.database = Database(url, clock=clock)
        self.rules = rules or QueueRules()
        self._build: BuildRequest | None = None
        self._workspace: str | None = None
        self._worker: str | None = None

    def close(self) -> None:
        self.database.close()

    @property
    def build(self) -> BuildRequest:
        """The build most runs of a test share: of one configuration, made already."""
        if self._build is None:
            self._build = self.new_build()
        return self._build

    @property
    def worker(self) -> str:
        """A worker of name "one"."""
        if self._worker is None:
            self._worker = self.add_worker("one")
        return self._worker

    def write(self, work: Callable[[Transaction], T]) -> T:
        return self.database.write(work)

    def advance(self, duration: timedelta) -> None:
        assert isinstance(self.clock, FakeClock)
        self.clock.advance(duration)

    # What there is

    def add_workspace(self, **values: Any) -> str:
        return self.write(lambda tx: rows.add_workspace(tx, **values))

    def new_build(self, *, workspace_id: str | None = None, status: str | None = "ready") -> BuildRequest:
        """Return the request of a new configuration's build; with a status the build itself is there too."""

        def add(tx: Transaction) -> BuildRequest:
            workspace = workspace_id or self._workspace or rows.add_workspace(tx)
            configuration = rows.add_configuration(tx, workspace_id=workspace)
            version = rows.add_version(tx, configuration, status="published", published_at=tx.now)
            made_from = fingerprint({}, here())
            if status is not None:
                rows.add_build(
                    tx, configuration_id=configuration, version_id=version, fingerprint=made_from, status=status
                )
            return BuildRequest(
                workspace_id=workspace, configuration_id=configuration, version_id=version, fingerprint=made_from
            )

        made = self.write(add)
        if workspace_id is None:
            self._workspace = made.workspace_id
        return made

    def documents(self, count: int, workspace_id: str | None = None) -> list[str]:
        """Add documents to a workspace, or to the first build's."""
        workspace = workspace_id or self.build.workspace_id
        return self.write(lambda tx: rows.add_documents(tx, count, workspace_id=workspace))

    def document(self) -> str:
        return self.documents(1)[0]

    def add_worker(self, name: str, *, slots: int = 2, **facts_of_it: Any) -> str:
        facts = WorkerFacts(name=name, host="here", process_id=1, version="0", slots=slots, **facts_of_it)
        return self.write(lambda tx: workers.register_worker(tx, facts, rules=self.rules))

    # Submitting

    def request(self, document_id: str | None = None, *, build: BuildRequest | None = None, **values: Any) -> Wanted:
        wanted = build or self.build
        document = document_id or self.documents(1, wanted.workspace_id)[0]
        return Wanted(build=wanted, input_document_id=document, values=values)

    def submit(self, document_id: str | None = None, **values: Any) -> str:
        return self.submit_all([self.request(document_id, **values)])[0]

    def submit_all(self, wanted: Sequence[Wanted]) -> list[str]:
        """Submit runs in one transaction."""
        return self.write(lambda tx: calls.submit(tx, wanted, rules=self.rules))

    def submit_many(self, count: int, **values: Any) -> list[str]:
        """Submit runs of a number of new documents in one transaction."""
        workspace = values["build"].workspace_id if "build" in values else None
        return self.submit_all([self.request(document, **values) for document in self.documents(count, workspace)])

    def submit_plan(self, phases: int | Sequence[Wanted], *, priority: int = 50) -> tuple[str, list[str]]:
        requests = [self.request() for _ in range(phases)] if isinstance(phases, int) else phases
        workspace = self.build.workspace_id
        return self.write(
            lambda tx: calls.submit_plan(tx, requests, workspace_id=workspace, priority=priority, rules=self.rules)
        )

    # Working

    def claim(self, slots: int = 1, *, worker: str | None = None, memory_mb: int = ANY_MEMORY) -> list[Claim]:
        return self.claim_into(Room(slots=slots, memory_mb=memory_mb), worker=worker)

    def claim_into(self, room: Room, *, worker: str | None = None) -> list[Claim]:
        worker_id = worker or self.worker
        return self.write(lambda tx: calls.claim(tx, worker_id, rules=self.rules, room=room))

    def claim_one(self, *, worker: str | None = None) -> Claim:
        [claimed] = self.claim(1, worker=worker)
        return claimed

    def succeed(self, claim: Claim, **facts: Any) -> RunStatus:
        return self.write(lambda tx: calls.succeed(tx, claim, rules=self.rules, **facts))

    def fail(self, claim: Claim, failure: Failure = BROKEN) -> RunStatus:
        return self.write(lambda tx: calls.fail(tx, claim, failure, rules=self.rules))

    def return_uncounted(self, claim: Claim) -> str:
        return self.write(lambda tx: returning.return_uncounted(tx, claim))

    def return_counted(self, claim: Claim, failure: Failure = BROKEN) -> bool:
        return self.write(lambda tx: returning.return_counted(tx, claim, failure, rules=self.rules))

    def finish_build(self, claim: Claim) -> None:
        self.write(lambda tx: build_operations.finish_build(tx, claim))

    def fail_build(self, claim: Claim, failure: Failure = BROKEN) -> None:
        self.write(lambda tx: build_operations.fail_build(tx, claim, failure))

    def heartbeat(self, worker: str | None = None) -> list[Lease] | None:
        worker_id = worker or self.worker
        return self.write(lambda tx: queue.heartbeat(tx, worker_id, rules=self.rules))

    def upkeep(self) -> Upkept:
        return self.write(self.do_upkeep)

    def do_upkeep(self, tx: Transaction) -> Upkept:
        """Do the upkeep as if a tick had passed since the last one."""
        lock_dispatch(tx)
        last = sa.update(queue_control).where(queue_control.c.name == "upkeep")
        tx.execute(last.values(clock_at=tx.now - self.rules.tick))
        done = upkeep.do_if_due(tx, rules=self.rules)
        assert done is not None
        return done

    def drain(self, *, slots: int = 1, worker: str | None = None) -> list[str]:
        """Claim and finish until nothing is left that may start; return the runs in the order they were claimed."""
        order: list[str] = []
        while claimed := self.claim(slots, worker=worker):
            for claim in claimed:
                if claim.kind == "run":
                    order.append(claim.id)
                    self.succeed(claim)
                else:
                    self.finish_build(claim)
        return order

    # People

    def cancel(self, run_id: str) -> RunStatus:
        return self.write(lambda tx: run_operations.cancel_run(tx, run_id, actor=PERSON))

    def reprioritise(self, run_id: str, priority: int, *, reason: str | None = None) -> None:
        self.write(
            lambda tx: ordering.change_priority(tx, run_id, priority, rules=self.rules, actor=PERSON, reason=reason)
        )

    def move(self, run_id: str, *, before: str | None = None, after: str | None = None) -> None:
        self.write(lambda tx: ordering.move_run(tx, run_id, actor=PERSON, before=before, after=after))

    def pause(self, scope: PauseScope, value: str | None = None) -> str:
        return self.write(lambda tx: pauses.pause(tx, scope, value, reason="night", actor=PERSON))

    def resume(self, pause_id: str) -> None:
        self.write(lambda tx: pauses.resume(tx, pause_id, actor=PERSON))

    # Looking

    def run(self, run_id: str) -> FullRun:
        found = self.database.read(lambda tx: run_store.get(tx, run_id))
        assert found is not None
        return found

    def status(self, run_id: str) -> str:
        return str(self.run(run_id).status)

    def statuses(self) -> dict[str, int]:
        """Return how many runs have each status."""
        counted = sa.select(runs.c.status, sa.func.count().label("number")).group_by(runs.c.status)
        return {row.status: row.number for row in self.read(counted)}

    def the_build(self, request: BuildRequest | None = None) -> FullBuild:
        wanted = request or self.build
        key = {"configuration_id": wanted.configuration_id, "fingerprint": wanted.fingerprint}
        found = self.database.read(lambda tx: build_store.find(tx, **key))
        assert found is not None
        return found

    def plan(self, plan_id: str) -> sa.Row[Any]:
        return self._row(plans, plan_id)

    def events(self, subject_id: str) -> list[str]:
        """Return the types of what happened to a run or a build, in order."""
        told = sa.select(events.c.type).where(events.c.subject_id == subject_id).order_by(events.c.sequence)
        return [row.type for row in self.read(told)]

    def audit(self, subject_id: str) -> list[sa.Row[Any]]:
        return self.read(
            sa.select(audit_log).where(audit_log.c.subject_id == subject_id).order_by(audit_log.c.position)
        )

    def control(self) -> sa.Row[Any]:
        return self.read(sa.select(queue_control).where(queue_control.c.name == "dispatch"))[0]

    def read(self, statement: sa.Select[Any]) -> list[sa.Row[Any]]:
        return self.database.read(lambda tx: list(tx.execute(statement).all()))

    def _row(self, table: sa.Table, row_id: str) -> sa.Row[Any]:
        return self.read(sa.select(table).where(table.c.id == row_id))[0]
