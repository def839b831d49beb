"""The contracts can fail: each is broken on purpose in a copy, and the check must notice."""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent

OPEN = {"cells", "encoding_names", "errors", "formats", "protocol"}  # of the engine, to the server
BREAKS = {
    "fastapi in the domain": ("domain/run.py", "import fastapi"),
    "sqlalchemy in operations": ("operations/maintenance/health.py", "import sqlalchemy"),
    "the api in operations": ("operations/maintenance/health.py", "from ade.api import app"),
    "the database in the domain": ("domain/run.py", "from ade.database import schema"),
    "the sandbox in the api": ("api/app.py", "from ade.sandbox import probe"),
    "the engine's readers in the worker": ("worker/room.py", "import ade_engine.readers"),
    "the pipeline in the worker": ("worker/metrics.py", "from ade_engine.pipeline import normalize"),
    "the engine as a whole in the worker": ("worker/metrics.py", "from ade_engine import normalize"),
    "a loader of rules in operations": (
        "operations/maintenance/health.py",
        "from ade_engine.configuration.load import load_configuration",
    ),
    "a table in a route that is not listed": ("api/routes/runs.py", "from ade.database.queue import ordering"),
    "a table in a schema that is not listed": ("api/schemas/health.py", "from ade.database.queue.runs import FullRun"),
    "the pipeline in a small module": ("rounds.py", "from ade_engine.pipeline import normalize"),
    "the engine as a whole in the settings": ("settings.py", "import ade_engine"),
    "sqlalchemy in a small module": ("rounds.py", "import sqlalchemy"),
    "the engine's child in the API": ("api/app.py", "import ade_engine.__main__"),
}


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for name in ("packages/engine/src", "packages/server/src"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {"PYTHONPATH": f"{folder}/packages/engine/src:{folder}/packages/server/src", "PATH": "/usr/bin:/bin"}
    command = [str(BIN / "lint-imports"), "--no-cache"]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_the_contracts_hold_as_they_are(copy: Path) -> None:
    answer = lint_imports(copy)

    assert answer.returncode == 0, answer.stdout


@pytest.mark.slow
@pytest.mark.parametrize(("file", "line"), BREAKS.values(), ids=BREAKS)
def test_a_broken_contract_is_noticed(copy: Path, file: str, line: str) -> None:
    path = copy / "packages/server/src/ade" / file
    path.write_text(f"{path.read_text()}\n{line}\n")

    answer = lint_imports(copy)

    assert answer.returncode == 1, answer.stdout
    assert "BROKEN" in answer.stdout


def test_every_module_of_the_engine_is_closed_to_the_server_or_listed_as_open() -> None:
    package = ROOT / "packages/engine/src/ade_engine"
    modules = {path.stem for path in package.glob("*.py")} | {
        path.parent.name for path in package.glob("*/__init__.py")
    }
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    [closed] = [one["forbidden_modules"] for one in contracts if one["name"].startswith("The server knows the engine")]

    assert set(closed) == {f"ade_engine.{name}" for name in modules - OPEN - {"__init__"}}


# The modules that a contract leaves out, and why it does.
LEFT_OUT = {
    "The server knows the engine": {"cli", "__main__"},  # the command line calls it
    "Only the command line imports the engine": {"cli", "__main__"},
    "SQL lives in the database package": {"database"},
    "HTTP lives in the api package": {"api", "cli", "__main__"},  # the command line starts the server
}


@pytest.mark.parametrize("name", LEFT_OUT)
def test_a_contract_holds_for_every_module_of_the_server_but_those_it_leaves_out(name: str) -> None:
    package = ROOT / "packages/server/src/ade"
    modules = {path.stem for path in package.glob("*.py")} | {
        path.parent.name for path in package.glob("*/__init__.py")
    }
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    [sources] = [one["source_modules"] for one in contracts if one["name"].startswith(name)]

    assert {source.split(".")[1] for source in sources} == modules - LEFT_OUT[name] - {"__init__"}


@pytest.mark.slow
def test_a_new_module_must_be_given_a_place(copy: Path) -> None:
    (copy / "packages/server/src/ade/helpers.py").write_text('"""A module nobody placed."""\n')

    assert lint_imports(copy).returncode == 1


@pytest.mark.slow
def test_a_banned_clock_is_noticed_by_the_linter(tmp_path: Path) -> None:
    path = tmp_path / "packages/server/src/ade/domain/late.py"
    path.parent.mkdir(parents=True)
    path.write_text('"""Asks the machine."""\n\nimport time\n\nSTARTED = time.time()\n')
    shutil.copy(ROOT / "pyproject.toml", tmp_path)

    answer = subprocess.run(
        [str(BIN / "ruff"), "check", "."], cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert answer.returncode == 1
    assert "TID251" in answer.stdout
