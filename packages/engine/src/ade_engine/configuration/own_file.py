"""Writes files of a configuration folder, which may come from another person."""

from __future__ import annotations

import os
from pathlib import Path

from ade_engine.errors import ConfigurationError


def write_own_file(path: Path, text: str) -> None:
    """Write a file of a configuration folder; refuse to write through a link, or into what is no file."""
    if os.path.lexists(path) and (path.is_symlink() or not path.is_file()):
        raise ConfigurationError(f"{path.name} is not a plain file. Remove it first.")
    path.write_text(text, encoding="utf-8", newline="\n")
