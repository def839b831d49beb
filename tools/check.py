"""bin/test: every check and every test, and a summary of what ran on what.

    bin/test                  everything, as CI runs it
    bin/test --fast           quick feedback: no slow tests, no browser, fewer examples of each law, SQLite alone
    bin/test -k claim         arguments of pytest go to the server's tests; checks are left out
    bin/test --only tests     only steps whose name starts so (see the summary for the names)

ADE_TEST_POSTGRES_URL uses that PostgreSQL instead of the one from the test environment; ADE_TEST_MSSQL_URL adds SQL
Server. Both must be databases that tests may empty. Where CI is set, a browser for the tests of the page must be found
or fetched; elsewhere these tests are left out without one.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
ENGINE_PYTHON = BIN.parent.parent / "engine/bin/python"
DATABASES = "ADE_TEST_DATABASES"
FAST = "ADE_TEST_FAST"  # fewer examples of each law
WEB_CHECKS = ["types", "lint", "format", "test"]
SOURCES = ["packages/engine/src", "packages/server/src", "tools"]


@dataclass(frozen=True)
class Step:
    """A command, and the folder it runs in."""

    name: str
    command: Sequence[str]
    folder: Path = ROOT
    is_shown: bool = False  # while it runs, and not only when it failed


@dataclass(frozen=True)
class Outcome:
    """How a step went."""

    name: str
    is_passed: bool
    seconds: float
    last_line: str


def main() -> int:
    """Run the steps asked for; return 0 when all passed."""
    arguments, pytest_words = parse(sys.argv[1:])
    outcomes = [outcome for lanes in chosen(arguments, pytest_words) for outcome in run_beside(lanes)]
    print_summary(outcomes)
    return 0 if all(outcome.is_passed for outcome in outcomes) else 1


def parse(words: list[str]) -> tuple[argparse.Namespace, list[str]]:
    """Split our options from pytest's."""
    parser = argparse.ArgumentParser(
        prog="bin/test", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--fast", action="store_true", help="leave out slow tests")
    parser.add_argument("--only", metavar="NAME", default="", help="only steps whose name starts so")
    return parser.parse_known_args(words)


Lane = list[Step]  # one after the other


def chosen(arguments: argparse.Namespace, pytest_words: list[str]) -> list[list[Lane]]:
    """Return the steps to run: lanes that go beside each other, and those that come after them."""
    without_slow = ["-m", "not slow"] if arguments.fast else []
    without_browser = ["--ignore=tests/web"] if arguments.fast else []
    if arguments.fast:
        os.environ.setdefault(DATABASES, "sqlite")
        os.environ[FAST] = "1"
    if pytest_words:
        return [[[tests([*without_slow, *pytest_words])]]]
    engine = engine_tests(without_slow, is_shown=bool(arguments.only))
    count = cores() if arguments.fast else cores() + 1  # slow tests often wait
    everything = tests(["-n", str(count), "--dist", "worksteal", *without_slow, *without_browser])
    phases: list[list[Lane]] = [[[*checks(), engine]], [[everything]]]
    if not arguments.fast:  # tests need the page; all else fits into the time they wait
        beside = [engine, *page(*WEB_CHECKS), *documentation(), statements()]
        phases = [[checks(), page("build")], [[everything], beside]]
    return [[[step for step in lane if step.name.startswith(arguments.only)] for lane in lanes] for lanes in phases]


def cores() -> int:
    """Return how many processors there are."""
    return os.cpu_count() or 1


def run_beside(lanes: list[Lane]) -> list[Outcome]:
    """Run lanes beside each other; return how all steps went."""
    with ThreadPoolExecutor(max_workers=max(1, len(lanes))) as threads:
        return [outcome for lane in threads.map(lambda lane: [run(step) for step in lane], lanes) for outcome in lane]


def checks() -> list[Step]:
    """Return the checks that need no test to run."""
    return [
        *style(ROOT),
        Step("types", [tool("mypy"), "--no-error-summary", *SOURCES, "tests", "benchmarks/queue"]),
        Step("contracts", [tool("lint-imports")]),
        Step("dependencies of the engine", [tool("deptry"), "src"], ROOT / "packages/engine"),
        Step("dependencies of the server", [tool("deptry"), "src"], ROOT / "packages/server"),
        Step("requirements", [sys.executable, "tools/requirements.py"]),
    ]


def style(root: Path) -> list[Step]:
    """Return the checks of how files are written."""
    python = ["--quiet", "--force-exclude", *tracked(root, "*.py")]
    return [
        Step("format", [tool("ruff"), "format", "--check", *python], root),
        Step("lint", [tool("ruff"), "check", *python], root),
        Step("spelling", [tool("codespell"), *tracked(root)], root),
    ]


def tracked(root: Path, *patterns: str) -> list[str]:
    """Return the files git tracks: what people make beside them, such as data and rules, is not ours to judge.

    Where git knows nothing of the folder, as in an unpacked archive, return the whole folder.
    """
    git = shutil.which("git")
    listed = git and subprocess.run([git, "ls-files", "-z", *patterns], cwd=root, capture_output=True, check=False)
    names = os.fsdecode(listed.stdout).split("\0") if listed else []
    return [name for name in names if (root / name).is_file()] or ["."]


def page(*names: str) -> list[Step]:
    """Return what is done with the page."""
    return [Step(f"web {name}", [sys.executable, "tools/web.py", name]) for name in names]


def documentation() -> list[Step]:
    """Return the documentation's build, with all its links."""
    site = ["-q", "-W", "--keep-going", "-j", "auto", "docs", ".site"]
    return [Step("documentation", [tool("sphinx-build"), *site])]


def engine_tests(words: list[str], *, is_shown: bool) -> Step:
    """Return the engine's tests, in an environment without the server."""
    command = [str(ENGINE_PYTHON), "-m", "pytest", "-q", "-n", "auto", *words]
    return Step("engine alone", command, ROOT / "packages/engine", is_shown)


def tests(words: list[str]) -> Step:
    """Return the server's tests, on every database there is."""
    return Step("tests", [sys.executable, "-m", "pytest", "-q", *words], is_shown=True)


def statements() -> Step:
    """Return the check of every statement for SQL Server, recorded by the suites on a stand-in for it."""
    return Step("statements for SQL Server", [sys.executable, "tools/statements.py"], is_shown=True)


def tool(name: str) -> str:
    """Return a tool of the test environment."""
    return str(BIN / name)


def run(step: Step) -> Outcome:
    """Run a step, showing what it says: as it says it, or when it failed."""
    print(f"{step.name} ...", flush=True)
    started = time.perf_counter()
    environment = {**os.environ, "NO_COLOR": "1"} if not sys.stdout.isatty() else dict(os.environ)
    if os.environ.get("CI"):  # there a browser that is missing is an error, not a reason to leave tests out
        environment.setdefault("ADE_REQUIRE_BROWSER", "1")
    said: list[str] = []
    with subprocess.Popen(
        step.command, cwd=step.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None  # noqa: S101 - we asked for a pipe
        for line in process.stdout:
            said.append(line)
            if step.is_shown:
                print(line, end="", flush=True)
    is_passed = process.returncode == 0
    if not is_passed and not step.is_shown:
        print("".join(said), flush=True)
    last_line = next((line.strip(" =\n") for line in reversed(said) if line.strip(" =\n")), "")
    is_told = "pytest" in step.command or step.name == statements().name
    return Outcome(step.name, is_passed, time.perf_counter() - started, last_line if is_told else "")


def print_summary(outcomes: list[Outcome]) -> None:
    """Say what ran, on what, and how it went."""
    print("\nSummary")
    for outcome in outcomes:
        verdict = "passed" if outcome.is_passed else "FAILED"
        print(f"  {verdict}  {outcome.seconds:6.1f} s  {outcome.name:30} {outcome.last_line}")
    postgres = "the one given" if os.environ.get("ADE_TEST_POSTGRES_URL") else "from the test environment"
    mssql = (
        "the one given" if os.environ.get("ADE_TEST_MSSQL_URL") else "NOT RUN, a stand-in was (set ADE_TEST_MSSQL_URL)"
    )
    if wanted := os.environ.get(DATABASES):
        print(f"  databases: {wanted} alone")
    else:
        print(f"  databases: SQLite; PostgreSQL {postgres}; SQL Server {mssql}")
    print(f"  Python {sys.version.split()[0]} on {sys.platform}")
    failed = sum(not outcome.is_passed for outcome in outcomes)
    print(f"{len(outcomes) - failed} steps passed, {failed} failed" + (": " if failed else ""), end="")
    print(", ".join(outcome.name for outcome in outcomes if not outcome.is_passed))


if __name__ == "__main__":
    sys.exit(main())
