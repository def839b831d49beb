"""Finds every place of the server that matches a pattern or parses a text."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
SERVER = ROOT / "packages/server/src/ade"
ENGINE = ROOT / "packages/engine/src/ade_engine"
# Commands work for the person who calls them, in a process of their own; the client talks to a server of theirs.
_OTHER_PROCESSES = ("cli/", "client/", "sandbox/inside/", "database/migrations/", "__main__.py")
_MODULES = {
    "re": {"compile", "match", "search", "fullmatch", "sub", "subn", "split", "findall", "finditer"},
    "json": {"loads", "load"},
    "tomllib": {"loads", "load"},
    "zipfile": {"ZipFile"},
    "tarfile": {"open"},
    "csv": {"reader", "DictReader", "Sniffer"},
    "ast": {"parse", "literal_eval"},
    "base64": {"b64decode", "urlsafe_b64decode", "b32decode", "b85decode"},
    "datetime": {"fromisoformat", "strptime"},
    "ipaddress": {"ip_address", "ip_network"},
    "difflib": {"SequenceMatcher", "unified_diff", "ndiff", "Differ", "get_close_matches", "HtmlDiff"},
    "jwt": {"decode"},
    "KeySet": {"import_key_set"},
    "pickle": {"loads", "load"},
    "marshal": {"loads"},
    "fnmatch": {"fnmatch", "filter"},
    "html": {"unescape"},
    "shlex": {"split"},
    "ElementTree": {"parse", "fromstring"},
    "struct": {"unpack", "iter_unpack"},
    "unicodedata": {"normalize", "is_normalized"},
}
_ANY_OBJECT = {"model_validate_json", "TypeAdapter", "validate_json", "json", "request_json"}
_NAMES = {
    "urlsplit", "urlparse", "unquote", "parse_qs", "parse_qsl", "eval", "exec", "compile", "get_close_matches",
    "open_archive", "read_line", "parse_range", "read_requirements", "known_encoding", "unknown_encoding",
}  # fmt: skip
_WITH_PATTERN = {"Field", "Query", "Header", "Path", "StringConstraints"}


def places() -> set[str]:
    """Return the places, each with the function or the constant it is in: "api/paging.py decode json.loads"."""
    return {found for name, path in _sources() for found in _in_file(name, path)}


def _sources() -> Iterator[tuple[str, Path]]:
    called: set[str] = set()
    for path in sorted(SERVER.rglob("*.py")):
        name = path.relative_to(SERVER).as_posix()
        if not name.startswith(_OTHER_PROCESSES):
            called |= _engine_modules(path)
            yield name, path
    for module in sorted(called):  # what the server calls of the engine in its own process
        yield f"engine {module}", ENGINE / f"{module.removeprefix('ade_engine.').replace('.', '/')}.py"


def _engine_modules(path: Path) -> set[str]:
    imports = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)]
    return {node.module for node in imports if node.module and node.module.startswith("ade_engine.")}


def _in_file(name: str, path: Path) -> Iterator[str]:
    for top in ast.parse(path.read_text()).body:
        members = top.body if isinstance(top, ast.ClassDef) else [top]
        for member in members:
            for node in ast.walk(member):
                if isinstance(node, ast.Call) and (called := _called(node)):
                    yield f"{name} {_scope(member)} {called}"


def _scope(node: ast.stmt) -> str:
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return name
        case ast.Assign(targets=[target]) | ast.AnnAssign(target=target):
            return ast.unparse(target)
        case _:
            return type(node).__name__


def _called(call: ast.Call) -> str | None:
    match call.func:
        case ast.Attribute(value=ast.Name(id=module), attr=name) if name in _MODULES.get(module, ()):
            return f"{module}.{name}"
        case ast.Attribute(attr=name) if name in _ANY_OBJECT and name != "json":
            return name
        case ast.Attribute(attr="json") if not call.args and not call.keywords:
            return "json"
        case ast.Name(id=name) if name in _NAMES:
            return name
        case ast.Name(id=name) if name in _WITH_PATTERN and any(word.arg == "pattern" for word in call.keywords):
            return f"{name}(pattern)"
    return None
