"""The reader of documents: shut in as far as the host allows, as any user, however it is started; and bounded."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import ade
import ade_engine
from ade.errors import DocumentTooLarge, UnreadableDocument
from ade.operations.reading.reader import LIMITS, ask
from ade.operations.reading.scratch import make_readable, scratch
from ade.operations.reading.turns import Owner, Turn
from ade.sandbox.inside.spec import MIB, Limits
from ade.sandbox.interpreter import unreachable
from ade_engine.protocol import Request
from reading.books import wide
from sandbox.rig import NOBODY, SITE_PACKAGES, open_python, users

OWNER = Owner("one", "ada")
SOURCES = [str(Path(module.__file__ or "").parents[1]) for module in (ade, ade_engine)]
IMPORTED = [*SOURCES, str(Path(__file__).parents[1]), SITE_PACKAGES]
# A stranger's own server: it closes its files to others, and its host may lack what shuts children in.
SERVER = """
import json, os, sys
from sandbox.runner import deny

mode, *denied = sys.argv[1:]
os.umask(0o077)
if denied:
    deny(denied)

from ade.domain.isolation import Isolation
from ade.operations.reading import reader, scratch
from ade.operations.reading.turns import SERVER, Turn
from ade.sandbox.launcher import Launcher
from ade_engine.protocol import Request

with scratch.scratch.folder() as folder, Launcher(mode=mode, minimum=Isolation.OPEN) as launcher:
    output, document = folder / "output", folder / "document.csv"
    output.mkdir()
    document.write_text("Name\\nAda\\n")
    scratch.make_readable(document)
    request = Request(
        entry="look", output_folder=str(output), input_path=str(document), options={"question": "sheets"}
    )
    outcome = reader.read(Turn(SERVER, 0, 1.0, slot=0), request, launcher=launcher)
    print(json.dumps({"level": outcome.level, "answer": reader.answer_in(output), "home": str(scratch.scratch.home)}))
"""
BEST = {
    (): {"isolated"},
    ("unshare",): {"confined"},
    ("unshare", "landlock_create_ruleset"): {"guarded"},
    ("unshare", "landlock_create_ruleset", "seccomp"): {"limits", "guarded"},
}


def served(user: str, mode: str, denied: tuple[str, ...]) -> dict[str, Any]:
    """Return what a server that runs as a user reads."""
    is_dropped = os.geteuid() == 0 and user == "user"
    python = sys.executable if user == "root behind a closed door" else open_python() or sys.executable
    if is_dropped and (closed := unreachable(IMPORTED, NOBODY)):
        pytest.skip(f"other users cannot reach {closed}")
    identity: dict[str, Any] = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if is_dropped else {}
    done = subprocess.run(
        [python, "-B", "-c", SERVER, mode, *denied], capture_output=True, text=True, check=False, cwd="/",
        env={"PYTHONPATH": ":".join(IMPORTED), "PATH": "/usr/bin:/bin", "TMPDIR": tempfile.gettempdir()}, **identity,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.req("S3", "S5")
@pytest.mark.skipif(sys.platform != "linux", reason="levels above limits need Linux")
@pytest.mark.parametrize(
    "denied",
    [pytest.param(names, marks=pytest.mark.slow if names else (), id=" ".join(names) or "nothing") for names in BEST],
)
@pytest.mark.parametrize("mode", ["spawn", "zygote"])
@pytest.mark.parametrize("user", users())
def test_a_document_is_read_at_the_best_level_of_the_host(user: str, mode: str, denied: tuple[str, ...]) -> None:
    found = served(user, mode, denied)

    assert [sheet["index"] for sheet in found["answer"]["sheets"]] == [0]
    is_still_root = user == "root behind a closed door" and not denied
    assert found["level"] in ({"confined"} if is_still_root else BEST[denied])
    assert not Path(found["home"]).exists()


@pytest.fixture
def document(tmp_path: Path) -> Iterator[Path]:
    with scratch.folder() as folder:
        yield folder / "document.xlsx"


@pytest.mark.slow
@pytest.mark.req("S3")
def test_reading_ends_when_its_time_is_up(document: Path) -> None:
    document.write_bytes(wide(rows=60))

    with pytest.raises(UnreadableDocument, match="A run may still succeed"):
        _tables(document, replace(LIMITS, cpu_seconds=1))


def test_reading_ends_when_its_memory_is_used_up(document: Path) -> None:
    document.write_text("".join(f"{row},{'x' * 1000}\n" for row in range(1000)) + '"' + "y" * 12 * MIB)

    with pytest.raises((UnreadableDocument, DocumentTooLarge), match="memory"):
        _tables(document, replace(LIMITS, memory_bytes=48 * MIB))


def _tables(document: Path, limits: Limits) -> dict[str, Any]:
    make_readable(document)
    output = document.parent / "output"
    output.mkdir()
    options = {"question": "tables", "sheet": 0}
    request = Request(entry="look", output_folder=str(output), input_path=str(document), options=options)
    return ask(Turn(OWNER, 0, 1.0, slot=0), request, limits=limits)
