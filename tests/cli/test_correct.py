"""ade correct: decisions about documents, without Python."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

FIELD = "from ade_engine import Field\n\nfields = [Field('name', label='Name'), Field('email', label='Email')]\n"


def ade(*words: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ade", *map(str, words)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.req("C1")
def test_a_correction_is_made_used_listed_and_taken_back(tmp_path: Path) -> None:
    (tmp_path / "rules/columns").mkdir(parents=True)
    (tmp_path / "rules/columns/all.py").write_text(FIELD)
    (tmp_path / "october.csv").write_text("Name,Post\nAnn,a@x.org\nBob,b@x.org\nKim,k@x.org\n")

    made = ade("correct", "header", "rules", "Post", "email", "--document", "october.csv", folder=tmp_path)
    listed = ade("correct", "list", "rules", folder=tmp_path)
    used = ade("run", "october.csv", "--config", "rules", "--json", folder=tmp_path)
    unknown = ade("correct", "header", "rules", "Post", "e_mail", folder=tmp_path)
    undone = ade("correct", "undo", "rules", made.stdout.split()[0], folder=tmp_path)
    empty = ade("correct", "list", "rules", folder=tmp_path)

    assert (made.returncode, made.stderr) == (0, "")
    assert listed.stdout.rstrip().endswith('"Post" is email')
    (file,) = json.loads(used.stdout)["files"]
    assert [column["field"] for column in file["tables"][0]["columns"]] == ["name", "email"]
    assert used.returncode == 0
    assert (unknown.returncode, "names no field e_mail" in unknown.stderr) == (2, True)
    assert (undone.returncode, empty.stdout) == (0, "")


@pytest.mark.req("C1", "S7")
@pytest.mark.parametrize("kind", ["a link to nothing", "a link to a file", "a pipe", "a folder"])
def test_corrections_are_written_to_a_file_of_the_folder_alone(tmp_path: Path, kind: str) -> None:
    (tmp_path / "rules/columns").mkdir(parents=True)
    (tmp_path / "rules/columns/all.py").write_text(FIELD)
    file, outside = tmp_path / "rules/corrections.json", tmp_path / "outside.json"
    text = '{"version": 1, "corrections": []}'
    if kind == "a pipe":
        os.mkfifo(file)
    elif kind == "a folder":
        file.mkdir()
    else:
        file.symlink_to(outside)
        if kind == "a link to a file":
            outside.write_text(text)

    made = ade("correct", "header", "rules", "Post", "email", folder=tmp_path)

    assert (made.returncode, made.stdout) == (2, "")
    assert "corrections.json is not a plain file" in made.stderr
    assert (outside.read_text() if outside.exists() else None) == (text if kind == "a link to a file" else None)


@pytest.mark.req("S7")
def test_corrections_of_others_are_listed_without_what_steers_a_terminal(tmp_path: Path) -> None:
    (tmp_path / "rules").mkdir()
    entry = {
        "id": "\x1b[31m1",
        "kind": "sheet",
        "sheet": "\x1b[2J",
        "ignored": True,
        "by": "\x1b]0;x\x07",
        "at": "\x1b[1m",
    }
    (tmp_path / "rules/corrections.json").write_text(json.dumps({"version": 1, "corrections": [entry]}))

    listed = ade("correct", "list", "rules", folder=tmp_path)

    assert (listed.returncode, "\x1b" in listed.stdout + listed.stderr) == (0, False), listed.stderr


@pytest.mark.req("C1")
def test_a_column_is_kept_or_gets_a_field_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "rules/columns").mkdir(parents=True)
    (tmp_path / "rules/columns/all.py").write_text(FIELD)

    made = [
        ade("correct", "header", "rules", "Remark", "--keep", folder=tmp_path),
        ade("correct", "add-field", "rules", "since", "Since", "--type", "date", folder=tmp_path),
        ade("correct", "column", "rules", "c", "since", folder=tmp_path),
    ]
    both = ade("correct", "header", "rules", "Remark", "email", "--keep", folder=tmp_path)
    listed = ade("correct", "list", "rules", folder=tmp_path)

    assert [(one.returncode, one.stderr) for one in made] == [(0, "")] * 3
    ends = ('"Remark" is kept as it is', "Since is a field", "column C is since")
    assert [line.endswith(end) for line, end in zip(listed.stdout.splitlines(), ends, strict=True)] == [True] * 3
    assert (both.returncode, "not both" in both.stderr) == (2, True)


@pytest.mark.req("C1")
def test_a_range_of_cells_is_called_a_table(tmp_path: Path) -> None:
    (tmp_path / "rules/columns").mkdir(parents=True)
    (tmp_path / "rules/columns/all.py").write_text(FIELD)
    (tmp_path / "list.csv").write_text("Key,Name,Email\n" + "".join(f"{n},Ann{n},a{n}@x.org\n" for n in range(12)))

    made = ade("correct", "range", "rules", "c7:B1", "--document", "list.csv", folder=tmp_path)
    wrong = ade("correct", "range", "rules", "B1-C7", folder=tmp_path)
    used = ade("run", "list.csv", "--config", "rules", "--json", folder=tmp_path)

    assert made.stdout.rstrip().endswith("B1:C7 is a table with 1 header row")
    assert (wrong.returncode, "B1-C7 is not a range such as B4:F20" in wrong.stderr) == (2, True)
    (file,) = json.loads(used.stdout)["files"]
    assert [table["range"] for table in file["tables"]] == ["B1:C7"]


@pytest.mark.req("C1")
def test_a_cell_of_one_document_is_corrected_and_another_document_keeps_its_own(tmp_path: Path) -> None:
    (tmp_path / "rules/columns").mkdir(parents=True)
    (tmp_path / "rules/columns/all.py").write_text(FIELD)
    for name in ("may.csv", "june.csv"):
        (tmp_path / name).write_text("Key,Email\n" + "".join(f"{n},a{n}@x.org\n" for n in range(12)))

    made = ade("correct", "cell", "rules", "b3", "right@x.org", "--document", "may.csv", folder=tmp_path)
    without = ade("correct", "cell", "rules", "B3", "right@x.org", folder=tmp_path)
    row = ade("correct", "cell", "rules", "B3", "x", "--field", "email", "--document", "may.csv", folder=tmp_path)
    for name in ("may", "june"):
        ade("run", f"{name}.csv", "--config", "rules", "--format", "csv", "--out", f"{name}-out", folder=tmp_path)

    assert made.stdout.rstrip().endswith("B3 is replaced")
    assert (without.returncode, "--document" in without.stderr) == (2, True)
    assert (row.returncode, "give the number of a row" in row.stderr) == (2, True)
    outputs = [next((tmp_path / f"{name}-out").rglob("*.csv")).read_text("utf-8-sig") for name in ("may", "june")]
    assert ["right@x.org" in text for text in outputs] == [True, False]
    assert outputs[0].replace("right@x.org", "a1@x.org") == outputs[1]


@pytest.mark.req("C1")
def test_a_range_is_said_to_have_its_fields_in_rows(tmp_path: Path) -> None:
    (tmp_path / "rules/columns").mkdir(parents=True)
    (tmp_path / "rules/columns/all.py").write_text(FIELD)

    made = ade("correct", "range", "rules", "B1:D7", "--transposed", "--header-rows", "2", folder=tmp_path)
    narrow = ade("correct", "range", "rules", "B1:C7", "--transposed", "--header-rows", "3", folder=tmp_path)

    assert made.stdout.rstrip().endswith("B1:D7 is a table whose fields are rows, with 2 columns of names")
    assert (narrow.returncode == 0, "no more than its range has columns" in narrow.stderr) == (False, True)
