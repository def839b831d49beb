"""Measures column mapping on the cases of a corpus, and trains its model: bin/bench engine mapping [--train]."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from mapping_cases import Prepared, prepare, read_cases
from mapping_figures import Judged, Predictions, figures, judged, recall_at, table

from ade_engine.configuration.model import Context, Settings
from ade_engine.mapping.model import FILE
from ade_engine.mapping.outcome import MappedColumn
from ade_engine.mapping.pairs import Pair
from ade_engine.mapping.table import Mapper

# Families that no choice of features, settings or words was made on.
UNTOUCHED = (
    "crypto/t", "synthetic/event", "fireindark/5", "fireindark/13", "fireindark/15", "538/comic-characters",
    "enron/f03", "enron/f14", "enron/f18", "enron/f54", "enron/f58", "enron/f64", "enron/f68", "enron/f74",
    "enron/f78", "enron/f84", "enron/f88", "enron/f94", "enron/f98", "enron/f104",
)  # fmt: skip
_AUTOMATIC = Settings().automatic


def report_mapping(corpus: Path) -> list[str]:
    """Return how well the engine maps the cases as it is. Its model was trained on them: see --train for the rest."""
    found = []
    for case in read_cases(corpus / "mapping" / "cases.jsonl"):
        prepared = prepare(case)
        found += judged(case, _mapped(prepared) if prepared else {})
    return _tell(["", "## Mapping, the cases the model was trained on", "", *table(found)])


def _mapped(prepared: Prepared) -> Predictions:
    if prepared.table is None:
        return {}
    columns = Mapper(prepared.configuration, Context()).map_table(prepared.table).columns
    return {
        header: (_title(prepared, column), column.confidence or 0.0)
        for header, column in zip(prepared.headers, columns, strict=True)
        if column.field is not None
    }


def _title(prepared: Prepared, column: MappedColumn) -> str | None:
    names = [field.name for field in prepared.configuration.fields]
    return prepared.titles[names.index(column.field)] if column.field else None


def train_mapping(corpus: Path) -> list[str]:
    """Cross-validate by family, judge families kept aside, then train on all cases and write the model."""
    from mapping_train import (
        GROWTH,
        calibrate,
        confidences,
        cross_calibrated,
        examples,
        fit,
        only,
        out_of_fold,
        scored,
        write_model,
    )  # fmt: skip

    found, growth = examples(corpus / "mapping"), GROWTH
    own, kept = only(found, UNTOUCHED, are_in=False), only(found, UNTOUCHED, are_in=True)
    raws = out_of_fold(own, growth)
    lines = _section("cross-validated by family", own, cross_calibrated(own, raws))
    base, trees = fit(own, growth)
    weights, kept_raws = calibrate(own, raws), scored(kept, base, trees)
    apart = [confidences(example, its, weights) for example, its in zip(kept, kept_raws, strict=True)]
    lines += _section("families kept aside", kept, apart)
    # The calibration is fitted on answers about families that the trees behind them had not seen.
    write_model(FILE, *fit(found, growth), calibrate([*own, *kept], [*raws, *kept_raws]))
    return lines


def _section(title: str, found: Sequence, answers: Sequence[Mapping[Pair, float]]) -> list[str]:  # type: ignore[type-arg]
    lines = []
    for group in dict.fromkeys(example.group for example in found):
        pairs = [(e, its) for e, its in zip(found, answers, strict=True) if e.group == group]
        lines += ["", f"## Mapping, {title}: {group}, mapped automatically", ""]
        lines += table([entry for example, its in pairs for entry in _judged(example.prepared, its, _AUTOMATIC)])
        likely = [entry for example, its in pairs for entry in _judged(example.prepared, its, 0.5)]
        renamed = [entry for entry in likely if entry.kind == "real" and entry.name == "different"]
        lines += ["", *(_from_half(name, part) for name, part in (("all", likely), ("real, renamed", renamed)) if part)]
    return _tell(lines)


def _from_half(name: str, found: Sequence[Judged]) -> str:
    its, recall = figures(found), recall_at(found, precision=0.98)
    told = f"precision {its.precision:.3f}, recall {its.recall:.3f}, F1 {its.f1:.3f}"
    return f"Mapped from 50 %, {name}: {told}; recall {recall:.3f} at a precision of .98."


def _judged(prepared: Prepared, answers: Mapping[Pair, float], least: float) -> Iterable[Judged]:
    """Judge what rules decide, and of what the model assigns, that which is likely enough."""
    given = {}
    stated = Mapper(prepared.configuration, Context()).stated(prepared.table) if prepared.table else {}
    for column, field in stated.items():
        given[prepared.headers[column]] = (prepared.titles[field], 0.998)
    for (column, field), confidence in answers.items():
        if confidence >= least:
            given[prepared.headers[column]] = (prepared.titles[field], confidence)
    return judged(prepared.case, given)


def _tell(lines: list[str]) -> list[str]:
    print("\n".join(lines))
    return lines
