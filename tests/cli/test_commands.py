"""The commands, as a person starts them: real processes, real output."""

import json
import os
import subprocess
import sys
from contextlib import closing
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy.engine import make_url

from ade.cli.doctor import check_workers
from ade.database.maintenance.health import name_of
from ade.database.transaction import Database, Transaction
from ade.domain.queue import QueueRules
from ade.operations.maintenance.health import look_at_database
from ade.operations.queue.workers import WorkerFacts, register_worker
from repeatable import FakeClock

pytestmark = pytest.mark.slow


def ade(*words: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ADE_")}
    environment = {**kept, "ADE_DATA_DIR": str(folder), "COLUMNS": "200", **variables}
    command = [sys.executable, "-m", "ade", *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.req("C1")
def test_help_lists_the_commands(tmp_path: Path) -> None:
    answer = ade("--help", folder=tmp_path)

    assert answer.returncode == 0
    assert {"serve", "db", "doctor"} <= set(answer.stdout.replace("│", " ").split())


@pytest.mark.req("C1")
def test_doctor_is_content_with_a_fresh_folder(tmp_path: Path) -> None:
    answer = ade("doctor", "--json", folder=tmp_path)

    checks = {check["name"]: check for check in json.loads(answer.stdout)["checks"]}
    assert answer.returncode == 0
    assert set(checks) == {
        "python",
        "settings",
        "data folder",
        "files",
        "database",
        "isolation",
        "network",
        "local commands",
    }
    assert not (tmp_path / "ade.db").exists()  # looking makes nothing


@pytest.mark.req("C1")
def test_doctor_names_the_command_for_a_missing_schema(tmp_path: Path) -> None:
    (tmp_path / "ade.db").touch()

    answer = ade("doctor", folder=tmp_path)

    assert answer.returncode == 1
    assert "Run: ade db upgrade" in answer.stdout


def test_doctor_names_every_wrong_setting(tmp_path: Path) -> None:
    answer = ade("doctor", folder=tmp_path, ADE_PORT="x", ADE_LEASE_SECONDS="0")

    assert answer.returncode == 1
    assert "ADE_PORT" in answer.stdout
    assert "ADE_LEASE_SECONDS" in answer.stdout


def test_doctor_reports_a_database_that_does_not_answer(tmp_path: Path) -> None:
    answer = ade("doctor", "--json", folder=tmp_path, ADE_DATABASE_URL="postgresql://ade:hunter2@127.0.0.1:1/ade")

    checks = {check["name"]: check for check in json.loads(answer.stdout)["checks"]}
    assert checks["database"]["verdict"] == "failed"
    assert "hunter2" not in answer.stdout + answer.stderr


@pytest.mark.sends_statements
@pytest.mark.req("C1")
def test_doctor_names_silent_workers_and_what_to_do(database_url: str, clock: FakeClock) -> None:
    silent_after = timedelta(seconds=30)
    names = [f"w{number}" for number in range(8)]

    def register(tx: Transaction, *, name: str) -> None:
        facts = WorkerFacts(name=name, host=f"host-of-{name}", process_id=1, version="0", slots=2)
        register_worker(tx, facts, rules=QueueRules())

    with closing(Database(database_url, clock=clock)) as database:
        for name in reversed(names):
            database.write(partial(register, name=name))
            clock.advance(2 * silent_after)
        nobody = check_workers(look_at_database(database, silent_after=silent_after))
        database.write(partial(register, name="living"))
        someone = check_workers(look_at_database(database, silent_after=silent_after))

    named = ", ".join(f"{name} on host-of-{name}" for name in names[:5])
    assert someone.verdict == nobody.verdict == "warning"
    assert someone.found == f"1 at work, 8 silent: {named} and 3 more"
    assert nobody.found == f"none at work, 8 silent: {named} and 3 more"
    assert "Restart a silent worker or its host" in someone.advice
    assert "were given to others" in someone.advice
    assert "Queued runs wait until a worker starts." in nobody.advice
    assert "will be given to others" in nobody.advice


@pytest.mark.req("C1", "W5")
def test_db_upgrade_then_current_then_check(tmp_path: Path, database_url: str) -> None:
    upgraded = ade("db", "upgrade", folder=tmp_path, ADE_DATABASE_URL=database_url)
    current = ade("db", "current", "--json", folder=tmp_path, ADE_DATABASE_URL=database_url)
    checked = ade("db", "check", "--json", folder=tmp_path, ADE_DATABASE_URL=database_url)

    assert upgraded.stdout.endswith(f" is at {json.loads(current.stdout)['current']} already.\n")
    assert json.loads(current.stdout)["is_current"] is True
    assert json.loads(checked.stdout) == {"differences": []}
    assert checked.returncode == 0


def test_db_upgrade_names_the_file_it_made(tmp_path: Path) -> None:
    answer = ade("db", "upgrade", folder=tmp_path)

    assert answer.stdout.startswith(f"Upgraded SQLite {tmp_path}/ade.db from nothing to ")


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("postgresql://ade:hunter2@db.example.org:5433/runs?sslmode=require", "PostgreSQL db.example.org:5433/runs"),
        ("postgresql://ade:hunter2@db.example.org/runs", "PostgreSQL db.example.org/runs"),
        ("postgresql:///runs?host=/run/postgresql&password=hunter2", "PostgreSQL /run/postgresql/runs"),
        ("mssql+mssqlpython://ade:hunter2@db/runs?Encrypt=yes", "SQL Server db/runs"),
    ],
)
def test_a_database_is_named_without_its_secrets(url: str, name: str) -> None:
    assert name_of(make_url(url)) == name


def test_db_check_refuses_a_database_without_schema(tmp_path: Path) -> None:
    answer = ade("db", "check", folder=tmp_path)

    assert answer.returncode == 1
    assert "Run: ade db upgrade" in answer.stderr
    assert "Traceback" not in answer.stderr


def test_serve_refuses_an_older_schema_with_the_command_to_run(tmp_path: Path) -> None:
    ade("db", "upgrade", folder=tmp_path)
    downgrade = "UPDATE alembic_version SET version_num = '0000'"
    import sqlite3

    with sqlite3.connect(tmp_path / "ade.db") as connection:
        connection.execute(downgrade)
    connection.close()

    answer = ade("serve", folder=tmp_path)

    assert answer.returncode == 1
    assert "0000" in answer.stderr
    assert "Traceback" not in answer.stderr


@pytest.mark.slow
@pytest.mark.req("C1")
def test_a_key_can_be_made_where_the_database_is(tmp_path: Path) -> None:
    ade("users", "create", "ada@example.org", folder=tmp_path, ADE_NEW_PASSWORD="a few random words")

    made = ade("users", "key", "ADA@example.org", "--scope", "read", folder=tmp_path)
    refused = ade("users", "key", "nobody@example.org", folder=tmp_path)

    assert made.stdout.startswith("ade_")
    assert len(made.stdout.splitlines()) == 1
    assert "There is no account for nobody@example.org." in refused.stderr


@pytest.mark.req("S2")
def test_explaining_what_is_no_artifact_is_refused_in_words(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "large").touch()
    os.truncate(tmp_path / "large", 1 << 40)
    (tmp_path / "forged").write_text('{"sheets": [{"tables": [{"reshaped": {"added": []}}]}]}', encoding="utf-8")
    for name, said in (("pipe", "not a plain file"), ("large", "larger than 64 MB"), ("forged", "is not an artifact")):
        answer = ade("explain", str(tmp_path / name), folder=tmp_path)
        assert (answer.returncode, said in answer.stderr, "Traceback" in answer.stderr) == (2, True, False)
