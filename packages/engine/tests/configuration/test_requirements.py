import sys
from itertools import count

import pytest

from ade_engine import check_configuration
from ade_engine.configuration.requirements import read_requirements

HEAD = "from ade_engine import Field\nfield = Field('name')\n"
HASH = f"--hash=sha256:{'0a' * 32}"


def texts(**files):
    found, problems = read_requirements({name.replace("_", "."): text.encode() for name, text in files.items()})
    assert problems == []
    return [each.text for each in found]


@pytest.mark.parametrize(
    ("written", "given"),
    [
        ("polars", "polars"),
        ("Polars_Core.X >= 1.2 , < 2", "polars-core-x >=1.2,<2"),
        ("polars[excel, S_3]~=1.0", "polars[excel,s-3] ~=1.0"),
        ("polars (>=1)", "polars >=1"),
        ("polars==1.0.zip", "polars ==1.0.zip"),
        ("evil.zip", "evil-zip"),
        ("a ; python_version < '3.9'", "a ; python_version < '3.9'"),
        (f"a==1 \\\n    {HASH} \\\n    {HASH}  # ours", f"a ==1 {HASH} {HASH}"),
    ],
)
def test_an_installer_is_given_a_spelling_of_our_own_that_never_looks_like_a_file(written, given):
    assert texts(requirements_txt=written) == [given]


def test_the_project_counts_when_there_are_no_other_requirements():
    project = "[project]\nname = 'x'\ndependencies = ['polars>=1']\n"
    assert texts(requirements_txt="# none\n", pyproject_toml=project) == ["polars >=1"]
    assert texts(requirements_txt="a\n", pyproject_toml=project) == ["a"]


@pytest.mark.parametrize(
    "text",
    [
        "a>=1 <2", "a;", "a-", "a[", "a>=", "a==1;b\u2028-e .", "a --hash=md5:00", f"a {HASH} -e .", "evil-1.0.tbz",
        "evil-1.0.tar.zst", "a" + ">=1," * 30 + "$", "a" * 1001,
    ],
)  # fmt: skip
def test_anything_but_a_requirement_is_a_problem_with_file_line_and_advice(text):
    found, [problem] = read_requirements({"requirements.txt": f"fine\n{text}\n".encode()})
    assert found == []
    assert (problem.file, problem.code, problem.severity) == ("requirements.txt", "bad-requirement", "error")
    assert problem.line >= 2
    assert problem.suggestion


@pytest.mark.parametrize(
    "text", ["x = " + "[" * 20_000, f"x = {'9' * 900}\n" * 40, "[project]\ndependencies = [1]", "[project", "\xff"]
)
def test_a_project_that_cannot_be_read_is_a_problem(text):
    _, [problem] = read_requirements({"pyproject.toml": text.encode("latin-1")})
    assert (problem.file, problem.code) == ("pyproject.toml", "bad-requirement")


def test_a_line_break_in_a_string_hides_no_second_requirement():
    project = "[project]\ndependencies = [\"a; python_version>'3'\\nevil.zip\"]\n"
    assert [problem.line for problem in read_requirements({"pyproject.toml": project.encode()})[1]] == [1]


def test_too_many_requirements_are_a_problem():
    _, [problem] = read_requirements({"requirements.txt": b"a\n" * 501})
    assert problem.line == 501


def test_a_check_names_every_bad_requirement(folder):
    problems = check_configuration(folder({"columns/name.py": HEAD, "requirements.txt": "a\n-e .\n./b\n"}))
    assert [(each.code, each.file, each.line) for each in problems] == [
        ("bad-requirement", "requirements.txt", 2),
        ("bad-requirement", "requirements.txt", 3),
    ]


@pytest.mark.parametrize("text", ["-" * 30_000 + "1", "a" + ".a" * 50_000, "1" + "+1" * 50_000, "not " * 20_000 + "1"])
def test_code_that_is_nested_too_deep_is_a_problem_and_no_crash(folder, text):
    [problem] = check_configuration(folder({"columns/name.py": f"{HEAD}x = {text}\n"}))
    assert (problem.code, problem.file) == ("syntax-error", "columns/name.py")
    assert "nested too deep" in problem.message


@pytest.mark.parametrize("text", ["x = " + "[" * 20_000, f"x = {'9' * 5000}"])
def test_settings_that_no_parser_takes_are_a_problem_and_no_crash(folder, text):
    problems = check_configuration(folder({"columns/name.py": HEAD, "settings.toml": text}))
    assert [(each.code, each.file) for each in problems] == [("syntax-error", "settings.toml")]


def test_a_requirement_of_a_project_has_the_line_that_names_it():
    project = "[project]\r\n\ndependencies = [\n  'a>=1',\n  '',\n  'b\\u0021',\n]\n"
    _, problems = read_requirements({"pyproject.toml": project.replace("\\u0021", "!").encode()})
    assert [(problem.line, problem.message) for problem in problems] == [(1, "'' is refused"), (6, "'b!' is refused")]


def test_finding_the_lines_of_requirements_takes_steps_in_proportion_to_the_file():
    project = "\n" * 3000 + "[project]\ndependencies = [\n" + '"",\n"z!",\n' * 250 + "]\n"
    steps = count()

    def step(*_):
        next(steps)
        return step

    tracer = sys.gettrace()
    sys.settrace(step)
    try:
        _, problems = read_requirements({"pyproject.toml": project.encode()})
    finally:
        sys.settrace(tracer)
    assert len(problems) == 500
    assert next(steps) < 60 * len(project)
