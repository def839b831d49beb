"""A change anywhere is sent once, however often the database has to be asked."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from ade.api.changes import Changes
from ade.database.transaction import Database, Transaction
from api.conftest import furnish, make_system, open_client, submit


class _Contended(Database):
    """A database in which every look loses against another transaction once, and is tried again as a whole."""

    def read(self, work: Callable[[Transaction], Any]) -> Any:
        super().read(work)
        return super().read(work)


def test_a_look_that_is_tried_again_still_tells_what_is_new(database_url: str, tmp_path: Path) -> None:
    with closing(_Contended(database_url)) as database, closing(Database(database_url)) as usual:
        system = make_system(usual, tmp_path)
        place = furnish(system)
        changes = Changes(database)
        changes.start()
        with open_client(system) as client:
            submit(client, place)

        events, _ = changes.read()

        assert [row.type for row in events] == ["build.queued", "run.queued"]
        assert changes.read() == ([], [])
