"""Mistakes the fuzzer must find: patterns that backtrack, and errors that nothing catches."""

import re
from dataclasses import replace

from fuzz.surface import SURFACE, Fed

_TWO_WAYS_FOR_A_CLAUSE = re.compile(
    r"""(?P<name>[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?)\s*
    (\[[A-Za-z0-9._,\s-]*\]\s*)?
    (\(?\s*([<>=!~]=?=?\s*[A-Za-z0-9.*+!_-]++\s*,?\s*)+\)?\s*)?
    (;[A-Za-z0-9_.<>=!~'"()\s]*)?""",
    re.VERBOSE,
)
_EVERY_SLASH_TO_THE_END = re.compile(r"(^|/)(__pycache__/|\.git/|.*\.pyc$)")


def _entry(place: str) -> Fed:
    entry = SURFACE[place]
    assert isinstance(entry, Fed)
    return entry


PLANTED: dict[str, Fed | str] = {
    "two ways to match a clause": replace(
        _entry("engine ade_engine.configuration.requirements _REQUIREMENT re.compile"),
        feed=_TWO_WAYS_FOR_A_CLAUSE.fullmatch,
    ),
    "a search that starts at every slash": replace(
        _entry("domain/configuration_files.py unpack open_archive"),
        feed=_EVERY_SLASH_TO_THE_END.search,
        longest=200_000,
    ),
    "an error nobody expects": replace(_entry("destinations.py is_public ipaddress.ip_address"), raises=()),
}
