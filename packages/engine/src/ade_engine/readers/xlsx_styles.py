"""Reads styles.xml: how each cell format looks, and what numbers in it mean."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from typing import TypeVar

from ade_engine.readers.base import PLAIN, Style
from ade_engine.readers.number_formats import BUILT_IN_FORMATS, NUMBER, meaning
from ade_engine.readers.xml_parts import elements
from ade_engine.records import record

Item = TypeVar("Item")

_NO_FILL = (None, "none", "gray125")


@record
class Styles:
    """The cell formats of a workbook, by index; `plain` is the index of cells that are not there."""

    styles: tuple[Style, ...] = (PLAIN,)
    meanings: tuple[str, ...] = (NUMBER,)
    plain: int = 0

    def known(self, index: int) -> int:
        """Return the index, or the plain one when the workbook has no such format."""
        return index if 0 <= index < len(self.styles) else self.plain


def read_styles(chunks: Iterable[bytes]) -> Styles:
    """Return the cell formats that styles.xml lists."""
    sheet = _StyleSheet()
    for path, attributes in elements(chunks):
        sheet.add(path[1:], attributes)
    return sheet.styles()


@record(frozen=False)
class _StyleSheet:
    formats: dict[int, str] = field(default_factory=lambda: dict(BUILT_IN_FORMATS))
    fonts: list[dict[str, bool]] = field(default_factory=list)
    fills: list[bool] = field(default_factory=list)
    borders: list[dict[str, bool]] = field(default_factory=list)
    cells: list[dict[str, str]] = field(default_factory=list)

    def add(self, path: tuple[str, ...], attributes: dict[str, str]) -> None:
        match path:
            case ("numFmts", "numFmt"):
                self.formats[_whole(attributes.get("numFmtId"))] = attributes.get("formatCode", "General")
            case ("fonts", "font"):
                self.fonts.append({})
            case ("fonts", "font", "b" | "i" as name):
                self.fonts[-1][name] = _is_true(attributes.get("val", "1"))
            case ("fills", "fill"):
                self.fills.append(False)
            case ("fills", "fill", "patternFill"):
                self.fills[-1] = attributes.get("patternType") not in _NO_FILL
            case ("fills", "fill", "gradientFill"):
                self.fills[-1] = True
            case _:
                self._add_border_or_cell(path, attributes)

    def _add_border_or_cell(self, path: tuple[str, ...], attributes: dict[str, str]) -> None:
        match path:
            case ("borders", "border"):
                self.borders.append({})
            case ("borders", "border", "top" | "bottom" as side):
                self.borders[-1][side] = attributes.get("style", "none") != "none"
            case ("cellXfs", "xf"):
                self.cells.append(dict(attributes))
            case ("cellXfs", "xf", "alignment"):
                self.cells[-1].update(attributes)
            case _:
                pass

    def styles(self) -> Styles:
        styles = [self._style(cell) for cell in self.cells] or [PLAIN]
        plain = 0
        if styles[0] != PLAIN:
            plain = len(styles)
            styles.append(PLAIN)
        memo = {code: meaning(code) for code in {style.number_format for style in styles}}
        return Styles(tuple(styles), tuple(memo[style.number_format] for style in styles), plain)

    def _style(self, cell: dict[str, str]) -> Style:
        font = _at(self.fonts, cell.get("fontId"), {})
        border = _at(self.borders, cell.get("borderId"), {})
        return Style(
            bold=font.get("b", False),
            italic=font.get("i", False),
            filled=_at(self.fills, cell.get("fillId"), default=False),
            border_top=border.get("top", False),
            border_bottom=border.get("bottom", False),
            centered=cell.get("horizontal") in ("center", "centerContinuous"),
            indent=_whole(cell.get("indent")),
            number_format=self.formats.get(_whole(cell.get("numFmtId")), "General"),
        )


def _at(items: list[Item], index: str | None, default: Item) -> Item:
    position = _whole(index)
    return items[position] if position < len(items) else default


def _whole(text: str | None) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 10 else 0


def _is_true(text: str) -> bool:
    return text.strip().lower() in ("1", "true", "on")
