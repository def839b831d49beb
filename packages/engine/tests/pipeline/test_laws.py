"""Laws: what must not change a result does not change it."""

import csv
import json
from datetime import date, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ade_engine import normalize, table_run

SECRETS = [
    "Zanzibarova-Quill",
    "zq.secret@example.org",
    "+49 170 5550123",
    "987654321098",
    "1961-07-23",
    "Hauptstrasse 77b",
]
DELICATE = ["007", "1e5", "TRUE", "=1+1", "3/4", "0.10", "-", "12345678901234567890"]
FEW = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
HEADER = ["Member ID", "First name", "Last name", "Email", "Joined"]


def people(count):
    return [
        [
            f"MB{100000 + n}",
            "Ada",
            "Weber" if n % 3 else None,
            f"ada{n}@example.org" if n % 4 else "none",
            date(2024, 1, 1) + timedelta(n),
        ]
        for n in range(count)
    ]


@pytest.fixture
def run(xlsx, samples, tmp_path, contents):
    """Normalise rows, and return output rows, mapping, issues without their rows, and changes."""

    def normalise(rows, *, sheet="Members", column=0):
        path = tmp_path / "in.xlsx"
        xlsx.write_workbook(path, {sheet: xlsx.SheetPlan([row and [None] * column + list(row) for row in rows])})
        result = normalize(path, tmp_path / "out", configuration=samples / "configurations" / "people")
        [table] = result.tables
        return {
            "rows": next(iter(contents(result.output_path).values())),
            "mapping": [(c["header"], c["target"], c["score"], c["contributions"]) for c in table["columns"]],
            "issues": [(issue["field"], issue["rule"], issue["message"]) for issue in table["issues"]],
            "changes": table["transform"],
        }

    return normalise


@FEW
@given(blanks=st.lists(st.integers(2, 11), max_size=4, unique=True))
def test_added_blank_rows_leave_the_result_alone(run, blanks):
    rows = [HEADER, *people(12)]
    spaced = [line for number, row in enumerate(rows) for line in ([None, row] if number in blanks else [row])]
    assert run(spaced) == run(rows)


@FEW
@given(down=st.integers(0, 6), right=st.integers(0, 5))
def test_a_moved_table_gives_the_same_result(run, down, right):
    rows = [HEADER, *people(12)]
    assert run([None] * down + rows, column=right) == run(rows)


@FEW
@given(name=st.text(alphabet="abcÄÖ 123-", min_size=1, max_size=20).filter(lambda text: text.strip() == text and text))
def test_a_renamed_sheet_gives_the_same_result(run, name):
    rows = [HEADER, *people(8)]
    assert run(rows, sheet=name) == run(rows)


@FEW
@given(order=st.permutations(range(12)))
def test_the_order_of_independent_rows_changes_neither_mapping_nor_values(run, order):
    data = people(12)
    expected, shuffled = run([HEADER, *data]), run([HEADER, *(data[number] for number in order)])
    assert shuffled["mapping"] == expected["mapping"]
    assert shuffled["changes"] == expected["changes"]
    assert sorted(map(repr, shuffled["rows"])) == sorted(map(repr, expected["rows"]))
    assert sorted(shuffled["issues"]) == sorted(expected["issues"])


@pytest.mark.parametrize("size", [1, 2, 7, 5000])
def test_the_size_of_chunks_changes_nothing(samples, tmp_path, monkeypatch, size, contents):
    source, rules = samples / "values_with_issues.xlsx", samples / "configurations" / "people"
    expected = normalize(source, tmp_path / "a", configuration=rules)
    monkeypatch.setattr(table_run, "CHUNK_ROWS", size)
    found = normalize(source, tmp_path / "b", configuration=rules)
    assert found.artifact_path.read_bytes() == expected.artifact_path.read_bytes()
    assert found.issues_path.read_bytes() == expected.issues_path.read_bytes()
    assert contents(found.output_path) == contents(expected.output_path)


@pytest.mark.req("E9")
@pytest.mark.parametrize("name", ["values_with_issues.xlsx", "side_by_side.xlsx", "semicolon_latin_1.csv"])
def test_the_same_run_gives_the_same_bytes(samples, tmp_path, name):
    results = [
        normalize(samples / name, tmp_path / place, configuration=samples / "configurations" / "people")
        for place in "ab"
    ]
    for kind in ("artifact_path", "issues_path", "output_path"):
        first, second = (getattr(result, kind).read_bytes() for result in results)
        assert first == second


@pytest.mark.req("E5")
@FEW
@given(
    data=st.lists(
        st.lists(st.one_of(st.sampled_from(DELICATE), st.text("ab1 ", min_size=1)), min_size=3, max_size=3),
        min_size=4,
        max_size=12,
    )
)
def test_no_value_is_altered_without_a_transform(tmp_path, contents, data):
    rows = [["Alpha", "Beta", "Gamma"], *data]
    with (tmp_path / "in.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows(rows)
    result = normalize(tmp_path / "in.csv", tmp_path / "out")
    written = [value for sheet in contents(result.output_path).values() for row in sheet[1:] for value in row]
    assert result.artifact["summary"]["values_changed"] == 0
    given_values = {value for row in rows for value in row}
    assert {value for value in written if value is not None} <= given_values


CHOICES = {"integer": [0], "date": None, "number": [0], "boolean": [False], "time": None, "text": ["no"]}
SNOOPING = """\
from ade_engine import Field
field = Field(
    "{name}", aliases=["{header}"], required=True, unique=True, pattern="no", choices={choices}, type="{type}",
    minimum=5,
)

def transform(value):
    raise ValueError(f"cannot do {{value}}")

def validate(value, row):
    return [f"{{value}} is wrong", ("warning", f"see {{row}} and {{value!r}}"), str(value).upper()]

def validate_again(value):
    raise KeyError(value)

def validate_column(values):
    return [f"{{value}} again" for value in values]
"""


@pytest.mark.req("E6")
def test_cell_values_appear_nowhere_but_in_the_output(tmp_path, configuration, capfd, caplog):
    names = ["name", "mail", "phone", "account", "born", "street"]
    rows = [
        [name.capitalize() for name in names],
        *[SECRETS] * 3,
        ["Ada", "a@example.org", "1", "2", "2020-01-01", "Road 1"],
    ]
    with (tmp_path / "in.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows(rows)
    files = {
        f"columns/{name}.py": SNOOPING.format(name=name, header=name.capitalize(), type=kind, choices=choices)
        for name, (kind, choices) in zip(names, CHOICES.items(), strict=True)
    }
    files["hooks/all.py"] = "def on_table_mapped(table):\n    assert table.columns[0].values\n"
    events = []
    result = normalize(tmp_path / "in.csv", tmp_path / "out", configuration=configuration(files), events=events.append)
    assert result.failure is None
    assert result.issue_count > 100
    spoken = capfd.readouterr()
    told = {
        "artifact": result.artifact_path.read_text(encoding="utf-8"),
        "issues": result.issues_path.read_text(encoding="utf-8"),
        "events": json.dumps(events, ensure_ascii=False),
        "log": caplog.text + spoken.out + spoken.err,
    }
    for place, text in told.items():
        for secret in SECRETS:
            assert secret.lower() not in text.lower(), (place, secret)


def test_a_failure_does_not_tell_a_value(tmp_path, configuration):
    (tmp_path / "in.csv").write_text("Name,Mail\n" + f"{SECRETS[0]},{SECRETS[1]}\n" * 5)
    rules = "from ade_engine import Field\nfield = Field('name')\n"
    rules += "def detect_it(column):\n    raise ValueError(column.values[0])\n"
    result = normalize(tmp_path / "in.csv", tmp_path / "out", configuration=configuration({"columns/name.py": rules}))
    assert result.failure is not None
    assert SECRETS[0] not in result.artifact_path.read_text() + result.failure.message
