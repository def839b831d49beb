"""How fast and how right the engine is, in one command.

    bin/bench engine                       speed at 10k, 100k and 1M rows, then encodings and accuracy
    bin/bench engine speed --rows 100000   one part, one size
    bin/bench engine encodings             beside chardet and charset-normalizer
    bin/bench engine accuracy              over $ADE_CORPUS, or --corpus DIR
    bin/bench engine mapping               column mapping over the same; --validate cross-validates by family,
                                           --train also trains its model, --predictions FILE is for other scorers

Every measurement is a process of its own, and is compared with those of the same sitting only. `--report FILE` keeps
what was printed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import tempfile
from dataclasses import asdict
from pathlib import Path


def main() -> int:
    """Run the parts asked for; return 1 when accuracy finds something wrong."""
    options = _options()
    lines = ["# Measured", "", f"Python {platform.python_version()}, {os.cpu_count()} cores, {_load()}."]
    print("\n".join(lines))
    is_right = True
    if options.part in ("all", "speed"):
        from speed import report_speed

        with tempfile.TemporaryDirectory() as scratch:
            told, costs = report_speed(
                options.rows, peer_rows=options.peer_rows, repeats=options.repeats, folder=Path(scratch)
            )
        lines += told
        if options.json:
            sizes = {size: {name: asdict(cost) for name, cost in found.items()} for size, found in costs.items()}
            options.json.write_text(json.dumps({"sizes": sizes}, indent=1) + "\n", encoding="utf-8")
    if options.part in ("all", "encodings"):
        from encodings_report import report_encodings

        lines += report_encodings()
    if options.part in ("all", "accuracy"):
        from accuracy import report_accuracy

        found, is_right = report_accuracy(options.corpus)
        lines += found
    if options.part == "mapping":
        from mapping_report import report_mapping, validate_mapping

        if options.train or options.validate:
            lines += validate_mapping(options.corpus, writes=options.train, predictions=options.predictions)
        if not options.validate:
            lines += report_mapping(options.corpus)
    if options.report:
        options.report.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0 if is_right else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="bin/bench engine", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("part", nargs="?", choices=("all", "speed", "encodings", "accuracy", "mapping"), default="all")
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--peer-rows", type=int, default=100_000, help="largest size the slow ways are measured at")
    parser.add_argument("--repeats", type=int, default=3, help="measurements of each task; the cheapest counts")
    parser.add_argument("--corpus", type=Path, default=Path(os.environ.get("ADE_CORPUS", "../shared/corpus")))
    parser.add_argument("--validate", action="store_true", help="cross-validate the mapping by family")
    parser.add_argument("--predictions", type=Path, help="write the answers of the cross-validation there")
    parser.add_argument("--train", action="store_true", help="cross-validate and train the model of the mapping")
    parser.add_argument("--report", type=Path)
    parser.add_argument("--json", type=Path, help="write what was measured of the speed there")
    return parser.parse_args()


def _load() -> str:
    return f"load {os.getloadavg()[0]:.1f} when it began" if hasattr(os, "getloadavg") else "load unknown"


if __name__ == "__main__":
    raise SystemExit(main())
