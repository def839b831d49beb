"""ARCHITECTURE.md is true: what it says of layers, imports and functions is compared with the code."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from ade.sandbox.interpreter import TRUSTED_PACKAGES

ROOT = Path(__file__).resolve().parents[2]
SERVER = ROOT / "packages/server/src/ade"
ENGINE = ROOT / "packages/engine/src/ade_engine"
PAGE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
# Operations that need several transactions: each is short, or something slow happens between them.
TAKE_THE_DATABASE = {
    "access/identity",  # a password is checked between two of them
    "content/first_start",
    "content/webhooks",
    "maintenance/backup",
    "maintenance/health",
    "maintenance/retention",
    "views/streams",
}
# Of the engine's functions, those that import or call the rules of a configuration.
EXECUTES_RULES = {"check_configuration", "learn", "load_configuration", "normalize", "run_cases"}
ASK_WHICH_DATABASE = {
    "dialects",
    "engines",
    "maintenance/health",
    "maintenance/migrate",
    "maintenance/sqlserver",
    "migrations/env",
    "queue/control",  # the clock is part of the statement
    "queue/finishing",  # what RETURNING may read
    "queue/idle",
    "queue/wakeups",
    "schema/columns",
    "transaction",
    "types",
    "wire/conversation",
    "wire/prepared",
}


def modules(folder: Path) -> Iterator[tuple[str, ast.Module]]:
    """Every module below a folder, by its path without the suffix."""
    for path in sorted(folder.rglob("*.py")):
        if "versions" not in path.parts:
            yield path.relative_to(folder).with_suffix("").as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def imported(tree: ast.Module) -> set[str]:
    """The modules that a module imports, anywhere in it."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
    return found


def loaded_by_name(tree: ast.Module) -> set[str]:
    """The modules that a module loads by a name that is written out."""
    return {
        node.args[0].value
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module")
        if isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str)
    }


def names_of_the_engine(tree: ast.AST) -> set[str]:
    """The names that a module imports from the engine, of whichever of its modules."""
    return {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "ade_engine"
        for alias in node.names
    }


def server_table() -> str:
    return PAGE.partition("## The server")[2].partition("\n## ")[0]


def test_the_table_of_layers_names_every_module_of_the_server() -> None:
    layers = [row.split("|")[1] for row in re.findall(r"^\|.*", server_table(), re.MULTILINE)]
    named = set(re.findall(r"`(\w+)(?:/|\.py)`", "\n".join(layers)))
    present = {path.stem for path in SERVER.glob("*.py")} | {path.parent.name for path in SERVER.glob("*/__init__.py")}

    assert named == present - {"__init__", "__main__"}


def test_the_layers_of_the_table_are_in_the_order_of_the_contract() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    [layers] = [one["layers"] for one in contracts if one["type"] == "layers"]
    rank = {name: number for number, layer in enumerate(layers) for name in layer.split(" | ")}
    first_of_rows = re.findall(r"^\| `(\w+)(?:/|\.py)`", server_table(), re.MULTILINE)

    ranks = [rank[name] for name in first_of_rows]

    assert ranks == sorted(ranks)


def test_the_modules_of_the_engine_that_the_page_opens_to_the_server_are_those_it_imports() -> None:
    sentence = PAGE.partition("Of the engine, the server imports")[2].partition("parser of requirements")[0]
    named = set(re.findall(r"ade_engine/(\w+)\.py", sentence))
    used = {
        name.split(".")[1]
        for module, tree in modules(SERVER)
        for name in imported(tree)
        if name.startswith("ade_engine.") and not module.startswith(("cli/", "sandbox/inside/"))
    }

    assert used == named | {"configuration"}


def test_the_command_line_executes_rules_in_its_own_process_for_debugging_alone() -> None:
    executing = {
        (module, node.name)
        for module, tree in modules(SERVER / "cli")
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and names_of_the_engine(node) & EXECUTES_RULES
    }

    assert executing == {("checking", "problems_here"), ("in_process", "_normalize")}


def test_the_client_knows_nothing_of_the_server_but_its_errors() -> None:
    used = {name for _, tree in modules(SERVER / "client") for name in imported(tree) if name.startswith("ade.")}

    assert {name for name in used if not name.startswith("ade.client")} == {"ade.errors"}


def test_a_child_sees_of_the_servers_packages_those_that_the_engine_imports() -> None:
    others = {
        name.split(".")[0]
        for _, tree in modules(ENGINE)
        for name in imported(tree) | loaded_by_name(tree)
        if name.split(".")[0] not in sys.stdlib_module_names
    }

    assert others == set(TRUSTED_PACKAGES)


def test_all_pages_are_inside_the_shell() -> None:
    router = (ROOT / "web/src/router.tsx").read_text(encoding="utf-8")

    assert "createRootRoute({ component: Shell," in router
    assert router.count("createRoute({") == router.count("getParentRoute: () => rootRoute,") > 10


def test_sql_is_imported_under_the_database_and_http_under_the_api_alone() -> None:
    places = {"sqlalchemy": set[str](), "alembic": set[str](), "fastapi": set[str](), "starlette": set[str]()}
    for module, tree in modules(SERVER):
        for name in imported(tree):
            places.get(name.split(".")[0], set()).add(module.split("/")[0])

    assert places == {"sqlalchemy": {"database"}, "alembic": {"database"}, "fastapi": {"api"}, "starlette": {"api"}}


def test_the_domain_imports_the_standard_library_and_errors_alone() -> None:
    others = {
        name
        for _, tree in modules(SERVER / "domain")
        for name in imported(tree)
        if name.split(".")[0] not in sys.stdlib_module_names and not name.startswith("ade.domain")
    }

    assert others == {"ade.errors"}


def test_operations_take_a_transaction_except_for_the_few_that_need_several() -> None:
    taking = {
        module
        for module, tree in modules(SERVER / "operations")
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and "Database" in {alias.name for alias in node.names}
    }

    assert taking == TAKE_THE_DATABASE


def test_no_operation_commits() -> None:
    committing = {
        module
        for module, tree in modules(SERVER / "operations")
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr in {"commit", "rollback"}
    }

    assert committing == set()


def test_only_listed_modules_ask_which_database_it_is() -> None:
    asking = {
        module
        for module, tree in modules(SERVER)
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare | ast.Subscript) and re.search(r"\bdialect(\.name)?\b", ast.unparse(node))
    }

    assert asking == {f"database/{name}" for name in ASK_WHICH_DATABASE}


def test_only_the_api_and_its_server_are_asynchronous() -> None:
    found = {
        module
        for module, tree in modules(SERVER)
        for node in ast.walk(tree)
        if isinstance(node, ast.AsyncFunctionDef) and not module.startswith("api/")
    }

    assert found == {"cli/http_server"}


def test_every_function_the_page_names_is_in_the_file_it_names() -> None:
    named = re.findall(r"`(\w+)` in `([\w/]+\.py)`", PAGE)

    missing = [
        (function, path)
        for function, path in named
        if f"\ndef {function}(" not in (SERVER / path).read_text(encoding="utf-8")
    ]

    assert len(named) >= 3
    assert missing == []


def test_each_file_of_a_chain_on_the_page_is_imported_by_one_before_it() -> None:
    chains = [
        re.findall(r"`([\w/]+\.py)`", chain)
        for chain in re.findall(r"`[\w/]+\.py`[^.;`→]*(?:→[^`→]*`[\w/]+\.py`(?: \([^)]*\))?\s*)+", PAGE)
    ]
    broken = [
        (files[number - 1], file)
        for files in chains
        for number, file in enumerate(files)
        if number and not file.startswith("ade_engine/") and not any(_imports(other, file) for other in files[:number])
    ]

    assert sum(len(files) for files in chains) >= 7
    assert broken == []


def _imports(file: str, other: str) -> bool:
    package, _, name = f"ade/{other.removesuffix('.py')}".replace("/", ".").rpartition(".")
    return any(
        isinstance(node, ast.ImportFrom)
        and (
            node.module == f"{package}.{name}" or (node.module == package and name in {one.name for one in node.names})
        )
        for node in ast.walk(ast.parse((SERVER / file).read_text(encoding="utf-8")))
    )


def test_the_logic_of_the_page_needs_neither_react_nor_a_server() -> None:
    found = [
        (path.name, line)
        for path in sorted((ROOT / "web/src/logic").glob("*.ts"))
        if ".test." not in path.name
        for line in re.findall(r"^import .*", path.read_text(encoding="utf-8"), re.MULTILINE)
        if not re.search(r'from "(\./|~/logic/)', line) and not re.match(r'import type .* from "~/api/', line)
    ]

    assert found == []


def test_every_folder_of_the_engine_is_in_its_table() -> None:
    table = PAGE.partition("## The engine")[2].partition("\n## ")[0]
    folders = {path.parent.name for path in ENGINE.glob("*/__init__.py")}

    assert set(re.findall(r"`ade_engine/(\w+)/`", table)) == folders


def test_only_the_folder_api_of_the_page_sends_requests_to_the_api() -> None:
    sending = {
        path.relative_to(ROOT / "web/src").as_posix()
        for pattern in ("*.ts", "*.tsx")
        for path in (ROOT / "web/src").rglob(pattern)
        if ".test." not in path.name
        and re.search(r"\b(fetch|EventSource|XMLHttpRequest)\(", path.read_text(encoding="utf-8"))
        and path.parent.name != "api"
    }

    assert sending == {"pages/home/HomePage.tsx", "shell/version.ts"}  # the sample, and the page itself


def test_both_ways_of_a_submission_call_what_the_page_names() -> None:
    step = PAGE.partition("1. `submit` in `api/routes/runs.py`")[2].partition("\n2. ")[0]
    routes = ast.parse((SERVER / "api/routes/runs.py").read_text(encoding="utf-8"))
    [submit] = [node for node in routes.body if isinstance(node, ast.FunctionDef) and node.name == "submit"]
    [create] = [node for node in routes.body if isinstance(node, ast.FunctionDef) and node.name == "_create"]
    called = {ast.unparse(node.func) for function in (submit, create) for node in ast.walk(function)
              if isinstance(node, ast.Call)}  # fmt: skip

    assert {"`create_in_queue`", "`request_each`"} <= set(re.findall(r"`\w+`", step))
    assert {"create_in_queue", "request_each", "combining.do"} <= called
