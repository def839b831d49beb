"""Records every statement that the product sends to SQL Server, and checks them; see tests/tsql.

python tools/statements.py                  runs the suites on a stand-in, then checks what was recorded
python tools/statements.py --record DIR     keeps the recording there
python tools/statements.py --check DIR      checks a recording that was kept
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SUITES = ("tests/conformance", "tests/api", "tests/worker", "tests/cli")
# What no quick test sends, a slow one sends that is marked so.
CHOICE = ["-k", "tsql", "-m", "not slow or sends_statements"]


def main() -> int:
    """Record and check; return 0 when there is no mistake."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", type=Path, metavar="DIR", help="keep the recording in this folder")
    parser.add_argument("--check", type=Path, metavar="DIR", help="check the recording of this folder")
    arguments = parser.parse_args()
    if arguments.check:
        return check(arguments.check)
    with tempfile.TemporaryDirectory(prefix="ade-statements-") as temporary:
        folder = arguments.record or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        return record(folder) or check(folder)


def record(folder: Path) -> int:
    """Run the suites on the stand-in."""
    words = [sys.executable, "-m", "pytest", "-q", "-n", str(os.cpu_count() or 1), "--dist", "worksteal"]
    chosen = {"ADE_TEST_DATABASES": "tsql", "ADE_TEST_FAST": "1", "TSQL_STAND_IN_RECORD": str(folder.resolve())}
    return subprocess.run([*words, *CHOICE, *SUITES], cwd=ROOT, env={**os.environ, **chosen}, check=False).returncode


def check(folder: Path) -> int:
    """Check a recording and print the report."""
    sys.path.insert(0, str(ROOT / "tests"))
    from tsql import report

    recorded = report.load(folder)
    found = report.findings(recorded)
    print("\n".join(report.table(recorded, found)))
    return 1 if any(found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
