"""Removes the work folders of workers that were killed."""

from __future__ import annotations

from pathlib import Path

from ade.sandbox.removal import remove_folder
from ade.worker.identity import FOLDER, take_lock
from ade.worker.pulse import SUFFIX


def remove_leftovers(data_dir: Path, *, own_number: int | None = None, is_dry_run: bool = False) -> list[Path]:
    """Remove every work folder whose worker is dead, and our own predecessor's; return them."""
    work = data_dir / "work"
    found = sorted(path for path in work.iterdir() if path.name.isdigit()) if work.is_dir() else []
    return [
        path
        for path in found
        if _remove_if_dead(data_dir, path, is_own=int(path.name) == own_number, is_dry_run=is_dry_run)
    ]


def _remove_if_dead(data_dir: Path, path: Path, *, is_own: bool, is_dry_run: bool) -> bool:
    if is_own:
        remove_folder(path)
        return True
    lock = take_lock(data_dir / FOLDER, int(path.name))
    if lock is None:
        return False
    with lock:  # nobody can take the name while we remove what its last owner left
        if not is_dry_run:
            remove_folder(path)
            (data_dir / FOLDER / f"{path.name}{SUFFIX}").unlink(missing_ok=True)
    return True
