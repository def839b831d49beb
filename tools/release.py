"""Sets the version, and builds what is published: wheels, sdists, and a list of everything inside.

    python tools/release.py set 0.2.0     write the version wherever it stands
    python tools/release.py build         build into dist/, twice, and fail when the two differ

`build` needs the test environment (bin/test makes it) and builds the web UI if it is missing or stale. dist/ gets the
wheel and sdist of both distributions, SHA256SUMS, and sbom.json (CycloneDX) made from requirements/run.txt.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
PACKAGES = ("engine", "server")
# Each place the version stands in, and what is around it there.
PLACES = {
    "packages/engine/src/ade_engine/__init__.py": r'(?<=^__version__ = ").+(?="$)',
    "packages/server/src/ade/__init__.py": r'(?<=^__version__ = ").+(?="$)',
    "packages/server/pyproject.toml": r'(?<="ade-engine==)[^"]+',
    "deploy/kubernetes/kustomization.yaml": r"(?<=newTag: ).+$",
    "deploy/kubernetes/migrate.yaml": r"(?<=name: ade-migrate-).+$",
}
EPOCH = "1700000000"  # the time every packed file gets: one build must be the next one's equal


def main(words: list[str]) -> int:
    """Do what the command line says."""
    match words:
        case ["set", version]:
            return set_version(version)
        case ["build"]:
            return build()
        case _:
            print(__doc__)
            return 2


def set_version(version: str) -> int:
    """Write the version in all its places."""
    if not re.fullmatch(r"\d+\.\d+\.\d+((a|b|rc)\d+)?", version):
        print(f"{version} is no version such as 1.2.3 or 1.2.3rc1")
        return 2
    for name, pattern in PLACES.items():
        path = ROOT / name
        path.write_text(re.sub(pattern, version, path.read_text(), count=1, flags=re.MULTILINE))
    return 0


def versions() -> dict[str, str]:
    """Return the version each place names; empty where there is none."""
    found = {name: re.search(pattern, (ROOT / name).read_text(), re.MULTILINE) for name, pattern in PLACES.items()}
    return {name: match.group() if match else "" for name, match in found.items()}


def build() -> int:
    """Build everything twice; keep it when both are equal."""
    if len(set(versions().values())) != 1:
        print("The version differs: " + ", ".join(f"{name}: {version}" for name, version in versions().items()))
        return 1
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        sums = [build_into(Path(folder)) for folder in (first, second)]
        if sums[0] != sums[1]:
            print("Two builds differ in " + ", ".join(name for name in sums[0] if sums[0][name] != sums[1].get(name)))
            return 1
        shutil.rmtree(DIST, ignore_errors=True)
        shutil.copytree(first, DIST)
    (DIST / "sbom.json").write_text(json.dumps(bill_of_materials(), indent=2) + "\n")
    lines = [f"{digest(path)}  {path.name}\n" for path in sorted(DIST.iterdir())]
    (DIST / "SHA256SUMS").write_text("".join(lines))
    print(f"built in {DIST.name}/: " + ", ".join(path.name for path in sorted(DIST.iterdir())))
    return 0


def build_into(folder: Path) -> dict[str, str]:
    """Build wheel and sdist of each distribution; return their digests."""
    settings = {**os.environ, "SOURCE_DATE_EPOCH": EPOCH}
    for name in PACKAGES:
        subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "-d", str(folder)],
            cwd=ROOT / "packages" / name,
            env=settings,
            check=True,
            stdout=subprocess.DEVNULL,
        )
    return {path.name: digest(path) for path in sorted(folder.iterdir())}


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def bill_of_materials() -> dict[str, object]:
    """Return what an installation consists of, as CycloneDX."""
    version = versions()["packages/server/src/ade/__init__.py"]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": "ade-server", "version": version}},
        "components": list(locked()),
    }


def locked() -> Iterator[dict[str, object]]:
    """Yield each locked dependency with its digests."""
    text = (ROOT / "requirements/run.txt").read_text().replace("\\\n", " ")
    for line in text.splitlines():
        found = re.match(r"([A-Za-z0-9_.-]+)(?:\[[^\]]*\])?==([^\s;]+)", line)
        if found:
            name, version = found.groups()
            hashes = [{"alg": "SHA-256", "content": one} for one in re.findall(r"--hash=sha256:([0-9a-f]{64})", line)]
            yield {
                "type": "library",
                "name": name,
                "version": version,
                "purl": f"pkg:pypi/{name}@{version}",
                "hashes": hashes,
            }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
