"""Finds the elements of an XML part by their bytes, and changes some of them; all others stay as they are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from xml.parsers import expat

from ade_engine.errors import InputError
from ade_engine.patterns import sound
from ade_engine.readers.xml_parts import MAX_DEPTH, declares_entities, parsing, unescape
from ade_engine.records import record

_TAG = re.compile(sound(r"""<(?:[^<>"']|"[^"]*+"|'[^']*+')*+>""").encode())
_ATTRIBUTE = r"""(\s{}\s*=\s*)(?:"[^"]*"|'[^']*')"""
Edit = tuple[int, int, bytes]  # from, to, what stands there instead


@record(frozen=False)
class Node:
    """An element: the names that lead to it, and where its tag, its content and itself begin and end."""

    path: tuple[str, ...]
    attributes: Mapping[str, str]
    start: int
    inner: int
    inner_end: int = 0
    end: int = 0

    @property
    def name(self) -> str:
        """Return its name, without a prefix."""
        return self.path[-1].rpartition(":")[2]


def nodes(part: bytes) -> list[Node]:
    """Return the elements of a part in their order."""
    found: list[Node] = []
    unfinished: list[Node] = []
    parser = expat.ParserCreate()

    def doctype(*_: object) -> None:
        raise declares_entities()

    def start(name: str, attributes: dict[str, str]) -> None:
        if len(unfinished) >= MAX_DEPTH:
            raise InputError("The workbook is nested too deeply. Save it again as xlsx.", cause="malformed")
        place = parser.CurrentByteIndex
        tag = _TAG.match(part, place)
        path = (*(unfinished[-1].path if unfinished else ()), name)
        node = Node(path, attributes, place, tag.end() if tag else place)
        unfinished.append(node)
        found.append(node)

    def end(_name: str) -> None:
        node = unfinished.pop()
        is_empty = part[node.inner - 2 : node.inner] == b"/>"
        node.inner_end = node.inner if is_empty else parser.CurrentByteIndex
        node.end = node.inner if is_empty else part.index(b">", node.inner_end) + 1

    parser.StartDoctypeDeclHandler = doctype
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    with parsing():
        parser.Parse(part, True)
    return found


def text_of(part: bytes, node: Node) -> str:
    """Return the text of an element that holds nothing else."""
    return unescape(part[node.inner : node.inner_end].decode())


def escaped(text: str) -> str:
    """Return a text as it is written in XML, in an element or an attribute."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def new_text(node: Node, text: str) -> Edit:
    """Return the edit that gives an element another text."""
    return node.inner, node.inner_end, escaped(text).encode()


def new_tag(part: bytes, node: Node, *without: str, **attributes: str) -> Edit:
    """Return the edit that changes, adds or removes attributes of an element."""
    return node.start, node.inner, changed_tag(part[node.start : node.inner].decode(), *without, **attributes).encode()


def changed_tag(tag: str, *without: str, **attributes: str) -> str:
    """Return a tag with other attributes."""
    for name in without:
        tag = re.sub(_ATTRIBUTE.format(re.escape(name)), "", tag)
    for name, value in attributes.items():
        written = f'"{escaped(value)}"'
        tag, count = re.subn(_ATTRIBUTE.format(re.escape(name)), lambda found: found[1] + written, tag)  # noqa: B023
        if not count:
            end = "/>" if tag.endswith("/>") else ">"
            tag = f"{tag.removesuffix(end).rstrip()} {name}={written}{end}"
    return tag


def removed(node: Node) -> Edit:
    """Return the edit that removes an element."""
    return node.start, node.end, b""


def appended(part: bytes, node: Node, text: str, **attributes: str) -> list[Edit]:
    """Return the edits that put markup at the end of an element, and change its attributes."""
    tag = changed_tag(part[node.start : node.inner].decode(), **attributes)
    if not tag.endswith("/>"):
        return [(node.start, node.inner, tag.encode()), (node.inner_end, node.inner_end, text.encode())]
    opened = f"{tag.removesuffix('/>').rstrip()}>"
    return [(node.start, node.end, f"{opened}{text}</{node.path[-1]}>".encode())]


def with_edits(part: bytes, edits: Iterable[Edit], start: int = 0, end: int | None = None) -> bytes:
    """Return a part, or the bytes of it from start to end, with edits; of two that overlap, the first one holds."""
    pieces: list[bytes] = []
    place, stop = start, len(part) if end is None else end
    for first, last, content in sorted(edits, key=lambda edit: edit[:2]):
        if first >= place and last <= stop:
            pieces += [part[place:first], content]
            place = last
    return b"".join([*pieces, part[place:stop]])
