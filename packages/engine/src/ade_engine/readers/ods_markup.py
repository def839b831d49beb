"""Walks the markup of an ods document: elements by local name, with the names of those around them."""

from __future__ import annotations

from ade_engine.errors import InputError
from ade_engine.readers.limits import LAST_COLUMN, LAST_ROW
from ade_engine.readers.xml_parts import MAX_DEPTH, open_parser

CELLS = ("table-cell", "covered-table-cell")
HIDDEN = ("collapse", "filter")


class Walker:
    """Feeds markup to `start` and `end`; `path` has the elements that are open, the innermost last."""

    def __init__(self) -> None:
        self.path: list[str] = []
        self._names = _LocalNames()
        self.parser = open_parser()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Take a start tag; the path ends with it."""

    def end(self, name: str) -> None:
        """Take an end tag; the path ends with it still."""

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        names = self._names
        local = names[name]
        self.path.append(local)
        if len(self.path) > MAX_DEPTH:
            raise InputError("The document is nested too deeply. Save it again as xlsx.", cause="malformed")
        self.start(local, {names[key]: value for key, value in attributes.items()})

    def _end(self, _name: str) -> None:
        self.end(self.path[-1])
        self.path.pop()


class _LocalNames(dict[str, str]):
    """Names without their namespace, except for those that repeat a usual name in the extensions of LibreOffice."""

    def __missing__(self, name: str) -> str:
        namespace, _, local = name.rpartition(" ")
        found = self[name] = f"calcext:{local}" if "calcext" in namespace else local
        return found


def repeated_rows(attributes: dict[str, str]) -> int:
    """Return how many rows a tag represents."""
    return _count(attributes.get("number-rows-repeated"), LAST_ROW)


def repeated_columns(attributes: dict[str, str]) -> int:
    """Return how many columns a tag represents."""
    return _count(attributes.get("number-columns-repeated"), LAST_COLUMN)


def spanned(attributes: dict[str, str]) -> tuple[int, int]:
    """Return how many rows and columns a cell spans."""
    rows, columns = attributes.get("number-rows-spanned"), attributes.get("number-columns-spanned")
    return _count(rows, LAST_ROW), _count(columns, LAST_COLUMN)


def _count(text: str | None, most: int) -> int:
    if text is None or not (text.isascii() and text.isdecimal() and len(text) < 10):
        return 1
    return min(max(int(text), 1), most)
