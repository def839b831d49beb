"""What routes ask for."""

from typing import Annotated

from fastapi import Depends, Path, Request

from ade.api.schemas.base import ID_EXAMPLE, ID_PATTERN
from ade.domain.queue import QueueRules
from ade.errors import Unavailable
from ade.operations.queue.free_disk import free_disk_reason
from ade.operations.queue.rules import queue_rules
from ade.system import System


async def _system(request: Request) -> System:  # async: otherwise each request pays a hop to a thread
    system: System = request.app.state.system
    return system


SystemDependency = Annotated[System, Depends(_system)]
_GROWING = frozenset({"POST", "PUT", "PATCH"})
_SMALL = ("/runs", "/runs/batch", "/check")


async def require_disk(request: Request, system: SystemDependency) -> None:
    """Refuse files of configurations while the disk of an embedded database is nearly full: runs need what is left."""
    path = request.url.path
    if request.method not in _GROWING or "/configurations" not in path or path.endswith(_SMALL):
        return
    if system.settings.resolved_database_url.startswith("sqlite") and (reason := free_disk_reason(system.settings)):
        raise Unavailable(reason)


async def _rules(system: SystemDependency) -> QueueRules:
    return queue_rules(system.settings)


RulesDependency = Annotated[QueueRules, Depends(_rules)]
PathId = Annotated[str, Path(pattern=ID_PATTERN, examples=[ID_EXAMPLE])]
