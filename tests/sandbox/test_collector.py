"""A child's output folder holds traps; collecting and removing meet none of them."""

import os
from pathlib import Path

import pytest

from ade.sandbox import collector
from ade.sandbox.collector import RefusedOutput, collect, open_output, walk_to
from ade.sandbox.removal import remove_folder

pytestmark = pytest.mark.req("S6")

SECRET = "the secret of someone else"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "secret").write_text(SECRET)
    output = tmp_path / "output"
    (output / "sub").mkdir(parents=True)
    (output / "plain").write_text("content")
    (output / "sub/plain").write_text("below")
    (output / "symlink").symlink_to(tmp_path / "secret")
    (output / "near").symlink_to("plain")
    (output / "linked").symlink_to(tmp_path)
    (output / "hard").hardlink_to(tmp_path / "secret")
    os.mkfifo(output / "fifo")
    (output / "device").symlink_to("/dev/zero")
    with (output / "large").open("wb") as large:
        large.truncate(1 << 40)
    return output


@pytest.fixture(params=["openat2", "walk"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Open by the kernel's own guard, and by the walk that replaces it elsewhere."""
    if request.param == "walk":
        monkeypatch.setattr(collector, "_open_at", walk_to)
    return str(request.param)


TRAPS = [
    "symlink",
    "near",
    "linked/secret",
    "hard",
    "fifo",
    "device",
    "large",
    "sub",
    "../secret",
    "sub/../../secret",
    "/",
]


@pytest.mark.parametrize("name", [*TRAPS, "/etc/passwd", "", ".", "/proc/self/fd/0"])
def test_a_trap_is_refused_without_waiting(folder: Path, way: str, name: str) -> None:
    with pytest.raises((RefusedOutput, FileNotFoundError)), open_output(folder, name, max_bytes=1024):
        pass


@pytest.mark.parametrize("name", ["symlink", "near", "linked/secret", "hard", "../secret"])
def test_naive_opening_falls_for_it(folder: Path, name: str) -> None:
    assert (folder / name).read_text() in (SECRET, "content")


@pytest.mark.parametrize(("name", "content"), [("plain", "content"), ("sub/plain", "below")])
def test_a_plain_file_is_collected(folder: Path, way: str, name: str, content: str, tmp_path: Path) -> None:
    size = collect(folder, name, tmp_path / "collected", max_bytes=1024)

    assert (tmp_path / "collected").read_text() == content
    assert size == len(content)


def test_a_missing_file_is_missing(folder: Path, way: str) -> None:
    with pytest.raises(FileNotFoundError), open_output(folder, "nothing", max_bytes=1):
        pass


def test_an_output_folder_that_is_itself_a_link_is_not_followed(folder: Path, way: str) -> None:
    with pytest.raises(OSError, match=r".*"), open_output(folder / "linked", "secret", max_bytes=1024):
        pass


def test_collecting_never_replaces_a_file(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(FileExistsError):
        collect(folder, "plain", tmp_path / "secret", max_bytes=1024)

    assert (tmp_path / "secret").read_text() == SECRET


def test_removing_follows_no_link(folder: Path, tmp_path: Path) -> None:
    remove_folder(folder)

    assert not folder.exists()
    assert (tmp_path / "secret").read_text() == SECRET


def test_removing_copes_with_depth_and_locks(tmp_path: Path) -> None:
    top = tmp_path / "top"
    top.mkdir()
    current = os.open(top, os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("d" * 100, dir_fd=current)
        below = os.open("d" * 100, os.O_RDONLY, dir_fd=current)
        os.close(current)
        current = below
    os.close(current)
    for name in ("wide1", "wide2"):
        (top / name / "file").parent.mkdir()
        (top / name / "file").touch()
        (top / name).chmod(0)

    remove_folder(top)

    assert not top.exists()


def test_removing_what_is_not_there_is_fine(tmp_path: Path) -> None:
    remove_folder(tmp_path / "nothing")
