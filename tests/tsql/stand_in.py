"""Makes the stand-in available to this process and to the processes it starts."""

import os
from pathlib import Path

import pytest
from sqlalchemy.engine import URL

POSTGRES = "TSQL_STAND_IN_POSTGRES"  # the address of the PostgreSQL behind it
SERVER = "stand-in"
_TESTS = Path(__file__).parents[1]


def provide(postgres_url: str) -> str:
    """Put the stand-in in front of a PostgreSQL; return its address, as one of SQL Server."""
    from tsql import driver  # loads Microsoft's driver, which most tests do without

    driver.install()
    os.environ[POSTGRES] = postgres_url
    known = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    ours = [str(_TESTS), str(_TESTS / "tsql" / "site")]
    os.environ["PYTHONPATH"] = os.pathsep.join([*ours, *(path for path in known if path and path not in ours)])
    return f"mssql+mssqlpython://{SERVER}/master"


def skip_where_a_server_is_needed(url: URL) -> None:
    """Leave out a test that reads what the stand-in does not have: SQL Server's own catalogue."""
    if url.host == SERVER:
        pytest.skip("the stand-in has no catalogue of columns")
