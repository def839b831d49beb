"""Learns the weights of structure detection: bin/bench engine/train [--untouched] [--write]

    bin/bench engine/train           cross-validate by family
    bin/bench engine/train --write   the same, measure the untouched families, train on everything, write the weights
    bin/bench engine/train --choices [--write]   keep the recorded chains; train gutters, choices and probabilities

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
from typing import Any

import chain_training
import choice_training
import confidence_training
import gutter_training
import numpy as np
from choice_training import Offer, offers_of
from folds import NOTHING, RECORD, Learned, current, is_guarded, recorded, say, use
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
    _check_folds(sheets)
    work = Work(sheets, processes=options.processes, keeps_chains=options.choices)
    count = len(FOLDS) + (2 if options.write else 1 if options.untouched else 0)
    parts = work.parts(range(count))
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


def _check_folds(sheets: Sequence[Labelled]) -> None:
    """Stop where there is nothing to learn from or to test on."""
    empty = [n for n in FOLDS if not any(sheet.is_in(n) and not sheet.is_untouched for sheet in sheets)]
    if empty:
        sys.exit(
            f"There are too few labelled sheets ({len(sheets)}): {len(empty)} of {len(FOLDS)} parts of the families"
            " have none. Put yours beside the corpora that the weights were learned from."
        )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--untouched", action="store_true", help="measure the untouched families as well")
    parser.add_argument("--choices", action="store_true", help="keep the chains, train all else")
    parser.add_argument("--processes", type=int, default=1, help="how many trainings run at the same time")
    parser.add_argument("--write", action="store_true", help="write the weights into the engine")
    return parser.parse_args()


class Work:
    """The trainings: one for each fold, one without the untouched families, and one on everything."""

    def __init__(self, sheets: Sequence[Labelled], *, processes: int, keeps_chains: bool) -> None:
        self._kept = [*recorded()["folds"], recorded()["untouched"], current()] if keeps_chains else []
        use(NOTHING)
        self._sheets = list(sheets)
        self._extra = more_of(sheets)
        self._blocks = Blocks()
        self._offers: dict[int, list[Offer]] = {}
        self._processes = processes
        for sheet in [*self._sheets, *self._extra]:  # before processes part, so that each of them has the blocks
            self._blocks.gutters(sheet)
            if not keeps_chains:
                list(self._blocks.sequences(sheet))

    def parts(self, numbers: range) -> list[tuple[Learned, list[Result]]]:
        """Return the weights of each training, and what they find in the sheets they were not trained on."""
        chains = self._each("chain", [(n,) for n in numbers])
        self._offers = {n: found for n, (_, found) in zip(numbers, chains, strict=True)}
        choices = self._each("choices", [(n,) for n in numbers])
        made: list[Learned] = [
            weights | {"CHOICE": choice} for (weights, _), choice in zip(chains, choices, strict=True)
        ]
        results = self._each("results", list(zip(numbers, made, strict=True)))
        return [
            (weights, [Result(self._sheets[place], counts, judged) for place, counts, judged in found])
            for weights, found in zip(made, results, strict=True)
        ]

    def _each(self, task: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Do a task for several trainings, at the same time if there are processes for it."""
        if self._processes == 1:
            return [getattr(self, task)(*one) for one in arguments]
        _WORK[:] = [self]
        with multiprocessing.get_context("fork").Pool(self._processes) as pool:
            return pool.map(_forked, [(task, one) for one in arguments], chunksize=1)

    def chain(self, n: int) -> tuple[Learned, list[Offer]]:
        """Return the weights of a training but for those of choices, and what it offers to choose from elsewhere."""
        weights = self._trained(n)
        use(weights)
        others = [sheet for sheet in [*self._sheets, *self._extra] if _is_apart(sheet, n)]
        offers = [offer for sheet in others if "arranged" not in sheet.corpus for offer in offers_of(sheet)]
        use(NOTHING)
        return weights, offers

    def choices(self, n: int) -> dict[str, int]:
        """Return the weights of a training that choose, learned from what other trainings offer."""
        return choice_training.train([offer for m in _offering(n) for offer in self._offers.get(m, [])])

    def _trained(self, n: int) -> Learned:
        sheets = [sheet for sheet in [*self._sheets, *self._extra] if _teaches(sheet, n)]
        if not self._kept:
            return trained(sheets, self._blocks)
        return self._kept[n] | {"CHOICE": {}, "GUTTERS": _gutters(sheets, self._blocks)}

    def results(self, n: int, weights: Learned) -> list[tuple[int, Counts, tuple[Judged, ...]]]:
        """Return counts of what weights find in the sheets they were not trained on, by the place of the sheet."""
        use(weights)
        found = []
        for place, sheet in enumerate(self._sheets):
            if _is_apart(sheet, n):
                result = result_of(sheet)
                found.append((place, result.counts, result.judged))
        use(NOTHING)
        return found


_WORK: list[Work] = []


def _forked(asked: tuple[str, tuple[Any, ...]]) -> Any:
    task, arguments = asked
    return getattr(_WORK[0], task)(*arguments)


def _offering(n: int) -> list[int]:
    """Return the trainings whose offers teach choices: they hold nothing that a training must not know."""
    return [m for m in range(max(n, len(FOLDS))) if m != n]


def _is_apart(sheet: Labelled, n: int) -> bool:
    """Tell whether a sheet is one to measure a training on: of its fold, or untouched for the last but one."""
    if _teaches(sheet, n):
        return False
    return n == len(FOLDS) or not sheet.is_untouched


def _teaches(sheet: Labelled, n: int) -> bool:
    """Return whether a sheet is used in a training: the last but one leaves the untouched out, the last nothing."""
    return n > len(FOLDS) or not (sheet.is_untouched or (n < len(FOLDS) and sheet.is_in(n)))


def trained(sheets: Sequence[Labelled], blocks: Blocks) -> Learned:
    """Return the weights learned from sheets: first those of gutters, then, on the blocks these make, the others."""
    gutters = _gutters(sheets, blocks)
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


def _gutters(sheets: Sequence[Labelled], blocks: Blocks) -> dict[str, int]:
    use(NOTHING)
    return gutter_training.train([gutter for sheet in sheets for gutter in blocks.gutters(sheet)])


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
                       ("CHOICE", "int"), ("TABLE_CONFIDENCE", "int"), ("HEADER_CONFIDENCE", "int")):  # fmt: skip
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
    guarded = figures(summed([result for result in results if is_guarded(result.sheet)]))
    record = {"figures": guarded, "folds": folds, "untouched": apart}
    return json.dumps(record, separators=(",", ":")) + "\n"


if __name__ == "__main__":
    main()
