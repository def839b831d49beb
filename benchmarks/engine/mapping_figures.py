"""Figures of column mapping: precision, recall, the share decided without asking, and how honest confidences are."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from mapping_cases import Case

Predictions = Mapping[str, tuple[str | None, float]]  # source column → target column and confidence
_WRONG = 0.005
_SAMPLES = 200


@dataclass(frozen=True, kw_only=True)
class Judged:
    """One column of which the right answer is known."""

    family: str
    kind: str
    name: str  # whether the names are equal, different, or there is no counterpart
    is_made: bool
    is_right: bool
    has: bool
    confidence: float
    told: str = ""


@dataclass(frozen=True, kw_only=True)
class Figures:
    """What is reported of a group of columns."""

    columns: int
    precision: float
    recall: float
    f1: float
    automatic: float  # share with a counterpart that is mapped where at most 1 of 200 is wrong
    error: float  # expected calibration error


def judged(case: Case, given: Predictions) -> Iterable[Judged]:
    """Yield the columns of a case whose right answer is known."""
    for source, gold in case.gold.items():
        target, confidence = given.get(source, (None, 0.0))
        name = "none" if gold is None else "equal" if _plain(source) == _plain(gold) else "different"
        yield Judged(
            family=case.family, kind=case.kind, name=name, is_made=target is not None, has=gold is not None,
            is_right=target is not None and target == gold, confidence=min(1.0, confidence),
            told=f"{case.id}: {source!r} is {target!r}, should be {gold!r}",
        )  # fmt: skip


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.lower())


def figures(found: Sequence[Judged]) -> Figures:
    """Return the figures of some columns."""
    made = [entry for entry in found if entry.is_made]
    right, has = sum(entry.is_right for entry in made), sum(entry.has for entry in found)
    return Figures(
        columns=len(found),
        precision=right / len(made) if made else 1.0,
        recall=right / has if has else 1.0,
        f1=2 * right / (len(made) + has) if made or has else 1.0,
        automatic=_right_at(made, wrong=_WRONG) / has if has else 0.0,
        error=_calibration_error(made),
    )


def recall_at(found: Sequence[Judged], *, precision: float) -> float:
    """Return the recall at the lowest confidence that keeps this precision."""
    has = sum(entry.has for entry in found)
    return _right_at([entry for entry in found if entry.is_made], wrong=1 - precision) / has if has else 0.0


def _right_at(made: Sequence[Judged], *, wrong: float) -> int:
    """Return how many are right down to the lowest confidence that keeps this share of wrong ones."""
    best = total = bad = 0
    ordered = sorted(made, key=lambda entry: -entry.confidence)
    for number, entry in enumerate(ordered):
        total, bad = total + 1, bad + (not entry.is_right)
        is_last = number + 1 == len(ordered) or ordered[number + 1].confidence < entry.confidence
        if is_last and bad <= wrong * total:
            best = total - bad
    return best


def _calibration_error(made: Sequence[Judged]) -> float:
    bins: dict[int, list[Judged]] = {}
    for entry in made:
        bins.setdefault(min(9, int(10 * entry.confidence)), []).append(entry)
    gaps = (abs(sum(e.is_right for e in part) - sum(e.confidence for e in part)) for part in bins.values())
    return sum(gaps) / len(made) if made else 0.0


def interval(found: Sequence[Judged], figure: Callable[[Figures], float]) -> tuple[float, float]:
    """Return the bounds of nine in ten samples of families, drawn with replacement."""
    families: dict[str, list[Judged]] = {}
    for entry in found:
        families.setdefault(entry.family, []).append(entry)
    chance, names = random.Random(1), sorted(families)  # noqa: S311 - the same every time
    drawn = sorted(
        figure(figures([entry for name in chance.choices(names, k=len(names)) for entry in families[name]]))
        for _ in range(_SAMPLES)
    )
    return drawn[_SAMPLES // 20], drawn[-_SAMPLES // 20]


def table(found: Sequence[Judged]) -> list[str]:
    """Return a table of the figures by kind and family, as lines of Markdown."""
    lines = [
        "| columns | number | precision | recall | F1 | automatic | ECE |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, part in _groups(found).items():
        if part:
            its = figures(part)
            cells = [its.precision, its.recall, its.f1, its.automatic, its.error]
            lines.append(f"| {name} | {its.columns} | " + " | ".join(f"{cell:.3f}" for cell in cells) + " |")
    low, high = interval(found, lambda its: its.f1)
    lower, upper = interval(found, lambda its: its.precision)
    lines += ["", f"90 % of samples of families: F1 {low:.3f} to {high:.3f}, precision {lower:.3f} to {upper:.3f}."]
    return lines


def _groups(found: Sequence[Judged]) -> dict[str, list[Judged]]:
    groups = {"all": list(found)}
    for name in ("equal", "different", "none"):
        groups[f"all, names {name}"] = [entry for entry in found if entry.name == name]
    for kind in sorted({entry.kind for entry in found}):
        part = [entry for entry in found if entry.kind == kind]
        groups[kind] = part
        groups[f"{kind}, renamed"] = [entry for entry in part if entry.name == "different"]
    for family in sorted({entry.family.split("/")[0] for entry in found}):
        groups[f"family {family}"] = [entry for entry in found if entry.family.split("/")[0] == family]
    return groups
