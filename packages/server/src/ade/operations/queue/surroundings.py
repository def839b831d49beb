"""What builds made by this process depend on: its engine, Python and platform."""

import platform
import sys
from functools import cache
from importlib.metadata import version

from ade.domain.fingerprint import Surroundings


@cache
def here() -> Surroundings:
    """Return what a build made here depends on."""
    return Surroundings(
        engine_version=version("ade-engine"),
        python_version=f"{platform.python_implementation()} {sys.version_info.major}.{sys.version_info.minor}",
        platform=f"{platform.system()} {platform.machine()}",
    )
