"""Names of other packages that are in no manual of theirs: each is there, and the next minor version is not installed.

A package that moves such a name fails here by its name, not somewhere in the hot path.
"""

import re
import tomllib
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

SERVER = Path(__file__).parents[2] / "packages" / "server" / "pyproject.toml"
# package, module, what is used of it, by which of our files
USED = [
    ("psycopg", "psycopg.generators", "send", "database/wire/bundle.py"),
    ("psycopg", "psycopg.generators", "fetch", "database/wire/bundle.py"),
    ("psycopg", "psycopg.adapt", "Transformer.set_pgresult", "database/wire/bundle.py"),
    ("psycopg", "psycopg.adapt", "Transformer.load_rows", "database/wire/bundle.py"),
    ("psycopg", "psycopg.errors", "error_from_result", "database/wire/bundle.py"),
    ("psycopg", "psycopg", "Connection.wait", "database/wire/bundle.py"),
    ("sqlalchemy", "sqlalchemy.engine", "Connection._handle_dbapi_exception", "database/wire/conversation.py"),
    ("sqlalchemy", "sqlalchemy.sql.compiler", "SQLCompiler.bind_names", "database/wire/prepared.py"),
    ("sqlalchemy", "sqlalchemy.sql.compiler", "SQLCompiler._result_columns", "database/wire/prepared.py"),
    ("sqlalchemy", "sqlalchemy.sql.compiler", "SQLCompiler.literal_execute_params", "database/wire/prepared.py"),
    ("sqlalchemy", "sqlalchemy.sql.compiler", "SQLCompiler.positiontup", "database/wire/prepared.py"),
    ("uvicorn", "uvicorn.protocols.http.h11_impl", "H11Protocol.connection_made", "api/connections.py"),
    ("uvicorn", "uvicorn.protocols.http.h11_impl", "H11Protocol.data_received", "api/connections.py"),
    ("uvicorn", "uvicorn.protocols.http.h11_impl", "H11Protocol.pause_writing", "api/connections.py"),
    ("uvicorn", "uvicorn.protocols.http.h11_impl", "RequestResponseCycle", "api/connections.py"),
]


@pytest.mark.parametrize(("package", "module", "name", "user"), USED, ids=lambda value: str(value))
def test_a_private_name_that_is_used_is_there(package: str, module: str, name: str, user: str) -> None:
    found: Any = import_module(module)
    for part in name.split("."):
        missing = f"{package} {version(package)} has no {module}.{name}, which {user} uses"
        known = getattr(found, "__annotations__", {})
        assert hasattr(found, part) or part in known, missing
        found = getattr(found, part, None)


@pytest.mark.parametrize("package", sorted({package for package, *_ in USED}))
def test_a_package_with_private_names_in_use_has_an_upper_bound(package: str) -> None:
    required = tomllib.loads(SERVER.read_text())["project"]["dependencies"]
    [asked] = [line for line in required if re.match(rf"{package}\b", line)]

    below = re.search(r"<(\d+)\.(\d+)$", asked)

    assert below is not None, f"{asked}: give it an upper bound"
    installed = tuple(int(part) for part in version(package).split(".")[:2])
    assert installed < (int(below[1]), int(below[2])), f"{package} {version(package)} is newer than {asked} allows"
