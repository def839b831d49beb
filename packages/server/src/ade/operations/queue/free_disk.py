"""Watches free disk: what could not be written to the end is not begun."""

import shutil

from ade.database.content import workspaces
from ade.database.maintenance.held import held_bytes
from ade.database.transaction import Transaction
from ade.settings import Settings

MIB = 1024 * 1024
RESERVED = 4  # times what must be free for anything at all


def free_disk_mb(settings: Settings) -> int:
    """Return how much the disk of the data folder still takes."""
    return shutil.disk_usage(settings.data_dir).free // MIB


def free_disk_reason(settings: Settings) -> str | None:
    """Return why nothing may start for want of disk, or None."""
    free_mb = free_disk_mb(settings)
    if free_mb >= settings.min_free_disk_mb:
        return None
    return f"Only {free_mb} MB of disk are free; it needs {settings.min_free_disk_mb} (ADE_MIN_FREE_DISK_MB)."


def is_disk_scarce(settings: Settings) -> bool:
    """Return whether what is left of the disk is kept for workspaces with little on it."""
    return not settings.files_url and free_disk_mb(settings) < RESERVED * settings.min_free_disk_mb


def crowded(tx: Transaction, settings: Settings, workspace_id: str | None = None) -> dict[str, str]:
    """Return the workspaces that get nothing more while disk is scarce, as they hold much, each with the reason.

    Look at one of them, or at all. Nobody is kept from anything where there is only one workspace.
    """
    least = settings.min_free_disk_mb
    held = held_bytes(tx, workspace_id)
    much = {holder: size_bytes // MIB for holder, size_bytes in held.items() if size_bytes > least * MIB}
    if not much or not workspaces.are_several(tx):
        return {}
    return {holder: _crowded_reason(held_mb, least=least) for holder, held_mb in much.items()}


def _crowded_reason(held_mb: int, *, least: int) -> str:
    return (
        f"Less than {RESERVED * least} MB of disk are free. They are reserved for workspaces whose documents and "
        f"outputs take up to {least} MB (ADE_MIN_FREE_DISK_MB); those of this one take {held_mb} MB, including deleted "
        "ones that retention has not removed yet."
    )
