"""Finds every place of the product that sends a statement, so that none stays unrecorded without anybody noticing."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import ade
from tsql.recording import PLUMBING

_PRODUCT = Path(ade.__file__).parent
_METHODS = {"execute", "exec_driver_sql", "rows", "ask", "change"}  # of a transaction, a connection, a Prepared
_SQLITE_ONLY = {"snapshot.py"}  # backups of an SQLite file: other servers have their own tools
_SENDERS = {"tx", "connection", "tx.connection"}


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Lines of a module, as a path below the package."""

    module: str
    first: int
    last: int
    function: str
    text: str

    @property
    def lines(self) -> set[tuple[str, int]]:
        """Its lines, as recordings have them."""
        return {(self.module, line) for line in range(self.first, self.last + 1)}


def places() -> Iterator[Place]:
    """Return each call that sends a statement."""
    for path in sorted((_PRODUCT / "database").rglob("*.py")):
        name = path.relative_to(_PRODUCT / "database").as_posix()
        if name not in PLUMBING and path.name not in _SQLITE_ONLY:
            yield from _places(path)


def _places(path: Path) -> Iterator[Place]:
    module = path.relative_to(_PRODUCT).as_posix()
    found: dict[tuple[int, int], Place] = {}
    for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):  # a function before those within it
        if isinstance(function, ast.FunctionDef):
            for call in ast.walk(function):
                if isinstance(call, ast.Call) and _sends(call):
                    first, last = call.lineno, call.end_lineno or call.lineno
                    found[first, call.col_offset] = Place(module, first, last, function.name, ast.unparse(call))
    yield from found.values()


def _sends(call: ast.Call) -> bool:
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in _METHODS:
        return False
    sender = ast.unparse(call.func.value)
    first = ast.unparse(call.args[0]) if call.args else ""
    return sender in _SENDERS or first == "tx"
