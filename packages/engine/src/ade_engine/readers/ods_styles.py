"""Reads the styles of an ods document: how a cell looks, by the name of its style."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ade_engine.readers.base import PLAIN, Style
from ade_engine.records import record

_MAX_PARENTS = 20
_LENGTH = re.compile(r"\s*([0-9.]+)\s*(cm|mm|in|pt|pc)?")
_POINTS = {"cm": 28.35, "mm": 2.835, "in": 72.0, "pt": 1.0, "pc": 12.0}
_POINTS_OF_A_LEVEL = 10  # what spreadsheet programs add with each step of an indent
_BOLD = ("bold", "600", "700", "800", "900")


@record(frozen=False)
class _Named:
    parent: str | None
    data_style: str | None
    looks: dict[str, str]


class OdsStyles:
    """The styles of a document. `index` maps the name of a cell style to a place in `styles`."""

    def __init__(self) -> None:
        self._cells: dict[str, _Named] = {}
        self._current: _Named | None = None
        self._elapsed: set[str] = set()
        self.hidden_tables: set[str] = set()
        self._table = ""
        self._indexes: dict[str, int] = {}
        self.styles: list[Style] = [PLAIN]

    def add(self, path: tuple[str, ...], attributes: dict[str, str]) -> None:
        """Take an element below the styles of a part; attributes by local name."""
        match path[-1]:
            case "style":
                name = attributes.get("name", "")
                self._table = name if attributes.get("family") == "table" else ""
                self._current = None
                if attributes.get("family") == "table-cell":
                    parent, data_style = attributes.get("parent-style-name"), attributes.get("data-style-name")
                    self._current = self._cells[name] = _Named(parent, data_style, {})
            case "table-properties" if self._table and attributes.get("display") == "false":
                self.hidden_tables.add(self._table)
            case "table-cell-properties" | "text-properties" | "paragraph-properties" if self._current:
                self._current.looks.update(attributes)
            case "time-style" if attributes.get("truncate-on-overflow") == "false":
                self._elapsed.add(attributes.get("name", ""))
            case _:
                pass

    def index(self, name: str | None) -> int:
        """Return the place of a cell style's look in `styles`."""
        if not name:
            return 0
        found = self._indexes.get(name)
        if found is None:
            look = _style(self._resolved(name))
            if look not in self.styles:
                self.styles.append(look)
            found = self._indexes[name] = self.styles.index(look)
        return found

    def is_elapsed(self, name: str | None) -> bool:
        """Return whether a time in this style is an elapsed one, which may exceed a day."""
        return any(style.data_style in self._elapsed for style in self._chain(name))

    def resolve(self) -> None:
        """Look all styles up, so that `styles` is complete."""
        for name in self._cells:
            self.index(name)

    def _resolved(self, name: str) -> dict[str, str]:
        looks: dict[str, str] = {}
        for style in reversed(list(self._chain(name))):
            looks.update(style.looks)
        return looks

    def _chain(self, name: str | None) -> Iterable[_Named]:
        for _ in range(_MAX_PARENTS):
            found = self._cells.get(name or "")
            if found is None:
                return
            yield found
            name = found.parent


def _style(looks: dict[str, str]) -> Style:
    border = looks.get("border", "none")
    return Style(
        bold=looks.get("font-weight") in _BOLD,
        italic=looks.get("font-style") in ("italic", "oblique"),
        filled=looks.get("background-color", "transparent") != "transparent",
        border_top=_is_line(looks.get("border-top", border)),
        border_bottom=_is_line(looks.get("border-bottom", border)),
        centered=looks.get("text-align") == "center",
        indent=round(_points(looks.get("margin-left", "0")) / _POINTS_OF_A_LEVEL),
    )


def _is_line(border: str) -> bool:
    return border not in ("", "none", "hidden") and (_points(border) > 0 or not _LENGTH.match(border))


def _points(length: str) -> float:
    found = _LENGTH.match(length)
    try:
        return float(found.group(1)) * _POINTS[found.group(2) or "pt"] if found else 0
    except ValueError:
        return 0
