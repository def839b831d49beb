import subprocess
import sys

import pytest

import ade_engine


@pytest.mark.req("E8")
def test_public_names_are_these_and_no_others():
    assert ade_engine.__all__ == [
        "Configuration", "ConfigurationError", "EngineError", "Field", "InputError", "Issue", "Problem",
        "ResourceLimitExceeded", "Result", "check_configuration", "combine", "example_tables", "explain",
        "infer_configuration", "init_configuration", "load_configuration", "manifest", "normalize",
    ]  # fmt: skip


def test_every_public_name_is_there():
    for name in ade_engine.__all__:
        assert getattr(ade_engine, name) is not None
    assert set(ade_engine.__all__) <= set(dir(ade_engine))
    with pytest.raises(AttributeError):
        ade_engine.nothing_like_this  # noqa: B018


def loaded_by(code):
    program = f"import sys\n{code}\nprint(*sys.modules)"
    return set(
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    )


def test_importing_the_engine_imports_nothing_else_of_it():
    assert {name for name in loaded_by("import ade_engine") if name.startswith("ade_engine.")} == set()


@pytest.mark.req("E8")
def test_what_a_run_needs_does_not_bring_heavy_or_foreign_modules():
    loaded = loaded_by("from ade_engine import Field, normalize")
    heavy = {"chardet", "pyarrow", "openpyxl", "polars", "pandas", "numpy", "tomllib", "asyncio"}
    assert loaded & heavy == set()
