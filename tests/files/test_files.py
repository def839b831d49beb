"""One suite for every file store: local disk, a folder that hosts mount, and an S3-compatible server."""

import random
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from ade.errors import FileMissing, FilesUnreachable, Invalid, InvalidSettings
from ade.files import FileStore, LocalFiles, chunks_of, open_files, save
from ade.ids import new_id
from files.s3 import BUCKET, S3Server

pytestmark = pytest.mark.req("W7")


@pytest.fixture(scope="module")
def s3() -> Iterator[S3Server]:
    server = S3Server()
    yield server
    server.stop()


@pytest.fixture(params=["local", "mounted", pytest.param("s3", marks=pytest.mark.slow)])
def files(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FileStore:
    if request.param == "local":
        return open_files("", folder=tmp_path / "files")
    if request.param == "mounted":
        (tmp_path / "store").mkdir()
        return open_files(f"file://{tmp_path}/store", folder=tmp_path / "unused")
    server: S3Server = request.getfixturevalue("s3")
    for name, value in server.variables.items():
        monkeypatch.setenv(name, value)
    return open_files(f"s3://{BUCKET}/{new_id()}", folder=tmp_path)


def content(files: FileStore, key: str, *, start: int = 0, length: int | None = None) -> bytes:
    return b"".join(files.read(key, start=start, length=length))


def test_what_is_written_is_read(files: FileStore) -> None:
    size_bytes = files.write("documents/1/content", [b"hello ", b"", b"world"])

    assert (size_bytes, files.size("documents/1/content")) == (11, 11)
    assert content(files, "documents/1/content") == b"hello world"
    assert files.exists("documents/1/content")


def test_a_large_file_comes_back_byte_by_byte(files: FileStore) -> None:
    chunks = [random.Random(number).randbytes(1_000_003) for number in range(8)]

    files.write("documents/1/content", iter(chunks))

    assert content(files, "documents/1/content") == b"".join(chunks)


def test_an_empty_file_is_a_file(files: FileStore) -> None:
    files.write("a", [])

    assert (files.size("a"), content(files, "a")) == (0, b"")


@pytest.mark.parametrize(("start", "length"), [(0, 3), (3, 4), (9, 10), (10, 5), (40, 1), (2, None), (0, 0)])
def test_a_range_is_what_slicing_gives(files: FileStore, start: int, length: int | None) -> None:
    files.write("whole", [b"0123456789"])
    for part in (b"012", b"3456", b"789"):
        files.append("grown", part)

    expected = b"0123456789"[start : None if length is None else start + length]
    assert content(files, "whole", start=start, length=length) == expected
    assert content(files, "grown", start=start, length=length) == expected


@pytest.mark.req("A3")
def test_an_appended_file_grows_while_it_is_read(files: FileStore) -> None:
    files.append("runs/1/2/events.ndjson", b'{"seq": 1}\n{"se')
    before = content(files, "runs/1/2/events.ndjson")
    files.append("runs/1/2/events.ndjson", b'q": 2}\n')

    assert before == b'{"seq": 1}\n{"se'
    assert content(files, "runs/1/2/events.ndjson", start=len(before)) == b'q": 2}\n'
    assert files.size("runs/1/2/events.ndjson") == 22
    assert files.keys("runs") == ["runs/1/2/events.ndjson"]


def test_a_whole_file_replaces_an_appended_one(files: FileStore) -> None:
    files.append("log", b"one")
    files.append("log", b"two")

    files.write("log", files.read("log"))
    files.write("log", [b"new"])

    assert content(files, "log") == b"new"
    assert files.keys("log.segments") == []


def test_who_reads_an_appended_file_reads_on_when_the_whole_replaces_it(files: FileStore) -> None:
    for part in (b"012", b"3456", b"789"):
        files.append("log", part)

    reading = files.read("log", start=1, length=8)
    first = next(iter(reading))
    files.write("log", [b"0123456789 and more"])

    assert first + b"".join(reading) == b"12345678"


def test_a_replaced_file_is_never_seen_half(files: FileStore) -> None:
    old, new = b"a" * 300_000, b"b" * 300_000
    files.write("key", [old])
    seen: set[bytes] = set()
    done = threading.Event()

    def watch() -> None:
        while not done.is_set():
            seen.add(content(files, "key"))

    watcher = threading.Thread(target=watch)
    watcher.start()
    for _ in range(5):
        files.write("key", [new[:1000], new[1000:]])
        files.write("key", [old])
    done.set()
    watcher.join()

    assert seen <= {old, new}


def test_a_write_that_fails_leaves_what_was_there(files: FileStore) -> None:
    files.write("key", [b"old"])

    def breaks() -> Iterator[bytes]:
        yield b"new"
        raise RuntimeError("the sender hung up")

    with pytest.raises(Exception, match="hung up"):
        files.write("key", breaks())

    assert content(files, "key") == b"old"


def test_files_are_listed_and_removed(files: FileStore) -> None:
    for key in ("runs/1/a", "runs/1/b/c", "runs/10/a"):
        files.write(key, [key.encode()])
    files.append("runs/1/log", b"line")
    files.write("kept/a", [b"kept"])

    assert files.keys("runs/1") == ["runs/1/a", "runs/1/b/c", "runs/1/log"]
    assert files.delete_folder("runs/1") == 3
    assert files.keys("runs") == ["runs/10/a"]
    assert content(files, "kept/a") == b"kept"

    files.delete("kept/a")
    files.delete("kept/a")

    assert not files.exists("kept/a")


def test_a_missing_file_is_told_before_reading_starts(files: FileStore) -> None:
    for ask in (files.read, files.size):
        with pytest.raises(FileMissing, match="documents/none"):
            ask("documents/none")
    assert files.keys("documents") == []
    assert not files.exists("documents/none")


@pytest.mark.req("S7")
@pytest.mark.parametrize(
    "key", ["", "/etc/passwd", "../x", "a/../b", "a//b", "a/.hidden", "a\\b", "a\0", "a/", "x" * 500]
)
def test_a_key_that_could_lead_outside_is_refused(files: FileStore, key: str) -> None:
    for use in (files.read, files.size, files.delete, files.delete_folder, files.keys, files.exists):
        with pytest.raises(Invalid):
            use(key)
    with pytest.raises(Invalid):
        files.write(key, [b"x"])
    with pytest.raises(Invalid):
        files.append(key, b"x")


def test_a_local_write_leaves_nothing_beside_the_file(tmp_path: Path) -> None:
    files = LocalFiles(tmp_path)
    files.write("a/b", [b"x"])

    assert [path.name for path in (tmp_path / "a").iterdir()] == ["b"]


def test_files_go_to_and_from_a_path(files: FileStore, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_bytes(b"bytes")

    files.write("key", chunks_of(tmp_path / "in.txt"))

    assert save(files.read("key"), tmp_path / "out.txt") == 5
    assert (tmp_path / "out.txt").read_bytes() == b"bytes"


@pytest.mark.parametrize("url", ["nonsense", "ftp://host/x"])
def test_an_address_that_names_no_store_is_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(InvalidSettings, match="ADE_FILES_URL"):
        open_files(url, folder=tmp_path)


@pytest.mark.slow
def test_a_store_that_does_not_answer_is_unavailable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"AWS_ENDPOINT_URL": "http://127.0.0.1:1", "AWS_ALLOW_HTTP": "true"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "x")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "x")
    files = open_files("s3://bucket", folder=tmp_path)

    with pytest.raises(FilesUnreachable):
        files.size("key")
