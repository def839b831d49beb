"""ade doctor tries the file store, and says what to do about one that does not work."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from ade.api.app import create_app
from ade.cli.doctor import check_files
from ade.errors import FilesUnreachable
from ade.files import open_files
from ade.settings import load_settings
from ade.system import open_system
from files.s3 import BUCKET, S3Server

HERE = "http://127.0.0.1:8000"
NO_BUCKET = "There is no bucket no-such-bucket. Create it, or correct ADE_FILES_URL."
pytestmark = pytest.mark.req("C1", "W7")


@pytest.fixture(scope="module")
def s3() -> Iterator[S3Server]:
    server = S3Server()
    yield server
    server.stop()


def point_at(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given = {"ENDPOINT": endpoint, "ALLOW_HTTP": "true", "ACCESS_KEY_ID": "x", "SECRET_ACCESS_KEY": "x", "REGION": "x"}
    for name, value in given.items():
        monkeypatch.setenv(f"AWS_{name}", value)


def test_a_folder_is_tried_and_left_as_it_was(tmp_path: Path) -> None:
    check = check_files("", folder=tmp_path)

    assert (check.verdict, check.found) == ("ok", str(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_yet_is_not_made(tmp_path: Path) -> None:
    check = check_files("", folder=tmp_path / "files")

    assert check.verdict == "ok"
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_takes_no_file_fails(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.touch()  # a file where the folder should be stops root too

    check = check_files("", folder=folder)

    assert check.verdict == "failed"
    assert str(folder) in check.found
    assert "ADE_DATA_DIR" in check.advice


def test_a_mounted_folder_is_tried_and_left_as_it_was(tmp_path: Path) -> None:
    check = check_files(f"file://{tmp_path}", folder=tmp_path)

    assert (check.verdict, check.found) == ("ok", f"file://{tmp_path}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_mounted_folder_that_is_absent_is_named(tmp_path: Path) -> None:
    check = check_files(f"file://{tmp_path}/absent", folder=tmp_path)

    assert check.verdict == "failed"
    assert f"there is no folder {tmp_path}/absent" in check.found


def test_a_path_is_answered_with_its_address(tmp_path: Path) -> None:
    environment = {**os.environ, "ADE_DATA_DIR": str(tmp_path), "ADE_FILES_URL": "/srv/shared"}
    command = [sys.executable, "-m", "ade", "doctor", "--json"]
    answer = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    checks = {check["name"]: check for check in json.loads(answer.stdout)["checks"]}
    assert answer.returncode == 1
    assert checks["files"]["verdict"] == "failed"
    assert "write it as file:///srv/shared, s3://bucket/prefix" in checks["files"]["found"]


def test_what_names_no_store_is_not_repeated(tmp_path: Path) -> None:
    check = check_files("ftp://ada:hunter2@host/x", folder=tmp_path)

    assert "write it as file:///folder, s3://bucket/prefix" in check.found
    assert "hunter2" not in check.found


@pytest.mark.slow
def test_a_bucket_is_tried_and_left_as_it_was(s3: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    point_at(s3.endpoint, monkeypatch)

    check = check_files(f"s3://ada:hunter2@{BUCKET}/prefix", folder=tmp_path, seconds=60)

    assert (check.verdict, check.found) == ("ok", f"s3://{BUCKET}/prefix")
    assert open_files(f"s3://{BUCKET}", folder=tmp_path).keys("prefix") == []


@pytest.mark.slow
def test_a_bucket_that_is_not_there_fails(s3: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    point_at(s3.endpoint, monkeypatch)

    check = check_files("s3://no-such-bucket", folder=tmp_path, seconds=60)

    assert check.verdict == "failed"
    assert check.found == f"s3://no-such-bucket: {NO_BUCKET}"


@pytest.mark.slow
def test_gc_and_readyz_name_a_bucket_that_is_not_there(
    s3: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    point_at(s3.endpoint, monkeypatch)
    environment = {**os.environ, "ADE_DATA_DIR": str(tmp_path), "ADE_FILES_URL": "s3://no-such-bucket"}
    command = [sys.executable, "-m", "ade", "gc"]

    collected = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    settings = load_settings(data_dir=tmp_path, files_url="s3://no-such-bucket")
    with closing(open_system(settings)) as system, TestClient(create_app(system), base_url=HERE) as client:
        ready = client.get("/readyz")

    assert collected.returncode == 1
    assert NO_BUCKET in collected.stderr
    assert (ready.status_code, ready.json()["warnings"]) == (200, [NO_BUCKET])


@pytest.mark.slow
def test_every_use_of_a_bucket_that_is_not_there_says_so(
    s3: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    point_at(s3.endpoint, monkeypatch)
    files = open_files("s3://no-such-bucket/prefix", folder=tmp_path, is_patient=False)

    for use in (
        lambda: files.write("key", [b"x"]),
        lambda: files.append("key", b"x"),
        lambda: files.size("key"),
        lambda: files.exists("key"),
        lambda: files.keys("folder"),
        lambda: files.delete("key"),
        lambda: files.delete_folder("folder"),
    ):
        with pytest.raises(FilesUnreachable, match="There is no bucket no-such-bucket"):
            use()


def test_a_store_nobody_serves_fails_with_what_to_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    point_at("http://127.0.0.1:1", monkeypatch)

    check = check_files("s3://ade", folder=tmp_path, seconds=60)

    assert check.verdict == "failed"
    assert check.found.startswith("s3://ade: The file store did not answer: ")
    assert "endpoint and credentials" in check.advice


def test_a_store_that_takes_a_connection_and_says_nothing_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        point_at(f"http://127.0.0.1:{silent.getsockname()[1]}", monkeypatch)

        check = check_files("s3://ade", folder=tmp_path, seconds=0.5)

    assert (check.verdict, check.found) == ("failed", "s3://ade: The file store did not answer within 0.5 seconds.")
