"""Makes one of the private environments: run (bin/ade), test (bin/test), engine (the engine's tests alone), bench.

    environment.py NAME FOLDER < stamp

Uses the standard library alone, since nothing is installed yet. The stamp is written last: an environment that was
interrupted half-way has none and is made again.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = {
    "run": ["packages/engine", "packages/server"],
    "test": ["packages/engine", "packages/server"],
    "engine": ["packages/engine"],
    "bench": ["packages/engine", "packages/server"],
}
OLDEST_UV = (0, 8)
OLDEST_NODE = (20, 19)
NEEDS_INDEX = """
     The first start needs a package index. Behind a proxy or a mirror, set HTTPS_PROXY, or
     UV_DEFAULT_INDEX (or pip's index-url) to its address, then start again."""


class CannotPrepare(Exception):
    """What is missing, and what to do about it."""


def main() -> int:
    """Make the environment named on the command line; say what is missing if that fails."""
    name, folder, stamp = sys.argv[1], Path(sys.argv[2]), sys.stdin.read()
    try:
        prepare(name, folder, stamp)
    except CannotPrepare as error:
        say(f"ade: {error}")
        return 1
    return 0


def prepare(name: str, folder: Path, stamp: str) -> None:
    """Make the environment, unless another process just did."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        lock = (folder.parent / f"{name}.lock").open("w")
    except OSError as error:
        raise CannotPrepare(
            f"cannot write to {folder.parent} ({error.strerror}).\n"
            "     Own the clone, or set ADE_ENVIRONMENTS to a folder you can write to."
        ) from None
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if is_current(folder, stamp):
            return
        say(f"ade: preparing the {name} environment (once; later starts skip this) ...")
        install(name, folder)
        (folder / "stamp").write_text(stamp)


def is_current(folder: Path, stamp: str) -> bool:
    """Return whether the environment was made from just this."""
    made = folder / "stamp"
    return (folder / "bin/python").exists() and made.is_file() and made.read_text() == stamp


def install(name: str, folder: Path) -> None:
    """Install the locked, hashed dependencies, then our own packages in place."""
    settings = uv_settings(folder.parent)
    uv = find_uv(folder.parent, settings)
    quiet = [] if sys.stderr.isatty() else ["--quiet"]
    run([uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(folder)], settings)
    into = ["--python", str(folder / "bin/python")]
    lock = ROOT / "requirements" / f"{name}.txt"
    run([uv, "pip", "install", *quiet, *into, "--require-hashes", "-r", str(lock)], settings)
    if name != "engine" and lacks_node():
        run(
            [uv, "pip", "install", *quiet, *into, "--require-hashes", "-r", str(ROOT / "requirements/node.txt")],
            settings,
        )
    settings["ADE_SKIP_UI"] = "1"  # bin/ade serve builds it; other commands do without
    ours = [word for path in PACKAGES[name] for word in ("-e", str(ROOT / path))]
    run([uv, "pip", "install", "--quiet", *into, "--no-deps", "--no-build-isolation", *ours], settings, hint="")
    # Children in the sandbox cannot write there. Nor can we where the clone is someone else's: then it is slower.
    sources = [str(ROOT / path / "src") for path in PACKAGES[name]]
    subprocess.run([str(folder / "bin/python"), "-m", "compileall", "-qq", *sources], check=False)


def lacks_node() -> bool:
    """Return whether the web UI needs a Node of our own; hatch_build.py knows which versions will do."""
    found = (
        subprocess.run(["node", "-p", "process.versions.node"], capture_output=True, text=True, check=False)
        if (shutil.which("node") and shutil.which("npm"))
        else None
    )
    numbers = re.match(r"(\d+)\.(\d+)", found.stdout) if found else None
    return numbers is None or tuple(map(int, numbers.groups())) < OLDEST_NODE


def uv_settings(folder: Path) -> dict[str, str]:
    """Return the environment uv runs in: never a Python from the internet, and pip's index where uv has none."""
    settings = dict(os.environ, UV_PYTHON_DOWNLOADS="never", UV_NO_PROJECT="1")
    settings.pop("VIRTUAL_ENV", None)
    for name in ("UV_SYSTEM_CERTS", "UV_NATIVE_TLS"):  # the new and the old name
        settings.setdefault(name, "true")  # a company's own certificates are the system's, not uv's
    if not any(settings.get(key) for key in ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_INDEX")) and (
        index := pip_index()
    ):
        settings["UV_DEFAULT_INDEX"] = index
    if "UV_CACHE_DIR" not in settings and not can_write(Path.home()):
        settings["UV_CACHE_DIR"] = str(folder / "cache")
    return settings


def can_write(home: Path) -> bool:
    """Return whether caches can live in the home folder (service accounts often have none)."""
    return home.is_dir() and os.access(home, os.W_OK)


def pip_index() -> str:
    """Return the index that pip is configured to use, if any: companies set it there, and uv does not look."""
    command = [sys.executable, "-m", "pip", "config", "list"]
    listed = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.search(r"^\S*\.index-url='(.+)'$", listed.stdout, re.MULTILINE)
    return found.group(1) if found else ""


def find_uv(folder: Path, settings: dict[str, str]) -> str:
    """Return a uv that is new enough: the one on PATH, or one fetched from the index."""
    for candidate in (shutil.which("uv"), str(folder / "uv/bin/uv")):
        if candidate and uv_version(candidate) >= OLDEST_UV:
            return candidate
    say("ade: fetching uv, the installer ...")
    lock = str(ROOT / "requirements/uv.txt")
    target = folder / "uv"
    if has_module("pip"):
        pip = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--no-warn-script-location",
        ]
        run([*pip, "--root-user-action=ignore", "--require-hashes", "--target", str(target), "-r", lock], settings)
    elif has_module("ensurepip"):
        run([sys.executable, "-m", "venv", str(target)], settings)
        run([str(target / "bin/python"), "-m", "pip", "install", "--quiet", "--require-hashes", "-r", lock], settings)
    else:
        raise CannotPrepare(
            "this Python has neither pip nor ensurepip, so nothing can be installed.\n"
            "     Install uv or pip for it (on Debian and Ubuntu: apt install python3-venv), then start again."
        )
    return str(target / "bin/uv")


def uv_version(uv: str) -> tuple[int, ...]:
    """Return the version of a uv, or zeros when it does not answer."""
    try:
        said = subprocess.run([uv, "--version"], capture_output=True, text=True, check=False).stdout
    except OSError:
        return (0,)
    found = re.search(r"(\d+)\.(\d+)", said)
    return tuple(int(part) for part in found.groups()) if found else (0,)


def has_module(name: str) -> bool:
    """Return whether this Python can run the module."""
    command = [sys.executable, "-c", f"import {name}"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def run(command: list[str], settings: dict[str, str], *, hint: str = NEEDS_INDEX) -> None:
    """Run one step; its own words go to standard error."""
    if subprocess.run(command, env=settings, stdout=sys.stderr, check=False).returncode != 0:
        raise CannotPrepare(f"this step failed: {' '.join(command)}{hint}")


def say(text: str) -> None:
    """Print a message at the terminal."""
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
