"""A wakeup is a kindness: what goes wrong with it harms nobody who commits."""

from contextlib import closing
from datetime import timedelta
from pathlib import Path

from ade.database.queue import wakeups
from ade.database.queue.wakeups import FOR_ALL, Wake, meaning
from ade.database.transaction import Database


def test_what_is_no_socket_in_the_folder_harms_no_one_who_commits(tmp_path: Path) -> None:
    (tmp_path / "wake" / "a-folder").mkdir(parents=True)
    with (
        closing(Database(f"sqlite:///{tmp_path / 'ade.db'}")) as database,
        closing(wakeups.listen(database)) as listener,
    ):
        database.write(wakeups.wake_workers)

        assert listener.wait(timedelta(seconds=60), "anyone") is Wake.ALL


def test_the_socket_of_a_process_that_is_gone_is_taken_away(tmp_path: Path) -> None:
    with closing(Database(f"sqlite:///{tmp_path / 'ade.db'}")) as database:
        gone = wakeups.SocketListener(tmp_path / "wake")
        gone._socket.close()  # as the kernel does for a process that was killed
        database.write(wakeups.wake_workers)

    assert list((tmp_path / "wake").iterdir()) == []


def test_a_message_wakes_whom_it_names_or_all() -> None:
    assert [meaning(message, "w1") for message in (FOR_ALL, "w1", "w2 w1", "w2", "w11", "")] == [
        Wake.ALL,
        Wake.NAMED,
        Wake.NAMED,
        Wake.NONE,
        Wake.NONE,
        Wake.NONE,
    ]
