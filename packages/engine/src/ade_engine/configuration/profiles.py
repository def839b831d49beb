"""Reads profiles.json: what the values of each field looked like in the examples, without any of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ade_engine.configuration.problems import Problem

FILE = "profiles.json"
LARGEST_BYTES = 4 * 1024 * 1024
VERSION = 1
_LONGEST_SIZE = 4  # digits
_SKETCHES, _BY_NAME = ("values", "words"), ("kinds", "shapes")
_LISTS = {"lengths": 3, "sizes": 5, "years": 3, "letters": 32}
_NUMBERS = ("filled", "distinct", "top", "word_count", "negative", "decimals", "value_limit", "word_limit")


def read_profiles(folder: Path) -> tuple[Mapping[str, Any], list[Problem]]:
    """Return what profiles.json of a configuration holds, and what is wrong with it."""
    path = folder / FILE
    if not path.is_file():
        return {}, []
    with path.open("rb") as file:
        read = file.read(LARGEST_BYTES + 1)
    if len(read) > LARGEST_BYTES:
        return {}, [_problem(f"the file has more than {LARGEST_BYTES} bytes")]
    try:
        content = json.loads(read.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return {}, [_problem("this is not JSON")]
    problems = list(_problems(content))
    return ({} if problems else content), problems


def _problems(content: Any) -> Iterator[Problem]:
    is_known = isinstance(content, dict) and content.get("version") == VERSION
    if not is_known or not isinstance(content.get("fields"), dict) or not is_salt(content.get("salt")):
        yield _problem(f'it must have "version": {VERSION}, "salt" and "fields"')
        return
    for name, profile in content["fields"].items():
        if not is_profile(profile):
            yield _problem(f"the profile of {name[:60]} does not have the form that ade init writes")
            return


def is_profile(profile: Any) -> bool:
    """Return whether this is a profile as it is stored."""
    return isinstance(profile, dict) and all(_is_part(*part) for part in profile.items())


def is_salt(text: Any) -> bool:
    """Return whether a text is a salt: bytes in hexadecimal."""
    return _is_hex(text) and len(text) % 2 == 0


def _is_hex(text: Any, *, longest: int = 128) -> bool:
    return isinstance(text, str) and len(text) <= longest and not set(text) - set("0123456789abcdef")


def _is_part(name: str, value: Any) -> bool:
    """Return whether a profile may have such a part: a whole number, some, numbers by name, or a sketch."""
    if name in _SKETCHES:
        size, _, bits = value.partition(":") if isinstance(value, str) else ("", "", "")
        is_number = size.isascii() and size.isdecimal() and len(size) <= _LONGEST_SIZE  # int() refuses thousands
        return is_number and 0 < int(size) < 4096 and bits != "" and _is_hex(bits, longest=1024)
    if name in _BY_NAME:
        return isinstance(value, dict) and all(map(_is_whole, value.values()))
    if name in _LISTS:
        return isinstance(value, list) and len(value) == _LISTS[name] and all(map(_is_whole, value))
    return name in _NUMBERS and _is_whole(value)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= 1 << 32


def _problem(message: str) -> Problem:
    return Problem(FILE, 1, "bad-profile", message, "Create it again: ade init --from EXAMPLE FOLDER")
