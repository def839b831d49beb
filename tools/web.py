"""The checks of the web UI, with the Node the machine has or one from PyPI: web.py types|lint|format|test|build

Installs what they need first, when it is missing or the lock file changed.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WEB = ROOT / "web"
sys.path.insert(0, str(ROOT / "packages/server"))

from hatch_build import CannotBuild, build, is_wanted, npm_command  # noqa: E402 - it is no package's


def main() -> int:
    """Run one check; return what it returns."""
    name = sys.argv[1]
    try:
        npm, settings = npm_command()
        if name == "build":
            if is_wanted():
                build()
            return 0
        if has_hosts():
            print(
                "package-lock.json names hosts: npm config set omit-lockfile-registry-resolved true, then npm install"
            )
            return 1
        if not is_installed():
            subprocess.run([*npm, "ci", "--no-audit", "--no-fund"], cwd=WEB, env=settings, check=True)
    except (CannotBuild, subprocess.CalledProcessError) as error:
        print(error)
        return 1
    return subprocess.run([*npm, "run", "--silent", name], cwd=WEB, env=settings, check=False).returncode


def is_installed() -> bool:
    """Return whether what is installed is what the lock file says."""
    made = WEB / "node_modules/.package-lock.json"
    return made.is_file() and made.stat().st_mtime >= (WEB / "package-lock.json").stat().st_mtime


def has_hosts() -> bool:
    """Return whether the lock file would bind everyone to one registry."""
    return '"resolved"' in (WEB / "package-lock.json").read_text()


if __name__ == "__main__":
    sys.exit(main())
