"""What is found in verified business workbooks, with weights trained without their families, must not get worse.

Reads $ADE_CORPUS, or the corpus beside the clone; benchmarks/engine/folds.json holds the weights and the figures.
"""

import json
import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]
BENCHMARKS = ROOT / "benchmarks/engine"
CORPUS = Path(os.environ.get("ADE_CORPUS", ROOT.parent / "shared/corpus"))
POINT = 0.01

pytestmark = pytest.mark.skipif(
    not (CORPUS / "enron/gold.json").is_file(), reason="there is no corpus: set ADE_CORPUS to its folder"
)


@pytest.fixture
def benchmark_modules():
    """Import the benchmark's modules, and let the engine judge with its own weights again afterwards."""
    from ade_engine.structure import labelling, learned

    before = {name: dict(getattr(learned, name)) for name in dir(learned) if name.isupper() and name != "ENDS"}
    sys.path.insert(0, str(BENCHMARKS))
    try:
        import folds
        import labelled
        import table_scores

        yield folds, labelled, table_scores
    finally:
        sys.path.remove(str(BENCHMARKS))
        for name, weights in before.items():
            getattr(learned, name).clear()
            getattr(learned, name).update(weights)
        labelling.set_ends(learned.ENDS)


def test_no_change_costs_a_point_on_verified_workbooks(benchmark_modules):
    folds, labelled, table_scores = benchmark_modules
    entries = json.loads((CORPUS / "enron/gold.json").read_text("utf-8"))
    verified = [entry for entry in entries if entry["label"] == "verified"]
    sheets = [sheet for sheet in labelled.workbooks(CORPUS / "enron", verified) if folds.is_guarded(sheet)]

    found = table_scores.figures(table_scores.summed(list(folds.cross_validated(sheets))))

    recorded = folds.recorded()["figures"]
    assert found["EoB-0"] >= recorded["EoB-0"] - POINT
    assert found["header rows"] >= recorded["header rows"] - POINT


def test_sheets_of_other_folders_do_not_count_in_the_recorded_figures(benchmark_modules):
    folds, labelled, _ = benchmark_modules
    family = next(name for name in map(str, range(9)) if labelled.number(name) % 5)

    def made(corpus, *, is_verified):
        return labelled.Labelled(corpus, "May", (family,), labelled.MemorySheet([]), [], is_verified=is_verified)

    assert folds.is_guarded(made("enron", is_verified=True))
    assert not folds.is_guarded(made("enron", is_verified=False))
    assert not folds.is_guarded(made("stock", is_verified=True))
