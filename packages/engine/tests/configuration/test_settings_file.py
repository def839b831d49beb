"""Every setting with what it may be and what not, each mistake with its line; the lines of any key of a TOML text."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ade_engine import check_configuration
from ade_engine.configuration.model import Settings
from ade_engine.configuration.problems import Problem, closest, errors_of
from ade_engine.configuration.settings import SETTINGS, fields_named, read_settings
from ade_engine.configuration.sources import Source
from ade_engine.configuration.toml_lines import line_of

FIELD = "from ade_engine import Field\nfield = Field('{0}')\n"
SHARE = "a number above 0 and at most 1"
NAMES = "a list of names"
YES_OR_NO = "true or false"
VALUES = {
    ("mapping", "threshold"): (["0.5", "1"], ["0", "1.5", "true", '"x"'], SHARE),
    ("mapping", "automatic"): (["0.9"], ["-1", "[]"], SHARE),
    ("mapping", "suggest"): (["0.1"], ["0.0", "2"], SHARE),
    ("mapping", "unmapped"): (['"keep"', '"drop"'], ['"throw"', "true"], "one of keep, drop"),
    ("mapping", "ignore"): (['["Notes"]', "[]"], ['"Notes"', '[" "]', "[1]"], "a list of headers"),
    ("sheets", "read"): (['"all"', '"active"', '["May"]'], ['"some"', "[]", "[1]"], f'{NAMES}, "all" or "active"'),
    ("sheets", "hidden"): (['"read"', '"skip"'], ['"show"'], "one of read, skip"),
    ("output", "format"): (['"xlsx"', '"csv"', '"parquet"'], ['"xls"', "1"], "one of xlsx, csv, parquet"),
    ("output", "order"): (['["a"]', '["a", "b"]'], ['"a"', "[]", "[1]"], NAMES),
    ("output", "missing_fields"): (['"omit"', '"empty"'], ['"none"'], "one of omit, empty"),
    ("output", "issues_sheet"): (["true", "false"], ['"yes"', "1"], YES_OR_NO),
    ("output", "highlight"): (["true"], ["0"], YES_OR_NO),
    ("output", "escape_formulas"): (["true"], ['"true"'], YES_OR_NO),
    ("output", "tables"): (['"separate"', '"by_name"', '"one"'], ['"all"'], "one of separate, by_name, one"),
    ("output", "origin"): (
        ['["document", "row"]', "[]"],
        ['["file"]', '"row"'],
        'a list of "document", "sheet", "row"',
    ),
    ("output", "filter"): (["true"], ["[]"], YES_OR_NO),
    ("output", "freeze"): (["false"], ['"no"'], YES_OR_NO),
    ("output", "excel_tables"): (["true"], ['"x"'], YES_OR_NO),
    ("rows", "headings"): (
        ['"found"', '"alone"', '"without_values"'],
        ['"all"'],
        "one of found, alone, without_values",
    ),
    ("rows", "key"): (['["a"]'], ["[]", '"a"'], NAMES),
    ("rows", "duplicates"): (['"report"', '"first"', '"last"'], ['"drop"'], "one of report, first, last"),
    ("rows", "totals"): (['"drop"', '"separate"', '"keep"'], ['"all"'], "one of drop, separate, keep"),
    ("rows", "verify_totals"): (["true"], ["1"], YES_OR_NO),
    ("rows", "total_names"): (['["Sum"]', "[]"], ['"Sum"', "[1]"], "a list of words"),
    ("verdict", "optional"): (['["a"]'], ['"a"', "[]", "[1]"], NAMES),
    **dict.fromkeys(
        (("verdict", key) for key in ("header", "range", "mapping", "issues", "unknown", "invalid")),
        (["0", "0.5", "1"], ["-0.1", "1.5", "true", '"x"'], "a number from 0 to 1"),
    ),
    ("csv", "encoding"): (['"cp1252"', '"latin-1"'], ["1252"], "the name of an encoding"),
    ("csv", "delimiter"): (
        ['";"', '"\\t"', '"||"'],
        ['""', '"abcd"', '"x"', '"\\""', '"\\n"', "1"],
        "a text of 1 to 3 characters other than letters",
    ),
}


@pytest.fixture
def read(folder):
    """Read a settings file of a configuration that has the fields a and b."""

    def of(text):
        root = folder({"columns/a.py": FIELD.format("a"), "columns/b.py": FIELD.format("b"), "settings.toml": text})
        return read_settings(root), check_configuration(root)

    return of


@pytest.mark.parametrize(
    ("table", "key", "value"), [(*place, value) for place, (right, _, _) in VALUES.items() for value in right]
)
def test_a_right_value_of_a_setting_is_taken_as_it_is(read, table, key, value):
    (settings, wrong), problems = read(f"[{table}]\n{key} = {value}\n")
    assert wrong == problems == []
    expected = tomllib.loads(f"x = {value}")["x"]
    assert getattr(settings, SETTINGS[table, key]) == (tuple(expected) if isinstance(expected, list) else expected)


@pytest.mark.parametrize(
    ("table", "key", "value", "expected"),
    [(*place, value, expected) for place, (_, bad, expected) in VALUES.items() for value in bad],
)
def test_a_wrong_value_of_a_setting_is_reported_with_its_line_and_what_it_must_be(read, table, key, value, expected):
    (settings, _), problems = read(f"# a comment\n\n[{table}]\n{key} = {value}\n")
    [problem] = problems
    assert (problem.file, problem.line, problem.code) == ("settings.toml", 4, "bad-setting")
    assert problem.message == f"{table}.{key} must be {expected}"
    name = SETTINGS[table, key]
    assert getattr(settings, name) == getattr(Settings(), name)


@pytest.mark.parametrize(
    ("text", "line", "message", "advice"),
    [
        ("[mappings]\n", 1, "there is no settings table [mappings]", "Did you mean mapping?"),
        ("[mapping]\n\nunmaped = 1\n", 3, "there is no setting mapping.unmaped", "Did you mean unmapped?"),
        ("key = ['a']\n", 1, "key is in no settings table", "Write it below [rows]."),
        ("[csv]\nencoding = 'utf8x9'\n", 2, "csv.encoding: ", None),
        ("[output]\ntable = 1\n", 2, "output.table must be written as [[output.table]]", None),
        ("[[output.table]]\nhas = ['a']\n", 1, "output.table needs a name", 'Write name = "Sales".'),
        (
            "[[output.table]]\nname = 'S'\n[[output.table]]\nname = 'S'\n",
            4, 'there are two output tables "S"', None,
        ),
        ("[[output.table]]\nname = 'S'\nhas = 'a'\n", 3, "output.table.has must be a list of names", None),
        ("[[output.table]]\nname = 'S'\nfieldz = []\n", 3,
         "there is no setting output.table.fieldz", "Did you mean fields?"),
        ("[[output.table]]\nname = 'S'\nhas = ['c']\n", 3, "output.table.has names no field c", None),
        ("[output]\norder = [\n 'a',\n 'bb',\n]\n", 4, "output.order names no field bb", "Did you mean b?"),
        ("[rows]\nkey = ['zz']\n", 2, "rows.key names no field zz", None),
        ("[rows]\nkey = ['zz']\n[[source]]\ndocument = 'x'\n", 2, "rows.key names no field zz", None),
        ("source = 1\n", 1, "source must be written as [[source]]", None),
        (
            "[[source]]\n[source.rows]\nduplicates = 'first'\n", 1, "source needs document, sheet or contains",
            'Write document = "customers_de*", sheet = "..." or contains = "...".',
        ),
        ("[[source]]\ndocument = 'x'\nshet = 'y'\n", 3, "there is no setting source.shet", "Did you mean sheet?"),
        ("[[source]]\ndocument = ''\n", 2, "source.document must be a text", None),
        ("[[source]]\ndocument = 'x'\naliases = ['a']\n", 3, "source.aliases must be {field = [headers]}", None),
        (
            "[[source]]\nsheet = 'x'\n[source.csv]\ndelimiter = ';'\n", 3,
            "source.csv applies to whole documents, not to tables", "Select it by document alone.",
        ),
        ("[[source]]\ndocument = 'x'\n[source.rows]\ntotals = 'x'\n", 4,
         "rows.totals must be one of drop, separate, keep", None),
        (
            "[unpivot]\nvalue = 'a'\n", 1, "unpivot needs columns or pattern, and not both",
            'Write columns = "month", a range "C:H" or a list of headers; or pattern.',
        ),
        (
            "[unpivot]\ncolumns = 'month'\n", 1, "unpivot needs value, the field that gets the cells",
            'Write value = "amount".',
        ),
        ("[unpivot]\ncolumns = 'week'\nvalue = 'a'\n", 2,
         'unpivot.columns must be month, quarter, year, date, "C:H" or a list of headers', None),
        ("[unpivot]\npattern = '('\nvalue = 'a'\n", 2, "unpivot.pattern must be a regular expression", None),
        ("[unpivot]\ncolumns = 'year'\nvalue = 'a'\nname = 1\n", 4, "unpivot.name must be the name of a field", None),
        ("[unpivot]\ncolumns = 'year'\nvalue = 1\n", 3,
         "unpivot.value must be a field, or {word of the header = field}", None),
        ("[unpivot]\ncolumns = 'year'\nvalue = 'a'\nlevels = {b = 0}\n", 4,
         "unpivot.levels must be {field = row of the header}, where 1 is the uppermost", None),
        ("[unpivot]\ncolumns = 'year'\nvalue = 'a'\nempty = 'x'\n", 4, "unpivot.empty must be one of drop, keep", None),
        ("[unpivot]\ncolumns = 'year'\nvalue = 'a'\nnam = 'b'\n", 4,
         "there is no setting unpivot.nam", "Did you mean name?"),
        ("[unpivot]\ncolumns = 'year'\nvalue = 'aa'\n", 3, "unpivot.value names no field aa", "Did you mean a?"),
    ],
)  # fmt: skip
def test_each_mistake_of_the_settings_has_its_message_line_and_advice(read, text, line, message, advice):
    _, [problem] = read(text)
    assert problem.message.startswith(message)
    assert (problem.file, problem.line) == ("settings.toml", line)
    if "encoding" not in message:  # its advice depends on the names Python knows
        assert problem.suggestion == advice


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (b"[mapping\n", 1, "this is not TOML: "),
        (b"[mapping]\nthreshold = \n", 2, "this is not TOML: "),
        (b"[mapping]\n# \xff\n", 2, "this is not UTF-8"),
        (b"[mapping]\na = 1\na = 2\n", 3, "this is not TOML: "),
        (b"#\n" * 2001, 1, "the file has more than 32768 bytes or 2000 lines"),
        (b"#" * 40_000, 1, "the file has more than 32768 bytes or 2000 lines"),
    ],
)
def test_a_file_that_is_no_toml_is_one_problem(folder, content, line, message):
    root = folder({"columns/a.py": FIELD.format("a")})
    (root / "settings.toml").write_bytes(content)
    [problem] = read_settings(root)[1]
    assert problem.message.startswith(message)
    assert (problem.line, problem.severity) == (line, "error")


def test_a_byte_order_mark_is_no_part_of_the_settings(folder):
    root = folder({"columns/a.py": FIELD.format("a")})
    (root / "settings.toml").write_bytes(b"\xef\xbb\xbf[rows]\ntotals = 'separate'\n")
    settings, problems = read_settings(root)
    assert problems == []
    assert settings.totals == "separate"


def test_fields_are_named_in_every_place_that_can_name_one(read):
    text = """
        [output]
        order = ["a", "b"]
        [[output.table]]
        name = "S"
        has = ["a"]
        fields = ["b"]
        [rows]
        key = ["a"]
        [unpivot]
        columns = "month"
        name = "a"
        value = {Plan = "b"}
        levels = {a = 1}
        [[source]]
        document = "x*"
        aliases = {b = ["Bee"]}
        [source.rows]
        key = ["b"]
    """
    (settings, wrong), _ = read(text)
    assert wrong == []
    named = [(*path, entry, name) for path, entry, name in fields_named(settings)]
    assert ("output", "order", 1, "b") in named
    assert ("output", "table", 0, "has", 0, "a") in named
    assert ("output", "table", 0, "fields", 0, "b") in named
    assert ("rows", "key", 0, "a") in named
    assert ("source", 0, "aliases", "b", None, "b") in named
    assert ("source", 0, "rows", "key", 0, "b") in named
    assert {("unpivot", key, None, name) for key, name in (("name", "a"), ("value", "b"), ("levels", "a"))} <= set(
        named
    )


def test_a_source_keeps_the_common_settings_and_adds_its_own(read):
    text = """
        [rows]
        totals = "separate"
        duplicates = "first"
        [[source]]
        document = "x*"
        [source.rows]
        duplicates = "last"
    """
    (settings, _), _ = read(text)
    [source] = settings.sources
    assert (settings.duplicates, source.settings.duplicates) == ("first", "last")
    assert settings.totals == source.settings.totals == "separate"
    assert source.is_of_documents


@pytest.mark.parametrize(
    ("selectors", "document", "sheet", "texts", "expected"),
    [
        ({"document": "sales_*"}, "Sales_May.xlsx", None, [], True),
        ({"document": "sales_*"}, "May_sales.xlsx", None, [], False),
        ({"sheet": "ma?"}, "x", "May", [], True),
        ({"sheet": "ma?"}, "x", "March", [], False),
        ({"sheet": "ma?"}, "x", None, [], False),
        ({"contains": "acme"}, "x", None, ["Report of ACME Ltd"], True),
        ({"contains": "acme"}, "x", None, ["Report"], False),
        ({"document": "x", "contains": "acme"}, "y", None, ["acme"], False),
    ],
)
def test_a_source_is_chosen_by_names_and_texts(selectors, document, sheet, texts, expected):
    assert Source(**selectors, aliases={}, settings=None).matches(document, sheet, texts) is expected


KEYS = st.lists(st.sampled_from(["alpha", "beta", "gamma", "delta"]), min_size=1, max_size=4, unique=True)
BLANKS = st.lists(st.sampled_from(["", "# a comment", "   "]), max_size=2)
PIECES = st.lists(
    st.tuples(st.sampled_from(["one", "two", "three"]), KEYS, BLANKS), max_size=3, unique_by=lambda p: p[0]
)


@given(PIECES)
def test_the_line_of_any_key_is_the_line_that_sets_it(pieces):
    lines, places = [], {}
    for table, keys, blanks in pieces:
        lines += [*blanks, f"[{table}]"]
        places[table,] = len(lines)
        for number, key in enumerate(keys):
            value = ["1", '"""\nseveral\nlines\n"""', "[\n 1,\n 2,\n]", "{ x = 1 }"][number]
            places[table, key] = len(lines) + 1
            lines += f"{key} = {value}".split("\n")
    text = "\n".join(lines)
    tomllib.loads(text)
    for path, line in places.items():
        assert line_of(text, *path) == line
    assert line_of(text, "one", "nothing") == 1


@given(st.lists(st.integers(0, 2), min_size=1, max_size=5))
def test_an_entry_of_a_list_has_the_line_it_stands_in(breaks):
    text, line, places = "[t]\nx = [", 2, []
    for number, count in enumerate(breaks):
        text += "\n" * count + f'"e{number}",'
        line += count
        places.append(line)
    text += "\n]\n"
    assert [line_of(text, "t", "x", entry=number) for number in range(len(breaks))] == places


def test_the_tables_of_one_name_are_told_apart():
    text = "[[s]]\na = 1\n[s.r]\nb = 2\n\n[[s]]\na = 3\n[s.r]\nb = 4\n"
    assert [line_of(text, "s", number, "a") for number in (0, 1)] == [2, 7]
    assert [line_of(text, "s", number, "r", "b") for number in (0, 1)] == [4, 9]


def test_a_problem_reads_as_a_sentence_with_its_advice():
    problem = Problem("a.py", 3, "x", "something is wrong", "Fix it.")
    assert str(problem) == "a.py, line 3: something is wrong. Fix it."
    assert problem.as_json()["severity"] == "error"
    assert errors_of([problem, Problem("a.py", 1, "y", "z", severity="warning")]) == [problem]


@pytest.mark.parametrize(("word", "meant"), [("trasnform", "transform"), ("xyz", None), ("transform", "transform")])
def test_the_word_that_was_meant_is_the_closest_or_none(word, meant):
    assert closest(word, ["transform", "validate"]) == meant
