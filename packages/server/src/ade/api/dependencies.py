"""What routes ask for."""

from typing import Annotated

from fastapi import Depends, Request

from ade.system import System


def _system(request: Request) -> System:
    system: System = request.app.state.system
    return system


SystemDependency = Annotated[System, Depends(_system)]
