"""Settings: read from variables and files, refused all at once and in words."""

from pathlib import Path

import pytest

from ade.errors import InvalidSettings
from ade.settings import load_settings, unknown_settings


def test_defaults_are_the_documented_ones() -> None:
    settings = load_settings()

    assert (settings.max_concurrency, settings.queue_size, settings.run_timeout_seconds) == (2, 10_000, 300)
    assert (settings.build_timeout_seconds, settings.run_max_claims, settings.runtime_network_access) == (
        600,
        3,
        "never",
    )


def test_the_database_is_sqlite_in_the_data_folder_by_default(tmp_path: Path) -> None:
    assert load_settings(data_dir=tmp_path).resolved_database_url == f"sqlite:///{tmp_path}/ade.db"


def test_every_wrong_setting_is_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADE_PORT", "eighty")
    monkeypatch.setenv("ADE_QUEUE_SIZE", "0")
    monkeypatch.setenv("ADE_DATABASE_URL", "mysql://root:hunter2@db/ade")

    with pytest.raises(InvalidSettings) as refused:
        load_settings()

    lines = sorted(str(refused.value).splitlines())
    assert [line.partition(":")[0] for line in lines] == ["ADE_DATABASE_URL", "ADE_PORT", "ADE_QUEUE_SIZE"]
    assert "must start with sqlite:///, postgresql://" in lines[0]
    assert "'eighty'" in lines[1]
    assert "hunter2" not in str(refused.value)


def test_a_secret_can_come_from_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "url").write_text("postgresql://ade@db/ade\n")
    monkeypatch.setenv("ADE_DATABASE_URL_FILE", str(tmp_path / "url"))

    assert load_settings().database_url == "postgresql://ade@db/ade"


def test_a_variable_wins_over_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "port").write_text("1111")
    monkeypatch.setenv("ADE_PORT_FILE", str(tmp_path / "port"))
    monkeypatch.setenv("ADE_PORT", "2222")

    assert load_settings().port == 2222


def test_a_secret_file_that_cannot_be_read_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ADE_DATABASE_URL_FILE", str(tmp_path / "absent"))

    with pytest.raises(InvalidSettings, match=r"ADE_DATABASE_URL_FILE: cannot read .*absent"):
        load_settings()


def test_a_variable_nobody_reads_is_reported_with_a_guess() -> None:
    environment = {"ADE_QUEUE_SISE": "5", "ADE_PORT": "1", "ADE_TEST_X": "", "HOME": "/"}

    assert unknown_settings(environment) == ["ADE_QUEUE_SISE: no such setting; did you mean ADE_QUEUE_SIZE?"]
