"""Statements of the hot path: whatever the values, and whatever happened to the connection before."""

from functools import partial

import pytest
import sqlalchemy as sa

import calls
import rows
from ade.database.schema import workspaces
from ade.database.transaction import Database, Transaction
from ade.database.wire import bundle
from ade.database.wire.prepared import Prepared
from ade.operations.queue.claiming import Room, finish_and_claim
from scene import Scene

STRANGE = [
    "it's",
    'a "word"',
    "back\\slash'",
    "100 % of $1",
    "%(name)s",
    "ünï→😀",
    "",
    "; DROP TABLE runs; --",
    "E'\\x00'",
]
_ECHO = sa.select(
    sa.bindparam("text", type_=sa.Unicode).label("text"),
    sa.bindparam("number", type_=sa.BigInteger).label("number"),
    sa.cast(sa.bindparam("share", type_=sa.Float), sa.Float).label("share"),
    sa.cast(sa.bindparam("missing", type_=sa.Unicode), sa.Unicode).label("missing"),
)
ECHOES = [Prepared(_ECHO), Prepared(_ECHO, is_inlined=True)]


@pytest.mark.parametrize("echo", ECHOES, ids=["bound", "inlined"])
@pytest.mark.parametrize("text", STRANGE)
def test_a_value_comes_back_as_it_was_given(database: Database, echo: Prepared, text: str) -> None:
    given = {"text": text, "number": -(2**62), "share": -0.25, "missing": None}

    [row] = database.read(lambda tx: echo.rows(tx, given))

    assert row == tuple(given.values())


def test_a_text_the_database_cannot_hold_is_refused_and_not_cut(database: Database) -> None:
    if database.dialect != "postgresql":
        pytest.skip("SQLite holds it")
    given = {"text": "a\0b", "number": 1, "share": 1.0, "missing": None}

    with pytest.raises(sa.exc.DataError, match="NUL"):
        database.read(lambda tx: ECHOES[0].rows(tx, given))


def test_a_mistake_in_a_message_is_raised_and_the_connection_goes_on(database: Database) -> None:
    if database.dialect != "postgresql":
        pytest.skip("SQLite is asked one thing after the other")
    share = Prepared(sa.select(sa.literal_column("1.0") / sa.bindparam("by", type_=sa.Float)))
    given = {"text": "", "number": 1, "share": 1.0, "missing": None}

    def ask(tx: Transaction, by: float) -> int:
        before, _, after = ECHOES[0].ask(tx, given), share.ask(tx, {"by": by}), ECHOES[0].ask(tx, given)
        return len(before()) + len(after())

    def session(tx: Transaction) -> int:
        return int(tx.execute(sa.text("SELECT pg_backend_pid()")).scalar_one())

    first = database.read(session)
    with pytest.raises(sa.exc.DataError, match="division by zero"):
        database.read(lambda tx: ask(tx, 0.0))

    assert database.read(lambda tx: ask(tx, 2.0)) == 2
    assert database.read(session) == first


def test_who_is_interrupted_in_the_middle_of_a_message_is_told_so_and_nothing_is_tried_again(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    if database.dialect != "postgresql":
        pytest.skip("SQLite is asked one thing after the other")
    given = {"text": "", "number": 1, "share": 1.0, "missing": None}
    tries: list[Transaction] = []

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    def work(tx: Transaction) -> None:
        tries.append(tx)
        tx.execute(sa.text("SELECT 1"))
        with monkeypatch.context() as patch:
            patch.setattr(bundle.Line, "_answers", interrupt)
            ECHOES[0].rows(tx, given)

    with pytest.raises(KeyboardInterrupt):
        database.write(work)

    assert len(tries) == 1
    assert database.read(lambda tx: len(ECHOES[0].rows(tx, given))) == 1


def test_what_is_prepared_is_forgotten_before_it_is_too_much(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundle, "MOST_PREPARED", 3)

    def echo(tx: Transaction, number: int) -> int:
        [[_, told, _, _]] = ECHOES[1].rows(tx, {"text": "", "number": number, "share": 1.0, "missing": None})
        return int(told)

    for number in [*range(10), *range(10)]:
        assert database.read(partial(echo, number=number)) == number


def test_statements_that_someone_forgot_are_prepared_again(scene: Scene) -> None:
    if scene.database.dialect != "postgresql":
        pytest.skip("prepared statements of PostgreSQL")
    scene.submit_many(3)
    scene.claim(1)
    scene.write(lambda tx: tx.execute(sa.text("DEALLOCATE ALL")))

    assert len(scene.claim(2)) == 2


def test_a_look_that_finds_nothing_is_rolled_back_and_one_that_found_something_is_not(scene: Scene) -> None:
    worker = scene.worker

    def look(tx: Transaction) -> bool:
        calls.claim(tx, worker, rules=scene.rules, room=Room(slots=1))
        return tx.is_void

    scene.claim(1)  # does the upkeep that is due
    assert scene.write(look)
    scene.submit_many(1)
    assert not scene.write(look)


def test_what_else_was_done_beside_an_empty_look_is_kept(scene: Scene) -> None:
    def before(tx: Transaction) -> None:
        rows.add_workspace(tx, slug="before")
        finish_and_claim(tx, scene.worker, [], rules=scene.rules, room=Room(slots=1))

    def after(tx: Transaction) -> None:
        finish_and_claim(tx, scene.worker, [], rules=scene.rules, room=Room(slots=1))
        rows.add_workspace(tx, slug="after")

    scene.claim(1)  # does the upkeep that is due
    scene.write(before)
    scene.write(after)

    slugs = scene.database.read(lambda tx: set(tx.execute(sa.select(workspaces.c.slug)).scalars()))
    assert {"before", "after"} <= slugs
