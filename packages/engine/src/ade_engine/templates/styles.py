"""The cell formats of a template, and those that are added for values that look otherwise."""

from __future__ import annotations

import re

from ade_engine.readers.number_formats import BUILT_IN_FORMATS, NUMBER, meaning
from ade_engine.templates.markup import Edit, Node, appended, changed_tag, escaped, nodes, with_edits
from ade_engine.writers.look import PERCENT_FORMAT
from ade_engine.writers.xlsx_cells import DATE, DATETIME, ELAPSED, GENERAL, HEADER, PERCENT, QUOTED, TIME

_FORMATS = {
    DATE: "yyyy\\-mm\\-dd",
    DATETIME: "yyyy\\-mm\\-dd\\ hh:mm:ss",
    TIME: "hh:mm:ss",
    ELAPSED: "[h]:mm:ss",
    PERCENT: PERCENT_FORMAT,
}
_HIGHLIGHT = (
    '<fill><patternFill patternType="solid"><fgColor rgb="FFFFE699"/><bgColor indexed="64"/></patternFill></fill>'
)
_BOLD = '<font><b/><sz val="11"/><name val="Calibri"/><family val="2"/></font>'
_FIRST_FREE = 164  # numbers of formats below are built in
_STYLE = re.compile(r' s="([0-9]+)"')


class TemplateStyles:
    """Cell formats by index. New ones are copies of a cell's own, with another number format or fill."""

    def __init__(self, part: bytes) -> None:
        self._part = part
        self._nodes = nodes(part)
        self._by_path = {node.path: node for node in self._nodes if len(node.path) == 2}
        self._codes = dict(BUILT_IN_FORMATS)
        self._formats = [node for node in self._nodes if node.path == ("styleSheet", "cellXfs", "xf")]
        for node in self._nodes:
            if node.name == "numFmt":
                self._codes[_number(node, "numFmtId")] = node.attributes.get("formatCode", "General")
        self._added: dict[tuple[int, str | None, int, bool], int] = {}
        self._added_formats: list[str] = []
        self._new_codes: dict[str, int] = {}

    def dressed(self, tail: str, base: int, code: str | None, *, is_highlighted: bool = False) -> str:
        """Return the tail of a cell in the format of its column; `code` is the number format of its field."""
        found = _STYLE.match(tail)
        kind = int(found[1]) if found else GENERAL
        rest = tail[found.end() :] if found else tail
        return f"{self.style(base, kind, code if rest.startswith('><v>') else None, is_highlighted)}{rest}"

    def style(self, base: int, kind: int, code: str | None, is_highlighted: bool = False) -> str:
        """Return the attribute of the format of a cell: the template's own, unless it cannot show the value."""
        own = self._codes.get(_number(self._formats[base], "numFmtId") if base < len(self._formats) else 0, "General")
        wanted = None
        if kind in _FORMATS:
            wanted = (code or _FORMATS[kind]) if meaning(own) == NUMBER else None
        elif code and own == "General":
            wanted = code
        marks = kind if kind in (QUOTED, HEADER) else GENERAL
        if wanted is None and marks == GENERAL and not is_highlighted:
            return f' s="{base}"' if base else ""
        return f' s="{self._variant(base, wanted, marks, is_highlighted)}"'

    def _variant(self, base: int, code: str | None, kind: int, is_highlighted: bool) -> int:
        key = (base, code, kind, is_highlighted)
        if key not in self._added:
            self._added[key] = len(self._formats) + len(self._added)
            self._added_formats.append(self._copy(base, code, kind, is_highlighted=is_highlighted))
        return self._added[key]

    def _copy(self, base: int, code: str | None, kind: int, *, is_highlighted: bool) -> str:
        whole = '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>'
        rest = ""
        if base < len(self._formats):
            node = self._formats[base]
            whole = self._part[node.start : node.inner].decode()
            rest = self._part[node.inner : node.end].decode()
        changes: dict[str, str] = {}
        if code is not None:
            changes |= {"numFmtId": str(self._number_of(code)), "applyNumberFormat": "1"}
        if is_highlighted:
            changes |= {"fillId": str(self._count("fill")), "applyFill": "1"}
        if kind == HEADER:
            changes |= {"fontId": str(self._count("font")), "applyFont": "1"}
        if kind == QUOTED:
            changes["quotePrefix"] = "1"
        return changed_tag(whole, **changes) + rest

    def _count(self, name: str) -> int:
        return sum(node.path == ("styleSheet", f"{name}s", name) for node in self._nodes)

    def _number_of(self, code: str) -> int:
        known = {text: number for number, text in self._codes.items() if number >= _FIRST_FREE or number < 23}
        if code in known:
            return known[code]
        number = max(_FIRST_FREE - 1, *self._codes, *self._new_codes.values()) + 1
        return self._new_codes.setdefault(code, number)

    def part(self) -> bytes:
        """Return the part with the formats that were added."""
        formats = "".join(
            f'<numFmt numFmtId="{number}" formatCode="{escaped(code)}"/>' for code, number in self._new_codes.items()
        )
        added = [("cellXfs", "".join(self._added_formats), len(self._added))]
        if self._added:
            added += [("fills", _HIGHLIGHT, 1), ("fonts", _BOLD, 1)]
        if self._new_codes and ("styleSheet", "numFmts") in self._by_path:
            added.append(("numFmts", formats, len(self._new_codes)))
        edits: list[Edit] = []
        for name, text, count in added:
            node = self._by_path[("styleSheet", name)]
            total = sum(child.path[:-1] == node.path for child in self._nodes) + count
            edits += appended(self._part, node, text, count=str(total))
        if self._new_codes and ("styleSheet", "numFmts") not in self._by_path:
            place = self._nodes[0].inner
            whole = f'<numFmts count="{len(self._new_codes)}">{formats}</numFmts>'
            edits.append((place, place, whole.encode()))
        return with_edits(self._part, edits)


def _number(node: Node, name: str) -> int:
    text = node.attributes.get(name, "0")
    return int(text) if text.isdecimal() else 0
