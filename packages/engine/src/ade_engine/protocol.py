"""All that crosses the boundary of a run's process: the request in, events and one result out, as JSON lines.

What comes out was written by a process that also runs user code. `read_line` proves its shape and its size, never its
truth: a result is what the child claims, and the process that started the child decides from the outside how it ended.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Entry = Literal["engine", "check", "problems", "infer", "learn", "combine", "script", "look"]
Status = Literal["succeeded", "failed"]

INFERRED = "configuration"  # the folder of the output that holds an inferred configuration
ANSWER = "answer.json"  # what a look found
LOOKED_AT = "configuration"  # the folder of the output that holds the configuration a look is about
MOST_ANSWER_BYTES = 8 * 1024 * 1024
MOST_INDEX_BYTES = 256 * 1024 * 1024  # of the cells of a sheet
MAX_LINE_BYTES = 256 * 1024
MAX_MESSAGE_CHARACTERS = 240
ARTIFACT, ISSUES = "artifact.json", "issues.ndjson"  # what every run writes, beside its outputs
MAX_DEPTH = 16
_LARGEST_NUMBER = 2**63
_EVENT_NAME = re.compile(r"[a-z][a-z0-9_.]{0,63}")
# What a child may say went wrong. Every other code is for its parent to find out.
CLAIMABLE_CODES = frozenset({"input_error", "configuration_error", "resource_limit", "internal_error"})
RESOURCES = frozenset({"cpu", "memory", "disk", "output"})


class InvalidMessage(Exception):
    """A line is not a message of this protocol."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What to run.

    `engine` normalises the document, `check` proves a configuration, `problems` lists what is wrong with one, `infer`
    writes one from an example, `learn` adds what an accepted document teaches, `combine` puts the outputs of several
    runs into one document, `script` runs a file, and `look` answers a question of the server about a document or a
    configuration, without running it. `import_paths` are folders whose packages the host lends.
    """

    entry: Entry
    output_folder: str
    input_path: str | None = None
    configuration_path: str | None = None
    site_packages: str | None = None
    import_paths: Sequence[str] = ()
    options: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return the request as plain values."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Request:
        """Return the request these plain values describe."""
        return cls(**values)


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened during a run."""

    name: str
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why a run failed, in the child's words. `cause` is the resource of a `resource_limit`, or empty."""

    code: str
    message: str
    cause: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """How a run ended, in the child's words."""

    status: Status
    failure: Failure | None = None
    outputs: tuple[str, ...] = ()
    summary: Mapping[str, Any] = field(default_factory=dict)


Message = Event | Result


def write_line(message: Message) -> bytes:
    """Return the message as one line."""
    kind = "event" if isinstance(message, Event) else "result"
    return json.dumps({"type": kind, **asdict(message)}, ensure_ascii=True, default=str).encode() + b"\n"


def read_line(line: bytes) -> Message:
    """Return the message of a line, or raise InvalidMessage."""
    if len(line) > MAX_LINE_BYTES:
        raise InvalidMessage(f"a line of {len(line)} bytes")
    try:
        values = json.loads(line.decode())
    except (ValueError, RecursionError):
        raise InvalidMessage("a line that is not JSON") from None
    values = _plain(values, depth=0)
    if not isinstance(values, dict):
        raise InvalidMessage("a line that is not an object")
    return _event(values) if values.get("type") == "event" else _result(values)


def _plain(value: Any, *, depth: int) -> Any:
    """Return what every database, file and browser takes: no text or number only Python knows, nothing too deep."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, int):
        return value if abs(value) < _LARGEST_NUMBER else None
    if value is None:
        return None
    if depth == MAX_DEPTH:
        raise InvalidMessage("a line that is nested too deep")
    if isinstance(value, list):
        return [_plain(item, depth=depth + 1) for item in value]
    return {_text(key): _plain(item, depth=depth + 1) for key, item in value.items()}


def _text(value: str) -> str:
    """Return the text without halves of characters and without the character that databases refuse."""
    if "\0" in value:
        value = value.replace("\0", "\ufffd")
    return value if value.isascii() else value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _event(values: dict[str, Any]) -> Event:
    name, data = values.get("name"), values.get("data")
    if not isinstance(name, str) or not isinstance(data, dict) or not _EVENT_NAME.fullmatch(name):
        raise InvalidMessage("an event without name and data")
    return Event(name, data)


def _result(values: dict[str, Any]) -> Result:
    if values.get("type") != "result" or values.get("status") not in ("succeeded", "failed"):
        raise InvalidMessage("a message of no known type")
    outputs, summary = values.get("outputs"), values.get("summary")
    if not _is_list_of_text(outputs) or not isinstance(summary, dict):
        raise InvalidMessage("a result without outputs and summary")
    failure = _failure(values.get("failure")) if values["status"] == "failed" else None
    return Result(status=values["status"], failure=failure, outputs=tuple(outputs or ()), summary=summary)


def _is_list_of_text(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _failure(values: Any) -> Failure:
    if not isinstance(values, dict) or not all(isinstance(value, str) for value in values.values()):
        raise InvalidMessage("a failed result without its failure")
    code = values.get("code") if values.get("code") in CLAIMABLE_CODES else "internal_error"
    cause = values.get("cause", "")
    is_resource = code == "resource_limit" and cause in RESOURCES
    message = str(values.get("message", ""))[:MAX_MESSAGE_CHARACTERS]
    return Failure(code=str(code), message=message, cause=cause if is_resource else "")
