"""The signs of a line: named yes-or-no observations that the trained weights of every label are attached to.

A sign looks at the line itself, at a few lines above and below it, and at its looks. Nothing here decides anything.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ade_engine.structure.grid import Line
from ade_engine.structure.kinds import CODE, DATE, LONG, MARK, NUMBER, NUMERIC, TEXT, YEAR
from ade_engine.structure.learned import STEPS
from ade_engine.structure.sign_columns import column_signs, span_signs
from ade_engine.structure.sign_looks import FIRST_LINES, indent_signs, look_signs, same_look
from ade_engine.structure.sign_texts import text_signs
from ade_engine.structure.sums import is_sum

NEAR = 6
_WITH_TOTAL = ("sum_of_above", "sum_of_below", "many_numbers", "lone")
_SUMS = (("sum_of_above", -1), ("sum_of_below", 1))
_NEIGHBOURS = frozenset({
    "all_text", "many_numbers", "no_numbers", "lone", "series", "units", "key_blank", "narrow", "partial", "full",
    "total_word", "total_alone", "set_off", "bold_unlike_below", "filled_unlike_below", "border_bottom_unlike_below",
    "fits_below", "misfits_below", "sum_of_above", "caption", "spans_below",
})  # fmt: skip


def signs_of_lines(lines: Sequence[Line], keys: Sequence[int], widths: Sequence[int]) -> list[list[str]]:
    """Return the signs of all lines; a column of `keys` names rows there, `widths` are the cells of full rows."""
    own = [_signs_of(lines, i, key=keys[i], width=widths[i]) for i in range(len(lines))]
    found: list[list[str]] = []
    for i, signs in enumerate(own):
        before = own[i - 1] if i else ()
        after = own[i + 1] if i + 1 < len(own) else ()
        found.append(
            signs
            + [f"before_{sign}" for sign in before if sign in _NEIGHBOURS]
            + [f"after_{sign}" for sign in after if sign in _NEIGHBOURS]
        )
    return found


def _signs_of(lines: Sequence[Line], i: int, *, key: int, width: int) -> list[str]:
    line = lines[i]
    above, below = _dense(lines, i, -1), _dense(lines, i, 1)
    found = _own(line, key, width)
    found += text_signs(line)
    found += _place(lines, i, above, below)
    found += column_signs(line, above, "above")
    found += column_signs(line, below, "below")
    found += look_signs(lines, i, above, below)
    found += span_signs(line, below)
    found += [name for name, step in _SUMS if line.numbers and is_sum(lines, i, step)]
    found += indent_signs(lines, i)
    return found + _joined(set(found))


def _joined(found: set[str]) -> list[str]:
    """Return signs that mean more together."""
    joined = []
    if {"looks_unlike_above", "looks_unlike_below"} <= found:
        joined.append("set_off")
        joined += ["set_off_after_gap"] if "after_gap" in found else []
        joined += ["set_off_like_first"] if "looks_like_first" in found else []
    if "fits_above" in found:
        joined += ["fits_both"] if "fits_below" in found else ["fits_above_only"] if "misfits_below" in found else []
    elif {"misfits_above", "fits_below"} <= found:
        joined.append("fits_below_only")
    if {"all_text", "text_by_numbers_below"} <= found:
        joined.append("texts_over_numbers_after_gap" if "after_gap" in found else "texts_over_numbers")
    if "total_word" in found or "total_alone" in found:
        joined += [f"total_{sign}" for sign in _WITH_TOTAL if sign in found]
    return joined


def steps_of(lines: Sequence[Line], i: int, signs: Collection[str]) -> list[str]:
    """Return the signs that say how line i, which has some signs, follows the one above it."""
    gap = lines[i].gap
    # Some signs of the line itself also say something about the step from one label to the next.
    found = ["gap" if gap == 1 else "wide_gap" if gap else "adjacent", *(sign for sign in signs if sign in STEPS)]
    if not i:
        return found
    is_elsewhere = "elsewhere_above" in signs
    if "misfits_above" in signs:
        found.append("misfits")
    elif "fits_above" in signs or "half_fits_above" in signs:
        found.append("fits" if "fits_above" in signs and not is_elsewhere else "half_fits")
    if is_elsewhere:
        found.append("elsewhere")
    if lines[i].styles is not None and lines[i - 1].styles is not None:
        found.append("same_look" if same_look(lines[i], lines[i - 1]) else "other_look")
    return found


def _dense(lines: Sequence[Line], i: int, step: int) -> list[Line]:
    """Return the nearest lines with several cells on one side."""
    found: list[Line] = []
    end = max(-1, i - 2 * NEAR - 1) if step < 0 else min(len(lines), i + 2 * NEAR + 1)
    for j in range(i + step, end, step):
        if not lines[j].is_lone:
            found.append(lines[j])
            if len(found) == NEAR:
                break
    return found


def _own(line: Line, key: int, width: int) -> list[str]:
    filled, count = line.filled, line.kinds.count
    found = ["lone" if line.is_lone else "two_cells" if filled == 2 else "several_cells"]
    numbers = count(NUMBER) / filled
    found.append("no_numbers" if not numbers else "few_numbers" if numbers < 0.5 else "many_numbers")
    named = (("years", count(YEAR)), ("dates", count(DATE)), ("codes", count(CODE)), ("long", count(LONG)),
             ("marks", count(MARK)))  # fmt: skip
    found += [name for name, size in named if size]
    found += [f"mostly_{name}" for name, size in named[:2] if 2 * size > filled]
    if line.texts == filled:
        found.append("all_text")
    if line.first > key:
        found.append("key_blank")
    elif line.kinds[line.first] in NUMERIC:
        found.append("key_number")
    elif line.kinds[line.first] == DATE:
        found.append("key_date")
    if line.is_spread:
        found.append("spread")
    if width > 1 and not line.is_lone:
        share = filled / width
        found.append("narrow" if share < 0.5 else "partial" if share < 0.9 else "full" if share <= 1.1 else "wider")
    return found


def _place(lines: Sequence[Line], i: int, above: list[Line], below: list[Line]) -> list[str]:
    line = lines[i]
    found = ["first_line"] if i == 0 else ["after_gap"] if line.gap else []
    if line.gap > 2:
        found.append("after_wide_gap")
    if i + 1 == len(lines):
        found.append("last_line")
    else:
        after = lines[i + 1]
        found += ["before_gap"] if after.gap else []
        found.append("lone_next" if after.is_lone else "dense_next")
        if not after.is_lone and 2 * after.kinds.count(NUMBER) >= after.filled:
            found.append("numbers_next")
    found.append("nothing_above" if not above else "little_above" if len(above) < 3 else "much_above")
    found.append("nothing_below" if not below else "little_below" if len(below) < 3 else "much_below")
    if i and lines[i - 1].is_lone:
        found.append("lone_before")
        found += ["lone_twice_before"] if i > 1 and lines[i - 2].is_lone else []
    found += _gap_signs(lines, i) if i and line.gap else []
    if above:
        found += _as_first(line, lines)
    return found


def _gap_signs(lines: Sequence[Line], i: int) -> list[str]:
    """Return whether blank rows are usual here, or the first for a while."""
    gaps = [line.gap for line in lines[max(1, i - 2 * NEAR) : i]]
    if len(gaps) >= NEAR and not any(gaps):
        return ["first_gap"]
    return ["usual_gap"] if sum(gap >= lines[i].gap for gap in gaps) > 1 else []


def _as_first(line: Line, lines: Sequence[Line]) -> list[str]:
    """Return whether a line says what the first full one says, or a part of it."""
    first = next((other for other in lines[:FIRST_LINES] if not other.is_lone), None)
    if first is None or first is line or line.is_lone:
        return []
    pairs = [a == b for a, b, kind in zip(line.values, first.values, line.kinds, strict=True) if kind in (TEXT, DATE)]
    if len(pairs) > 1 and 2 * sum(pairs) >= len(pairs):
        return ["says_first_again"]
    return ["says_first_partly"] if any(pairs) else []
