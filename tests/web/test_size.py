"""How much a first visit loads."""

import gzip
import re

import pytest

from web.conftest import BUILT

MOST_BYTES = 300 * 1024


@pytest.mark.req("U2")
def test_the_first_page_loads_less_than_300_kb_of_script() -> None:
    if not BUILT.is_file():
        pytest.skip("The web UI is not built: python packages/server/hatch_build.py")
    index = BUILT.read_text()
    first = re.findall(r'(?:src|href)="/([^"]+\.js)"', index)
    home = [path.relative_to(BUILT.parent).as_posix() for path in (BUILT.parent / "assets").glob("HomePage-*.js")]
    loaded = {name for entry in [*first, *home] for name in _with_imports(entry)}
    assert len(loaded) > len(first)
    sizes = {name: len(gzip.compress((BUILT.parent / name).read_bytes(), 6)) for name in loaded}
    assert sum(sizes.values()) < MOST_BYTES, sizes


def _with_imports(name: str, known: set[str] | None = None) -> set[str]:
    """Return a script and all it cannot start without."""
    known = set() if known is None else known
    if name in known:
        return known
    known.add(name)
    folder = name.rpartition("/")[0]
    for found in re.findall(r"""(?:from|import)\s*["']\./([^"']+\.js)["']""", (BUILT.parent / name).read_text()):
        _with_imports(f"{folder}/{found}", known)
    return known
