"""The names of text encodings that a user may choose."""

from __future__ import annotations

import codecs
from functools import cache

# Python calls these text encodings, but no file is written in them.
_NO_FILES = {"idna", "punycode", "raw_unicode_escape", "unicode_escape", "undefined", "mbcs", "oem"}


def known_encoding(name: str) -> str | None:
    """Return the usual spelling of an encoding's name, or None when there is no such encoding."""
    if not name.isascii() or not name.isprintable():
        return None
    try:
        found = codecs.lookup(name.strip())
    except LookupError:
        return None
    is_text = found._is_text_encoding  # noqa: SLF001 - how open() decides, too
    return public_name(found.name) if is_text and found.name.replace("-", "_") not in _NO_FILES else None


def unknown_encoding(name: str) -> str:
    """Return what to say of a name that no encoding has."""
    from difflib import get_close_matches  # only where something is wrong

    close = get_close_matches(name.lower().replace("_", "-"), _names(), n=1)
    advice = f"Did you mean {close[0]}?" if close else "Name one such as utf-8, cp1252, iso-8859-2 or shift_jis."
    return f"There is no encoding {name[:40]!r}. {advice}"


def public_name(encoding: str) -> str:
    """Return the name of an encoding as people write it."""
    name = codecs.lookup(encoding).name
    return f"iso-{name.removeprefix('iso')}" if name.startswith("iso8859") else name


@cache
def _names() -> list[str]:
    from encodings.aliases import aliases

    spelled = {name.replace("_", "-") for pair in aliases.items() for name in pair}
    return sorted(name for name in spelled | {"iso-8859-1", "iso-8859-2"} if known_encoding(name))
