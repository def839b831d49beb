"""ade run, explain, init and check, as a person starts them."""

import json
import os
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ade_engine.readers import open_workbook

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
pytestmark = pytest.mark.slow


def ade(*words: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ade", *map(str, words)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def files_of(answer: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    return list(json.loads(answer.stdout)["files"])


@pytest.mark.req("C1", "E8")
def test_a_file_is_normalised_with_the_promised_json(tmp_path: Path) -> None:
    answer = ade("run", SAMPLES / "title_above_header.xlsx", "--json", folder=tmp_path)

    (file,) = files_of(answer)
    (table,) = file["tables"]
    assert answer.returncode == 0
    assert (file["status"], file["issues"]) == ("succeeded", 0)
    assert (table["sheet"], table["range"], table["header_rows"]) == ("Members", "A4:E12", [4])
    assert table["title_rows"] == [1, 2]
    assert table["columns"][1].keys() == {"source", "header", "field", "score"}
    assert table["columns"][1]["field"] == "first_name"
    assert (tmp_path / file["artifact"]).is_file()
    assert (tmp_path / file["output"]).is_file()


@pytest.mark.req("C1")
def test_issues_in_the_data_end_with_3(tmp_path: Path) -> None:
    configuration = SAMPLES / "configurations/people"

    answer = ade("run", SAMPLES / "values_with_issues.xlsx", "--config", configuration, "--json", folder=tmp_path)

    assert answer.returncode == 3
    assert files_of(answer)[0]["issues"] > 0
    assert files_of(answer)[0]["verdict"]["verdict"] == "check"


@pytest.mark.req("C1")
def test_a_verdict_that_is_accepted_ends_with_0(tmp_path: Path) -> None:
    order = ("run", SAMPLES / "values_with_issues.xlsx", "--config", SAMPLES / "configurations/people")

    accepted = ade(*order, "--accept", "check", folder=tmp_path)
    unknown = ade(*order, "--accept", "perhaps", folder=tmp_path)

    assert (accepted.returncode, "Check: 4 cells have issues" in accepted.stdout) == (0, True)
    assert (unknown.returncode, "perhaps is not one of ready, check, not_usable" in unknown.stderr) == (2, True)


@pytest.mark.req("C1")
def test_a_broken_file_ends_with_1_and_harms_no_other(tmp_path: Path) -> None:
    (tmp_path / "broken.xlsx").write_bytes(b"PK\x03\x04 not a zip")

    answer = ade("run", "broken.xlsx", SAMPLES / "offset.xlsx", "--json", folder=tmp_path)

    broken, good = files_of(answer)
    assert answer.returncode == 1
    assert broken["failure"]["code"] == "input_error"
    assert good["status"] == "succeeded"


@pytest.mark.req("C1")
@pytest.mark.parametrize(
    "words",
    [["absent.xlsx"], ["--config", "absent", "a.csv"], ["--format", "pdf", "a.csv"], ["empty"], []],
    ids=["no file", "no configuration", "no such format", "empty folder", "nothing"],
)
def test_wrong_use_ends_with_2_and_a_sentence(tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "a.csv").write_text("name;city\nAnn;Bonn\n")
    (tmp_path / "empty").mkdir()

    answer = ade("run", *words, folder=tmp_path)

    assert answer.returncode == 2
    assert answer.stderr
    assert "Traceback" not in answer.stderr


@pytest.mark.req("C1")
def test_a_folder_is_searched_and_files_of_one_name_do_not_collide(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / "in" / folder).mkdir(parents=True)
        (tmp_path / "in" / folder / "list.csv").write_text(f"name,city\nAnn {folder},Bonn\nBen,Ulm\n")
    (tmp_path / "in/~$list.xlsx").write_bytes(b"lock")

    answer = ade("run", "in", "--json", "--format", "csv", folder=tmp_path)

    outputs = {file["output"] for file in files_of(answer)}
    assert len(outputs) == 2
    assert all((tmp_path / output).is_file() for output in outputs)


def test_the_files_of_the_configuration_are_no_documents_unless_their_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "rules/columns").mkdir(parents=True)
    (tmp_path / "rules/columns/name.py").write_text('from ade_engine import Field\nfield = Field("name")\n')
    (tmp_path / "rules/codes.csv").write_text("code,name\n1,one\n2,two\n")
    (tmp_path / "list.csv").write_text("name,city\nAnn,Bonn\nBen,Ulm\n")

    found = files_of(ade("run", ".", "--config", "rules", "--json", folder=tmp_path))
    assert [Path(file["input"]).name for file in found] == ["list.csv"]

    found = files_of(ade("run", "rules", "--config", "rules", "--json", folder=tmp_path))
    assert [Path(file["input"]).name for file in found] == ["codes.csv"]


@pytest.mark.req("C1")
@pytest.mark.parametrize("is_absolute", [False, True], ids=["relative", "absolute"])
def test_results_in_a_folder_are_no_documents_of_the_next_run(tmp_path: Path, *, is_absolute: bool) -> None:
    (tmp_path / "list.csv").write_text("name,city\nAnn,Bonn\nBen,Ulm\n")

    for _ in range(2):
        found = files_of(ade("run", tmp_path if is_absolute else ".", "--format", "csv", "--json", folder=tmp_path))
        assert [Path(file["input"]).name for file in found] == ["list.csv"]


@pytest.mark.req("C1")
def test_only_the_named_sheet_is_read(tmp_path: Path) -> None:
    answer = ade("run", SAMPLES / "sheets_with_other_names.xlsx", "--sheet", "no such", "--json", folder=tmp_path)

    assert answer.returncode == 1
    assert '"no such"; it has "' in files_of(answer)[0]["failure"]["message"]


@pytest.mark.req("C1", "E7")
def test_hidden_sheets_and_rows_are_named_and_a_named_sheet_is_read(tmp_path: Path) -> None:
    sample = SAMPLES / "hidden_rows_and_sheets.xlsx"

    told = ade("run", sample, folder=tmp_path).stdout
    (file,) = files_of(ade("run", sample, "--json", folder=tmp_path))
    (named,) = files_of(ade("run", sample, "--sheet", "Archive", "--json", folder=tmp_path))

    assert "1 hidden sheet not read: Archive. Read it with --sheet Archive" in told
    assert "8 rows written, 1 hidden row among them" in " ".join(told.split())
    assert [(sheet["name"], sheet["skipped"]) for sheet in file["sheets"]] == [("Members", None), ("Archive", "hidden")]
    assert [table["sheet"] for table in named["tables"]] == ["Archive"]


@pytest.mark.req("C1", "E3")
def test_a_document_of_text_ends_with_4_and_says_that_no_table_was_found(tmp_path: Path) -> None:
    (tmp_path / "letter.csv").write_text("Dear Ann\nthank you for the list you sent.\nPlease add the dates.\nKim\n")

    answer = ade("run", "letter.csv", folder=tmp_path)

    assert answer.returncode == 4
    assert "no table found: text only" in answer.stdout
    assert "Not usable: No table was found." in answer.stdout


@pytest.mark.req("C1")
def test_the_summary_is_for_people_and_explain_says_why(tmp_path: Path) -> None:
    summary = ade("run", SAMPLES / "title_above_header.xlsx", folder=tmp_path)
    explained = ade("explain", "out/title_above_header", folder=tmp_path)
    refused = ade("explain", SAMPLES / "offset.xlsx", folder=tmp_path)

    assert "first_name" in summary.stdout
    assert "ade explain" in summary.stdout
    assert "Row 4 is the header" in explained.stdout
    assert (refused.returncode, "Traceback" in refused.stderr) == (2, False)


@pytest.mark.req("C1")
def test_explain_refuses_an_artifact_that_is_nested_too_deep_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "artifact.json").write_text("[" * 200_000)

    refused = ade("explain", "artifact.json", folder=tmp_path)

    assert (refused.returncode, refused.stderr) == (2, "ade: artifact.json is not an artifact of ade\n")


@pytest.mark.req("C1")
def test_the_summary_says_why_in_words(tmp_path: Path) -> None:
    (tmp_path / "both.csv").write_text("Email,E-Mail,Customer,Zzz\na@b.org,c@d.org,Acme,1\ne@f.org,g@h.org,Bolt,2\n")

    said = ade("run", "both.csv", folder=tmp_path).stdout

    assert "header is one of its names" in said
    assert "column A is a better email" in said
    assert "not enough evidence for first_name (0.35 of 0.50)" in " ".join(said.split())
    assert "no evidence for any field" in said


@pytest.mark.req("C1")
def test_a_folder_that_cannot_be_written_to_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")

    answer = ade("run", SAMPLES / "offset.xlsx", "--out", "taken", folder=tmp_path)

    assert answer.returncode == 2
    assert answer.stderr == "ade: cannot write to --out taken: File exists; name another folder\n"


@pytest.mark.req("C1")
def test_results_that_cannot_be_written_are_a_failure_of_the_file_and_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/offset").write_text("a file where the folder of the results would be")

    answer = ade("run", SAMPLES / "offset.xlsx", SAMPLES / "blank_rows.xlsx", "--json", folder=tmp_path)

    failed, other = files_of(answer)
    assert (answer.returncode, answer.stderr) == (1, "")
    assert failed["failure"]["message"].startswith("The results could not be written: File exists.")
    assert other["status"] == "succeeded"


@pytest.mark.req("C1")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_an_interrupted_run_ends_without_a_traceback_half_a_workbook_or_a_process(
    tmp_path: Path, number: int, code: int
) -> None:
    ade("init", "rules", folder=tmp_path)
    waiting = "import os, threading\n\ndef before_write(output):\n"
    waiting += "    print('begun', os.getcwd())\n    threading.Event().wait()\n"
    (tmp_path / "rules/hooks/waiting.py").write_text(waiting)
    # Signals that are ignored where the tests are started (nohup, a job in the background) are ignored in children.
    listening = "import ade.cli, signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    listening += "signal.signal(signal.SIGHUP, signal.SIG_DFL); ade.cli.main()"
    command = [sys.executable, "-c", listening, "run", str(SAMPLES / "offset.xlsx"), "--config", "rules"]
    run = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True)
    assert run.stderr is not None
    begun, folder = run.stderr.readline().split()  # of the child, while it waits

    os.killpg(run.pid, number)
    _, said = run.communicate()

    assert (begun, run.returncode, said) == ("begun", code, "")
    assert list(tmp_path.glob("out/*/normalized*")) == []
    assert not Path(folder).exists()


@pytest.mark.req("C1", "E7")
def test_init_from_an_example_then_check_then_run(tmp_path: Path) -> None:
    made = ade("init", "rules", "--from", SAMPLES / "title_above_header.xlsx", folder=tmp_path)
    checked = ade("check", "rules", folder=tmp_path)
    ran = ade("run", SAMPLES / "title_above_header.xlsx", "--config", "rules", "--json", folder=tmp_path)
    again = ade("init", "rules", folder=tmp_path)

    assert made.returncode == checked.returncode == ran.returncode == 0
    assert files_of(ran)[0]["tables"][0]["columns"][0]["field"] == "member_id"
    assert again.returncode == 2  # nothing is overwritten


@pytest.mark.req("C1")
def test_what_a_document_taught_is_listed_used_and_undone(tmp_path: Path) -> None:
    lines = [f"SO-{number:05d},C{number % 17:03d}" for number in range(40)]
    (tmp_path / "may.csv").write_text("\n".join(["order_id,customer_id", *lines]), "utf-8")
    ade("init", "rules", "--from", "may.csv", folder=tmp_path)
    assert ade("learn", "rules", folder=tmp_path).stdout == "nothing learned yet\n"
    learned = ade("learn", "rules", "may.csv", "--sender", "ma*", folder=tmp_path)
    assert learned.stdout == "may.csv for ma*: 2 fields (customer_id, order_id)\n"
    told = json.loads(ade("learn", "rules", "--json", folder=tmp_path).stdout)
    headers = {"order_id": ["order_id"], "customer_id": ["customer_id"]}
    assert told == {"learned": [{"origin": "may.csv", "sender": "ma*", "headers": headers}]}
    assert ade("check", "rules", folder=tmp_path).returncode == 0
    assert ade("learn", "rules", "--undo", "may.csv", folder=tmp_path).stdout == "nothing learned yet\n"
    again = ade("learn", "rules", "--undo", "may.csv", folder=tmp_path)
    assert (again.returncode, again.stderr) == (2, "ade: nothing was learned from may.csv\n")


@pytest.mark.req("C1")
def test_init_takes_several_examples_and_renamed_columns_are_mapped(tmp_path: Path) -> None:
    rows = [f"SO-{number:04d},C{number % 7},{number % 9 + 1}" for number in range(30)]
    (tmp_path / "may.csv").write_text("\n".join(["order_id,customer_id,quantity", *rows]), encoding="utf-8")
    (tmp_path / "june.csv").write_text("order_id,customer_id,status\nSO-9,C1,open\nSO-10,C2,sent\n", encoding="utf-8")
    (tmp_path / "july.csv").write_text("\n".join(["ORDERID_V2,CUSTOMERID_V2,QTY_V2", *rows]), encoding="utf-8")

    made = ade("init", "rules", "--from", "may.csv", "--from", "june.csv", folder=tmp_path)
    ran = ade("run", "july.csv", "--config", "rules", "--json", folder=tmp_path)

    assert made.returncode == 0, made.stderr
    assert (tmp_path / "rules/columns/status.py").is_file()
    found = [column["field"] for column in files_of(ran)[0]["tables"][0]["columns"]]
    assert found == ["order_id", "customer_id", "quantity"]


@pytest.mark.req("C1")
@pytest.mark.parametrize("header", ["नाम", "ชื่อ", "שָׁלוֹם", "பெயர்"])
def test_a_configuration_is_inferred_from_headers_with_vowel_signs(tmp_path: Path, header: str) -> None:
    (tmp_path / "names.csv").write_text(f"{header},Email\nA,a@b.org\nB,c@d.org\n", encoding="utf-8")

    made = ade("init", "rules", "--from", "names.csv", folder=tmp_path)
    checked = ade("check", "rules", folder=tmp_path)

    assert (made.returncode, checked.returncode) == (0, 0), made.stderr + checked.stderr
    assert len(list((tmp_path / "rules/columns").iterdir())) == 2


@pytest.mark.req("C1", "E7")
def test_check_exits_with_0_when_there_are_warnings_only(tmp_path: Path) -> None:
    (tmp_path / "rules/columns").mkdir(parents=True)
    lines = [
        "from ade_engine import Field",
        'field = Field("name")',
        "def validate(value):",
        '    return f"not {value}"',
    ]
    (tmp_path / "rules/columns/name.py").write_text("\n".join(lines) + "\n")

    answer = ade("check", "rules", folder=tmp_path)

    assert answer.returncode == 0
    assert answer.stdout.startswith("columns/name.py:4: warning: validate puts a value into its message")
    assert answer.stdout.endswith("[value-in-message]\n1 warning\n")


@pytest.mark.req("C1", "E7")
def test_check_names_file_line_and_a_suggestion(tmp_path: Path) -> None:
    ade("init", "rules", folder=tmp_path)
    (tmp_path / "rules/columns/email.py").write_text(
        'from ade_engine import Field\n\nfield = Field("email")\n\ndef trasnform(value):\n    return value\n'
    )

    answer = ade("check", "rules", folder=tmp_path)

    assert answer.returncode == 1
    assert "columns/email.py:5: trasnform is never called. Did you mean transform?" in answer.stdout


def test_the_encoding_of_a_csv_file_can_be_named(tmp_path: Path) -> None:
    (tmp_path / "names.csv").write_bytes("Ad;Şehir\nAyşe;Iğdır\nÖzgür;Muğla\n".encode("cp1254"))  # noqa: RUF001

    named = ade("run", "names.csv", "--encoding", "cp1252", "--json", folder=tmp_path)
    wrong = ade("run", "names.csv", "--encoding", "cp-1254", folder=tmp_path)
    inferred = ade("init", "made", "--from", "names.csv", "--encoding", "nonsense", folder=tmp_path)

    (file,) = files_of(named)
    assert json.loads((tmp_path / file["artifact"]).read_text())["input"]["encoding"] == "cp1252"
    assert (wrong.returncode, inferred.returncode) == (2, 2)
    assert "Did you mean cp1254?" in wrong.stderr


@pytest.mark.req("C1")
@pytest.mark.parametrize("extra", [[], ["--debug"]], ids=["in the sandbox", "in this process"])
def test_all_documents_of_a_folder_become_one_workbook(tmp_path: Path, extra: list[str]) -> None:
    (tmp_path / "in").mkdir()
    for month, rows in (("jan", "Ada,1\nBob,2\n"), ("feb", "Cy,3\nDee,4\n")):
        (tmp_path / f"in/{month}.csv").write_text(f"Name,Qty\n{rows}", encoding="utf-8")
    (tmp_path / "rules/columns").mkdir(parents=True)
    for name, words in (("name", ""), ("qty", ', type="integer"')):
        text = f'from ade_engine import Field\nfield = Field("{name}"{words})\n'
        (tmp_path / f"rules/columns/{name}.py").write_text(text, encoding="utf-8")
    (tmp_path / "rules/settings.toml").write_text('[output]\norigin = ["document"]\ntables = "one"\n', "utf-8")

    for _ in range(2):  # the one file is no input of the next run
        answer = ade("run", "in", "--config", "rules", "--into", "in/all.xlsx", *extra, folder=tmp_path)
        assert answer.returncode == 0, answer.stderr

    assert "All documents: in/all.xlsx" in answer.stdout
    with closing(open_workbook(tmp_path / "in/all.xlsx")) as workbook:
        [info] = workbook.sheets
        written = [row.values for row in workbook.open_sheet(info).rows()]
    assert written == [
        ["name", "qty", "Document"],
        ["Cy", 3, "feb.csv"], ["Dee", 4, "feb.csv"], ["Ada", 1, "jan.csv"], ["Bob", 2, "jan.csv"],
    ]  # fmt: skip


@pytest.mark.req("C1")
def test_documents_whose_results_are_not_usable_are_named_beside_the_one_file(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/jan.csv").write_text("Name,Qty\nAda,1\nBob,2\n", encoding="utf-8")
    (tmp_path / "in/read me.csv").write_text("Ask,Eva\nCall,Olaf\nWrite,Jan\n", encoding="utf-8")
    (tmp_path / "rules/columns").mkdir(parents=True)
    fields = 'from ade_engine import Field\nfields = [Field("name"), Field("qty", type="integer")]\n'
    (tmp_path / "rules/columns/all.py").write_text(fields, encoding="utf-8")
    answer = ade("run", "in", "--config", "rules", "--into", "all.xlsx", folder=tmp_path)
    assert answer.returncode == 4, answer.stderr
    assert "All documents: all.xlsx\n  with in/read me.csv, whose result is not usable\n" in answer.stdout


@pytest.mark.req("C1")
@pytest.mark.parametrize("words", [["--into", "all.pdf"], ["--into", "all.csv", "--format", "xlsx"]])
def test_one_file_for_all_must_have_a_format(tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "a.csv").write_text("Name,Qty\nAda,1\n", encoding="utf-8")
    answer = ade("run", "a.csv", *words, folder=tmp_path)
    assert answer.returncode == 2
    assert "--into" in answer.stderr
