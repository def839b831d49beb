"""Watches free disk: what could not be written to the end is not begun."""

import shutil

from ade.settings import Settings

MIB = 1024 * 1024


def free_disk_mb(settings: Settings) -> int:
    """Return how much the disk of the data folder still takes."""
    return shutil.disk_usage(settings.data_dir).free // MIB


def free_disk_reason(settings: Settings) -> str | None:
    """Return why nothing may start for want of disk, or None."""
    free_mb = free_disk_mb(settings)
    if free_mb >= settings.min_free_disk_mb:
        return None
    return f"Only {free_mb} MB of disk are free; it needs {settings.min_free_disk_mb} (ADE_MIN_FREE_DISK_MB)."
