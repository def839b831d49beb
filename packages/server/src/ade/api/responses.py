"""What every route may answer besides its own: a problem."""

from typing import Any

from fastapi import Response

from ade.api.schemas.base import Problem

_PROBLEM: dict[str, Any] = {
    "description": "A problem; `code` identifies it.",
    "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
}
PROBLEMS: dict[int | str, dict[str, Any]] = {422: _PROBLEM, "default": _PROBLEM}


def binary(description: str, *media_types: str) -> dict[str, Any]:
    """Return the description of an answer that is a file."""
    schema = {"schema": {"type": "string", "format": "binary"}}
    return {"description": description, "content": dict.fromkeys(media_types, schema)}


def problem_schema() -> dict[str, Any]:
    """Return the schema of a problem, for the components of the OpenAPI document."""
    return Problem.model_json_schema(ref_template="#/components/schemas/{model}")


class NoContent(Response):
    """Done, with nothing to answer."""

    def __init__(self) -> None:
        super().__init__(status_code=204)
