"""Mapping of real renamed columns, where the cases are at hand: ADE_CORPUS names their folder."""

import csv
import json
import os
from pathlib import Path

import pytest

from ade_engine import example_tables, infer_configuration, normalize

CASES = (
    Path(os.environ.get("ADE_CORPUS", Path(__file__).parents[4].parent / "shared" / "corpus")) / "mapping/cases.jsonl"
)
_EVERY = 4  # of the cases, so that the test takes seconds


def write(path, columns):
    rows = max(len(column["values"]) for column in columns)
    with path.open("w", newline="", encoding="utf-8") as handle:
        out = csv.writer(handle)
        out.writerow([column["name"] for column in columns])
        out.writerows(
            [column["values"][n] if n < len(column["values"]) else "" for column in columns] for n in range(rows)
        )


def mapped(case, folder):
    """Return the target column of each source column, by an inferred configuration and a whole run."""
    write(folder / "target.csv", case["target"]["columns"])
    write(folder / "source.csv", case["source"]["columns"])
    tables = example_tables(folder / "target.csv")
    if not any(tables):
        return {}
    infer_configuration(folder / "rules", tables)
    artifact = normalize(folder / "source.csv", folder / "out", configuration=folder / "rules").artifact
    titles = {path.stem: path.read_text("utf-8") for path in (folder / "rules/columns").glob("*.py")}
    columns = artifact["sheets"][0]["tables"][0]["columns"]
    return {column["header"]: titles[column["target"]] for column in columns if column["target"]}


@pytest.mark.req("E4")
def test_renamed_columns_of_the_corpus_are_mapped_and_hardly_one_is_wrong(tmp_path):
    if not CASES.is_file():
        pytest.skip(f"there are no cases at {CASES}: set ADE_CORPUS")
    made = right = has = 0
    with CASES.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if number % _EVERY:
                continue
            case = json.loads(line)
            (tmp_path / str(number)).mkdir()
            found = mapped(case, tmp_path / str(number))
            for source, target in case["gold"].items():
                has += target is not None
                if (source_file := found.get(source)) is not None:
                    made += 1
                    right += target is not None and f"label={json.dumps(target, ensure_ascii=False)}" in source_file
    assert right / made >= 0.98
    assert right / has >= 0.8
