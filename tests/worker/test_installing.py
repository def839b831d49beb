"""What the installer takes from a configuration, and what it hands to uv."""

import socket
from pathlib import Path

import pytest

from ade.settings import load_settings
from ade.worker.failures import shortened
from ade.worker.installing import Installer, InstallFailed, requirements_of
from ade.worker.uv_process import installer_environment
from ade.worker.uv_words import cause as cause_of
from worker.wheels import make_wheel

pytestmark = pytest.mark.req("B9")


def refusal(folder: Path, **files: str) -> str:
    """Return why a configuration's requirements are refused; empty when they are not."""
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)
    try:
        requirements_of(folder)
    except InstallFailed as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    "requirement",
    [
        "polars",
        "polars==1.2.3",
        "Polars >= 1.2, < 2",
        "polars[excel, s3] ~= 1.0",
        "polars (>=1)",
        "backports.zoneinfo; python_version < '3.9' and sys_platform == \"linux\"",
        "polars==1.0+local.1",
        f"polars==1.0 --hash=sha256:{'0a' * 32} --hash=sha512:{'f9' * 64}",
    ],
)
def test_names_and_versions_are_taken(tmp_path: Path, requirement: str) -> None:
    assert refusal(tmp_path, requirements_txt=f"{requirement}\n") == ""


@pytest.mark.parametrize(
    "requirement",
    [
        "-e evil",
        "--index-url https://elsewhere",
        "./evil",
        "configuration/evil",
        "/opt/evil",
        "..",
        "evil @ https://elsewhere/evil.whl",
        "https://elsewhere/evil.whl",
        "git+https://elsewhere/evil",
        "evil-1.0.tar.gz",
        "evil-1.0-py3-none-any.whl",
        "${HOME}/evil",
        "evil==${UV_INDEX_URL}",
        "evil==$UV_INDEX_URL",
        "evil; python_version < '${UV_INDEX_URL}'",
        "evil==1 --config-settings x=y",
        "evil; python_version < '4' --config-settings x=y",
        "evil -e .",
        "evil" + " " * 20_000 + "-e .",
        "evil" + "!1" * 20_000 + "-e .",
        "evil==1\x0b-e .",
        "evil\u2028-e .",
        "C:\\\\evil",
    ],
)
def test_paths_addresses_options_and_variables_are_refused_with_file_and_line(tmp_path: Path, requirement: str) -> None:
    assert refusal(tmp_path, requirements_txt=f"# ours\nfine\n{requirement}\n").startswith("requirements.txt, line ")


def test_a_refused_dependency_of_a_project_is_named_with_its_line(tmp_path: Path) -> None:
    project = '[project]\nname = "x"\ndependencies = [\n  "fine",\n  "./evil",\n]\n'

    assert refusal(tmp_path, pyproject_toml=project).startswith("pyproject.toml, line 5: './evil' is refused")


@pytest.mark.parametrize("project", ["[project\n", "project = 1\n", "[project]\ndependencies = 'x'\n"])
def test_a_project_that_makes_no_sense_is_told(tmp_path: Path, project: str) -> None:
    assert refusal(tmp_path, pyproject_toml=project).startswith("pyproject.toml")


@pytest.mark.parametrize(
    ("lines", "cause"),
    [
        (["Using CPython 3", "error: No solution", "  cause: Because a is", "nowhere."], "Because a is nowhere."),
        (
            ["Using CPython 3", "  \u00d7 No solution:", "  \u2570\u2500\u25b6 Because a", "   \u2502 is nowhere."],
            "Because a is nowhere.",
        ),
        (["Using CPython 3.11", "error: Failed to fetch a", "hint: try again"], "Failed to fetch a"),
        (
            ["Using CPython 3.11", "error: Failed to fetch a", "Using Python 3", "Resolved 2 packages"],
            "Failed to fetch a",
        ),
        (["Using CPython 3.11.2 interpreter at: /usr/bin/python3", "all is lost"], "all is lost"),
        ([], ""),
    ],
)
def test_the_cause_is_what_uv_says_went_wrong(lines: list[str], cause: str) -> None:
    assert cause_of(line.strip() for line in lines) == cause


def test_a_long_message_is_cut_between_words_and_says_where_to_read_on() -> None:
    message = shortened("requirements.txt, line 2: " + "word, " * 60)

    assert len(message) <= 240
    assert message.endswith("word … The log has the rest.")
    assert shortened("short") == "short"


def test_uv_gets_the_certificates_of_the_host_and_no_secret(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("SSL_CERT_FILE", "SSL_CERT_DIR", "UV_SYSTEM_CERTS", "UV_NATIVE_TLS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DATABASE_URL", "postgresql://secret")
    monkeypatch.setenv("ADE_SECRET", "secret")
    monkeypatch.setenv("https_proxy", "http://proxy")

    given = installer_environment(cache=tmp_path)

    assert given["UV_SYSTEM_CERTS"] == "1"
    assert given["https_proxy"] == "http://proxy"
    assert not [value for value in given.values() if "secret" in value]


def test_certificates_the_operator_names_are_left_to_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("UV_SYSTEM_CERTS", raising=False)
    monkeypatch.setenv("SSL_CERT_FILE", "/etc/own.pem")

    given = installer_environment(cache=tmp_path)

    assert given["SSL_CERT_FILE"] == "/etc/own.pem"
    assert "UV_SYSTEM_CERTS" not in given


def test_a_build_never_uses_the_cache_of_the_operator(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("UV_CACHE_DIR", "/elsewhere")

    assert installer_environment(cache=tmp_path)["UV_CACHE_DIR"] == str(tmp_path)


def test_an_installer_that_cannot_tell_leaves_nothing_behind_for_the_next_try(tmp_path: Path) -> None:
    make_wheel(tmp_path / "wheels", "greeting", "HELLO = 1\n")
    (tmp_path / "requirements.txt").write_text("greeting\n")
    settings = load_settings(wheelhouse=tmp_path / "wheels", data_dir=tmp_path)
    installer = Installer(settings, cache=tmp_path / "cache")

    def tell(_: str) -> None:
        raise OSError("the disk is full")

    with pytest.raises(OSError, match="full"):
        installer.install(tmp_path, tmp_path / "target", seconds=60, on_line=tell)

    assert installer._process is not None
    assert installer._process.returncode is not None
    assert not (tmp_path / "requirements-checked.txt").exists()


@pytest.mark.slow
def test_the_key_of_an_index_is_neither_in_the_log_nor_in_the_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]  # nobody listens there now
    monkeypatch.setenv("UV_DEFAULT_INDEX", f"http://someone:hidden@127.0.0.1:{port}/simple?token=hidden")
    monkeypatch.setenv("UV_HTTP_RETRIES", "0")
    (tmp_path / "requirements.txt").write_text("greeting\n")
    told: list[str] = []

    with pytest.raises(InstallFailed) as failed:
        Installer(load_settings(data_dir=tmp_path), cache=tmp_path / "cache").install(
            tmp_path, tmp_path / "target", seconds=60, on_line=told.append
        )

    assert f"127.0.0.1:{port}/simple" in str(failed.value)
    assert "hidden" not in " ".join([str(failed.value), *told])
