"""Whether the database answers, is current, and has workers."""

from dataclasses import dataclass
from datetime import timedelta

from ade.database.maintenance import health, revisions, sqlserver
from ade.database.maintenance.health import WorkerCounts
from ade.database.maintenance.sqlserver import Trouble
from ade.database.transaction import Database

MOST_NAMED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseHealth:
    """What was found in the database."""

    product: str
    revision: str | None
    wanted_revision: str
    workers: WorkerCounts | None
    silent_workers: tuple[str, ...] = ()  # "name on host" of the latest few
    troubles: tuple[Trouble, ...] = ()  # with how it is set up

    @property
    def is_current(self) -> bool:
        """Return whether the schema is the one this program expects."""
        return self.revision == self.wanted_revision

    @property
    def is_newer(self) -> bool:
        """Return whether a newer program made the schema."""
        return self.revision is not None and self.revision not in revisions.REVISIONS


def look_at_database(database: Database, *, silent_after: timedelta) -> DatabaseHealth:
    """Connect, and return what is there; raise DatabaseUnreachable when nothing answers."""
    product = database.read(health.product)
    revision, wanted = revisions.current_revision(database), revisions.NEWEST
    counts: WorkerCounts | None = None
    silent: tuple[str, ...] = ()
    if revision == wanted:
        counts = database.read(lambda tx: health.worker_counts(tx, silent_after=silent_after))
    if counts and counts.silent_count:
        silent = database.read(lambda tx: health.silent_workers(tx, silent_after=silent_after, most=MOST_NAMED))
    return DatabaseHealth(
        product=product,
        revision=revision,
        wanted_revision=wanted,
        workers=counts,
        silent_workers=silent,
        troubles=tuple(sqlserver.setup_troubles(database)),
    )
