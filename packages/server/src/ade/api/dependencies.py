"""What routes ask for."""

from typing import Annotated

from fastapi import Depends, Path, Request

from ade.api.schemas.base import ID_EXAMPLE, ID_PATTERN
from ade.domain.queue import QueueRules
from ade.operations.rules import queue_rules
from ade.system import System


async def _system(request: Request) -> System:  # async: otherwise each request pays a hop to a thread
    system: System = request.app.state.system
    return system


SystemDependency = Annotated[System, Depends(_system)]


async def _rules(system: SystemDependency) -> QueueRules:
    return queue_rules(system.settings)


RulesDependency = Annotated[QueueRules, Depends(_rules)]
PathId = Annotated[str, Path(pattern=ID_PATTERN, examples=[ID_EXAMPLE])]
