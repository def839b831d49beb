"""Every pattern and parser in the processes of the server: what it reads, how much, and how it is fuzzed.

An entry either has a `feed`, which gives a text of a stranger to the code in front of the pattern as the server does,
or says why no stranger writes the text or why its time is bounded elsewhere.
"""

import io
import json
import struct
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from starlette.datastructures import Headers

from ade import destinations
from ade.api import downloads, guard, paging, problems, tracing
from ade.api.routes.configurations import _from_json
from ade.database.wire import batch
from ade.domain import webhook
from ade.domain.configuration_files import as_part, checked_path, unpack
from ade.domain.differences import changes_between
from ade.errors import AdeError
from ade.files import base
from ade.operations.content.corrections import entries_of
from ade.operations.content.workspaces import slug_of
from ade.operations.views.issue_files import LONGEST_LINE_BYTES, issue_of
from ade.operations.views.run_files import output_names
from ade.sandbox.outcome import Outcome, OutcomeKind
from ade.worker import collecting, uv_words
from ade.worker.attempt import safe_name
from ade_engine.cells import parse_range
from ade_engine.configuration import requirements
from ade_engine.encoding_names import known_encoding, unknown_encoding
from ade_engine.protocol import InvalidMessage, Result, read_line

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Fed:
    """Code that is fuzzed: texts like the samples, up to as many characters as the server gives to it."""

    feed: Callable[[str], object]
    samples: tuple[str, ...]
    longest: int
    raises: tuple[type[Exception], ...] = ()
    tokens: tuple[str, ...] = field(default=())


def _requirements(text: str) -> None:
    requirements.read_requirements({requirements.REQUIREMENTS: text.encode(errors="replace")})


def _project(text: str) -> None:
    requirements.read_requirements({requirements.PROJECT: text.encode(errors="replace")})


def _dependency(text: str) -> None:
    """Give a text to the patterns as a dependency of a project, where it may hold any character."""
    escaped = json.dumps(text.encode(errors="replace").decode())
    requirements.read_requirements({requirements.PROJECT: f"[project]\ndependencies = [{escaped}]".encode()})


def _uv(text: str) -> None:
    lines = text.split("\n")
    uv_words.place([requirements.Requirement("requirements.txt", 1, "polars", "polars")], lines)
    uv_words.cause(lines)
    uv_words.is_disk_full(lines)
    uv_words.limit_reached(lines)
    uv_words.without_queries(text)


def _headers(text: str) -> None:
    headers = Headers({"content-type": text.encode("latin-1", "replace").decode("latin-1")})
    guard.is_json(headers)
    guard.host_name(text)
    guard._place_of(text)


def _outputs(text: str) -> None:
    result = Result(status="succeeded", outputs=tuple(text.split("\n")))
    collecting._outputs_of(Outcome(kind=OutcomeKind.SUCCEEDED, result=result))


def _archive(names: str) -> bytes:
    """Return a zip archive with parts of these names and an extra field of each."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in dict.fromkeys(names.split("\n")[:2000]):
            information = zipfile.ZipInfo(name.encode()[:65_000].decode(errors="ignore"))
            information.extra = b"\0" * (4 * (len(name) % 16_000))
            archive.writestr(information, "x" * 5000)
    return packed.getvalue()


def _archives(names: str) -> None:
    packed = _archive(names)
    for content in (packed, packed[: len(packed) // 2], _many_parts(len(names) * 50)):
        with suppress(AdeError):
            unpack(content)


def _many_parts(count: int) -> bytes:
    entry = struct.pack("<4s4B4HL2L5H2L", b"PK\x01\x02", 20, 0, 20, 0, *[0] * 7, 1, *[0] * 6) + b"a"
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, count & 0xFFFF, count & 0xFFFF, count * len(entry), 4, 0)
    return b"PK\x03\x04" + entry * count + end


def _difference(text: str) -> None:
    older, _, newer = text.partition("#")
    changes_between({"a.py": older.encode(errors="replace")}, {"a.py": newer.encode(errors="replace")})


_REQUIREMENT_WORDS = (
    ">=1,",
    ">1 ",
    "<",
    "[",
    "]",
    "(",
    ")",
    "a",
    "-",
    ".",
    ";",
    "'",
    " ",
    "\\\n",
    "--hash=sha256:0a",
    "$",
)
_LINES_OF_UV = (
    "error: a",
    "  \u00d7 b",
    "\u2570\u2500\u25b6 c",
    "cause: d",
    "os error 28",
    "MemoryError",
    "memory allocation of 1 bytes",
)
_REQUIREMENTS = Fed(
    feed=_requirements, samples=("polars>=1.2,<2", "a[b,c]==1; d<'3'"), longest=MIB, tokens=_REQUIREMENT_WORDS
)
_DEPENDENCY = Fed(feed=_dependency, samples=("polars (>=1.2, <2)",), longest=2000, tokens=_REQUIREMENT_WORDS)
_PROJECT = Fed(
    feed=_project,
    samples=('[project]\nname = "a"\ndependencies = ["b>=1"]\n',),
    longest=40_000,
    tokens=(
        "[",
        "]",
        "{",
        "}",
        "a.",
        "a",
        "=",
        "1",
        '"',
        "'",
        "[[a]]\n",
        "a=1\n",
        "\n",
        "[a.a.a]\n",
        "{a=",
        "0x",
        "_",
        "e",
    ),
)
_UV = Fed(
    feed=_uv,
    samples=("Using CPython 3\nerror: No solution", "\n".join(_LINES_OF_UV), "at https://a.example/?key=1)"),
    longest=50 * 2000,
    tokens=("://", "?", ")", "a"),
)
_CURSOR = Fed(
    feed=lambda text: paging.decode(text, paging.instant, paging.word),
    samples=(paging.encode(["2026-01-01T00:00:00+00:00", "a"]),),
    longest=500,
    raises=(AdeError,),
)
_MESSAGES = Fed(
    feed=lambda text: read_line(text.encode(errors="replace")),
    samples=('{"type": "event", "name": "a.b", "data": {"c": [1, 2.5, null]}}',),
    longest=256 * 1024,
    raises=(InvalidMessage,),
    tokens=("[", '{"a":', "1", "9", "e", "-", ".", '"', "\\u0000", "\\ud800", ",", " ", "]", "}"),
)
_HEADERS = Fed(feed=_headers, samples=("example.org:8000", "https://[::1]:80/a?b#c"), longest=64 * 1024)
_URL = Fed(feed=webhook.checked_url, samples=("https://example.org:443/a?b=c",), longest=MIB, raises=(AdeError,))
_ADDRESS = Fed(
    feed=destinations.is_public, samples=("203.0.113.7", "2001:db8::1%eth0"), longest=64, raises=(ValueError,)
)
_NAMES = Fed(
    feed=_archives,
    samples=("columns/a.py\nhooks/b.py", "a/__pycache__/b.pyc"),
    longest=65_000,
    tokens=("/", "a", ".pyc", "\n", "..", "é"),
)
_LINES = Fed(feed=_difference, samples=("a\nb\nc\n#a\nc\nd\n",), longest=MIB, tokens=("a\n", "b\n", "\n", "#", "é\r"))
_OUTPUT = Fed(feed=lambda text: output_names(text.split("\n")), samples=("normalized-2-a_b.csv",), longest=100_000)
_ISSUE = Fed(
    feed=lambda text: issue_of(text.encode(errors="replace")),
    samples=('{"sheet": "A", "cell": "B2", "field": null, "rule": "type.date", "severity": "error", "message": "no"}',),
    longest=LONGEST_LINE_BYTES,
)
_CORRECTIONS = Fed(
    feed=lambda text: entries_of(text.encode(errors="replace")),
    samples=('{"version": 1, "corrections": [{"id": "a", "kind": "header", "header": "Mail", "field": null}]}',),
    longest=MIB,
    raises=(AdeError,),
)
_ENCODING = Fed(
    feed=lambda text: (known_encoding(text), unknown_encoding(text)), samples=("utf-8", "iso_8859-2"), longest=40
)
_RUST = "pydantic compiles it to an automaton: its time is linear"
_EVENT_LINE = "the worker wrote the line, from a message read_line accepted"
_OURS = "we write the text ourselves"
_CHILD = "our own reader writes the text, from a document it has cut to bounds"
_STATEMENTS = "statements are ours; values of strangers are bound, never part of the text"
_OPERATOR = "the operator writes the text, in a setting"

SURFACE: dict[str, Fed | str] = {
    "api/dependencies.py PathId Path(pattern)": _RUST,
    "api/downloads.py _RANGE re.compile": Fed(
        feed=lambda text: downloads._span(text, 1000), samples=("bytes=0-99", "bytes=-5"), longest=64 * 1024
    ),
    "api/downloads.py _disposition re.sub": Fed(
        feed=lambda text: downloads._disposition(text.encode(errors="replace").decode(), is_shown=False),
        samples=('a "b".xlsx',),
        longest=300,
    ),
    "api/guard.py _place_of urlsplit": _HEADERS,
    "api/guard.py host_name urlsplit": _HEADERS,
    "api/idempotency.py IdempotencyKey Header(pattern)": _RUST,
    "api/oidc.py _ask json.loads": "the provider the operator trusts answers, with at most a megabyte",
    "api/oidc.py _claims jwt.decode": "the provider the operator trusts wrote the token, and its signature comes first",
    "api/oidc.py _keys_in KeySet.import_key_set": "the provider the operator trusts answers, with at most a megabyte",
    "api/outgoing.py post urlsplit": _URL,
    "api/paging.py decode base64.urlsafe_b64decode": _CURSOR,
    "api/paging.py decode json.loads": _CURSOR,
    "api/paging.py instant datetime.fromisoformat": _CURSOR,
    "api/problems.py _INNER re.compile": Fed(
        feed=lambda text: problems.shown((text, 1)), samples=("function-after[a(), b]", "literal['a']"), longest=MIB
    ),
    "api/routes/configurations.py _from_json model_validate_json": Fed(
        feed=lambda text: _from_json(text.encode(errors="replace")),
        samples=('{"name": "a", "template": "example"}',),
        longest=MIB,
        raises=(AdeError,),
        tokens=("[", '{"a":', "1", "9", '"b":1,', "}", "]", '"', "\\u0000", " "),
    ),
    "api/output_views.py Condition StringConstraints(pattern)": _RUST,
    "api/output_views.py Letters StringConstraints(pattern)": _RUST,
    "api/routes/documents.py get_cells Query(pattern)": _RUST,
    "api/routes/documents.py list_all Query(pattern)": _RUST,
    "api/routes/events.py FollowedRun StringConstraints(pattern)": _RUST,
    "api/routes/queue.py get_analytics Query(pattern)": _RUST,
    "api/routes/run_files.py get_output_cells Query(pattern)": _RUST,
    "api/schemas/corrections.py cell Field(pattern)": _RUST,
    "api/schemas/corrections.py column Field(pattern)": _RUST,
    "api/schemas/corrections.py range Field(pattern)": _RUST,
    "api/schemas/corrections.py _is_drawn_from_its_corner parse_range": _RUST,
    "api/schemas/base.py Id Field(pattern)": _RUST,
    "api/schemas/people.py Email Field(pattern)": _RUST,
    "api/schemas/workspaces.py Slug Field(pattern)": _RUST,
    "api/start.py is_loopback ipaddress.ip_address": _OPERATOR,
    "api/tracing.py _TRACEPARENT re.compile": Fed(
        feed=lambda text: tracing.trace_of({"headers": [(b"traceparent", text.encode("latin-1", "replace"))]}),
        samples=("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",),
        longest=64 * 1024,
    ),
    "database/wire/batch.py _CONTINUED re.compile": Fed(
        feed=lambda text: batch._CONTINUED.sub("", text), samples=("a\\\nb", "a\\\r\nb"), longest=MIB
    ),
    "database/wire/batch.py _PLACE re.compile": _STATEMENTS,
    "database/wire/bundle.py _name re.sub": _STATEMENTS,
    "database/wire/prepared.py _WRITTEN_NUMBER re.compile": _STATEMENTS,
    "database/types.py process_result_value json.loads": "we wrote the text, from values whose depth was checked",
    "domain/archives.py open_archive zipfile.ZipFile": _NAMES,
    "domain/configuration_files.py _is_part unicodedata.is_normalized": Fed(
        feed=checked_path,
        samples=("columns/имя.py", "a/é.py"),
        longest=MIB,
        raises=(AdeError,),
        tokens=("é", "\u0301", "/", "a"),
    ),
    "domain/configuration_files.py as_part unicodedata.normalize": Fed(
        feed=lambda text: checked_path(as_part(text)),
        samples=("März 2026", "a/é.py", "..имя. "),
        longest=4096,
        tokens=("/", ".", " ", "é", "e\u0301", "\0"),
    ),
    "domain/configuration_files.py pack zipfile.ZipFile": "it writes, and files were checked before they were stored",
    "domain/configuration_files.py unpack open_archive": _NAMES,
    "domain/configuration_files.py unpack unicodedata.normalize": _NAMES,
    "domain/differences.py _compared difflib.SequenceMatcher": _LINES,
    "domain/order.py _EPOCH datetime.fromisoformat": _OURS,
    "destinations.py is_own ipaddress.ip_address": _ADDRESS,
    "destinations.py is_public ipaddress.ip_address": _ADDRESS,
    "domain/webhook.py checked_url urlsplit": _URL,
    "domain/webhook.py sign base64.b64decode": _OURS,
    "engine ade_engine.cells _A1 re.compile": Fed(
        feed=parse_range,
        samples=("A1:H50", "$B$3"),
        longest=2000,
        raises=(ValueError,),
        tokens=("A", "1", "9", "$", ":"),
    ),
    "engine ade_engine.configuration.requirements _HASH re.compile": _REQUIREMENTS,
    "engine ade_engine.configuration.requirements _REQUIREMENT re.compile": _DEPENDENCY,
    "engine ade_engine.configuration.requirements _SEPARATORS re.compile": _REQUIREMENTS,
    "engine ade_engine.configuration.requirements _VERSION re.compile": _DEPENDENCY,
    "engine ade_engine.configuration.requirements _dependencies tomllib.loads": _PROJECT,
    "engine ade_engine.encoding_names _names known_encoding": _OURS,
    "engine ade_engine.encoding_names unknown_encoding get_close_matches": _ENCODING,
    "engine ade_engine.protocol _EVENT_NAME re.compile": _MESSAGES,
    "engine ade_engine.protocol read_line json.loads": _MESSAGES,
    "files/base.py _PART re.compile": Fed(
        feed=base.checked_key, samples=("runs/1/a.json",), longest=2000, raises=(AdeError, ValueError)
    ),
    "files/objects.py _bucket_of urlsplit": _OPERATOR,
    "files/objects.py from_url unquote": _OPERATOR,
    "files/objects.py from_url urlsplit": _OPERATOR,
    "files/trial.py shown_address urlsplit": _OPERATOR,
    "files/trial.py without_secrets urlsplit": _OPERATOR,
    "operations/maintenance/backup_format.py unsealed json.loads": "only `ade restore` reads a backup",
    "operations/content/combining.py _zipped zipfile.ZipFile": "it writes",
    "operations/content/configurations.py _require_installable read_requirements": _REQUIREMENTS,
    "operations/content/documents.py checked_encoding known_encoding": _ENCODING,
    "operations/content/documents.py checked_encoding unknown_encoding": _ENCODING,
    "operations/content/corrections.py entries_of json.loads": _CORRECTIONS,
    "operations/views/issue_files.py issue_of json.loads": _ISSUE,
    "operations/reading/cell_ranges.py _rows json.loads": _CHILD,
    "operations/reading/cell_ranges.py area_of parse_range": _RUST,
    "operations/reading/cell_ranges.py found_in json.loads": _CHILD,
    "operations/reading/reader.py answer_in json.loads": _CHILD,
    "operations/reading/sheet_indexes.py _request json.loads": _OURS,
    "operations/reading/sheet_index.py _about json.loads": _CHILD,
    "operations/reading/sheet_index.py _about parse_range": _CHILD,
    "operations/reading/sheet_index.py finish json.loads": _CHILD,
    "operations/views/run_files.py _OUTPUT re.compile": _OUTPUT,
    "operations/views/streams.py _event_from_line json.loads": _EVENT_LINE,
    "operations/views/streams.py read json.loads": _EVENT_LINE,
    "operations/content/workspaces.py _NOT_SLUG re.compile": Fed(feed=slug_of, samples=("Our Team!",), longest=200),
    "sandbox/child.py _read_channel json.loads": "the keeper writes it, which runs no code of users",
    "sandbox/child.py _understand read_line": _MESSAGES,
    "sandbox/interpreter.py find_interpreter json.loads": "the interpreter of the operator answers",
    "settings.py _nearest get_close_matches": _OPERATOR,
    "worker/attempt.py _UNSAFE re.compile": Fed(feed=safe_name, samples=("a b.xlsx",), longest=300),
    "worker/collecting.py _OUTPUT re.compile": Fed(
        feed=_outputs, samples=("normalized-2.csv",), longest=200_000, raises=(collecting.OutputRefused,)
    ),
    "worker/environments.py _fetch tarfile.open": "a worker packed it; its digest is compared first",
    "worker/environments.py _pack tarfile.open": "it writes",
    "worker/event_log.py _is_carried_on json.loads": _EVENT_LINE,
    "worker/installing.py requirements_of read_requirements": _REQUIREMENTS,
    "worker/uv_words.py (_ERROR_DRAWN, _CAUSE_DRAWN) re.compile": _UV,
    "worker/uv_words.py _DRAWINGS re.compile": _UV,
    "worker/uv_words.py _NO_SPACE re.compile": _UV,
    "worker/uv_words.py _OVER_LIMIT re.compile": _UV,
    "worker/uv_words.py _WORD re.compile": _UV,
    "worker/uv_words.py _WORDS re.compile": _UV,
}
