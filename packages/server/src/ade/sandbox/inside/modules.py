"""Makes single modules importable without the other modules of their folder."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from types import ModuleType


class TrustedModules(MetaPathFinder):
    """Finds the engine and what it needs, each in the file the parent named."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = files

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,  # noqa: ARG002 - the shape the import system calls
    ) -> ModuleSpec | None:
        """Return where a top-level module is, if it is one of ours."""
        if path is not None or fullname not in self._files:
            return None
        # Not by listing the folder, which lies beside things a child may not see.
        file = self._files[fullname]
        folder, _, name = file.rpartition("/")
        inside = [folder] if name == "__init__.py" else None
        return spec_from_file_location(fullname, file, submodule_search_locations=inside)


def trust(files: Mapping[str, str]) -> None:
    """Make these modules importable, before anything a build brings."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, TrustedModules)]
    sys.meta_path.insert(0, TrustedModules(files))
