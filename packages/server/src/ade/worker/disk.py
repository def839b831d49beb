"""Watches free disk: a worker that could not write its results claims nothing."""

import shutil

from ade.domain.queue import Failure
from ade.domain.run import FailureCode
from ade.settings import Settings

MIB = 1024 * 1024


def free_disk_reason(settings: Settings) -> str | None:
    """Return why nothing may start for want of disk, or None."""
    free_mb = shutil.disk_usage(settings.data_dir).free // MIB
    if free_mb >= settings.min_free_disk_mb:
        return None
    return f"Only {free_mb} MB of disk are free; it needs {settings.min_free_disk_mb} (ADE_MIN_FREE_DISK_MB)."


def is_disk_to_blame(failure: Failure, settings: Settings) -> bool:
    """Tell whether something failed by no fault of its own while the disk is full: elsewhere, or later, it may not."""
    return failure.code == FailureCode.INTERNAL_ERROR and free_disk_reason(settings) is not None
