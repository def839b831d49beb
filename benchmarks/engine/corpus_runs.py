"""Takes every file of the corpus through `ade run --json`: nothing may crash, hang or take more than 512 MB.

    bin/bench engine/corpus_runs [--corpus DIR] [--keep FOLDER] [--only TEXT]

Files run in batches, as `ade run` is used; when a batch does wrong, each of its files runs by itself.
With --keep, the answers stay as JSON files to look at.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDERS = ("workbooks", "csv/csv", "fuste/csv")
BATCH = 46
MEMORY_MB = 512
TIMEOUT_SECONDS = 300
MUST_FAIL = ("encrypted", "unreadable_by_all", "unreadable_by_only_reader")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a file."""

    file: str
    verdict: str
    seconds: float
    peak_mb: float
    answer: dict[str, Any] | None = None


def main() -> int:
    """Print what went wrong, and the totals; return 1 when anything did."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, default=Path(os.environ.get("ADE_CORPUS", "../shared/corpus")))
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    outcomes = run_all(options.corpus, only=options.only, keep=options.keep)
    print("\n".join(summary(outcomes)))
    return 0 if all(is_fine(outcome) for outcome in outcomes) else 1


def run_all(corpus: Path, *, only: str = "", keep: Path | None = None) -> list[Outcome]:
    """Run every file, some together; say at once what went wrong."""
    classes = _classes(corpus)
    files = [path for path in _files(corpus) if only in path.relative_to(corpus).as_posix()]
    outcomes = []
    for start in range(0, len(files), BATCH):
        for outcome in _run_batch(files[start : start + BATCH], corpus):
            outcome = _judged(outcome, classes.get(outcome.file, ""))
            outcomes.append(outcome)
            if not is_fine(outcome):
                print(f"{outcome.verdict}: {outcome.file}", flush=True)
            if keep is not None and outcome.answer is not None:
                keep.mkdir(parents=True, exist_ok=True)
                (keep / f"{outcome.file.replace('/', '__')}.json").write_text(json.dumps(outcome.answer))
    return outcomes


def _run_batch(files: list[Path], corpus: Path) -> list[Outcome]:
    """Run files in one process; where the process itself does wrong, each by itself to find the one."""
    with tempfile.TemporaryDirectory() as scratch:
        command = [sys.executable, "-m", "ade", "run", *map(str, files), "--json", "--out", scratch]
        started = time.monotonic()
        with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as wrong:
            child = subprocess.Popen(command, stdout=said, stderr=wrong)
            verdict, peak = _wait(child, started)
            said.seek(0)
            wrong.seek(0)
            answer, stray = said.read(), wrong.read()
    seconds = (time.monotonic() - started) / len(files)
    names = [path.relative_to(corpus).as_posix() for path in files]
    if not verdict and stray:
        verdict = f"WROTE TO STDERR ({stray[:80]!r})"
    if verdict and len(files) > 1:
        return [outcome for path in files for outcome in _run_batch([path], corpus)]
    if verdict:
        return [Outcome(names[0], verdict, seconds, peak)]
    reports = json.loads(answer)["files"]
    return [Outcome(name, _verdict(report), seconds, peak, report) for name, report in zip(names, reports, strict=True)]


def _files(corpus: Path) -> list[Path]:
    found = (path for folder in FOLDERS for path in sorted((corpus / folder).rglob("*")))
    return [path for path in found if path.is_file() and path.suffix.lower() not in {".jsonl", ".json", ".md"}]


def _classes(corpus: Path) -> dict[str, str]:
    with (corpus / "workbooks/expectations.jsonl").open() as lines:
        return {f"workbooks/{entry['file']}": entry["class"] for entry in map(json.loads, lines)}


def _wait(child: subprocess.Popen[bytes], started: float) -> tuple[str, float]:
    """Wait for the process; return what is wrong, or nothing, and the peak of its memory or of its engine's."""
    while True:
        pid, status, usage = os.wait4(child.pid, os.WNOHANG)
        if pid:
            break
        if time.monotonic() - started > TIMEOUT_SECONDS:
            child.kill()
            child.wait()
            return "HANGS", 0.0
        time.sleep(0.02)
    child.returncode = os.waitstatus_to_exitcode(status)
    peak = usage.ru_maxrss / 1024
    if child.returncode not in (0, 1, 3):
        return f"CRASHES ({child.returncode})", peak
    return ("TOO MUCH MEMORY" if peak > MEMORY_MB else ""), peak


def _verdict(file: dict[str, Any]) -> str:
    failure = file.get("failure")
    if not failure:
        return "read"
    if failure["code"] != "input_error" or not 20 <= len(failure["message"]) <= 240:
        return f"UNCLEAR ({failure['code']}: {failure['message'][:60]})"
    return "refused"


def _judged(outcome: Outcome, kind: str) -> Outcome:
    if kind in MUST_FAIL and outcome.verdict == "read":
        return Outcome(outcome.file, f"READ, BUT IS {kind}", outcome.seconds, outcome.peak_mb, outcome.answer)
    if kind.startswith("consensus") and outcome.verdict == "refused":
        return Outcome(outcome.file, f"REFUSED, BUT IS {kind}", outcome.seconds, outcome.peak_mb, outcome.answer)
    return outcome


def is_fine(outcome: Outcome) -> bool:
    """Return whether a file was read, or refused with a clear message, as it should be."""
    return outcome.verdict in ("read", "refused")


def summary(outcomes: list[Outcome]) -> list[str]:
    """Return the totals as lines of Markdown."""
    counts = Counter(outcome.verdict if is_fine(outcome) else "WRONG" for outcome in outcomes)
    slowest = max(outcomes, key=lambda outcome: outcome.seconds)
    largest = max(outcomes, key=lambda outcome: outcome.peak_mb)
    causes = Counter(
        outcome.answer["failure"]["message"] for outcome in outcomes if outcome.verdict == "refused" and outcome.answer
    )
    total = f"{len(outcomes)} files: {counts['read']} read, {counts['refused']} refused with a clear error"
    return [
        f"- {total}, {counts['WRONG']} wrong",
        f"- most memory of a batch {largest.peak_mb:.0f} MB ({largest.file} is in it)",
        f"- slowest batch {slowest.seconds:.1f} s a file ({slowest.file} is in it)",
        *(f"- WRONG {outcome.file}: {outcome.verdict}" for outcome in outcomes if not is_fine(outcome)),
        *(f"- refused {count} times: {message}" for message, count in causes.most_common()),
    ]


if __name__ == "__main__":
    sys.exit(main())
