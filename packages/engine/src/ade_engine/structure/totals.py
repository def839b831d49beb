"""The evidence that a row is a total: it says so, names the rows it sums up, or stands among totals and looks so."""

from __future__ import annotations

from collections.abc import Sequence

from ade_engine.evidence import Contribution
from ade_engine.structure import weights as w
from ade_engine.structure.grid import Line
from ade_engine.structure.kinds import EMPTY, TEXT
from ade_engine.structure.words import hints_at_total, is_statistic, is_total_alone


def total_evidence(lines: Sequence[Line], i: int, alike: Sequence[float], *, width: int) -> list[Contribution]:
    """Return the contributions for line i being a total; `width` is how many cells a full row has around here."""
    line = lines[i]
    word = total_word(line)
    # A total leaves cells blank: a full row with several texts is the record of "Total Oil Ltd", also at the end.
    is_record = line.texts > 1 and line.filled >= width
    ends = not is_record and _is_at_end(lines, i)
    if word is not None and (is_total_alone(word) or ends or _sums_up(word, lines, i)):
        found = [Contribution("total.word", w.TOTAL_WORD)]
    elif word is not None:
        found = [Contribution("total.word_amid_data", w.TOTAL_AMID)]
    elif _is_unlabelled(lines, i):
        found = [Contribution("total.unlabelled", w.TOTAL_NO_WORD + w.TOTAL_UNLABELLED)]
    elif _is_among_totals(lines, i, width=width) or _is_among_statistics(lines, i):
        found = [Contribution("total.among_totals", w.TOTAL_WORD)]
    else:
        return [Contribution("total.no_word", w.TOTAL_NO_WORD)]
    rule, delta = ("total.numbers", w.TOTAL_NUMBERS) if line.numbers else ("total.no_numbers", w.TOTAL_NO_NUMBERS)
    found.append(Contribution(rule, delta))
    if not line.is_lone:
        found.append(Contribution("total.alike", w.TOTAL_ALIKE * (alike[i] - 0.5)))
    return found


def total_word(line: Line) -> str | None:
    """Return the row's first text when it announces a total."""
    for c in range(line.first, min(line.first + 4, len(line.kinds))):
        if line.kinds[c] == TEXT:
            text = str(line.values[c])
            return text if hints_at_total(text) else None
    return None


def _is_at_end(lines: Sequence[Line], i: int) -> bool:
    """Return whether data stops after line i, if only for a gap, a label or a total of all."""
    if i + 1 == len(lines) or lines[i + 1].gap > 0 or lines[i + 1].is_lone:
        return True
    return _is_named_total(lines[i + 1])


def _is_named_total(line: Line) -> bool:
    word = total_word(line)
    return word is not None and is_total_alone(word)


def _sums_up(word: str, lines: Sequence[Line], i: int) -> bool:
    """Return whether a label is the name of the rows above and a word for a total: "North Total" under "North"."""
    column = lines[i].first
    above = reversed(lines[max(0, i - w.SIGHT) : i])
    # The name of a group may stand in its first row only.
    name = next((line.values[column] for line in above if line.kinds[column] != EMPTY), None)
    if not isinstance(name, str) or not name.strip() or name not in word:
        return False
    return is_total_alone(word.replace(name, "", 1))


def _is_unlabelled(lines: Sequence[Line], i: int) -> bool:
    """Return whether a line holds numbers only, at the end, with the labels of the lines above left blank."""
    line = lines[i]
    if not i or line.numbers < line.filled or line.filled < 2:
        return False
    above = lines[i - 1]
    return _is_at_end(lines, i) and above.kinds[0] != EMPTY and line.first > 0 and above.kinds[line.first - 1] != EMPTY


def _is_among_totals(lines: Sequence[Line], i: int, *, width: int) -> bool:
    """Return whether a line fills the few cells of a total next to it: what is net, a tax, a discount, what is due."""
    line = lines[i]
    if not line.numbers or line.filled >= width:
        return False
    if i and not line.gap and _is_named_total(lines[i - 1]) and _fills_same(lines[i - 1], line):
        return True
    # What comes before a total is more likely data, so it must be half blank.
    return 2 * line.filled <= width and _leads_to_total(lines, i)


def _leads_to_total(lines: Sequence[Line], i: int) -> bool:
    for below in lines[i + 1 : i + 1 + w.TOTAL_SIGHT]:
        if below.gap or not _fills_same(lines[i], below):
            return False
        if _is_named_total(below):
            return True
    return False


def _fills_same(a: Line, b: Line) -> bool:
    return [kind == EMPTY for kind in a.kinds] == [kind == EMPTY for kind in b.kinds]


def _is_among_statistics(lines: Sequence[Line], i: int) -> bool:
    """Return whether a line and the one next to it are measures of the rows above: "Min" alone may be a name."""
    if not is_statistic(lines[i].label):
        return False
    above = lines[i - 1] if i and not lines[i].gap else None
    below = lines[i + 1] if i + 1 < len(lines) and not lines[i + 1].gap else None
    return any(line is not None and (is_statistic(line.label) or total_word(line)) for line in (above, below))
