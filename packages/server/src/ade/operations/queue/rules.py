"""Turns the operator's settings into the rules of the queue."""

from datetime import timedelta

from ade.domain.queue import QueueRules
from ade.settings import Settings


def queue_rules(settings: Settings) -> QueueRules:
    """Return the rules the settings ask for."""
    return QueueRules(
        queue_size=settings.queue_size,
        max_running=settings.max_running,
        max_starts_per_second=settings.max_starts_per_second,
        lease=timedelta(seconds=settings.lease_seconds),
        run_timeout=timedelta(seconds=settings.run_timeout_seconds),
        build_timeout=timedelta(seconds=settings.build_timeout_seconds),
        max_claims=settings.run_max_claims,
        age_after=timedelta(seconds=settings.priority_age_after_seconds),
        tick=timedelta(seconds=settings.tick_seconds),
    )
