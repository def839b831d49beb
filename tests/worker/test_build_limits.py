"""Builds: what installing packages may use, and requirements that were never checked."""

import zipfile
from pathlib import Path

import pytest

from ade.domain.run import LimitedResource
from ade.sandbox.inside.spec import MIB
from ade.settings import load_settings
from ade.worker.installing import CACHES, Installer, InstallFailed
from worker.conftest import OpenStage
from worker.stage import SIMPLE, Stage
from worker.wheels import make_wheel

pytestmark = [pytest.mark.slow, pytest.mark.req("B9", "R9")]
ENDLESS = "a" + ">=1," * 30 + "$"
SMUGGLED = "greeting; python_version>'3'\\nevil.zip"


def add_to_wheel(wheel: Path, name: str, size_bytes: int) -> None:
    """Add a file of zeros, which a wheel packs to almost nothing; uv does not ask for its digest."""
    with zipfile.ZipFile(wheel, "a", zipfile.ZIP_DEFLATED) as archive, archive.open(name, "w") as file:
        for _ in range(size_bytes // MIB):
            file.write(b"\0" * MIB)


def installed(folder: Path, **settings: int) -> InstallFailed | None:
    """Install the package `greeting` of a wheelhouse; return why that failed."""
    (folder / "requirements.txt").write_text("greeting\n")
    given = load_settings(wheelhouse=folder / "wheels", data_dir=folder, min_free_disk_mb=0, **settings)
    installer = Installer(given, cache=folder / "cache")
    try:
        installer.install(folder, folder / "target", seconds=60, on_line=lambda _: None)
    except InstallFailed as failure:
        return failure
    return None


def test_packages_that_fit_are_installed_and_their_cache_is_kept(tmp_path: Path) -> None:
    make_wheel(tmp_path / "wheels", "greeting", "HELLO = 1\n")

    assert installed(tmp_path, build_disk_mb=32) is None
    assert (tmp_path / "target/greeting.py").exists()
    assert any((tmp_path / "cache").iterdir())


@pytest.mark.parametrize("file_mb", [8, 64], ids=["many bytes", "one file over the limit"])
def test_a_small_wheel_that_unpacks_to_much_ends_at_the_limit_and_leaves_nothing(tmp_path: Path, file_mb: int) -> None:
    wheel = make_wheel(tmp_path / "wheels", "greeting", "HELLO = 1\n")
    for number in range(96 // file_mb):
        add_to_wheel(wheel, f"greeting-{number}.bin", file_mb * MIB)

    failure = installed(tmp_path, build_disk_mb=32)

    assert failure is not None
    assert failure.resource is LimitedResource.DISK
    assert "32 MB" in str(failure)
    assert str(failure).endswith("raise ADE_BUILD_DISK_MB.")
    assert not (tmp_path / "target").exists()
    assert not (tmp_path / "cache").exists()


def test_a_wheel_of_too_many_files_ends_at_the_limit(tmp_path: Path) -> None:
    wheel = make_wheel(tmp_path / "wheels", "greeting", "HELLO = 1\n")
    with zipfile.ZipFile(wheel, "a") as archive:
        for number in range(10_000):
            archive.writestr(f"greeting-files/{number}", "x")

    failure = installed(tmp_path, build_disk_mb=32)  # each of them takes a block twice: in the cache and in the target

    assert failure is not None
    assert failure.resource is LimitedResource.DISK


@pytest.mark.parametrize(("memory_mb", "is_compiled"), [(64, False), (1024, True)])
def test_a_module_is_compiled_within_the_memory_of_builds_or_not_at_all(
    tmp_path: Path, memory_mb: int, is_compiled: bool
) -> None:
    make_wheel(tmp_path / "wheels", "greeting", "x = 1\n" * 700_000)

    assert installed(tmp_path, build_mem_mb=memory_mb) is None
    assert any((tmp_path / "target/__pycache__").glob("*.pyc")) == is_compiled


def test_a_module_that_takes_long_to_compile_is_ended_by_the_limit_of_builds(tmp_path: Path) -> None:
    make_wheel(tmp_path / "wheels", "greeting", "x = 1\n" * 1_000_000)

    failure = installed(tmp_path, build_cpu_seconds=1)

    assert failure is not None
    assert failure.resource is LimitedResource.CPU
    assert "1 s of CPU time" in str(failure)
    assert "ADE_BUILD_CPU_SECONDS" in str(failure)


def test_a_disk_that_runs_low_ends_the_installation(tmp_path: Path) -> None:
    make_wheel(tmp_path / "wheels", "greeting", "HELLO = 1\n")
    (tmp_path / "requirements.txt").write_text("greeting\n")
    settings = load_settings(wheelhouse=tmp_path / "wheels", data_dir=tmp_path, min_free_disk_mb=2**40)

    with pytest.raises(InstallFailed, match="ADE_MIN_FREE_DISK_MB") as failure:
        Installer(settings, cache=tmp_path / "cache").install(
            tmp_path, tmp_path / "target", seconds=60, on_line=lambda _: None
        )

    assert failure.value.is_disk_full
    assert not (tmp_path / "cache").exists()


def test_a_build_over_its_limit_fails_with_the_resource_and_the_setting(open_local: OpenStage, tmp_path: Path) -> None:
    add_to_wheel(make_wheel(tmp_path / "wheels", "greeting", "HELLO = 1\n"), "greeting.bin", 64 * MIB)
    local = open_local(wheelhouse=tmp_path / "wheels", build_disk_mb=32)
    run_id = local.submit_one({**SIMPLE, "requirements.txt": "greeting\n"})

    local.work_off([run_id])

    build = local.build_of(run_id)
    assert (build.status, build.failure_code, build.failure_resource) == ("failed", "resource_limit", "disk")
    assert "ADE_BUILD_DISK_MB" in build.failure_message
    assert list((local.folder / CACHES).iterdir()) == []
    assert local.work_folders() == []


@pytest.mark.parametrize("line", [ENDLESS, "a" * 80_000, "a" + ">1 " * 5000, "-e ."])
def test_a_bad_requirement_that_is_in_the_database_fails_its_build_and_hangs_nothing(local: Stage, line: str) -> None:
    run_id = local.submit_unchecked(SIMPLE, f"{line}\n")

    local.work_off([run_id])

    build = local.build_of(run_id)
    assert (build.failure_code, build.claim_count) == ("configuration_error", 1)
    assert build.failure_message.startswith("requirements.txt, line 1: ")


def test_what_uv_reads_is_what_was_checked(tmp_path: Path) -> None:
    make_wheel(tmp_path / "wheels", "greeting", "HELLO = 1\n")
    (tmp_path / "pyproject.toml").write_text(f'[project]\nname = "x"\ndependencies = ["{SMUGGLED}"]\n')
    settings = load_settings(wheelhouse=tmp_path / "wheels", data_dir=tmp_path, min_free_disk_mb=0)

    with pytest.raises(InstallFailed, match=r"pyproject\.toml, line \d: .* is refused"):
        Installer(settings, cache=tmp_path / "cache").install(
            tmp_path, tmp_path / "target", seconds=60, on_line=lambda _: None
        )
