"""Weights that were not trained on the sheets they are tried on, and the report of what they find."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from labelled import Labelled
from table_scores import Result, figures, intervals, result_of, summed

from ade_engine.structure import labelling, learned

RECORD = Path(__file__).with_name("folds.json")
Learned = dict[str, Any]
NOTHING: Learned = {
    "SIGNS": {}, "PAIRS": {}, "STEPS": {}, "RULES": {}, "ENDS": (0,) * len(labelling.LABELS), "GUTTERS": {},
    "CHOICE": {}, "TABLE_CONFIDENCE": {}, "HEADER_CONFIDENCE": {},
}  # fmt: skip
_TABLES = ("SIGNS", "PAIRS", "STEPS", "RULES", "GUTTERS", "CHOICE", "TABLE_CONFIDENCE", "HEADER_CONFIDENCE")


def use(weights: Mapping[str, Any]) -> None:
    """Let the engine judge with other weights."""
    for name in _TABLES:
        table = getattr(learned, name)
        table.clear()
        table.update(weights.get(name, {}))
    labelling.set_ends(weights["ENDS"])


def current() -> Learned:
    """Return the weights that the engine uses now."""
    return {**{name: dict(getattr(learned, name)) for name in _TABLES}, "ENDS": learned.ENDS}


def recorded() -> dict[str, Any]:
    """Return the weights of each fold, those for the untouched families, and the figures they had."""
    record: dict[str, Any] = json.loads(RECORD.read_text("utf-8"))
    return record


def is_guarded(sheet: Labelled) -> bool:
    """Return whether a sheet counts in the recorded figures: folders of your own may be elsewhere next time."""
    return sheet.corpus == "enron" and sheet.is_verified and not sheet.is_untouched


def cross_validated(sheets: Sequence[Labelled]) -> Iterator[Result]:
    """Yield what is found in each sheet with recorded weights that were trained without its family."""
    record = recorded()
    for fold, weights in enumerate(record["folds"]):
        use(weights)
        yield from (result_of(sheet) for sheet in sheets if not sheet.is_untouched and sheet.is_in(fold))
    use(record["untouched"])
    yield from (result_of(sheet) for sheet in sheets if sheet.is_untouched)


def say(title: str, results: Sequence[Result]) -> None:
    """Print the figures by corpus."""
    print(f"\n{title}:", flush=True)
    corpora: dict[str, list[Result]] = {}
    for result in results:
        name = result.sheet.corpus
        if name not in ("saus", "troy", "fuste"):
            corpora.setdefault(f"{name}, all", []).append(result)
            name = f"{name}, verified" if result.sheet.is_verified else f"{name}, published"
        corpora.setdefault(name, []).append(result)
    for name, part in sorted(corpora.items()):
        total = summed(part, by_layout=name == "fuste")
        spans = intervals(part)
        print(f"  {name}: {len(part)} sheets, {total['true']:g} true, {total['found']:g} found")
        for measure, value in figures(total).items():
            low, high = spans[measure]
            print(f"    {measure:16} {100 * value:5.1f}  ({100 * low:.1f} to {100 * high:.1f})", flush=True)
