"""Reads which packages a configuration requires: from requirements.txt, or else from pyproject.toml.

A requirement is a name with extras, versions, a marker and hashes. Options, paths and addresses are refused: they could
bring a source distribution, which runs code when it is installed, or another index than the operator's. Variables are
refused too: the installer would put in their values, perhaps the password of an index.

Authors are strangers, and servers read these files in processes they need for everyone. So the files are bounded, and
every pattern is linear: what one part has matched is never given back to another one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ade_engine.configuration.problems import Problem

REQUIREMENTS = "requirements.txt"
PROJECT = "pyproject.toml"
FILES = (REQUIREMENTS, PROJECT)
LONGEST_LINE = 1000
MOST_REQUIREMENTS = 500
MOST_HASHES = 200  # of one package: one for each of its files
LARGEST_PROJECT_BYTES = 32 * 1024  # tomllib takes quadratic time for keys of many parts
_ADVICE = "Name packages and versions only, such as polars>=1.2."
_REQUIREMENT = re.compile(
    r"""([A-Za-z0-9][A-Za-z0-9._-]*+)(?<=[A-Za-z0-9])\ ?+   # name
    (?:\[([A-Za-z0-9._,\ -]*+)\]\ ?+)?+                     # extras
    ([^;]*+)                                                # versions
    (?:;\ ?+([A-Za-z0-9_.<>=!~'"()\ ]++))?+                 # marker
    """,
    re.VERBOSE,
)
_VERSION = re.compile(r"(===|[<>=!~]=|[<>])\ ?+([A-Za-z0-9.*+!_-]++)")
_HASH = re.compile(r"--hash=sha(?:256|384|512):[0-9a-f]{64,128}+")
_SEPARATORS = re.compile(r"[-_.]++")


@dataclass(frozen=True, slots=True)
class Requirement:
    """One requirement and where it is written. `text` is what an installer is given, never what the author wrote."""

    file: str
    line: int
    name: str
    text: str


def requirement_files(folder: Path) -> dict[str, bytes]:
    """Return the files of a configuration folder that may name requirements."""
    return {name: (folder / name).read_bytes() for name in FILES if (folder / name).is_file()}


def read_requirements(files: Mapping[str, bytes]) -> tuple[list[Requirement], list[Problem]]:
    """Return what a configuration requires, and everything wrong with how it says so."""
    from_project = False
    written, problems = _lines(files.get(REQUIREMENTS, b""))
    if not written and not problems:
        from_project = True
        written, problems = _project(files.get(PROJECT, b""))
    file = PROJECT if from_project else REQUIREMENTS
    if len(written) > MOST_REQUIREMENTS:
        message = f"there are {len(written)} requirements; a configuration may have {MOST_REQUIREMENTS}"
        return [], [_problem(file, written[MOST_REQUIREMENTS][0], message, "Require less.")]
    found: list[Requirement] = []
    for line, text in written:
        normalised = _normalised(text)
        if normalised is None:
            problems.append(_problem(file, line, f"{text[:80]!r} is refused"))
        else:
            found.append(Requirement(file, line, *normalised))
    return ([] if problems else found), problems


def canonical_name(name: str) -> str:
    """Return the one spelling of a package's name. It has no dot, so it never looks like the name of a file."""
    return _SEPARATORS.sub("-", name).lower()


def _problem(file: str, line: int, message: str, advice: str = _ADVICE) -> Problem:
    return Problem(file, line, "bad-requirement", message, advice)


def _lines(content: bytes) -> tuple[list[tuple[int, str]], list[Problem]]:
    """Return the requirements of a text with their lines; one that ends in a backslash continues in the next line."""
    lines = content.decode("utf-8-sig", errors="replace").splitlines()
    problems = list(_long_lines(REQUIREMENTS, lines))
    return ([] if problems else list(_joined(lines))), problems


def _joined(lines: list[str]) -> Iterator[tuple[int, str]]:
    parts: list[str] = []
    first = 1
    for number, line in enumerate([*lines, ""], 1):
        text = line.partition("#")[0].strip()
        first = first if parts else number
        parts.append(text.removesuffix("\\"))
        if not text.endswith("\\"):
            if whole := " ".join(" ".join(parts).split()):
                yield first, whole
            parts = []


def _long_lines(file: str, lines: list[str]) -> Iterator[Problem]:
    for number, line in enumerate(lines, 1):
        if len(line) > LONGEST_LINE:
            message = f"the line has {len(line)} characters; it may have {LONGEST_LINE}"
            yield _problem(file, number, message, "Write each requirement, and each hash, on a line of its own.")
            return


def _project(content: bytes) -> tuple[list[tuple[int, str]], list[Problem]]:
    """Return project.dependencies with their lines."""
    if len(content) > LARGEST_PROJECT_BYTES:
        message = f"the file has {len(content)} bytes; it may have {LARGEST_PROJECT_BYTES}"
        return [], [_problem(PROJECT, 1, message, f"Name the requirements in {REQUIREMENTS}.")]
    text = content.decode("utf-8-sig", errors="replace")
    if problems := list(_long_lines(PROJECT, text.splitlines())):
        return [], problems
    wanted = _dependencies(text)
    if isinstance(wanted, str):
        return [], [_problem(PROJECT, 1, wanted, 'Write it as: [project] dependencies = ["polars>=1.2"]')]
    return [(_line_of(each, text), each) for each in wanted], []


def _dependencies(text: str) -> list[str] | str:
    """Return the list of dependencies, or what is wrong with the text."""
    import tomllib  # its patterns take a while to compile, and many configurations require nothing

    try:
        content = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # tomllib's own error is the first; so is that for a long number
        return f"this is not TOML: {error}"
    project = content.get("project", {})
    wanted = project.get("dependencies", []) if isinstance(project, dict) else None
    if not isinstance(wanted, list) or not all(isinstance(each, str) for each in wanted):
        return "project.dependencies must be a list of requirements"
    return wanted


def _line_of(requirement: str, text: str) -> int:
    """Return the line that names a requirement; the first one when it is written in another way."""
    return 1 + text.count("\n", 0, max(0, text.find(requirement)))


def _normalised(text: str) -> tuple[str, str] | None:
    """Return the name of a requirement and what to give to an installer; None for anything but a requirement."""
    if not text.isprintable():
        return None  # a line break would hide a second requirement from a reader of lines
    words = text.split()
    hashes = [word for word in words if word.startswith("--hash=")]
    plain = " ".join(words[: len(words) - len(hashes)])
    if len(hashes) > MOST_HASHES or len(plain) > LONGEST_LINE or not all(map(_HASH.fullmatch, hashes)):
        return None
    found = _REQUIREMENT.fullmatch(plain)
    versions = _versions(found[3]) if found is not None else None
    if found is None or versions is None or _is_file_name(found[1]):
        return None
    name = canonical_name(found[1])
    extras = [canonical_name(extra) for extra in (found[2] or "").replace(" ", "").split(",") if extra]
    marker = f"; {found[4].strip()}" if found[4] else ""
    chosen = f"[{','.join(extras)}]" if extras else ""
    # A blank before the versions: an installer takes a first word that ends like an archive for the name of a file.
    return name, " ".join([f"{name}{chosen} {versions}{marker}".strip(), *hashes])


def _is_file_name(name: str) -> bool:
    """Return whether a name contains a version, as that of a distribution's file does."""
    return any(part[:1].isdigit() for part in name.split(".")[1:])


def _versions(text: str) -> str | None:
    """Return the versions of a requirement, such as ">=1,<2"; None when they are none."""
    text = text.strip()
    if text.startswith("(") and text.endswith(")"):
        text = text[1:-1].strip()
    if not text:
        return ""
    found = [_VERSION.fullmatch(clause.strip()) for clause in text.split(",")]
    return ",".join(f"{clause[1]}{clause[2]}" for clause in found if clause) if all(found) else None
