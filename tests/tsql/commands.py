"""Commands of T-SQL that are no questions for rows: sessions, transactions, databases."""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg

from tsql import errors

if TYPE_CHECKING:
    from tsql.session import Result, Session

Command = Callable[["Session"], list["Result"]]
VERSION = "Microsoft SQL Server 2022 - 16.0.0.0 (a stand-in on PostgreSQL)"
_LOCALE = "TEMPLATE template0 LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8'"


@cache
def command(sql: str) -> Command | None:
    """Return what carries a command out, or None for another statement."""
    for pattern, action in _COMMANDS.items():
        if found := re.fullmatch(pattern, sql.strip(), re.IGNORECASE | re.DOTALL):
            return lambda session: action(session, *found.groups()) or []
    return None


def _answer(value: str) -> Callable[..., list["Result"]]:
    return lambda session: [session.ask("SELECT %(value)s", {"value": value})]


def _nothing(_session: "Session", *_: str) -> None:
    pass


def _limit_waits(session: "Session", milliseconds: str) -> None:
    session.ask(f"SET lock_timeout = {milliseconds}")


def _refuse(_session: "Session", *_: str) -> None:
    raise errors.refused("The stand-in has no such object.")


def _begin(session: "Session") -> None:
    session.begin()


def _commit(session: "Session") -> None:
    session.commit()


def _roll_back(session: "Session") -> None:
    session.rollback()


def _turn_snapshot_on(session: "Session") -> None:
    session.ask("UPDATE sys.settings SET is_read_committed_snapshot_on = 1")


def _save(session: "Session", name: str) -> None:
    session.ask(f'SAVEPOINT "{name}"')
    session.savepoints.append(name)


def _roll_back_to(session: "Session", name: str) -> None:
    if name not in session.savepoints:
        raise errors.refused(f"Cannot roll back {name}. No transaction or savepoint of that name was found.")
    session.ask(f'ROLLBACK TO SAVEPOINT "{name}"')


def _lock_application(session: "Session", resource: str) -> None:
    session.ask("SELECT pg_advisory_xact_lock(hashtext(%(resource)s))", {"resource": resource})


def _create_database(session: "Session", name: str) -> None:
    session.ask(f'CREATE DATABASE "{name}" {_LOCALE}')
    with psycopg.connect(psycopg.conninfo.make_conninfo(session.address, dbname=name), autocommit=True) as connection:
        connection.execute(Path(__file__).with_name("server.sql").read_bytes())


def _drop_database(session: "Session", condition: str, name: str) -> None:
    session.ask(f'DROP DATABASE {condition or ""} "{name}" WITH (FORCE)')


_COMMANDS: dict[str, Callable[..., Any]] = {
    r"select @@version": _answer(VERSION),
    r"select schema_name\(\)": _answer("dbo"),
    r"SELECT name FROM sys\.system_views .*": _answer("dm_exec_sessions"),
    r"SELECT CASE transaction_isolation_level\b.*": _answer("READ COMMITTED"),
    r"SELECT 1 FROM fn_listextendedproperty.*": _refuse,
    r"SET LOCK_TIMEOUT (\d+)": _limit_waits,
    r"SET (?:LANGUAGE|TRANSACTION ISOLATION LEVEL|IDENTITY_INSERT|NOCOUNT) .*": _nothing,
    r"ALTER DATABASE CURRENT SET READ_COMMITTED_SNAPSHOT ON.*": _turn_snapshot_on,
    r"SET XACT_ABORT ON": lambda session: setattr(session, "gives_all_up", True),
    r"SET XACT_ABORT OFF": lambda session: setattr(session, "gives_all_up", False),
    r"(?:IF @@TRANCOUNT = 0 )?BEGIN TRAN(?:SACTION)?": _begin,
    r"COMMIT(?: TRANSACTION)?": _commit,
    r"IF @@TRANCOUNT > 0 ROLLBACK(?: TRANSACTION)?": _roll_back,
    r"ROLLBACK(?: TRANSACTION)?": _roll_back,
    r"SAVE TRANSACTION (\w+)": _save,
    r"ROLLBACK TRANSACTION (\w+)": _roll_back_to,
    r".*\bsp_getapplock\b.*@Resource = '(\w+)'.*": _lock_application,
    r"DECLARE @\w+ int": _nothing,
    r"IF @\w+ < 0 THROW .*": _nothing,  # the stand-in waits for a lock until it is given
    r"CREATE DATABASE (\w+)": _create_database,
    r"DROP DATABASE (IF EXISTS)? ?(\w+)": _drop_database,
}
