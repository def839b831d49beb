"""The pages about the engine that come from its code: configuration.md and artifact.md."""

from __future__ import annotations

import json
from dataclasses import MISSING, fields
from importlib.resources import files
from typing import Any

from ade_engine.configuration.model import Settings
from ade_engine.configuration.settings import SETTINGS
from ade_engine.configuration.signatures import FUNCTIONS, LABELS
from ade_engine.fields import KINDS, TYPES, Field
from object_reference import objects_section

FIELD = {
    "name": "its name in rules, artifact and issues: small letters of any script, digits and `_`, with a letter first",
    "label": "its header in the output; without one, the name",
    "type": f"what values are converted to: {', '.join(f'`{name}`' for name in TYPES)}; what cannot be is kept and "
    "becomes an issue",
    "required": "a missing column or an empty cell is an issue",
    "unique": "a value that came before is an issue",
    "aliases": 'other headers it goes by; the second "Total" of a table is also "Total (2)"',
    "hints": "headers that suggest it, but need support from the values",
    "kind": f"the built-in detector for values: {', '.join(f'`{name}`' for name in KINDS)}; by default it "
    "follows from the type",
    "threshold": "the score a column must reach to be mapped to this field; by default that of the settings",
    "formats": "date formats such as `%d.%m.%Y`, of which a date must fit one; without any, a date that can be read in "
    "one way only is converted",
    "day_first": "how to read 03/04/2024",
    "decimal": 'the decimal mark, `"."` or `","`, where a number could be read in two ways',
    "currency": "for type `money`: the field that gets the currency of each amount",
    "pattern": "a regular expression that the whole text must match",
    "choices": "the values allowed",
    "minimum": "the smallest value allowed",
    "maximum": "the largest value allowed",
    "combine": "lets several columns feed the field, joined by this text",
    "join_lines": "a row in which nothing but this field is filled continues the row above: its text is appended, with "
    "this text in between",
    "reads": "computed fields that its `transform` reads where the code does not show it",
    "from_group": "the heading of the group above, or the part of it that matches a pattern; the nearest heading that "
    "matches is taken. A row of one text, or of a label with a colon and its value, that matches a pattern is a "
    "heading; a title right above the table that matches is the first one. Like every source below, it fills the cells "
    "that a column of the table leaves empty",
    "group_level": "the level of that heading: 1 is the outermost",
    "from_title": "a part of the lines above the table, by a pattern: its first group, or all that matches. A line "
    "inside the table that matches, too, is an issue",
    "from_label": 'the cell after a label above the table: `"Customer"` finds `Customer: | ACME` and '
    "`Customer: ACME`; a list names several labels",
    "from_sheet": "the name of the sheet, or the part of it that matches a pattern",
    "from_document": "the name of the file, or the part of it that matches a pattern",
    "from_field": "the clean value of another field, of which `split` or `extract` may take a part",
    "lookup": "a csv or xlsx file of the configuration folder; a key that it does not have is an issue, and a key that "
    "it has twice is an error of `ade check`",
    "lookup_by": "the field whose clean value is looked up",
    "lookup_key": "the file's column of keys; by default the one named like that field",
    "lookup_value": "the file's column of values; by default the one named like this field",
    "constant": "one value for all rows",
    "extract": "a pattern of the part that is wanted: its first group, or all that matches; without a match the "
    "cell is empty",
    "split": "a text that separates parts, of which `part` is wanted",
    "part": "which part: 1 is the first, -1 the last",
    "fill_down": "an empty cell takes the value of the cell above",
    "replace": 'what words become: `{"bezahlt": "paid"}`, or a csv file with two columns and a header',
    "ignore_case": "`replace`, `lookup`, `choices`, `keep` and `drop` ignore case and spacing; a choice then replaces "
    "its other spellings",
    "default": "the value of a cell that is empty after everything else",
    "keep": "only rows with one of these clean values are written, compared as they are written; None means an "
    "empty cell",
    "drop": "rows with one of these clean values are left out",
    "output": "`False` makes a helper field: rules read it, and it is not written",
    "format": "the number format in xlsx, such as `#,##0.00`",
    "width": "the width of the column in xlsx, in characters",
    "description": "for people who read the configuration",
}
SETTING = {
    "threshold": "the score that names, hints, kinds and rules must reach to map a column",
    "automatic": "the probability from which a column that no rule names is mapped; 1 maps none; "
    "see [how columns are mapped](../explanation/how-columns-are-mapped.md)",
    "suggest": "the probability from which a field is suggested for such a column, and not mapped",
    "ignore": "headers whose columns are no field and not in the output; case and punctuation do not matter",
    "unmapped": '`"keep"` or `"drop"` columns that are no field',
    "sheets": '`"all"`, `"active"`, or a list of names; a hidden sheet that is named is read',
    "hidden_sheets": '`"skip"` hidden sheets, or `"read"` them; the summary and the artifact name those not read',
    "format": '`"xlsx"`, `"csv"` or `"parquet"`; the last two write a file for each table: `normalized.csv`, or '
    "`normalized-1-Leeds.csv` and so on for several",
    "order": "fields in the order of the output; others follow by file name",
    "missing_fields": '`"omit"` fields no column was found for, or write them `"empty"`',
    "issues_sheet": "add a sheet that lists all issues",
    "highlight": "colour the cells that have issues",
    "escape_formulas": "in csv outputs, put an apostrophe before text that a spreadsheet would run as a formula, and "
    "quote every cell; see [csv files](../how-to/csv-files.md#outputs-that-contain-formulas)",
    "tables": '`"separate"` gives each table a sheet of its own, `"by_name"` appends tables of the same output '
    'name, `"one"` appends all of them',
    "origin": 'columns that say where a row comes from: any of `"document"`, `"sheet"`, `"row"`',
    "has_filter": "in xlsx, let people filter each column",
    "freeze": "in xlsx, freeze the header",
    "excel_tables": "in xlsx, make each output an Excel table, with a name for formulas and pivots, filters and "
    "striped rows",
    "template": 'an xlsx file of the configuration folder, such as `"report.xlsx"`: its sheets stay as they are, and '
    "rows go below the header that names fields; see [a template](../cookbook/template.md)",
    "row_key": "fields whose values together identify a row; a row in which all of them are empty has none",
    "duplicates": 'of rows with the same key, `"report"` the later ones, or write the `"first"` or the `"last"` only. '
    "The last is known at the end of a table, so up to 200,000 rows wait in memory",
    "totals": '`"drop"` totals, write them to a table of their own: `"separate"`, or `"keep"` them among the rows',
    "verify_totals": "a total that is not the sum of rows above or below it is an issue",
    "headings": '`"found"` recognises headings of groups by how they look; `"alone"` treats every row with a single '
    'text as one, `"without_values"` every row with no cell in a column of numbers, or in one that becomes rows',
    "total_names": 'words that one of the texts of a total begins or ends with, such as `["Subtotal"]`, if totals '
    "are treated as data; case does not matter",
    "transposed": '`"report"` tables that look as if their fields were rows, `"turn"` them, `"always"` turn all '
    'tables, or `"never"` report any; see [transposed tables](../cookbook/transposed-tables.md)',
    "encoding": 'the encoding of csv documents, such as `"cp1250"`; without it, it is detected',
    "delimiter": 'what separates the cells of csv documents, such as `";"`; without it, it is detected',
    "verdict_optional": "fields that a [ready](../how-to/read-a-verdict.md) result may lack",
    "verdict_header": "the least probability of the header row in a ready result, unless it contains names of fields",
    "verdict_range": "the least probability of a table's range in a ready result",
    "verdict_mapping": "the least probability of a column's field in a ready result",
    "verdict_unknown": "the largest share of columns without a field in a ready result; columns that `ignore` names do "
    "not count",
    "verdict_issues": "the largest share of cells with warnings or errors in a ready result",
    "verdict_invalid": "a result is not usable when more than this share of rows lacks a required field, or has an "
    "error in it",
}
UNPIVOT = {
    "columns": 'which columns become rows: `"month"`, `"quarter"`, `"year"` or `"date"` by their headers, `"C:H"` by '
    "position, or a list of headers",
    "pattern": "or a regular expression that the header matches, without the word of `value` where it has words; the "
    "name is its first group, or all that matches",
    "name": "the field that gets the header: the row of a stacked header that is a month, for `month`",
    "value": "the field that gets the cell; for several, a word of the header for each: "
    '`{Plan = "plan", Actual = "actual"}`',
    "levels": "fields that get other rows of a stacked header: `{half = 1}`, where 1 is the uppermost",
    "empty": '`"drop"` rows whose cells are empty (the default), or `"keep"` them',
}
OUTPUT_TABLE = {
    "name": "the name of an output; a table goes to each output whose `has` it fulfils, or to its own sheet",
    "has": "fields that a table must have",
    "fields": "the fields it writes, in this order; without them, all",
}
SOURCE = {
    "document": 'the name of the file, with `*` for any text: `"customers_de*"`; the first source that matches holds',
    "sheet": "the name of the sheet, likewise",
    "contains": "a text in a header of the table or in a line above it",
    "aliases": 'further headers by field: `{name = ["Kunde"]}`',
    "mapping, rows, tables, unpivot": "sections that replace those of the whole configuration, key by key",
    "csv, output, rules, sheets, verdict": "the same, for sources that are selected by document alone",
}
PARAMETER = {
    "value": "the cell: of the field's type where it could be converted, otherwise as it was read; never empty",
    "values": "a list of such values, empty cells included as None; for `combine`, the filled cells of one row",
    "row": "the clean values of all fields by name, None where empty; a value that is not valid cannot be read",
    "source": "the cells of all fields by name, as they were read",
    "column": "the source [column](#column)",
    "table": "the source [table](#table), with the lines above it",
    "field": "the `Field` of the file",
    "context": "the [context](#context): settings of rules, the name of the file, and what rules remember",
}
FUNCTION = {
    "columns": {
        "detect_*": "the evidence for the column being this field, from -1 to 1",
        "combine": "one value out of several columns",
        "transform": "the clean value; the type is applied before and after it",
        "transform_column": "the clean values of a chunk, one for each given",
        "validate": "what is wrong with the value, or nothing",
        "validate_column": "what is wrong with each value of a chunk, or nothing",
        "validate_*": "one more check, named after what it checks",
    },
    "row_types": {"detect_*": "the evidence for the row being of the file's type, from -10 to 10"},
    "hooks": {
        "on_workbook_start": "before anything is read",
        "on_sheet_start": "`return False` leaves the sheet out",
        "on_table_start": "`return False` leaves the table out",
        "on_table_mapped": "sees the mapping, and may change it",
        "expand": "yields a dict of changed fields for each row that a row becomes; without any, the row is left out. "
        "What it yields is converted, and fields made from it are computed again",
        "keep": "whether the row is written; it sees clean values",
        "before_write": "may set `output.name`, or leave columns out: `output.drop` takes a field's name or a header, "
        "and does nothing when the table has no such column. `output.fields` and `output.columns` list what there is",
        "on_table_end": "may return an issue of the whole table",
        "on_workbook_end": "after everything was written",
    },
}
RETURNS = {
    "number": "a number, or None",
    "value": "a value",
    "values": "a list of values",
    "message": "None, a message, or `(severity, message)`",
    "messages": "None, or a list with None or a message for each",
    "choice": "nothing, or False",
    "condition": "true or false",
    "rows": "dicts, by `yield`",
    "nothing": "nothing",
}


def configuration_page() -> str:
    """Return everything a configuration may hold."""
    lines = [
        "# Configuration",
        "",
        "A configuration is a folder: `columns/*.py` (a field each), `row_types/*.py`, `hooks/*.py`, `settings.toml`,",
        "`requirements.txt` if rules import something, and `profiles.json` if it was inferred from examples: what",
        "their values [look like](../explanation/how-columns-are-mapped.md#what-a-profile-tells), without any of them.",
        "`learned.json` is what it [learned](../explanation/how-columns-are-mapped.md#learning-from-use) from some.",
        "[`corrections.json`](../how-to/correct.md) holds what people decided, and is applied after the rules.",
        "`ade check FOLDER` finds what is wrong, with file and line.",
        "",
        "## Field",
        "",
        'A file in `columns/` defines `field = Field("member_id", …)`, and functions if it needs any.',
        "",
        "| argument | default | meaning |",
        "| --- | --- | --- |",
        *(f"| `{found.name}` | {_default(found)} | {FIELD[found.name]} |" for found in fields(Field)),
    ]
    titles = {
        "columns": "Functions of a column",
        "row_types": "Functions of a row type",
        "hooks": "Hooks",
    }
    intro = {
        "columns": "A function declares the arguments it needs and gets just these. One that takes only `value` is "
        "called once for\nvalues that repeat.",
        "row_types": f"A file is named after its type: {', '.join(f'`{label}`' for label in LABELS)}. Rows of a sheet "
        "are labelled\nbefore there are fields, so `row` is a [row of a sheet](#row-of-a-sheet) here.",
        "hooks": "Files in `hooks/` may have any name; hooks of one moment are called in the order of the files.",
    }
    for folder, functions in FUNCTIONS.items():
        lines += ["", f"## {titles[folder]}", "", intro[folder], "", "| function | may ask for | returns | what for |"]
        lines += ["| --- | --- | --- | --- |"]
        for name, signature in functions.items():
            asked = ", ".join(f"`{parameter}`" for parameter in signature.parameters)
            lines.append(f"| `{name}` | {asked} | {RETURNS[signature.returns]} | {FUNCTION[folder][name]} |")
        if folder == "columns":
            lines += ["", "| parameter | what it is |", "| --- | --- |"]
            lines += [f"| `{name}` | {meaning} |" for name, meaning in PARAMETER.items()]
    lines += objects_section()
    lines += ["", "## settings.toml", "", "| setting | default | meaning |", "| --- | --- | --- |"]
    defaults = {found.name: found for found in fields(Settings)}
    for (table, key), name in SETTINGS.items():
        lines.append(f"| `[{table}] {key}` | {_default(defaults[name])} | {SETTING[name]} |")
    lines += [f"| `[unpivot] {key}` | | {meaning} |" for key, meaning in UNPIVOT.items()]
    lines += [f"| `[[output.table]] {key}` | | {meaning} |" for key, meaning in OUTPUT_TABLE.items()]
    lines += [f"| `[[source]] {key}` | | {meaning} |" for key, meaning in SOURCE.items()]
    lines += ["| `[rules]` | | anything; rules find it in `context.settings` |", ""]
    return "\n".join(lines)


def _default(found: Any) -> str:
    if found.default is MISSING or found.default is None:
        return ""
    default = list(found.default) if isinstance(found.default, tuple) else found.default
    return f"`{json.dumps(default)}`"


def artifact_page() -> str:
    """Return what artifact.json holds, from its schema."""
    schema = json.loads((files("ade_engine") / "artifact.schema.json").read_text("utf-8"))
    lines = [
        "# artifact.json",
        "",
        f"{schema['description']} The same input, configuration and engine give the same bytes. Its JSON Schema is",
        "`ade_engine/artifact.schema.json`; `ade explain` says the same in words.",
        *_object("The whole", schema),
    ]
    for name, part in schema["$defs"].items():
        lines += _object(name.replace("_", " ").capitalize(), part)
    return "\n".join([*lines, ""])


def _object(title: str, schema: dict[str, Any]) -> list[str]:
    rows = [
        f"| `{name}` | {_type(part)} | {part.get('description', '')} |"
        for name, part in schema.get("properties", {}).items()
    ]
    return ["", f"## {title}", "", "| key | type | meaning |", "| --- | --- | --- |", *rows]


def _type(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name.replace('_', ' ')}](#{name.replace('_', '-')})"
    if "anyOf" in schema:
        return " or ".join(map(_type, schema["anyOf"]))
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    if schema.get("type") == "array":
        return f"list of {_type(schema['items'])}"
    if schema.get("type") == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"name → {_type(schema['additionalProperties'])}"
    if schema.get("type") == "object" and "properties" in schema:
        return ", ".join(f"`{name}`" for name in schema["properties"])
    return str(schema.get("type", "anything"))
