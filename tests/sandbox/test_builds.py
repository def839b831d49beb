"""What a build brings runs shut in, or not at all."""

import pytest

from sandbox.rig import Rig

HOSTILE_SETUP = """
attempt("key", lambda: open(OPTIONS["key"]).read())
import setuptools_are_not_here_but_code_runs_first
"""


@pytest.fixture
def planted(rig: Rig) -> Rig:
    """Return a scene whose build holds a .pth file that reads the key as soon as it is looked at."""
    body = "\\n".join(
        [
            "try:",
            f" content = open({str(rig.key)!r}).read()",
            "except OSError:",
            " content = 'refused'",
            f"open({str(rig.output / 'pth.txt')!r}, 'w').write(content)",
        ]
    )
    (rig.build / "hostile.pth").write_text(f'import os; exec("{body}")\n')
    (rig.build / "hostile.pth").chmod(0o644)
    return rig


@pytest.mark.req("S1", "S4")
def test_a_hostile_pth_file_runs_only_shut_in(planted: Rig) -> None:
    planted.run("pass")

    assert (planted.output / "pth.txt").read_text() == "refused"


@pytest.mark.req("S1", "S4")
def test_a_hostile_pth_file_reads_the_key_without_the_layer(planted: Rig) -> None:
    planted.run("pass", without=("landlock", "mount_namespace"))

    assert (planted.output / "pth.txt").read_text() == "# untouched"


@pytest.mark.req("S5")
def test_a_hostile_pth_file_never_runs_below_the_minimum(planted: Rig) -> None:
    outcome = planted.run("pass", without=("landlock", "mount_namespace"), minimum="confined")

    assert outcome["kind"] == "isolation_unavailable"
    assert not (planted.output / "pth.txt").exists()


@pytest.mark.req("S4")
def test_the_code_of_a_source_distribution_is_shut_in_like_any_other(rig: Rig) -> None:
    outcome = rig.run(HOSTILE_SETUP)

    assert "refused key" in outcome["log"]
    assert outcome["code"] == "configuration_error"


def test_a_build_cannot_replace_the_engine(rig: Rig) -> None:
    (rig.build / "ade_engine").mkdir()
    (rig.build / "ade_engine/__init__.py").write_text("print('replaced')")

    outcome = rig.run("import ade_engine; print(ade_engine.__file__.startswith(OPTIONS['build']))")

    assert outcome["log"] == "False\n"


def test_the_server_is_not_importable(rig: Rig) -> None:
    outcome = rig.run("import ade.settings")

    assert outcome["code"] == "configuration_error"


def test_the_input_must_not_lie_where_the_child_writes(rig: Rig) -> None:
    from ade.sandbox.launcher import Launcher
    from ade_engine.protocol import Request

    inside = rig.output / "document.csv"
    request = Request(entry="script", output_folder=str(rig.output), input_path=str(inside))

    with Launcher(mode="spawn") as launcher, pytest.raises(ValueError, match="could change it"):
        launcher.start(request)


def test_a_request_larger_than_a_packet_arrives(rig: Rig) -> None:
    outcome = rig.run("print(len(OPTIONS['sheets']), OPTIONS['sheets'][-1])", sheets=["\u00e9" * 30] * 9_999 + ["last"])

    assert outcome["log"] == "10000 last\n"


def test_a_request_too_large_is_refused_at_once(rig: Rig) -> None:
    from ade.sandbox.launcher import Launcher
    from ade_engine.protocol import Request

    request = Request(entry="script", output_folder=str(rig.output), options={"content": "x" * 5_000_000})

    with Launcher(mode="spawn") as launcher, pytest.raises(ValueError, match="hand over files"):
        launcher.start(request)
