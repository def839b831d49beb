"""Watches free disk: what could not be written to the end is not begun."""

import shutil

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
    return free_disk_mb(settings) < RESERVED * settings.min_free_disk_mb


def share_of_disk_reason(settings: Settings, used_bytes: int) -> str | None:
    """Return why a workspace whose documents take this much gets no more while disk is scarce, or None."""
    least = settings.min_free_disk_mb
    if used_bytes <= least * MIB:
        return None
    return (
        f"Less than {RESERVED * least} MB of disk are free. They are kept for workspaces whose documents take up to "
        f"{least} MB (ADE_MIN_FREE_DISK_MB); those of this one take {used_bytes // MIB}, with deleted ones that "
        "retention has not removed."
    )
