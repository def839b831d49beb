"""What is published: equal when built again, whole, and working where nothing else of this repository is."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from ade import __version__

ROOT = Path(__file__).resolve().parents[2]
COPIED = ["packages", "requirements", "tools", "deploy", "samples"]


def release(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "tools/release.py", *words]
    environment = {**os.environ, "ADE_SKIP_UI": "1"}  # the page is built by a step of its own, or left out
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy to build in, so that the sources stay as they are."""
    folder = tmp_path_factory.mktemp("release")
    for name in COPIED:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
    return folder


@pytest.fixture(scope="module")
def dist(copy: Path) -> Path:
    """Return the folder of a release."""
    built = release(copy, "build")
    assert built.returncode == 0, built.stdout + built.stderr  # two builds were compared byte by byte
    return copy / "dist"


@pytest.mark.slow
def test_everything_is_there_with_its_digest(dist: Path) -> None:
    listed = {line.split()[1] for line in (dist / "SHA256SUMS").read_text().splitlines()}

    assert listed == {path.name for path in dist.iterdir()} - {"SHA256SUMS"}
    assert {f"ade_server-{__version__}.tar.gz", f"ade_engine-{__version__}-py3-none-any.whl"} < listed


@pytest.mark.slow
def test_the_list_of_components_has_every_dependency_with_digests(dist: Path) -> None:
    listed = json.loads((dist / "sbom.json").read_text())
    names = {component["name"] for component in listed["components"]}

    assert {"fastapi", "sqlalchemy", "chardet", "uv"} <= names
    assert all(component["hashes"] for component in listed["components"])


@pytest.mark.slow
def test_a_wheel_from_the_sdist_holds_the_same_files(dist: Path, tmp_path: Path) -> None:
    shutil.unpack_archive(dist / f"ade_server-{__version__}.tar.gz", tmp_path)
    source = tmp_path / f"ade_server-{__version__}"
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=source, env={**os.environ, "ADE_SKIP_UI": "1"}, check=True, capture_output=True)

    wheels = [folder / f"ade_server-{__version__}-py3-none-any.whl" for folder in (dist, tmp_path)]
    direct, through_sdist = (set(zipfile.ZipFile(wheel).namelist()) for wheel in wheels)
    assert through_sdist == direct


@pytest.mark.slow
def test_the_wheels_work_where_nothing_else_is(dist: Path, tmp_path: Path) -> None:
    uv, python = Path(sys.executable).parent / "uv", tmp_path / "venv/bin/python"
    subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, tmp_path / "venv"], check=True)
    locked = ["--require-hashes", "-r", str(ROOT / "requirements/run.txt")]
    subprocess.run([uv, "pip", "install", "--quiet", "--python", python, *locked], check=True)
    wheels = sorted(dist.glob("*.whl"))
    subprocess.run(
        [uv, "pip", "install", "--quiet", "--python", python, "--no-deps", "--no-index", *wheels], check=True
    )

    def ade(*words: str | Path) -> subprocess.CompletedProcess[str]:
        command = [tmp_path / "venv/bin/ade", *words]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert ade("--version").stdout == f"ade {__version__}\n"
    assert ade("doctor").returncode == 0
    assert ade("run", ROOT / "samples/title_above_header.xlsx", "--out", "out").returncode == 0


@pytest.mark.slow
def test_a_new_version_is_written_everywhere_and_a_forgotten_place_stops_the_build(copy: Path, tmp_path: Path) -> None:
    own = tmp_path / "copy"
    shutil.copytree(copy, own, ignore=shutil.ignore_patterns("dist", "static"))
    assert release(own, "set", "7.8.9").returncode == 0
    places = {
        "packages/engine/src/ade_engine/__init__.py": '__version__ = "7.8.9"',
        "packages/server/src/ade/__init__.py": '__version__ = "7.8.9"',
        "packages/server/pyproject.toml": '"ade-engine==7.8.9"',
        "deploy/kubernetes/kustomization.yaml": "newTag: 7.8.9",
    }
    for name, line in places.items():
        assert line in (own / name).read_text()

    forgotten = own / "packages/engine/src/ade_engine/__init__.py"
    forgotten.write_text(forgotten.read_text().replace("7.8.9", "7.8.8"))
    refused = release(own, "build")

    assert refused.returncode == 1
    assert "The version differs" in refused.stdout
    assert release(own, "set", "next").returncode == 2
