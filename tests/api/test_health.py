"""Health and readiness."""

import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient

from ade import __version__
from ade.system import System


@pytest.mark.req("A4")
def test_a_living_process_says_so(client: TestClient) -> None:
    answer = client.get("/healthz")

    assert (answer.status_code, answer.json()) == (200, {"status": "ok", "version": __version__})


@pytest.mark.req("A4")
def test_it_is_ready_when_the_schema_is_current(client: TestClient) -> None:
    answer = client.get("/readyz")

    assert answer.status_code == 200
    assert answer.json()["status"] == "ready"


@pytest.mark.req("A4")
def test_it_is_not_ready_without_a_schema(client: TestClient, system: System) -> None:
    system.database.write(lambda tx: tx.execute(sa.text("DELETE FROM alembic_version")))

    answer = client.get("/readyz")
    system.database.write(lambda tx: tx.execute(sa.text("INSERT INTO alembic_version (version_num) VALUES ('0001')")))

    assert (answer.status_code, answer.json()["code"]) == (503, "schema_outdated")
    assert answer.headers["retry-after"] == "5"


@pytest.mark.req("A4")
def test_it_stays_ready_when_a_newer_program_has_upgraded_the_schema(client: TestClient, system: System) -> None:
    system.database.write(lambda tx: tx.execute(sa.text("UPDATE alembic_version SET version_num = '9999'")))

    answer = client.get("/readyz")
    system.database.write(lambda tx: tx.execute(sa.text("UPDATE alembic_version SET version_num = '0001'")))

    assert answer.status_code == 200
