"""The product's operations of the queue as tests call them: by the functions that the API and the workers call."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from ade.database.queue import plans
from ade.database.transaction import Transaction
from ade.domain.access import Actor, ActorKind
from ade.domain.network import NetworkAccess, NetworkRule
from ade.domain.queue import Claim, Ending, Failure, QueueRules
from ade.domain.run import RunStatus
from ade.operations.queue.builds import BuildRequest
from ade.operations.queue.claiming import Room, finish_and_claim, finish_run
from ade.operations.queue.requests import PhaseWish, request_each, request_plan, request_run_again
from ade.operations.queue.submit import Wish

RULES = QueueRules()
PERSON = Actor(ActorKind.USER, "ada@example.org", "user-1")


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """A run that a test asks for; `values` are those of a wish."""

    build: BuildRequest
    input_document_id: str
    actor: Actor = PERSON
    values: dict[str, Any] = field(default_factory=dict)

    @property
    def wish(self) -> Wish:
        return Wish(runtime_network_access=False, **self.values)

    @property
    def priority(self) -> int:
        return self.wish.priority


def submit(tx: Transaction, wanted: Sequence[Wanted], *, rules: QueueRules) -> list[str]:
    """Queue runs in one transaction, in order; return their ids."""
    run_ids: list[str] = []
    for configuration_id, alike in groupby(wanted, lambda one: one.build.configuration_id):
        orders = [(one.input_document_id, one.wish, one.actor) for one in alike]
        run_ids += request_each(tx, configuration_id, orders, number=None, rules=rules)
    return run_ids


def submit_plan(
    tx: Transaction, phases: Sequence[Wanted], *, workspace_id: str, priority: int, rules: QueueRules
) -> tuple[str, list[str]]:
    """Queue a plan; return its id and those of its runs."""
    wishes = [
        PhaseWish(configuration_id=one.build.configuration_id, input_document_id=one.input_document_id, wish=one.wish)
        for one in phases
    ]
    plan_id = request_plan(tx, workspace_id, wishes, priority=priority, actor=PERSON, rules=rules)
    return plan_id, [run.id for run in plans.phases(tx, [plan_id])]


def run_again(tx: Transaction, run_id: str, *, rules: QueueRules, number: int | None = None) -> str:
    """Queue a new run of a run's document; return its id."""
    network = NetworkRule(access=NetworkAccess.NEVER, role=None)
    return request_run_again(
        tx, run_id, number=number, priority=None, network=network, network_asked=None, actor=PERSON, rules=rules
    )


def claim(tx: Transaction, worker_id: str, *, rules: QueueRules, room: Room) -> list[Claim]:
    """Claim for the free slots of a worker that ends nothing."""
    return finish_and_claim(tx, worker_id, [], rules=rules, room=room)[1]


def succeed(tx: Transaction, held: Claim, *, rules: QueueRules = RULES, **facts: Any) -> RunStatus:
    """End a run well."""
    return finish_run(tx, Ending(claim=held, facts=facts), rules=rules)


def fail(tx: Transaction, held: Claim, failure: Failure, *, rules: QueueRules = RULES, **facts: Any) -> RunStatus:
    """End a run badly."""
    return finish_run(tx, Ending(claim=held, failure=failure, facts=facts), rules=rules)
