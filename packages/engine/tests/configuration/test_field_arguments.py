"""Arguments of a field that contradict each other, files that fields look up, and the order of fields."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ade_engine import ConfigurationError, Field, check_configuration, load_configuration
from ade_engine.configuration.computation import in_computation_order
from ade_engine.configuration.lookups import lookup_of, replacements_of
from ade_engine.configuration.model import ColumnRules
from ade_engine.configuration.profiles import LARGEST_BYTES, read_profiles
from ade_engine.configuration.row_uses import fields_read
from ade_engine.configuration.signatures import FUNCTIONS, HOOKS, signature_of
from ade_engine.fields import KINDS, TYPES, is_field_name

HEAD = "from ade_engine import Field\nfield = Field('name')\n"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"type": "int"}, "type 'int' is not one of text, integer"),
        ({"kind": "mail"}, "kind 'mail' is not one of email"),
        ({"threshold": 0}, "threshold must be above 0 and at most 1"),
        ({"threshold": 1.1}, "threshold must be above 0 and at most 1"),
        ({"decimal": ";"}, "decimal must be '.' or ','"),
        ({"currency": "c"}, "currency is for a field of type money"),
        ({"type": "money", "currency": "x"}, "currency must name another field"),
        ({"aliases": "Name"}, "aliases must be a list of texts, not one text"),
        ({"hints": "Name"}, "hints must be a list of texts, not one text"),
        ({"formats": "%Y"}, "formats must be a list of texts, not one text"),
        ({"reads": "a"}, "reads must be a list of texts, not one text"),
        ({"formats": ["%d.%m."]}, "has no year, such as %Y"),
        ({"pattern": "("}, "pattern is not a regular expression"),
        ({"from_group": "("}, "from_group is not a regular expression"),
        ({"from_sheet": "["}, "from_sheet is not a regular expression"),
        ({"from_document": "*"}, "from_document is not a regular expression"),
        ({"extract": "("}, "extract is not a regular expression"),
        ({"constant": 1, "from_sheet": True}, "from_sheet and constant exclude each other: a value has one source"),
        ({"from_group": True, "group_level": 0}, "group_level must be 1"),
        ({"group_level": 1}, "group_level is for a field with from_group"),
        ({"from_field": "x"}, "from_field must name another field"),
        ({"lookup": "f.csv"}, "lookup and lookup_by need each other"),
        ({"lookup_by": "y"}, "lookup and lookup_by need each other"),
        ({"lookup_key": "y"}, "lookup_key is for a field with lookup"),
        ({"lookup_value": "y"}, "lookup_value is for a field with lookup"),
        ({"lookup": "f.csv", "lookup_by": "x"}, "lookup_by must name another field"),
        ({"split": "", "part": 1}, "split must be a text of one character or more"),
        ({"split": ","}, "split and part need each other"),
        ({"part": 1}, "split and part need each other"),
        ({"split": ",", "part": 0}, "part counts from 1, or from -1 at the end"),
        ({"split": ",", "part": 1, "extract": "x"}, "extract and split exclude each other"),
        ({"keep": "a"}, "keep must be a list of values, not one text"),
        ({"drop": "a"}, "drop must be a list of values, not one text"),
        ({"replace": 5}, "replace must be a dict, or the name of a csv file"),
        ({"choices": "ab"}, "choices must be a list of values, not one text"),
        ({"ignore_case": True}, "ignore_case is for a field with replace, choices, lookup, keep, drop"),
        ({"width": 0}, "width must be a number from 1 to 255"),
        ({"width": 256}, "width must be a number from 1 to 255"),
    ],
)
def test_an_argument_that_cannot_mean_anything_is_refused(options, message):
    with pytest.raises(ValueError) as refusal:  # noqa: PT011 - the message is compared below, as a plain text
        Field("x", **options)
    assert message in str(refusal.value)


@pytest.mark.parametrize("name", ["name", "member_id", "größe", "名前", "x1", "a"])
def test_a_field_is_named_in_any_script(name):
    assert is_field_name(name)
    assert Field(name).title == name


@pytest.mark.parametrize("name", ["", "Name", "1a", "_a", "a b", "a-b", "ﬁeld", "nAme", "a."])
def test_a_name_that_is_no_small_identifier_is_refused(name):
    assert not is_field_name(name)
    with pytest.raises(ValueError, match="must be like member_id"):
        Field(name)


@pytest.mark.parametrize(
    ("options", "source", "base"),
    [
        ({}, None, None),
        ({"from_group": True}, "from_group", None),
        ({"from_title": "x"}, "from_title", None),
        ({"from_label": "x"}, "from_label", None),
        ({"from_sheet": True}, "from_sheet", None),
        ({"from_document": "x"}, "from_document", None),
        ({"from_field": "y"}, "from_field", "y"),
        ({"lookup": "f.csv", "lookup_by": "y"}, "lookup", "y"),
        ({"constant": 0}, "constant", None),
        ({"constant": False}, "constant", None),
    ],
)
def test_a_field_knows_where_its_values_come_from(options, source, base):
    field = Field("x", **options)
    assert (field.source, field.base) == (source, base)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"from_title": True}, "from_title must be a regular expression"),
        ({"from_group": 1}, "from_group must be a regular expression"),
        ({"extract": True}, "extract must be a regular expression"),
        ({"from_label": True}, "from_label must be a label"),
        ({"from_label": []}, "from_label must be a label"),
        ({"from_label": ["Client", ""]}, "from_label must be a label"),
    ],
)
def test_an_argument_of_the_wrong_kind_is_refused_before_any_document_is_read(options, message):
    with pytest.raises(ValueError, match=message):
        Field("x", **options)


@pytest.mark.parametrize(
    ("options", "kind"),
    [({}, None), ({"type": "text"}, None), ({"type": "datetime"}, "date"), ({"type": "money"}, "money"),
     ({"type": "time"}, None), ({"type": "money", "kind": "email"}, "email")],
)  # fmt: skip
def test_the_detector_of_a_field_follows_from_its_type_unless_it_names_one(options, kind):
    assert Field("x", **options).value_kind == kind
    assert kind is None or kind in KINDS


def test_lists_of_a_field_cannot_be_changed_later():
    aliases = ["A"]
    field = Field("x", aliases=aliases, keep=[1])
    aliases.append("B")
    assert (field.aliases, field.keep) == (("A",), (1,))
    with pytest.raises(AttributeError):
        field.label = "y"
    assert len(set(TYPES)) == len(TYPES)


def looked_up(folder, text, *, name="f.csv", **options):
    (folder / name).write_text(text, encoding="utf-8")
    field = Field("segment", lookup=name, lookup_by="customer", **options)
    return lookup_of(folder, field, {"customer": Field("customer", label="Customer no")})


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ("customer,segment\nC1,A\nC2,B\n", {}, {"C1": "A", "C2": "B"}),
        ("Customer No,Segment\nC1,A\n", {}, {"C1": "A"}),
        ("SEGMENT,other,CUSTOMER\nA,x,C1\n", {}, {"C1": "A"}),
        ("id,class\nC1,A\n", {"lookup_key": "ID", "lookup_value": "Class"}, {"C1": "A"}),
        ("customer,segment\nC1,A\n,B\nC2\n", {}, {"C1": "A", "C2": None}),
        ("customer,segment\nC  One,A\n", {"ignore_case": True}, {"c one": "A"}),
    ],
)
def test_a_file_is_looked_up_by_the_columns_its_header_names(tmp_path, text, options, expected):
    assert looked_up(tmp_path, text, **options) == expected


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("customer,segment\nC1,A\nC2,B\nC1,C\n", {}, "f.csv, line 4: row 2 has the same key. Keep one"),
        (
            "customer,segment\nc1,A\nC1,B\n",
            {"ignore_case": True},
            "f.csv, line 3: row 2 has the same key",
        ),
        ("customer,sgement\nC1,A\n", {}, "f.csv, line 1: there is no column segment. Did you mean sgement?"),
        ("a,b\nC1,A\n", {}, "f.csv, line 1: there is no column customer. Columns are: a, b"),
        ("", {}, "f.csv, line 1: The file is empty."),
    ],
)
def test_a_file_that_cannot_be_looked_up_is_named_with_its_line(tmp_path, text, options, message):
    with pytest.raises(ConfigurationError) as refusal:
        looked_up(tmp_path, text, **options)
    assert str(refusal.value).startswith(message)
    assert refusal.value.file == "f.csv"


@pytest.mark.parametrize("name", ["../f.csv", "f.json", "sub/../../f.csv"])
def test_a_file_outside_of_the_folder_or_of_another_kind_is_refused(tmp_path, name):
    folder = tmp_path / "rules"
    (folder / "sub").mkdir(parents=True)
    (tmp_path / "f.csv").write_text("a,b\n")
    field = Field("x", lookup=name, lookup_by="y")
    with pytest.raises(ConfigurationError, match="must be a csv or xlsx file of the configuration folder"):
        lookup_of(folder, field, {})


def test_a_file_that_is_not_there_is_answered_with_the_one_that_was_meant(tmp_path):
    (tmp_path / "states.csv").write_text("a,b\n")
    with pytest.raises(ConfigurationError, match=r"there is no such file\. Did you mean states\.csv\?"):
        replacements_of(tmp_path, Field("x", replace="statez.csv"))


def test_words_are_replaced_by_a_dict_or_by_the_first_two_columns_of_a_file(tmp_path):
    (tmp_path / "w.csv").write_text("word,new,more\na,A,x\nb,B,y\n")
    (tmp_path / "one.csv").write_text("word\na\n")
    assert replacements_of(tmp_path, Field("x")) == {}
    assert replacements_of(tmp_path, Field("x", replace={"a": 1})) == {"a": 1}
    assert replacements_of(tmp_path, Field("x", replace="w.csv")) == {"a": "A", "b": "B"}
    with pytest.raises(ConfigurationError, match="the file needs two columns"):
        replacements_of(tmp_path, Field("x", replace="one.csv"))
    assert lookup_of(tmp_path, Field("x"), {}) is None


READS = st.dictionaries(
    st.sampled_from("abcdef"), st.one_of(st.none(), st.sampled_from("abcdef")), min_size=1, max_size=6
)


@given(READS)
def test_fields_are_ordered_after_what_they_are_made_from_or_the_cycle_is_named(bases):
    columns = [
        ColumnRules(field=Field(name, **({"from_field": base} if base in bases and base != name else {})), file="x.py")
        for name, base in bases.items()
    ]
    made_from = {rules.field.name: rules.field.base for rules in columns}
    if any(_leads_back(name, made_from) for name in made_from):
        with pytest.raises(ConfigurationError, match="fields cannot be computed from each other"):
            in_computation_order(columns)
        return
    order = in_computation_order(columns)
    assert sorted(order) == sorted(made_from)
    for name, base in made_from.items():
        assert base is None or order.index(base) < order.index(name)


def _leads_back(name, made_from):
    seen, here = set(), made_from[name]
    while here is not None and here not in seen:
        seen.add(here)
        here = made_from[here]
    return here is not None


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            [Field("amount", type="money", currency="currenzy"), Field("currency")],
            "the currency of amount goes to currenzy, which is not a field. Did you mean currency?",
        ),
        (
            [Field("amount", type="money", currency="zzz")],
            "the currency of amount goes to zzz, which is not a field. Add a file for it to columns/.",
        ),
        (
            [Field("amount", type="money", currency="c"), Field("c", type="integer")],
            "the currency of amount goes to c, which must have type text, or none",
        ),
        ([Field("a", from_field="bb"), Field("b")], "a is made from bb, which is not a field. Did you mean b?"),
        ([Field("a", from_field="zzz")], "a is made from zzz, which is not a field. Add a file for it to columns/."),
    ],
)
def test_a_field_that_needs_one_that_is_not_there_is_named(fields, message):
    with pytest.raises(ConfigurationError) as refusal:
        in_computation_order([ColumnRules(field=field, file="columns/x.py") for field in fields])
    assert message in str(refusal.value)
    assert (refusal.value.file, refusal.value.line) == ("columns/x.py", 1)


def by_subscript(row):
    return row["a"] + row["b"]


def by_get(row):
    return row.get("c", row["a"])


def by_helper(row):
    return by_subscript(row) + _inner(1, given=row)


def _inner(_, given):
    return given["d"]


def by_itself(row):
    return by_itself(row) if row["a"] else row["b"]


def by_a_name_that_is_computed(row, name="a"):
    return row[name]


def by_the_whole_row(row):
    return sum(row.values())


def by_a_copy(row):
    return dict(row)


def by_a_method(row):
    return str(row).join("ab")


def without_it(value):
    return value


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (by_subscript, {"a", "b"}),
        (by_get, {"a", "c"}),
        (by_helper, {"a", "b", "d"}),
        (by_itself, {"a", "b"}),
        (by_a_name_that_is_computed, None),
        (by_the_whole_row, None),
        (by_a_copy, None),
        (by_a_method, None),
        (without_it, None),
        (len, None),
    ],
)
def test_fields_that_a_function_reads_are_those_its_code_names(call, expected):
    assert fields_read(call) == expected


def test_names_of_functions_mean_something_in_their_folder_only():
    assert signature_of("columns", "transform").returns == "value"
    assert signature_of("columns", "detect_mail").returns == "number"
    assert signature_of("columns", "validate_length").returns == "message"
    assert signature_of("columns", "detect_") is None
    assert signature_of("columns", "keep") is None
    assert signature_of("hooks", "keep").returns == "condition"
    assert signature_of("row_types", "detect_total").needs == ("row",)
    assert signature_of("row_types", "transform") is None
    assert set(HOOKS) == set(FUNCTIONS["hooks"])
    for functions in FUNCTIONS.values():
        for signature in functions.values():
            assert set(signature.needs) <= set(signature.parameters)


@pytest.mark.parametrize(
    ("folder_name", "code", "returned", "advice"),
    [
        ("columns", "def transform(value):\n    pass\n", "transform returns nothing", "Return the new value"),
        ("columns", "def detect_x(column):\n    return f'{1}'\n", "detect_x returns a text", "Return a number from -1"),
        ("columns", "def detect_x(column):\n    return [1]\n", "detect_x returns a list", "Return a number from -1"),
        (
            "columns",
            "def validate(value):\n    return not value\n",
            "validate returns true or false",
            "Return None when",
        ),
        (
            "columns",
            "def validate(value):\n    return 5\n",
            "validate returns a number",
            "Return None when all is well",
        ),
        (
            "columns",
            "def validate_column(values):\n    return 'x'\n",
            "validate_column returns a text",
            "Return a list",
        ),
        ("columns", "def combine(values):\n    x = values\n", "combine returns nothing", "Return the new value"),
        ("hooks", "def keep(row):\n    return 'yes'\n", "keep returns a text", "Return True to keep the row"),
        ("hooks", "def expand(row):\n    return 5\n", "expand returns a number", "Yield a dict of changed fields"),
        ("hooks", "def keep(row):\n    row\n", "keep returns nothing", "Return True to keep the row"),
        ("row_types", "def detect_it(row):\n    return 'x'\n", "detect_it returns a text", "Return a number from -1"),
    ],
)
def test_what_a_function_can_be_seen_to_return_wrongly_is_told_with_advice(folder, folder_name, code, returned, advice):
    name = "total" if folder_name == "row_types" else "name"
    files = {"columns/name.py": HEAD}
    files[f"{folder_name}/{name}.py"] = (HEAD if folder_name == "columns" else "") + code
    [problem] = check_configuration(folder(files))
    assert (problem.code, problem.message) == ("wrong-return", returned)
    assert problem.suggestion.startswith(advice)


@pytest.mark.parametrize(
    "code",
    [
        "def transform(value):\n    raise ValueError\n",
        "def validate(value):\n    if value:\n        return 'wrong'\n",
        "def validate(value):\n    return ('warning', 'odd')\n",
        "def detect_x(column):\n    return 0.5 if column.header else None\n",
        "def transform_column(values):\n    return [value for value in values]\n",
        "def transform(value):\n    def inner():\n        return None\n    return inner() or value\n",
        "def transform(value, *, width=3):\n    return value\n",
        "def _helper():\n    pass\n",
    ],
)
def test_what_may_be_right_is_no_problem(folder, code):
    assert check_configuration(folder({"columns/name.py": HEAD + code})) == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"x", "this is not JSON"),
        (b"\xff", "this is not JSON"),
        (b"[" * 100_000, "this is not JSON"),
        (b"[]", 'it must have "version": 1, "salt" and "fields"'),
        (b'{"version": 1, "salt": "abc", "fields": {}}', 'it must have "version": 1'),
        (
            b'{"version": 1, "salt": "ab", "fields": {"a": {"sizes": [1]}}}',
            "the profile of a does not have the form that ade init writes",
        ),
        (b'{"version": 1, "salt": "ab", "fields": {"a": {"words": "9999:ff"}}}', "the profile of a does not"),
        (b'{"version": 1, "salt": "ab", "fields": {"a": {"top": 9999999999}}}', "the profile of a does not"),
        (b" " * (LARGEST_BYTES + 1), f"the file has more than {LARGEST_BYTES} bytes"),
    ],
)
def test_profiles_that_nobody_wrote_so_are_refused(tmp_path, content, message):
    (tmp_path / "profiles.json").write_bytes(content)
    found, [problem] = read_profiles(tmp_path)
    assert found == {}
    assert problem.message.startswith(message)
    assert problem.suggestion == "Create it again: ade init --from EXAMPLE FOLDER"


def test_a_configuration_loads_with_what_its_fields_look_up(folder):
    root = folder(
        {
            "columns/customer.py": "from ade_engine import Field\nfield = Field('customer')\n",
            "columns/segment.py": (
                "from ade_engine import Field\nfield = Field('segment', lookup='s.csv', lookup_by='customer')\n"
            ),
            "s.csv": "customer,segment\nC1,A\n",
        }
    )
    loaded = {rules.field.name: rules.lookup for rules in load_configuration(root).columns}
    assert loaded == {"customer": None, "segment": {"C1": "A"}}
