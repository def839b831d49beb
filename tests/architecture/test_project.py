"""What is true of the project as a whole: one version, locks without hosts, pages that match the code."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import ade
import ade_engine

ROOT = Path(__file__).resolve().parents[2]
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
PINNED = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([^ ;\\]+)", re.MULTILINE)


def project(name: str) -> dict[str, object]:
    return dict(tomllib.loads((ROOT / f"packages/{name}/pyproject.toml").read_text())["project"])


def test_both_distributions_have_the_same_version() -> None:
    assert ade.__version__ == ade_engine.__version__


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.name)
def test_lock_files_name_no_host_and_carry_hashes(lock: Path) -> None:
    text = lock.read_text()

    assert "://" not in text
    assert "index-url" not in text
    for block in re.split(r"\n(?=\S)", text):
        if PINNED.match(block):
            assert "--hash=sha256:" in block, block.partition("\n")[0]


def test_the_npm_lock_names_no_host() -> None:
    lock = ROOT / "web/package-lock.json"

    assert not lock.exists() or "resolved" not in lock.read_text()


@pytest.mark.parametrize("name", ["engine", "server"])
def test_the_lock_satisfies_what_a_distribution_asks_for(name: str) -> None:
    pinned = {
        canonicalize_name(found): version
        for found, version in PINNED.findall((ROOT / "requirements/run.txt").read_text())
    }
    asked = project(name)["dependencies"]
    assert isinstance(asked, list)

    for wanted in map(Requirement, asked):
        if wanted.name == "ade-engine":
            continue
        assert canonicalize_name(wanted.name) in pinned, f"{wanted.name} is not locked: run bin/lock"
        assert wanted.specifier.contains(pinned[canonicalize_name(wanted.name)]), (
            f"{wanted} is locked elsewhere: run bin/lock"
        )


@pytest.mark.slow
@pytest.mark.req("E8")
def test_the_engine_asks_for_no_web_and_no_database() -> None:
    asked = project("engine")["dependencies"]
    assert isinstance(asked, list)

    assert {Requirement(word).name for word in asked} <= {"chardet"}


def test_generated_reference_pages_are_current() -> None:
    answer = subprocess.run(
        [sys.executable, "tools/reference.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert answer.returncode == 0, answer.stdout


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "README.md", "CONTRIBUTING.md"])
def test_every_path_a_page_names_exists(page: str) -> None:
    text = (ROOT / page).read_text()
    named = re.findall(r"`((?:[\w.-]+/)+[\w.-]*)`", text) + re.findall(r"\]\(([^)#:]+)\)", text)

    missing = [path for path in named if not any((base / path).exists() for base in _bases())]

    assert missing == []


@pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("*.md")), ids=lambda path: str(path.name))
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text())

    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_bench_lists_every_benchmark_and_says_when_there_is_none() -> None:
    files = [
        *(ROOT / "benchmarks").glob("*.py"),
        *(path.parent for path in (ROOT / "benchmarks").glob("*/__main__.py")),
    ]

    listed, unknown = (
        subprocess.run([ROOT / "bin/bench", *words], capture_output=True, text=True, check=False)
        for words in ([], ["nothing"])
    )

    told = {line.split()[0]: line.split()[1:] for line in listed.stdout.splitlines() if line.startswith("  ")}
    assert set(told) == {path.stem for path in files}
    assert all(told.values())
    assert unknown.returncode == 2
    assert "no benchmark called nothing" in unknown.stderr


def test_no_file_tells_the_machine_it_was_written_on() -> None:
    tracked = subprocess.run(
        [shutil.which("git") or "git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if tracked.returncode != 0:
        return  # an unpacked archive: nothing is tracked
    home = str(Path.home()) + "/"
    for name in filter(None, tracked.stdout.split("\0")):
        path = ROOT / name
        if path.is_file() and path.suffix in {".py", ".md", ".toml", ".txt", ".sh", ".yaml", ".json", ""}:
            text = path.read_text(errors="replace")
            assert home not in text, name
            assert f"{ROOT}/" not in text, name


def _bases() -> list[Path]:
    return [
        ROOT,
        ROOT / "packages/server/src/ade",
        ROOT / "packages/engine/src",
        ROOT / "packages/engine/src/ade_engine",
    ]
