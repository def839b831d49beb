"""Watches free disk: a worker that could not write its results claims nothing."""

import shutil

from ade.domain.queue import Failure
from ade.domain.run import FailureCode, LimitedResource
from ade.settings import Settings
from ade.worker.failures import DISK_FULL

MIB = 1024 * 1024


def free_disk_reason(settings: Settings) -> str | None:
    """Return why nothing may start for want of disk, or None."""
    free_mb = shutil.disk_usage(settings.data_dir).free // MIB
    if free_mb >= settings.min_free_disk_mb:
        return None
    return f"Only {free_mb} MB of disk are free; it needs {settings.min_free_disk_mb} (ADE_MIN_FREE_DISK_MB)."


def is_disk_to_blame(failure: Failure, settings: Settings) -> bool:
    """Tell whether something failed for want of disk and by no fault of its own: elsewhere, or later, it may not.

    What ran out of disk is to blame itself if there is room again now that its process is gone.
    """
    if failure is DISK_FULL:  # seen by the worker itself: a child may say the same words
        return True
    may_be = failure.code == FailureCode.INTERNAL_ERROR or failure.resource == LimitedResource.DISK
    return may_be and free_disk_reason(settings) is not None
