"""How the command line speaks: results on standard output, everything else on standard error."""

import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path, PurePath
from typing import Any, NoReturn

import typer

from ade.errors import AdeError, ServerRefused

# What a terminal obeys instead of showing it (control characters, changes of direction), and halves of characters.
_NOT_PRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    """Return a stranger's text as a terminal can show it safely."""
    return _NOT_PRINTABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def say(text: str, *, is_error: bool = False, is_line: bool = True) -> None:
    """Write a text that a server or a run chose."""
    stream = sys.stderr if is_error else sys.stdout
    stream.write(printable(text) + "\n" * is_line)
    stream.flush()


def print_json(value: Any, *, indent: int | None = 2) -> None:
    """Write one JSON document."""
    text = json.dumps(value, indent=indent, ensure_ascii=False, default=str)
    sys.stdout.write(_NOT_PRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n")
    sys.stdout.flush()


def result_folders(names: Iterable[str], out: Path) -> list[Path]:
    """Return the folder that the results of each document go to; documents of one name get folders of their own."""
    folders: list[Path] = []
    for name in names:
        stem = PurePath(name.replace("\\", "/")).stem
        stem = stem if stem.strip(".") else "document"
        folder, number = out / stem, 1
        while folder in folders:
            number += 1
            folder = out / f"{stem}-{number}"
        folders.append(folder)
    return folders


def refuse(reason: str, *, code: int = 2) -> NoReturn:
    """Say why the command does nothing, or nothing more, and end it: 2 is wrong use, 1 a failure."""
    say(f"ade: {reason}", is_error=True)
    raise typer.Exit(code) from None


def fail(error: AdeError) -> int:
    """Say what went wrong and return the exit code."""
    title = (type(error).__doc__ or "").partition("\n")[0].rstrip(".")
    sys.stderr.write(f"ade: {title}.\n")
    for line in [*printable(str(error)).splitlines(), *_hint(error)]:
        sys.stderr.write(f"     {line}\n")
    return 1


def _hint(error: AdeError) -> list[str]:
    """Return what to do about a refusal that a command causes by itself."""
    problem = getattr(error, "problem", {})
    is_unknown = isinstance(error, ServerRefused) and problem.get("code") == "not_signed_in"
    return ["Set ADE_API_KEY, or give --key: an API key of yours on that server."] if is_unknown else []
