"""The signs of how a line looks: bold, filled, ruled, centered, indented."""

from __future__ import annotations

from collections.abc import Sequence

from ade_engine.readers.base import Style
from ade_engine.structure.grid import Line
from ade_engine.structure.kinds import NUMERIC

FIRST_LINES = 24
_LOOKS = ("bold", "filled", "border_bottom", "border_top", "centered", "italic")
_COMPARED = frozenset({"bold", "filled", "border_bottom", "centered"})
_MOST = 0.5


def _share(line: Line, styles: Sequence[Style] | None, name: str) -> float:
    if styles is None:
        return 0.0
    cells = [style for style, kind in zip(styles, line.kinds, strict=True) if kind]
    return sum(bool(getattr(style, name)) for style in cells) / len(cells)


def same_look(line: Line, other: Line) -> bool:
    """Return whether two lines look alike where both are filled: bold, filled, centered."""
    if line.styles is None or other.styles is None:
        return True
    pairs = [
        a is b or (a.bold, a.filled, a.centered) == (b.bold, b.filled, b.centered)
        for a, b, k, m in zip(line.styles, other.styles, line.kinds, other.kinds, strict=True)
        if k and m
    ]
    return 4 * sum(pairs) >= 3 * len(pairs)


def look_signs(lines: Sequence[Line], i: int, above: Sequence[Line], below: Sequence[Line]) -> list[str]:
    """Return the signs of a line's looks, alone and beside the lines around it."""
    line = lines[i]
    if line.styles is None:
        return ["no_styles"]
    found = [sign for name in _LOOKS for sign in _one_look(name, line, above, below)]
    if line.is_lone:
        return found
    if above:
        found.append("looks_like_above" if same_look(line, above[0]) else "looks_unlike_above")
    if below:
        found.append("looks_like_below" if same_look(line, below[0]) else "looks_unlike_below")
    first = next((other for other in lines[:FIRST_LINES] if not other.is_lone), None)
    if i and above and first is not None and first is not line and not same_look(first, above[0]):
        found.append("looks_like_first" if same_look(line, first) else "looks_unlike_first")
    found += _formats(line, above[0], "above") if above else []
    found += _formats(line, below[0], "below") if below else []
    if i and _is_ruled(lines[i - 1], line) and not (i > 1 and _is_ruled(lines[i - 2], lines[i - 1])):
        found.append("under_rule")
    return found


def _formats(line: Line, other: Line, where: str) -> list[str]:
    """Return whether numbers are written as in another line: years above amounts, shares under them are not."""
    if line.styles is None or other.styles is None:
        return []
    cells = zip(line.styles, other.styles, line.kinds, other.kinds, strict=True)
    same = [a.number_format == b.number_format for a, b, k, m in cells if k in NUMERIC and m in NUMERIC]
    if not same:
        return []
    return [f"formats_like_{where}"] if 4 * sum(same) >= 3 * len(same) else [f"formats_unlike_{where}"]


def _is_ruled(above: Line, line: Line) -> bool:
    """Return whether a rule is drawn between two lines."""
    return max(_share(above, above.styles, "border_bottom"), _share(line, line.styles, "border_top")) > _MOST


def _one_look(name: str, line: Line, above: Sequence[Line], below: Sequence[Line]) -> list[str]:
    own = _share(line, line.styles, name)
    if own <= _MOST:
        return [f"some_{name}"] if own else []
    found = [name]
    if name in _COMPARED:
        if below and _share(below[-1], below[-1].styles, name) <= _MOST:
            found.append(f"{name}_unlike_below")
        if above and _share(above[0], above[0].styles, name) <= _MOST:
            found.append(f"{name}_unlike_above")
    return found


def indent_of(line: Line) -> int:
    """Return how far the first text of a line is indented, by spaces or by style."""
    value = line.values[line.first]
    spaces = len(value) - len(value.lstrip(" \u00a0")) if isinstance(value, str) else 0
    return spaces + (2 * line.styles[line.first].indent if line.styles is not None else 0)


def indent_signs(lines: Sequence[Line], i: int) -> list[str]:
    """Return where a line begins beside the ones above and below."""
    line, found = lines[i], []
    above = lines[i - 1] if i else None
    below = lines[i + 1] if i + 1 < len(lines) else None
    if above is not None and not above.gap and above.first == line.first:
        found += _depth(indent_of(line), indent_of(above), "above")
    if below is not None and below.first == line.first:
        found += _depth(indent_of(line), indent_of(below), "below")
    if below is not None and below.first > line.first and not below.is_lone:
        found.append("starts_left_of_below")
    if above is not None and above.first < line.first:
        found.append("starts_right_of_above")
    return found


def _depth(own: int, other: int, where: str) -> list[str]:
    return [f"deeper_than_{where}"] if own > other else [f"shallower_than_{where}"] if own < other else []
