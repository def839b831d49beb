"""Measures column mapping on the cases of a corpus, and trains its model: bin/bench engine mapping."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from mapping_cases import Case, Prepared, prepare, read_cases
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
_THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.965, 0.98)


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


def validate_mapping(corpus: Path, *, writes: bool, predictions: Path | None = None) -> list[str]:
    """Cross-validate by family, and judge families kept aside; if asked to, train on all cases and write the model.

    `predictions` is where answers by models that have not seen the family are written, for the scorer of the corpus.
    """
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
    answers = cross_calibrated(own, raws)
    lines = _section("cross-validated by family", own, answers)
    base, trees = fit(own, growth)
    weights, kept_raws = calibrate(own, raws), scored(kept, base, trees)
    apart = [confidences(example, its, weights) for example, its in zip(kept, kept_raws, strict=True)]
    lines += _section("families kept aside", kept, apart)
    if predictions:
        given = zip([*own, *kept], [*answers, *apart], strict=True)
        _write_predictions(predictions, [(example.prepared, its) for example, its in given if example.group == "given"])
    if writes:
        # The calibration is fitted on answers about families that the trees behind them had not seen.
        write_model(FILE, *fit(found, growth), calibrate([*own, *kept], [*raws, *kept_raws]))
    return lines


def _write_predictions(path: Path, given: Iterable[tuple[Prepared, Mapping[Pair, float]]]) -> None:
    """Write what is mapped or suggested first of each column, as the scorer of the corpus reads it."""
    found = {
        prepared.case.id: {
            source: {"target": target, "confidence": confidence}
            for source, (target, confidence) in _likely(prepared, its).items()
            if confidence >= Settings().suggest
        }
        for prepared, its in given
    }
    path.write_text(json.dumps(found, ensure_ascii=False), encoding="utf-8")


def _section(title: str, found: Sequence, answers: Sequence[Mapping[Pair, float]]) -> list[str]:  # type: ignore[type-arg]
    lines = []
    for group in dict.fromkeys(example.group for example in found):
        pairs = [(e.prepared, its) for e, its in zip(found, answers, strict=True) if e.group == group]
        given = [(prepared.case, _likely(prepared, its)) for prepared, its in pairs]
        lines += ["", f"## Mapping, {title}: {group}, mapped automatically", "", *table(_judged(given, _AUTOMATIC))]
        lines += ["", *_by_threshold(given)]
    return _tell(lines)


def _by_threshold(given: Sequence[tuple[Case, Predictions]]) -> list[str]:
    """Return what mapping from other probabilities would mean, as lines of Markdown."""
    lines = [
        "| mapped from | wrong | precision | recall | F1 | renamed, real: precision | recall | F1 | recall at .98 |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for least in _THRESHOLDS:
        found = _judged(given, least)
        renamed = [entry for entry in found if entry.kind == "real" and entry.name == "different"]
        made = [entry for entry in found if entry.is_made]
        wrong, its, theirs = sum(not entry.is_right for entry in made), figures(found), figures(renamed)
        cells = [its.precision, its.recall, its.f1, theirs.precision, theirs.recall, theirs.f1]
        cells.append(recall_at(renamed, precision=0.98))
        told = " | ".join(f"{cell:.3f}" for cell in cells)
        lines.append(f"| {least} | {wrong} of {len(made)} | {told} |")
    return lines


def _judged(given: Iterable[tuple[Case, Predictions]], least: float) -> list[Judged]:
    """Judge what is likely enough."""
    kept = ((case, {name: found for name, found in its.items() if found[1] >= least}) for case, its in given)
    return [entry for case, its in kept for entry in judged(case, its)]


def _likely(prepared: Prepared, answers: Mapping[Pair, float]) -> Predictions:
    """Return what rules decide, and what the model assigns."""
    given = {prepared.headers[column]: (prepared.titles[field], likely) for (column, field), likely in answers.items()}
    stated = Mapper(prepared.configuration, Context()).stated(prepared.table) if prepared.table else {}
    return {**given, **{prepared.headers[column]: (prepared.titles[field], 0.998) for column, field in stated.items()}}


def _tell(lines: list[str]) -> list[str]:
    print("\n".join(lines))
    return lines
