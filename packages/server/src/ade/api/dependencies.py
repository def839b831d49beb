"""What routes ask for."""

from typing import Annotated

from fastapi import Depends, Path, Request

from ade.domain.queue import QueueRules
from ade.operations.rules import queue_rules
from ade.system import System


def _system(request: Request) -> System:
    system: System = request.app.state.system
    return system


SystemDependency = Annotated[System, Depends(_system)]


def _rules(system: SystemDependency) -> QueueRules:
    return queue_rules(system.settings)


RulesDependency = Annotated[QueueRules, Depends(_rules)]
PathId = Annotated[
    str,
    Path(
        pattern="^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
        examples=["01932c07-5b1e-7c3a-9d2f-3f1b8c6a7e10"],
    ),
]
