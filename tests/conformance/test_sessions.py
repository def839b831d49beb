"""What an administrator reads about the database where nothing is wrong with it."""

from ade.database.maintenance import migrate, sqlserver
from ade.database.transaction import Database


def test_a_database_that_is_set_up_gives_no_reason_for_advice(database: Database) -> None:
    assert migrate.tune(database) == ""

    assert [*sqlserver.setup_troubles(database), *sqlserver.stalled_sessions(database)] == []
