"""Writes a first configuration: a worked example, or one inferred from tables that look as they should."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ade_engine.configuration.infer import Table, infer_fields
from ade_engine.configuration.infer_evidence import evidence_of
from ade_engine.configuration.infer_profiles import profiles_of
from ade_engine.configuration.profiles import FILE as PROFILES
from ade_engine.errors import ConfigurationError
from ade_engine.fields import Field

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
    """A row that starts with "Grand total" is not data, whatever else it contains."""
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
    tables = list(tables)
    return write_fields(folder, example_fields(tables), tables)


def example_fields(tables: Sequence[Table]) -> list[Field]:
    """Return the fields of example tables; raise ConfigurationError when there are none."""
    fields = infer_fields(tables)
    if not fields:
        raise ConfigurationError("The example has no column with a header, so no field can be inferred.")
    return fields


def write_fields(folder: str | Path, fields: Sequence[Field], tables: Sequence[Table]) -> list[Path]:
    """Write a configuration with fields of example tables, and return its files."""
    files = {f"columns/{field.name}.py": _source(field, evidence_of(field, tables)) for field in fields}
    order = ", ".join(f'"{field.name}"' for field in fields)
    settings = {"settings.toml": f"[output]\norder = [{order}]\n"}
    return _write(Path(folder), {**files, PROFILES: profiles_of(fields, tables), **settings})


def _source(field: Field, evidence: Sequence[str]) -> str:
    """Return the file that defines a field, with what the examples showed of it."""
    given = [f"label={_quoted(field.label)}"]
    for name in ("type", "decimal", "currency", "kind"):
        given += [f"{name}={_quoted(value)}"] if (value := getattr(field, name)) else []
    given += [f"day_first={field.day_first}"] if field.day_first is not None else []
    given += ["required=True"] if field.required else []
    given += ["unique=True"] if field.unique else []
    given += [f"aliases={_quoted(field.aliases)}"] if field.aliases else []
    comments = "".join(f"# {line}\n" for line in evidence)
    return f"from ade_engine import Field\n\n{comments}field = Field({_quoted(field.name)}, {', '.join(given)})\n"


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
