"""Lists requirement -> tests, from @pytest.mark.req("Q4") in the tests and the table in docs/reference/requirements.md.

python tools/requirements.py            a report; fails on an id that is not in the table
python tools/requirements.py --strict   also fails on a requirement without a test
"""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "docs/reference/requirements.md"
TESTS = (ROOT / "tests", ROOT / "packages/engine/tests")


def main() -> int:
    """Print the report; return 1 when something is wrong."""
    known = re.findall(r"^\| ([A-Z]\d+) \|", TABLE.read_text(), re.MULTILINE)
    proofs: dict[str, list[str]] = defaultdict(list)
    for requirement, test in found():
        proofs[requirement].append(test)
    for requirement in known:
        tests = proofs.get(requirement, [])
        print(f"{requirement:4} {len(tests):3}  {', '.join(tests[:3])}{' ...' if len(tests) > 3 else ''}")
    unknown = sorted(set(proofs) - set(known))
    missing = [requirement for requirement in known if requirement not in proofs]
    print(f"\n{len(known) - len(missing)} of {len(known)} requirements have a test")
    print(f"without: {' '.join(missing) or 'none'}")
    if unknown:
        print(f"No such requirement: {' '.join(unknown)}")
    return 1 if unknown or (missing and "--strict" in sys.argv) else 0


def found() -> Iterator[tuple[str, str]]:
    """Yield (requirement, test) for every mark."""
    for folder in TESTS:
        for path in sorted(folder.rglob("test_*.py")):
            yield from marks_in(path)


def marks_in(path: Path) -> Iterator[tuple[str, str]]:
    """Yield (requirement, test) for the marks of one file, on tests, classes, or the whole module (pytestmark)."""
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            for decorator in node.decorator_list:
                yield from ((requirement, node.name) for requirement in ids_of(decorator))
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "pytestmark" for t in node.targets):
            yield from ((requirement, path.stem) for call in ast.walk(node.value) for requirement in ids_of(call))


def ids_of(node: ast.AST) -> list[str]:
    """Return the ids in a `pytest.mark.req(...)` call."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "req":
        return [str(argument.value) for argument in node.args if isinstance(argument, ast.Constant)]
    return []


if __name__ == "__main__":
    sys.exit(main())
