"""Reads every workbook of the corpus and compares the values with what independent readers agree on.

    bin/bench engine/corpus_values [--corpus DIR] [--only TEXT] [--verbose]

Each file is read in a process of its own, with bounded memory and time. Exit code 1 when a file is read wrongly,
crashes, hangs, or fails without a clear message.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

MEMORY_BYTES = 512 * 1024 * 1024
TIMEOUT_SECONDS = 60
MUST_FAIL = ("encrypted", "unreadable_by_all", "unreadable_by_only_reader")

# Where the readers that agree are both wrong.
KNOWN = {
    "sheetjs/comments_stress_test.xlsx": "a text of a formula is escaped (_x000D_), which ECMA-376 says to undo",
    "poi/49761.xls": "a number that is none (NaN) is the error #NUM!, as Excel shows it",
}


def main() -> int:
    """Compare the whole corpus, and print a summary by class."""
    options = _options()
    if options.one:
        print(json.dumps(read_one(options.one)))
        return 0
    counts: Counter[tuple[str, str]] = Counter()
    for expected in _expectations(options.corpus):
        if options.only and options.only not in expected["file"]:
            continue
        found = _in_child(options.corpus / "workbooks" / expected["file"])
        verdict = judge(expected, found)
        counts[expected["class"], verdict.split(":")[0]] += 1
        if options.verbose or verdict.startswith("WRONG"):
            print(f"{expected['class']:26} {expected['file']:60} {verdict}")
    for (name, verdict), count in sorted(counts.items()):
        print(f"{name:28} {verdict:12} {count}")
    return 1 if any(verdict == "WRONG" for _, verdict in counts) else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, default=Path(os.environ.get("ADE_CORPUS", "../shared/corpus")))
    parser.add_argument("--only", default="")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--one", type=Path)
    return parser.parse_args()


def _expectations(corpus: Path) -> Iterator[dict[str, Any]]:
    with (corpus / "workbooks" / "expectations.jsonl").open() as lines:
        yield from map(json.loads, lines)


def _in_child(path: Path) -> dict[str, Any]:
    command = [sys.executable, __file__, "--one", str(path)]
    try:
        done = subprocess.run(
            command, capture_output=True, timeout=TIMEOUT_SECONDS, check=False, preexec_fn=_bound_memory, text=True
        )
    except subprocess.TimeoutExpired:
        return {"crash": "timeout"}
    if done.returncode or not done.stdout.startswith("{"):
        last = (done.stderr.strip().splitlines() or [""])[-1]
        return {"crash": f"exit {done.returncode}: {last}"}
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _bound_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def read_one(path: Path) -> dict[str, Any]:
    """Read a document to its end; return the digests of its sheets, or the failure."""
    from ade_engine.errors import InputError
    from ade_engine.readers import open_workbook

    try:
        workbook = open_workbook(path)
        sheets = [_summary(info.name, workbook.open_sheet(info)) for info in workbook.sheets]
        workbook.close()
    except InputError as error:
        return {"failure": {"cause": error.cause, "message": str(error)}}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return {"format": workbook.format, "sheets": sheets, "peak_mb": peak}


def _summary(name: str | None, sheet: Any) -> dict[str, Any]:
    cells = []
    kinds: Counter[str] = Counter()
    for row in sheet.rows():
        for column, value in enumerate(row.values):
            text, kind = spelled(value)
            if kind:
                kinds[kind] += 1
                cells.append(f"{row.number - 1},{column}={text}")
    digest = hashlib.sha1("\n".join(cells).encode("utf-8", "replace")).hexdigest()[:16]  # noqa: S324 - as in the corpus
    return {"name": name, "nonempty": len(cells), "digest": digest, "merged": len(sheet.merged), **kinds}


def spelled(value: Any) -> tuple[str, str]:
    """Return a value as the corpus spells it, and its kind there; no kind for what the corpus leaves out."""
    match value:
        case None:
            return "", ""
        case bool():
            return "T" if value else "F", "bool"
        case int() | float():
            return repr(round(float(value), 6)), "num"
        case datetime():
            return value.replace(microsecond=0).isoformat(), "date"
        case date():
            return datetime(value.year, value.month, value.day).isoformat(), "date"  # noqa: DTZ001
        case time():
            return f"time:{value.replace(microsecond=0).isoformat()}", "date"
        case timedelta():
            return f"td:{int(value.total_seconds())}", "date"
        case str():
            return value.strip(), "str" if value.strip() else ""
        case _:
            return "", ""


def judge(expected: dict[str, Any], found: dict[str, Any]) -> str:
    """Say whether a file was read as expected: ok, failed (clearly), or WRONG with the reason."""
    if "crash" in found:
        return f"WRONG: {found['crash']}"
    if "failure" in found:
        failure = found["failure"]
        if len(failure["message"]) > 240:
            return "WRONG: the message is too long"
        is_expected = expected["class"] in MUST_FAIL or not expected["class"].startswith("consensus")
        return f"{'failed' if is_expected else 'WRONG'}: {failure['cause']}: {failure['message']}"
    if expected["class"] in MUST_FAIL:
        return "WRONG: it was read"
    if not expected["class"].startswith("consensus"):
        return "read"
    verdict = _compare(expected, found["sheets"])
    known = KNOWN.get(expected["file"])
    return f"known: {known}" if known and verdict != "ok" else verdict


def _compare(expected: dict[str, Any], sheets: list[dict[str, Any]]) -> str:
    by_name = {sheet["name"]: sheet for sheet in sheets}
    for wanted in expected["calamine"]:
        if wanted.get("type") != "WorkSheet" or "digest" not in wanted:
            continue
        sheet = by_name.get(wanted["name"])
        if sheet is None:
            return f"WRONG: no sheet {wanted['name']!r}"
        if sheet["nonempty"] != wanted["nonempty"]:
            return f"WRONG: {sheet['nonempty']} cells, not {wanted['nonempty']} in {wanted['name']!r}"
        if expected["class"] == "consensus_values" and sheet["digest"] != wanted["digest"]:
            kinds = {kind: (sheet.get(kind, 0), wanted[kind]) for kind in ("num", "date", "bool", "str")}
            return f"WRONG: other values in {wanted['name']!r} {kinds}"
    return "ok"


if __name__ == "__main__":
    sys.exit(main())
