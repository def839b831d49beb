"""Writes a first configuration: a worked example, or one inferred from tables that look as they should."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from ade_engine.cells import Value
from ade_engine.errors import ConfigurationError
from ade_engine.fields import Field
from ade_engine.mapping.headers import joined, normalise
from ade_engine.mapping.profile import Column, is_empty

Table = Mapping[str, Sequence[Value]]  # header → values
_TYPE_KINDS = (("boolean", "boolean"), ("integer", "integer"), ("number", "number"), ("date", "date"))
_KINDS = ("email", "url")
_LEADING_ZERO = re.compile(r"0\d+")
# An example is as messy as the rest: what does not fit in a few of its cells is what the rules are there to find.
_NEARLY_ALL, _MOST, _ENOUGH = 0.98, 0.8, 5

_STARTER = {
    "columns/member_id.py": """\
from ade_engine import Field

field = Field("member_id", label="Member ID", required=True, unique=True, aliases=["Employee ID", "Member #"])


def detect_pattern(column):
    return 0.5 * column.share_matching(r"[A-Z]{2}\\d{6}")


def transform(value):
    return str(value).strip().upper()


def validate(value):
    if len(value) != 8:
        return "must have 8 characters"
""",
    "columns/email.py": """\
from ade_engine import Field

field = Field("email", label="Email", kind="email", aliases=["E-Mail"], pattern=r"[^@\\s]+@[^@\\s]+")


def transform(value):
    return str(value).strip().lower()
""",
    "columns/joined_on.py": """\
from ade_engine import Field

field = Field("joined_on", label="Joined on", type="date", aliases=["Start date", "Member since"], day_first=True)
""",
    "row_types/total.py": '''\
def detect_grand_total(row):
    """A row that starts with "Grand total" is no data, whatever else stands in it."""
    return 2.0 if row.first.lower().startswith("grand total") else 0.0
''',
    "hooks/report.py": '''\
def on_table_end(summary):
    """Say so when a table turned out empty."""
    if summary["rows"] == 0:
        return ("warning", "the table has no rows")
''',
    "settings.toml": """\
[mapping]
threshold = 0.5
unmapped = "keep"            # or "drop"

[output]
order = ["member_id", "email", "joined_on"]
""",
}
_MINIMAL = {"columns/name.py": 'from ade_engine import Field\n\nfield = Field("name", label="Name")\n'}
TEMPLATES = {"example": _STARTER, "minimal": _MINIMAL}


def init_configuration(folder: str | Path, template: str = "example") -> list[Path]:
    """Write a starter configuration into a new or empty folder, and return its files."""
    if template not in TEMPLATES:
        raise ConfigurationError(f"There is no template {template}. Use one of: {', '.join(TEMPLATES)}")
    return _write(Path(folder), TEMPLATES[template])


def infer_configuration(folder: str | Path, tables: Iterable[Table]) -> list[Path]:
    """Write a configuration with the fields, types and aliases of example tables, and return its files."""
    fields = infer_fields(tables)
    if not fields:
        raise ConfigurationError("The example has no column with a header, so no field can be inferred.")
    files = {f"columns/{field.name}.py": _source(field) for field in fields}
    order = ", ".join(f'"{field.name}"' for field in fields)
    return _write(Path(folder), {**files, "settings.toml": f"[output]\norder = [{order}]\n"})


def infer_fields(tables: Iterable[Table]) -> list[Field]:
    """Return one field per distinct header; other spellings and usual other names of it become aliases of the first."""
    headers: dict[str, list[str]] = {}
    values: dict[str, list[Value]] = {}
    for table in tables:
        for header, name in _names(table).items():
            headers.setdefault(name, []).append(header)
            values.setdefault(name, []).extend(table[header])
    fields: dict[str, Field] = {}
    for name, found in headers.items():
        own = _field_name(found[0])
        own = own if own not in fields else name
        fields[own] = _infer(own, list(dict.fromkeys(found)), values[name])
    return list(fields.values())


def _names(table: Table) -> dict[str, str]:
    """Return each header of a table with the name it is known by elsewhere, or its own where two would share it."""
    own = {header: name for header in table if (name := _field_name(header))}
    known = {header: _usual_names().get(joined(normalise(header)), name) for header, name in own.items()}
    counts = Counter(known.values())
    return {header: known[header] if counts[known[header]] == 1 else name for header, name in own.items()}


@cache
def _usual_names() -> dict[str, str]:
    """Return which common field a header names, in several languages."""
    from ade_engine.mapping.common_fields import common_configuration

    found: dict[str, str] = {}
    for field in common_configuration().fields:
        for text in (field.name, field.title, *field.aliases):
            found.setdefault(joined(normalise(text)), field.name)
    return found


def _field_name(header: str) -> str:
    words = normalise(header).encode("ascii", "ignore").decode().replace(" ", "_").strip("_")
    if words and not words[0].isalpha():
        return f"field_{words}"
    return words


def _infer(name: str, headers: list[str], values: list[Value]) -> Field:
    column = Column(1, headers[0], values)
    has_values = bool(column.values)
    return Field(
        name,
        label=headers[0],
        aliases=headers[1:],
        type=_infer_type(column) if has_values else None,
        kind=next((kind for kind in _KINDS if has_values and column.share_of_kind(kind) >= _MOST), None),
        required=has_values and not any(map(is_empty, values)),
        unique=len(column.values) >= 10 and column.distinct_share == 1.0 and _is_key(name),
    )


def _infer_type(column: Column) -> str | None:
    """Return the type nearly all values have; codes with leading zeros are text, whatever their digits say."""
    texts = [value.strip() for value in column.values if isinstance(value, str)]
    if any(_LEADING_ZERO.fullmatch(text) or len(text) > 15 for text in texts if text.isdigit()):
        return "text"
    for kind, name in _TYPE_KINDS:
        if column.share_of_kind(kind) >= _NEARLY_ALL and not (kind == "boolean" and _is_number_column(column)):
            return name
    return "date" if len(column.values) >= _ENOUGH and column.share_of_kind("date") >= _MOST else None


def _is_number_column(column: Column) -> bool:
    return column.share_of_kind("number") > 0


def _is_key(name: str) -> bool:
    return name == "id" or name.endswith(("_id", "_number", "_code"))


def _source(field: Field) -> str:
    """Return the file that defines a field."""
    given = [f"label={_quoted(field.label)}"]
    given += [f"type={_quoted(field.type)}"] if field.type else []
    given += [f"kind={_quoted(field.kind)}"] if field.kind else []
    given += ["required=True"] if field.required else []
    given += ["unique=True"] if field.unique else []
    given += [f"aliases={_quoted(field.aliases)}"] if field.aliases else []
    return f"from ade_engine import Field\n\nfield = Field({_quoted(field.name)}, {', '.join(given)})\n"


def _quoted(content: object) -> str:
    # Texts and lists of them are written alike in JSON and Python, and JSON has the quotes that most people use.
    return json.dumps(content, ensure_ascii=False)


def _write(folder: Path, files: Mapping[str, str]) -> list[Path]:
    if folder.exists() and any(folder.iterdir()):
        raise ConfigurationError(f"The folder {folder.name} is not empty. Name a new one.")
    written = []
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
        written.append(path)
    return written
