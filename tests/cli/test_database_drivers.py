"""A database whose driver is missing, cannot be loaded or does not take the address: a sentence, and no traceback."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
HIDDEN = "import sys; sys.modules['mssql_python'] = None; from ade.cli import main; main()"
INSTALL = "pip install 'ade-server[mssql]'"
COMMANDS = [
    ["db", "upgrade"],
    ["db", "current"],
    ["db", "check"],
    ["doctor"],
    ["serve"],
    ["worker"],
    ["gc", "--dry-run"],
]


def ade(*words: str, folder: Path, url: str, code: str = "from ade.cli import main; main()") -> tuple[int, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ADE_")}
    environment = {**kept, "ADE_DATA_DIR": str(folder), "COLUMNS": "300", "ADE_DATABASE_URL": url}
    answer = subprocess.run(
        [sys.executable, "-c", code, *words], env=environment, capture_output=True, text=True, check=False
    )
    return answer.returncode, answer.stdout + answer.stderr


@pytest.mark.req("C1", "W5")
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_missing_driver_is_told_with_the_command_that_installs_it(words: list[str], tmp_path: Path) -> None:
    code, told = ade(*words, folder=tmp_path, url="mssql+mssqlpython://ade:hunter2@127.0.0.1:1/ade", code=HIDDEN)

    assert code == 1
    assert INSTALL in told
    assert "Traceback" not in told
    assert "hunter2" not in told


@pytest.mark.parametrize("driver", ["pyodbc", "pymssql", "nonsense"])
def test_another_driver_is_refused_by_name(driver: str, tmp_path: Path) -> None:
    code, told = ade("db", "current", folder=tmp_path, url=f"mssql+{driver}://ade:hunter2@127.0.0.1:1/ade")

    assert code == 1
    assert f"mssql+{driver} is not a driver ADE uses. Write mssql+mssqlpython://" in told
    assert "Traceback" not in told


def test_an_unknown_option_of_the_address_is_named(tmp_path: Path) -> None:
    code, told = ade("doctor", folder=tmp_path, url="mssql://ade:hunter2@127.0.0.1:1/ade?Encript=yes")

    assert code == 1
    assert "encript" in told.lower()
    assert "Traceback" not in told
    assert "hunter2" not in told
