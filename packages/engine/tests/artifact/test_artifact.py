import json
import re
from importlib.resources import files
from pathlib import Path

import pytest

from ade_engine import normalize
from ade_engine.artifact import as_bytes, rounded

SCHEMA = json.loads((files("ade_engine") / "artifact.schema.json").read_text(encoding="utf-8"))
SAMPLES = Path(__file__).parents[4] / "samples"
TYPES = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "null": type(None)}
KNOWN = {
    "$schema", "$id", "$defs", "$ref", "title", "description", "type", "properties", "required", "additionalProperties",
    "items", "enum", "const", "anyOf", "pattern", "minimum", "maxLength",
}  # fmt: skip


def faults(value, schema, path="$"):
    """Return where a value breaks the schema, for the keywords the schema uses."""
    assert set(schema) <= KNOWN, set(schema) - KNOWN
    if "$ref" in schema:
        return faults(value, SCHEMA["$defs"][schema["$ref"].removeprefix("#/$defs/")], path)
    if "anyOf" in schema:
        return [] if any(not faults(value, option, path) for option in schema["anyOf"]) else [f"{path}: no option fits"]
    if "type" in schema and not _is_of_type(value, schema["type"]):
        return [f"{path}: not {schema['type']}"]
    found = [
        f"{path}: not {schema[key]}" for key in ("const", "enum") if key in schema and not _is(value, schema[key], key)
    ]
    if isinstance(value, str):
        found += [f"{path}: pattern"] if "pattern" in schema and not re.search(schema["pattern"], value) else []
        found += [f"{path}: too long"] if len(value) > schema.get("maxLength", len(value)) else []
    if isinstance(value, list) and "items" in schema:
        found += [fault for n, item in enumerate(value) for fault in faults(item, schema["items"], f"{path}[{n}]")]
    if isinstance(value, dict):
        found += _object_faults(value, schema, path)
    return found


def _is_of_type(value, name):
    return name == "boolean" if isinstance(value, bool) else isinstance(value, TYPES.get(name, ()))


def _is(value, expected, key):
    return value in expected if key == "enum" else value == expected


def _object_faults(value, schema, path):
    properties, rest = schema.get("properties", {}), schema.get("additionalProperties", True)
    found = [f"{path}.{name}: missing" for name in schema.get("required", ()) if name not in value]
    for name, item in value.items():
        if name in properties:
            found += faults(item, properties[name], f"{path}.{name}")
        elif rest is False:
            found.append(f"{path}.{name}: unknown")
        elif isinstance(rest, dict):
            found += faults(item, rest, f"{path}.{name}")
    return found


@pytest.mark.req("E6")
@pytest.mark.parametrize("path", sorted([*SAMPLES.glob("*.xlsx"), *SAMPLES.glob("*.csv")]), ids=lambda path: path.name)
@pytest.mark.parametrize("rules", [None, "people", "orders"])
def test_the_artifact_of_every_sample_follows_the_schema(path, rules, tmp_path):
    configuration = SAMPLES / "configurations" / rules if rules else None
    result = normalize(path, tmp_path, configuration=configuration)
    assert faults(json.loads(result.artifact_path.read_text(encoding="utf-8")), SCHEMA) == []


def test_the_artifact_of_a_failed_run_follows_the_schema(tmp_path):
    (tmp_path / "in.xlsx").write_bytes(b"nothing")
    result = normalize(tmp_path / "in.xlsx", tmp_path / "out", configuration=tmp_path / "nowhere")
    assert result.failure.code == "configuration_error"
    assert faults(result.artifact, SCHEMA) == []


@pytest.mark.parametrize("moment", ["on_workbook_start", "on_sheet_start", "before_write", "on_workbook_end"])
def test_the_artifact_of_a_run_that_a_hook_failed_follows_the_schema(moment, tmp_path):
    (tmp_path / "rules/hooks").mkdir(parents=True)
    (tmp_path / "rules/hooks/all.py").write_text(f"def {moment}():\n    raise ValueError\n")
    result = normalize(SAMPLES / "hidden_rows_and_sheets.xlsx", tmp_path / "out", configuration=tmp_path / "rules")
    assert result.failure.code == "configuration_error"
    assert faults(result.artifact, SCHEMA) == []


def test_the_schema_check_notices_what_is_wrong(tmp_path):
    artifact = normalize(SAMPLES / "offset.xlsx", tmp_path).artifact
    table = artifact["sheets"][0]["tables"][0]
    table["range"], table["value"] = "5:7", 1
    del artifact["engine"]
    assert faults(artifact, SCHEMA) == [
        "$.engine: missing",
        "$.sheets[0].tables[0].range: pattern",
        "$.sheets[0].tables[0].value: unknown",
    ]


def test_the_schema_is_of_the_version_the_artifact_names(tmp_path):
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert SCHEMA["properties"]["version"]["const"] == normalize(SAMPLES / "offset.xlsx", tmp_path).artifact["version"]


@pytest.mark.req("E9")
def test_numbers_have_one_precision_and_zero_has_no_sign():
    assert as_bytes({"a": rounded(0.1 + 0.2), "b": rounded(-0.00001), "c": rounded(None), "d": rounded(2)}) == (
        b'{\n "a": 0.3,\n "b": 0.0,\n "c": null,\n "d": 2.0\n}\n'
    )
