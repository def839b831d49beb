"""The few long-lived objects, built once: settings, clock, ids, the database and the files."""

from contextlib import ExitStack
from dataclasses import dataclass, field

from ade.clock import Clock, SystemClock
from ade.data_folder import make_data_folder
from ade.database.maintenance import revisions
from ade.database.transaction import Database
from ade.files import FileStore, open_files
from ade.files.locks import in_use
from ade.ids import NewId, new_id
from ade.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """What every part of the server works with."""

    settings: Settings
    clock: Clock
    new_id: NewId
    database: Database
    files: FileStore
    held: ExitStack = field(default_factory=ExitStack)

    def close(self) -> None:
        """Close everything."""
        self.database.close()
        self.held.close()


def open_system(settings: Settings) -> System:
    """Connect to a database whose schema is this program's, or raise what to do about it."""
    held = ExitStack()
    if is_embedded(settings):
        make_data_folder(settings.data_dir.absolute())
        held.enter_context(in_use(settings.data_dir.absolute()))
    database = Database(settings.resolved_database_url)
    try:
        if is_embedded(settings) and revisions.current_revision(database) is None:
            _upgrade(database)  # a first start on this machine should just work
        revisions.require_current(database)
        files = open_files(settings.files_url, folder=settings.files_folder)
    except BaseException:
        database.close()
        held.close()
        raise
    return System(settings=settings, clock=SystemClock(), new_id=new_id, database=database, files=files, held=held)


def _upgrade(database: Database) -> None:
    from ade.database.maintenance import migrate  # takes long to load, and is needed once

    migrate.upgrade(database)


def is_embedded(settings: Settings) -> bool:
    """Return whether the database is a file of ours, which we must prepare ourselves."""
    return settings.resolved_database_url.startswith("sqlite")
