"""The signs of whole tables: what is seen only once all lines of a block have labels.

How a header covers its columns, what stands right above and below a table, how even its rows are, how two tables in one
block compare, and what is left over. Every sign is counted over the block.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise

from ade_engine.structure.assemble import Draft, column_span, same_texts
from ade_engine.structure.features import alike
from ade_engine.structure.grid import Block, Line
from ade_engine.structure.kinds import DATE, NUMBER, NUMERIC, TEXT
from ade_engine.structure.sign_looks import same_look

_MOST = 3
_LOST = 6
_SAMPLE = 40
_ALIKE = 0.6
_AGAIN = 2
_PART, _PARTS = 12, 12
# By kind: nothing or a mark, text, code, number, date. More than texts stand below a header of texts.
_GROUPS = (0, 1, 1, 2, 3, 3, 4, 0, 2)
_VALUES = (_GROUPS[NUMBER], _GROUPS[DATE])


class _Table:
    """A draft with what is asked of it often; of the data, only the lines that were judged."""

    def __init__(self, block: Block, draft: Draft, judged: frozenset[int]) -> None:
        self.lines, self.draft = block.lines, draft
        self.span = column_span(draft, block.lines, block.columns)
        self.width = self.span[1] - self.span[0] + 1
        self.data = [i for i in draft.data if i in judged]
        self.body = sorted(self.data + [i for i in draft.groups + draft.totals if i > draft.first])
        self.first, self.last = draft.first, max([*draft.headers, *self.body])
        self.own = {*draft.headers, *self.body, *draft.groups, *draft.totals, *draft.repeats}
        self.headers = [self.lines[i] for i in draft.headers]
        self.headed = {c for line in self.headers for c, kind in enumerate(line.kinds) if kind}
        self.sample = [self.lines[i] for i in self.data[:_SAMPLE]]
        self.kinds, self.evenness = _usual_kinds(self.sample, self.span)
        self.is_numeric = 2 * sum(2 * line.numbers >= line.filled for line in self.sample) >= len(self.sample)


def _usual_kinds(lines: Sequence[Line], span: tuple[int, int]) -> tuple[list[int], float]:
    """Return the usual kind of each column, and which share of all cells is of it."""
    usual, fitting, cells = [], 0, 0
    for c in range(span[0], span[1] + 1):
        found = Counter(_GROUPS[line.kinds[c]] for line in lines if line.kinds[c])
        kind, count = found.most_common(1)[0] if found else (0, 0)
        usual.append(kind)
        fitting += count
        cells += found.total()
    return usual, fitting / max(cells, 1)


class TableSigns:
    """Sees the tables of one block; what is seen of a table alone is seen once, in however many labellings it comes."""

    def __init__(self, block: Block, kept: Sequence[int], signs: Sequence[Sequence[str]] = ()) -> None:
        """Take a block, the positions of the lines that were judged, and the signs of these lines."""
        self._block, self._kept = block, kept
        self._signs = dict(zip(kept, signs, strict=False))
        self._judged = frozenset(kept)
        self._known: dict[tuple[tuple[int, ...], ...], tuple[_Table, Counter[str]]] = {}

    def of(self, drafts: Sequence[Draft]) -> Counter[str]:
        """Return how often each sign is seen in the tables of a labelling."""
        seen = [self._alone(draft) for draft in drafts]
        tables = [table for table, _ in seen]
        inside = frozenset(i for table in tables for i in table.own)
        names = [f"tables_{min(len(tables), 4)}"]
        for table in tables:
            names += _above(table, inside)
            names += _below(table, inside)
        for n in range(1, len(tables)):
            names += _pair(tables[n - 1], tables[n])
        found = Counter(names)
        for _, own in seen:
            found.update(own)
        found.update(_lost([self._block.lines[i] for i in self._kept if i not in inside]))
        return +found

    def _alone(self, draft: Draft) -> tuple[_Table, Counter[str]]:
        key = tuple(map(tuple, draft.shape))
        if key not in self._known:
            table = _Table(self._block, draft, self._judged)
            found = Counter([*_shape(table), *(_header(table) if table.headers else _headless(table)), *_ends(table)])
            found.update({name: min(count, _MOST) for name, count in Counter(_body(table)).items()})
            found.update(_says_first(table, self._signs))
            found.update([*_parts(table), *_names_again(table)])
            self._known[key] = table, found
        return self._known[key]


def _step(value: float, *limits: float) -> int:
    return sum(value >= limit for limit in limits)


def _lost(lines: Sequence[Line]) -> dict[str, int]:
    """Count what belongs to no table."""
    counts = {
        "lost_wide": sum(line.filled > 2 and not line.is_spread for line in lines),
        "lost_two": sum(line.filled == 2 for line in lines),
        "lost_numbers": sum(line.numbers > 1 for line in lines),
        "lost_lone": sum(line.filled == 1 for line in lines),
    }
    return {name: min(count, _LOST) for name, count in counts.items()}


def _shape(table: _Table) -> Iterator[str]:
    yield "table"
    yield f"rows_{_step(len(table.data), 1, 2, 3, 6, 15)}"
    yield f"columns_{_step(table.width, 2, 3, 5, 12)}"
    yield f"header_rows_{min(len(table.headers), 5)}"
    filled = sum(line.filled for line in table.sample)
    yield f"density_{_step(filled / max(len(table.sample) * table.width, 1), 0.25, 0.5, 0.75, 0.95)}"
    yield f"even_{_step(table.evenness, 0.7, 0.85, 0.95, 0.995)}"
    first, last = table.span
    beside = sum(any(line.kinds[:first]) or any(line.kinds[last + 1 :]) for line in table.sample)
    if beside:
        yield "beside_few" if beside < _MOST else "beside_many"


def _header(table: _Table) -> Iterator[str]:
    top, last = table.headers[0], table.headers[-1]
    yield from _bare_columns(table)
    if any(NUMBER in line.kinds for line in table.headers):
        yield "header_numbers"
    if 2 * last.kinds.count(NUMBER) > last.filled:
        yield "header_ends_in_numbers"
    if any(line.gap for line in table.headers[1:]):
        yield "header_gap"
    if any(line.is_lone and not line.is_spread for line in table.headers):
        yield "header_lone"
    if top.is_lone:
        yield "header_top_spread" if top.is_spread else "header_top_lone"
    if last.is_lone and table.width > 1:
        yield "header_last_lone"
    yield f"top_covers_{_step(top.filled / table.width, 0.3, 0.6, 0.9)}"
    if len(table.headers) > 1:
        yield f"last_covers_{_step(last.filled / table.width, 0.3, 0.6, 0.9)}"
        if top.first > table.span[0]:
            yield "top_corner_blank"
    if table.data:
        yield from _header_beside_data(table, top, last)


def _bare_columns(table: _Table) -> Iterator[str]:
    """Tell which columns have no header."""
    bare = [c for c in range(table.span[0], table.span[1] + 1) if c not in table.headed]
    if not bare or bare == [table.span[0]]:
        yield "key_unheaded" if bare else "all_headed"
        return
    yield "one_unheaded" if len(bare) == 1 else "some_unheaded" if 2 * len(bare) < table.width else "most_unheaded"
    if bare[-1] == table.span[1]:
        yield "end_unheaded"


def _header_beside_data(table: _Table, top: Line, last: Line) -> Iterator[str]:
    first = table.lines[table.data[0]]
    yield "gap_under_header" if first.gap else "no_gap_under_header"
    pairs = [(kind, usual) for kind, usual in zip(last.kinds[table.span[0] :], table.kinds, strict=False) if kind]
    over = sum(kind == TEXT and usual in _VALUES for kind, usual in pairs)
    yield f"texts_over_numbers_{_step(over / max(len(pairs), 1), 0.01, 0.34, 0.67)}"
    if last.styles is not None:
        yield "header_looks_like_data" if same_look(last, first) else "header_looks_unlike_data"
        if len(table.headers) > 1:
            yield "header_looks_alike" if same_look(top, last) else "header_looks_differ"


def _headless(table: _Table) -> Iterator[str]:
    first = table.lines[table.first]
    numeric = sum(2 * line.numbers >= line.filled for line in table.sample[1:])
    if not first.numbers and first.texts > 1 and 2 * numeric > len(table.sample) - 1:
        yield "headless_text_first"
    if first.texts == first.filled > 1:
        yield "headless_all_text_first"
    if first.styles is not None and len(table.data) > 1:
        yield "headless_same_look" if same_look(first, table.lines[table.data[1]]) else "headless_other_look"
    yield f"headless_rows_{_step(len(table.data), 2, 3, 6, 15)}"
    yield f"headless_columns_{_step(table.width, 2, 3, 5)}"


def _above(table: _Table, inside: frozenset[int]) -> Iterator[str]:
    """Tell what stands right above a table."""
    name, i = "above" if table.headers else "bare_above", table.first
    if not i:
        yield "nothing_above"
        return
    line, up = table.lines[i], table.lines[i - 1]
    if i - 1 in inside:
        yield f"{name}_table_gap_{min(line.gap, _MOST)}"
        return
    where = f"{name}_gap" if line.gap else f"{name}_next"
    yield f"{where}_{_width_of(up)}"
    if not up.is_lone:
        outside = any(up.kinds[: table.span[0]]) or any(up.kinds[table.span[1] + 1 :])
        yield f"{where}_outside" if outside else f"{where}_inside"
        if up.numbers:
            yield f"{where}_numbers"
        if up.styles is not None and same_look(line, up):
            yield f"{where}_same_look"
        if alike(up, line) > _ALIKE:
            yield f"{where}_alike"
        if not line.gap and not up.gap and i > 1 and i - 2 not in inside and not table.lines[i - 2].is_lone:
            yield f"{name}_two_lines"
    if up.first > table.span[0] and not up.is_spread:
        yield f"{where}_indented"


def _width_of(line: Line) -> str:
    return "spread" if line.is_spread else "lone" if line.is_lone else "two" if line.filled == 2 else "wide"


def _below(table: _Table, inside: frozenset[int]) -> Iterator[str]:
    """Tell what stands right below a table."""
    i = table.last + 1
    if i == len(table.lines) or i in inside:
        if i not in inside:
            yield "nothing_below"
        return
    line = table.lines[i]
    where, shape = "below_gap" if line.gap else "below_next", _width_of(line)
    yield f"{where}_{shape}"
    if line.gap >= _MOST:
        yield f"below_far_{shape}"
    if line.numbers:
        yield f"{where}_numbers"
    if not line.is_lone:
        pairs = [(_GROUPS[k], usual) for k, usual in zip(line.kinds[table.span[0] :], table.kinds, strict=False) if k]
        if 4 * sum(kind == usual for kind, usual in pairs) >= 3 * max(len(pairs), 1):
            yield f"{where}_fits"
        if line.first > table.span[0]:
            yield f"{where}_key_blank"
    if table.last in table.draft.totals:
        yield f"total_{where}_{shape}"


def _says_first(table: _Table, signs: Mapping[int, Collection[str]]) -> dict[str, int]:
    """Count the rows inside that say what the first full row of the block says: the header of another table."""
    again = sum("says_first_again" in signs.get(i, ()) for i in table.body)
    partly = sum(table.lines[i].gap > 0 and "says_first_partly" in signs.get(i, ()) for i in table.body)
    return {"first_again_inside": min(again, _AGAIN), "first_partly_inside": min(partly, _AGAIN)}


def _parts(table: _Table) -> Iterator[str]:
    """Compare the parts of a body between blank rows: those of one table have the same columns."""
    parts: list[list[Line]] = []
    for i in table.body:
        line = table.lines[i]
        if line.gap or not parts:
            parts.append([])
        if not line.is_lone and len(parts[-1]) < _PART:
            parts[-1].append(line)
    found = [_usual_kinds(part, table.span)[0] for part in parts if len(part) > 1][:_PARTS]
    if len(found) < 2:
        return
    equal = filled = 1.0
    for above, below in pairwise(found):
        both = [(a, b) for a, b in zip(above, below, strict=True) if a and b]
        either = sum(a or b for a, b in zip(map(bool, above), map(bool, below), strict=True))
        filled = min(filled, len(both) / max(either, 1))
        equal = min(equal, sum(a == b for a, b in both) / max(len(both), 1))
    yield f"parts_kinds_{_step(equal, 0.5, 0.8, 0.99)}"
    yield f"parts_filled_{_step(filled, 0.4, 0.7, 0.99)}"


def _names_again(table: _Table) -> Iterator[str]:
    """Tell whether a row inside begins with the first name of the header."""
    first = next((line.label for line in table.headers[::-1] if line.kinds[line.first] == TEXT), None)
    if first is not None and any(table.lines[i].label == first for i in table.body):
        yield "first_name_inside"


def _body(table: _Table) -> Iterator[str]:
    """Tell what stands between the first and the last row of a table."""
    totals = frozenset(table.draft.totals)
    yield from ["repeated_header"] * len(table.draft.repeats)
    for place in range(1, len(table.body)):
        i = table.body[place]
        line = table.lines[i]
        after = table.lines[table.body[place + 1]] if place + 1 < len(table.body) else None
        if line.gap >= _MOST:
            yield "gap_of_three"
        if table.body[place - 1] in totals and i not in totals:
            yield "data_after_total_gap" if line.gap else "data_after_total"
        if line.is_lone:
            if line.gap:
                yield "lone_inside_gap"
            continue
        if any(same_texts(line, header) for header in table.headers if line.texts > 1):
            yield "same_as_header_inside"
        if after is not None and i not in totals:
            yield from _header_inside(table, line, after)


def _header_inside(table: _Table, line: Line, after: Line) -> Iterator[str]:
    """Tell whether a row of the body could be the header of what follows."""
    is_text = not line.numbers and line.texts > 1
    if is_text and table.is_numeric and after.numbers:
        yield "header_inside_gap" if line.gap else "header_inside"
    if line.styles is None or same_look(line, after):
        return
    if is_text and table.is_numeric and after.numbers:
        yield "styled_header_inside"
    if table.headers and line.gap and same_look(line, table.headers[-1]):
        yield "look_of_header_inside"
        if is_text and 4 * line.filled >= 3 * table.headers[-1].filled:
            yield "full_header_inside"


def _ends(table: _Table) -> Iterator[str]:
    """Tell how even the rows are: gaps between them, the last beside those before, the first beside those after."""
    lines, body, totals = table.lines, table.body, table.draft.totals
    if not body:
        return
    gaps = [lines[i].gap for i in body[1:]]
    some = sum(gap > 0 for gap in gaps)
    yield f"gaps_{_step(some, 1, 2, 4)}"
    yield f"wide_gaps_{_step(sum(gap > 1 for gap in gaps), 1, 2)}"
    yield f"gap_share_{_step(some / max(len(gaps), 1), 0.01, 0.1, 0.3, 0.8)}"
    name = "total" if body[-1] in totals else "data"
    yield f"ends_in_{name}"
    if len(body) > 1:
        yield from _last_row(table, name, lines[body[-2]], lines[body[-1]])
    if table.headers and len(table.data) > 1:
        yield from _first_row(table, lines[table.data[0]], lines[table.data[1]])


def _last_row(table: _Table, name: str, before: Line, end: Line) -> Iterator[str]:
    yield f"{name}_end_gap_{min(end.gap, 2)}"
    if end.is_lone and table.width > 1:
        yield f"{name}_end_lone_{'gap' if end.gap else 'next'}"
        return
    yield f"{name}_end_alike_{_step(alike(before, end), 0.4, 0.75)}"
    if end.first > table.span[0]:
        yield f"{name}_end_key_blank"


def _first_row(table: _Table, first: Line, second: Line) -> Iterator[str]:
    if not first.numbers and first.texts > 1 and table.is_numeric:
        yield "text_row_first"
    if first.is_lone:
        yield "lone_row_first"
    elif alike(first, second) < _ALIKE:
        yield "unlike_row_first"
    if first.first > table.span[0]:
        yield "first_key_blank"
    if first.styles is not None and same_look(first, table.headers[-1]) and not same_look(first, second):
        yield "first_looks_like_header"
    numbers = [kind for kind in first.kinds if kind in NUMERIC]
    if len(numbers) == first.filled and table.kinds[0] not in _VALUES:
        yield "numbers_alone_first"


def _pair(above: _Table, below: _Table) -> Iterator[str]:
    """Compare a table with the one above it."""
    name = "pair_headed" if below.headers else "pair_bare"
    lines, between = above.lines, range(above.last + 1, below.first)
    yield name
    yield f"{name}_gap_{min(sum(lines[i].gap for i in range(above.last + 1, below.first + 1)), _MOST)}"
    yield f"{name}_between_{min(len(between), _MOST)}"
    yield f"{name}_same_span" if above.span == below.span else f"{name}_other_span"
    first, last = max(above.span[0], below.span[0]), min(above.span[1], below.span[1])
    if last > first:
        kinds = [table.kinds[first - table.span[0] : last - table.span[0] + 1] for table in (above, below)]
        equal = sum(a == b for a, b in zip(*kinds, strict=True)) / (last - first + 1)
        yield f"{name}_kinds_{_step(equal, 0.5, 0.8, 0.99)}"
    if above.last in above.draft.totals:
        yield f"{name}_after_total"
    if above.headers and below.headers:
        yield from _two_headers(above, below)


def _two_headers(above: _Table, below: _Table) -> Iterator[str]:
    if any(same_texts(a, b) for a in above.headers for b in below.headers):
        yield "pair_same_header"
    if len(above.headers) == len(below.headers):
        yield "pair_as_many_header_rows"
    one, other = above.headers[-1], below.headers[-1]
    if one.styles is not None and other.styles is not None:
        yield "pair_header_looks_alike" if same_look(one, other) else "pair_header_looks_differ"
    yield f"pair_header_part_{_step(len(below.headed) / len(above.headed), 0.5, 0.9, 1.1)}"
    if not below.headed <= above.headed:
        yield "pair_header_elsewhere"
