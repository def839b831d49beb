"""Reads small XML parts of a workbook: elements by local name, without namespaces, DTDs or entities."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from xml.parsers import expat

from ade_engine.errors import InputError

MAX_DEPTH = 100

Element = tuple[tuple[str, ...], dict[str, str]]

_ESCAPED = re.compile(r"&(#[xX][0-9a-fA-F]{1,6}|#[0-9]{1,7}|amp|lt|gt|quot|apos);")
# The ampersand last: what it was protecting must not be replaced, too.
_NAMED = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'", "&amp;": "&"}


def elements(chunks: Iterable[bytes]) -> Iterator[Element]:
    """Yield (path of local names, attributes by local name) for each start tag."""
    found: list[Element] = []
    parser = _parser(found)
    with parsing():
        for chunk in chunks:
            parser.Parse(chunk, False)
            yield from found
            found.clear()
        parser.Parse(b"", True)
    yield from found


@contextmanager
def parsing() -> Iterator[None]:
    """Turn what the parser raises into an InputError."""
    try:
        yield
    except expat.ExpatError as error:
        raise InputError(
            "A part of the workbook is not well-formed XML. Open it in a spreadsheet program and save it again.",
            cause="malformed",
        ) from error


def open_parser() -> Any:
    """Return a parser of namespaces that refuses to read a document type."""
    parser = expat.ParserCreate(namespace_separator=" ")

    def doctype(*_: object) -> None:
        raise declares_entities()

    parser.StartDoctypeDeclHandler = doctype
    parser.buffer_text = True
    return parser


def _parser(found: list[Element]) -> Any:
    path: list[str] = []
    parser = open_parser()

    def start(name: str, attributes: dict[str, str]) -> None:
        path.append(name.rpartition(" ")[2])
        if len(path) > MAX_DEPTH:
            raise InputError("The workbook is nested too deeply. Save it again as xlsx.", cause="malformed")
        found.append((tuple(path), {key.rpartition(" ")[2]: value for key, value in attributes.items()}))

    def end(_name: str) -> None:
        path.pop()

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    return parser


def declares_entities() -> InputError:
    """Return the refusal of a document type declaration, which spreadsheet programs never write."""
    return InputError(
        "The file declares a document type or entities, as an attack does. Open it in a spreadsheet program "
        "and save it again.",
        cause="malformed",
    )


def unescape(text: str) -> str:
    """Replace the five named entities and character references; leave everything else as it is."""
    if "&#" in text:
        return _ESCAPED.sub(_character, text)
    for escaped, character in _NAMED.items():
        text = text.replace(escaped, character)
    return text


def _character(found: re.Match[str]) -> str:
    name = found.group(1)
    if name[0] != "#":
        return _NAMED[found.group()]
    digits = name[1:].lower()
    code = int(digits[1:], 16) if digits[0] == "x" else int(digits)
    is_character = code < 0xD800 or 0xDFFF < code < 0x110000
    return chr(code) if is_character else found.group()
