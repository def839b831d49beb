"""Decides whether a full disk is to blame for a failure, and not what failed."""

from ade.domain.queue import Failure
from ade.domain.run import FailureCode, LimitedResource
from ade.operations.queue.free_disk import free_disk_reason
from ade.settings import Settings
from ade.worker.failures import DISK_FULL


def is_disk_to_blame(failure: Failure, settings: Settings) -> bool:
    """Return whether something failed for want of disk and by no fault of its own: elsewhere, or later, it may not.

    What ran out of disk is to blame itself if there is room again now that its process is gone.
    """
    if failure is DISK_FULL:  # seen by the worker itself: a child may say the same words
        return True
    may_be = failure.code == FailureCode.INTERNAL_ERROR or failure.resource == LimitedResource.DISK
    return may_be and free_disk_reason(settings) is not None
