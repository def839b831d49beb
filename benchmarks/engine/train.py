"""Learns the weights of structure detection: bin/bench engine/train [--untouched] [--write]

    bin/bench engine/train           cross-validate by family
    bin/bench engine/train --write   the same, measure the untouched families, train on everything, write the weights

Reads the labelled sheets of $ADE_CORPUS (labelled.py says which). Every fifth family stays untouched: it is used
neither for the folds nor for any choice, only measured at the end, with the weights trained on the others.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import chain_training
import confidence_training
import gutter_training
import numpy as np
from folds import NOTHING, RECORD, Learned, say, use
from labelled import Labelled, corpus_folder, load, more_of, number
from sequences import Blocks
from table_scores import Counts, Judged, Result, calibration_error, figures, result_of, summed

from ade_engine.structure.confidence import probability

FOLDS = range(4)
ROOT = Path(__file__).resolve().parents[2]
MODULE = ROOT / "packages/engine/src/ade_engine/structure/learned.py"


def main() -> None:
    """Cross-validate, and write the weights if asked to."""
    options = _options()
    sheets = load(corpus_folder())
    if not sheets:
        sys.exit("There are no labelled sheets. Set ADE_CORPUS to the folder that holds them.")
    work = Work(sheets)
    count = len(FOLDS) + (2 if options.write else 1 if options.untouched else 0)
    parts = work.parts(range(count), processes=options.processes)
    results = [result for _, found in parts[: len(FOLDS)] for result in found]
    say("Cross-validated by family", results)
    confidence = confidences(results)
    if count > len(FOLDS):
        say("Untouched families", parts[len(FOLDS)][1])
    if options.write:
        weights = [found | confidence for found, _ in parts]
        MODULE.write_text(module_text(weights[-1]), encoding="utf-8")
        RECORD.write_text(record_text(weights[: len(FOLDS)], weights[len(FOLDS)], results), encoding="utf-8")
        print(f"Wrote {MODULE.relative_to(ROOT)} and {RECORD.relative_to(ROOT)}.")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--untouched", action="store_true", help="measure the untouched families as well")
    parser.add_argument("--processes", type=int, default=1, help="how many trainings run at the same time")
    parser.add_argument("--write", action="store_true", help="write the weights into the engine")
    return parser.parse_args()


class Work:
    """The trainings: one for each fold, one without the untouched families, and one on everything."""

    def __init__(self, sheets: Sequence[Labelled]) -> None:
        use(NOTHING)
        self._sheets = list(sheets)
        self._extra = more_of(sheets)
        self._blocks = Blocks()
        for sheet in [*self._sheets, *self._extra]:  # before processes part, so that each of them has the blocks
            self._blocks.gutters(sheet)
            list(self._blocks.sequences(sheet))

    def parts(self, numbers: range, *, processes: int) -> list[tuple[Learned, list[Result]]]:
        """Return the weights of each training, and what they find in the sheets they were not trained on."""
        if processes == 1:
            made = [self.part(n) for n in numbers]
        else:
            _WORK[:] = [self]
            with multiprocessing.get_context("fork").Pool(processes) as pool:
                made = pool.map(_forked, numbers, chunksize=1)
        return [
            (weights, [Result(self._sheets[place], counts, judged) for place, counts, judged in found])
            for weights, found in made
        ]

    def part(self, n: int) -> tuple[Learned, list[tuple[int, Counts, tuple[Judged, ...]]]]:
        """Return one training's weights, and counts by the place of the sheet."""
        weights = trained([sheet for sheet in [*self._sheets, *self._extra] if _teaches(sheet, n)], self._blocks)
        use(weights)
        found = []
        for place, sheet in enumerate(self._sheets):
            if n <= len(FOLDS) and not _teaches(sheet, n) and (n == len(FOLDS) or not sheet.is_untouched):
                result = result_of(sheet)
                found.append((place, result.counts, result.judged))
        use(NOTHING)
        return weights, found


_WORK: list[Work] = []


def _forked(n: int) -> tuple[Learned, list[tuple[int, Counts, tuple[Judged, ...]]]]:
    return _WORK[0].part(n)


def _teaches(sheet: Labelled, n: int) -> bool:
    """Return whether a sheet is used in a training: the last but one leaves the untouched out, the last nothing."""
    return n > len(FOLDS) or not (sheet.is_untouched or (n < len(FOLDS) and sheet.is_in(n)))


def trained(sheets: Sequence[Labelled], blocks: Blocks) -> Learned:
    """Return the weights learned from sheets: first those of gutters, then, on the blocks these make, the others."""
    use(NOTHING)
    gutters = gutter_training.train([gutter for sheet in sheets for gutter in blocks.gutters(sheet)])
    use({**NOTHING, "GUTTERS": gutters})
    sequences = [found for sheet in sheets for found in blocks.sequences(sheet)]
    use(NOTHING)
    names, (signs, steps, rules, ends) = chain_training.train(sequences, chain_training.names_of(sequences))
    by_sign = {name: _whole(row) for name, row in zip(names.signs, signs, strict=True) if any(_whole(row))}
    return {
        "SIGNS": {name: row for name, row in by_sign.items() if chain_training.PAIR not in name},
        "PAIRS": _by_first({name: row for name, row in by_sign.items() if chain_training.PAIR in name}),
        "STEPS": {name: tuple(_whole(row) for row in rows) for name, rows in zip(names.steps, steps, strict=True)},
        "RULES": dict(zip(names.rules, _whole(rules), strict=True)),
        "ENDS": _whole(ends),
        "GUTTERS": gutters,
    }


def _by_first(pairs: Mapping[str, tuple[int, ...]]) -> dict[str, dict[str, tuple[int, ...]]]:
    """Return the weights of pairs by the first and the second of their signs."""
    found: dict[str, dict[str, tuple[int, ...]]] = {}
    for name, row in sorted(pairs.items()):
        first, second = name.split(chain_training.PAIR)
        found.setdefault(first, {})[second] = row
    return found


def confidences(results: Sequence[Result]) -> Learned:
    """Return the weights of doubts, and print how far the probabilities they make are off for other families."""
    learned_now: Learned = {}
    for name, attribute in (("TABLE_CONFIDENCE", "is_right"), ("HEADER_CONFIDENCE", "is_header_right")):
        known = [j for result in results for j in result.judged if getattr(j, attribute) is not None]
        parts = [[(j.doubts, getattr(j, attribute)) for j in known if number(j.family) // 5 % 4 == f] for f in FOLDS]
        others = [[x for g in FOLDS if g != f for x in parts[g]] for f in FOLDS]
        trained_apart = [confidence_training.train(other) for other in others]
        said = [(probability(doubts, weights), is_right) for weights, part in zip(trained_apart, parts, strict=True)
                for doubts, is_right in part]  # fmt: skip
        error = calibration_error(said)
        print(f"  {name.split('_')[0].lower()}: calibration error {error:.3f} over {len(known)} found", flush=True)
        learned_now[name] = confidence_training.train([x for part in parts for x in part])
    return learned_now


def _whole(weights: np.ndarray) -> tuple[int, ...]:
    return tuple(round(100 * float(weight)) for weight in weights)


def module_text(weights: Learned) -> str:
    """Return the module that holds the weights."""
    lines = [
        '"""Learned weights in hundredths; made by `bin/bench engine/train --write`, never edited by hand.',
        "",
        "Signs, pairs of signs and ends by label (title, header, group, data, total, note); steps by the label before,",
        "the last of which is the start, and the label after; rules as percentages of what is set by hand.",
        '"""',
        "",
        "from __future__ import annotations",
        "",
    ]
    for name, kind in (("SIGNS", "tuple[int, ...]"), ("PAIRS", "dict[str, tuple[int, ...]]"),
                       ("STEPS", "tuple[tuple[int, ...], ...]"), ("RULES", "int"), ("GUTTERS", "int"),
                       ("TABLE_CONFIDENCE", "int"), ("HEADER_CONFIDENCE", "int")):  # fmt: skip
        lines.append(f"{name}: dict[str, {kind}] = {{")
        for key, value in sorted(weights[name].items()):
            if name == "STEPS":
                lines += [f'    "{key}": (', *(f"        {row}," for row in value), "    ),"]
            elif name == "PAIRS":
                lines += [f'    "{key}": {{', *(f'        "{other}": {row},' for other, row in value.items()), "    },"]
            else:
                lines.append(f'    "{key}": {value},')
        lines.append("}")
    lines.append(f"ENDS: tuple[int, ...] = {weights['ENDS']}")
    return "\n".join(lines) + "\n"


def record_text(folds: Sequence[Learned], apart: Learned, results: Sequence[Result]) -> str:
    """Return the weights of the folds and what they are worth, for the test that guards the figures."""
    verified = [r for r in results if r.sheet.lines is None and r.sheet.is_verified and r.sheet.corpus != "fuste"]
    return (
        json.dumps({"figures": figures(summed(verified)), "folds": folds, "untouched": apart}, separators=(",", ":"))
        + "\n"
    )


if __name__ == "__main__":
    main()
