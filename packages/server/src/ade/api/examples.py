"""An example for each call of the OpenAPI document: made from its schemas, so that it never says anything else."""

from typing import Any

ID = "01932c07-5b1e-7c3a-9d2f-3f1b8c6a7e10"
INSTANT = "2026-01-15T09:30:00Z"
JSON_KINDS = ("application/json", "application/problem+json")
METHODS = ("get", "put", "post", "patch", "delete")
PROBLEM = {
    "type": "urn:ade:problem:not_found",
    "title": "There is no such thing",
    "status": 404,
    "detail": f"There is no run {ID}.",
    "code": "not_found",
    "trace_id": "01932c075b1e7c3a9d2f3f1b8c6a7e10",
}
# What a name alone says better than its type.
WORDS: dict[str, Any] = {
    "name": "Members",
    "slug": "sales",
    "email": "ada@example.org",
    "reason": "stocktaking",
    "note": "Two more columns",
    "document_name": "members.xlsx",
    "configuration_name": "Members",
    "media_type": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "password": "a few random words",
    "path": "columns/member_id.py",
    "tag": "2026",
    "tags": ["2026"],
    "url": "https://example.org/ade",
    "links": {"self": f"/api/v1/runs/{ID}"},
    "priority": 50,
    "effective_priority": 50,
    "position": 3,
    "size_bytes": 18234,
    # Of a run that waits, what has not happened is null.
    **dict.fromkeys(
        (
            "next_cursor",
            "failure",
            "started_at",
            "finished_at",
            "cancel_requested_at",
            "scheduled_at",
            "plan_id",
            "phase",
            "sheets",
            "isolation",
            "worker",
            "metrics",
            "error",
            "disabled_at",
            "revoked_at",
            "archived_at",
            "duplicate_of",
        ),
    ),
    "submitted_by": "ada@example.org",
    "created_by": "ada@example.org",
}


def add_examples(document: dict[str, Any]) -> None:
    """Give every JSON body of the document an example, unless it has one."""
    schemas = document["components"]["schemas"]
    for operations in document["paths"].values():
        for method in METHODS:
            operation = operations.get(method, {})
            bodies = [operation.get("requestBody", {}), *operation.get("responses", {}).values()]
            for body in bodies:
                for kind, described in body.get("content", {}).items():
                    if kind in JSON_KINDS and "example" not in described and described.get("schema"):
                        is_problem = kind != "application/json"
                        described["example"] = PROBLEM if is_problem else example_of(described["schema"], schemas)


def example_of(schema: dict[str, Any], schemas: dict[str, Any], name: str = "") -> Any:
    """Return a value that a schema allows."""
    if "$ref" in schema:
        return example_of(schemas[schema["$ref"].rpartition("/")[2]], schemas, name)
    for given in ("examples", "enum"):
        if schema.get(given):
            return schema[given][0]
    if "const" in schema:
        return schema["const"]
    choices = schema.get("anyOf") or schema.get("oneOf")
    if choices:
        return _chosen(choices, schemas, name)
    return _plain(schema, schemas, name)


def _chosen(choices: list[dict[str, Any]], schemas: dict[str, Any], name: str) -> Any:
    """Return an example of the first choice that says something; of a moment that may be missing, none."""
    if WORDS.get(name, 0) is None:
        return None
    real = [choice for choice in choices if choice.get("type") != "null"]
    return example_of(real[0], schemas, name)


def _plain(schema: dict[str, Any], schemas: dict[str, Any], name: str) -> Any:
    match schema.get("type"):
        case "object":
            return _object(schema, schemas, name)
        case "array":
            return WORDS.get(name) or [example_of(schema.get("items", {}), schemas, name)]
        case "string":
            return _text(schema, name)
        case "integer" | "number":
            return WORDS.get(name) or max(schema.get("minimum", 0), 1)
        case "boolean":
            return bool(schema.get("default", False))
        case _:
            return None


def _object(schema: dict[str, Any], schemas: dict[str, Any], name: str) -> Any:
    if "properties" not in schema:
        return WORDS.get(name) or {}
    is_order = schema.get("additionalProperties") is False
    wanted = schema.get("required", []) if is_order else schema["properties"]
    shown = wanted or list(schema["properties"])[:1]
    return {key: example_of(schema["properties"][key], schemas, key) for key in shown}


def _text(schema: dict[str, Any], name: str) -> Any:
    if schema.get("format") == "date-time":
        return INSTANT
    if name.endswith("_id") or name == "id":
        return ID
    return WORDS.get(name) or schema.get("default", "text")
