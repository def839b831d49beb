"""How right the engine is over a corpus of real files: structure, values, csv dialects, and whole runs.

Each part is a script that can be run by itself for more detail: structure.py, arranged.py, tables.py, corpus_values.py,
corpus_xls.py, corpus_csv.py, corpus_runs.py.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from corpus_runs import is_fine, run_all, summary

FOLDER = Path(__file__).parent
PARTS = {
    "Tables and headers (F1)": "structure.py",
    "The same tables, rearranged": "arranged.py",
    "Tables, headers and lines, cross-validated": "tables.py --families",
    "Values of workbooks": "corpus_values.py",
    "xls files beside xlrd": "corpus_xls.py",
    "Dialects and rows of csv files": "corpus_csv.py",
}


def report_accuracy(corpus: Path) -> tuple[list[str], bool]:
    """Return the lines of the report, and whether nothing is wrong."""
    if not corpus.is_dir():
        lines = ["", "## Accuracy", "", "Not measured: there is no corpus. Set ADE_CORPUS, or give --corpus."]
        print("\n".join(lines))
        return lines, True
    lines: list[str] = []
    is_right = True
    for title, script in PARTS.items():
        said, is_passed = _output(script, corpus)
        is_right = is_right and is_passed
        lines += _told(["", f"## {title}", "", "```", *said, "```"])
    outcomes = run_all(corpus)
    lines += _told(["", "## Whole runs", "", *summary(outcomes)])
    return lines, is_right and all(map(is_fine, outcomes))


def _output(script: str, corpus: Path) -> tuple[list[str], bool]:
    environment = {**os.environ, "ADE_CORPUS": str(corpus)}
    name, *options = script.split()
    command = [sys.executable, str(FOLDER / name), *options]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    said = done.stdout.splitlines()
    return (said[-1:] if script == "corpus_csv.py" else said) or done.stderr.splitlines()[-1:], done.returncode == 0


def _told(lines: list[str]) -> list[str]:
    print("\n".join(lines), flush=True)
    return lines
