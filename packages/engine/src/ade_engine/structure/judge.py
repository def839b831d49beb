"""Judges one block: scores its rows, labels them, assembles its tables and says why each header was chosen."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from ade_engine.evidence import Contribution
from ade_engine.readers.base import Row
from ade_engine.records import record
from ade_engine.structure import weights as w
from ade_engine.structure.assemble import Draft, assemble
from ade_engine.structure.choice import LEAD, MOST, TRIED, Labelling, choose
from ade_engine.structure.earnings import contributions_of, earnings, earnings_by_hand
from ade_engine.structure.features import LABELS, Evidence, Neighbourhood, is_plain, row_evidence
from ade_engine.structure.grid import Block, Line
from ade_engine.structure.labelling import Allowed, label_rows, labellings
from ade_engine.structure.names import NO_NAMES, HeaderNames
from ade_engine.structure.prose import Prose
from ade_engine.structure.sign_tables import TableSigns
from ade_engine.structure.signs import signs_of_lines, steps_of
from ade_engine.structure.tables import Candidate
from ade_engine.structure.words import is_page_number


@record
class RowContext:
    """A row and its surroundings, as the rules of a configuration see it."""

    sheet: str | None
    row: Row
    above: Row | None
    below: Row | None
    blank_rows_above: int


_PAGE = re.compile(r"[^\W\d_]{4}")  # a whole word for a page: "S 4" may be a value
_TOTAL = LABELS.index("total")
_SUMS = frozenset({"sum_of_above", "sum_of_below"})
_TOTAL_SIGNS = _SUMS | {"total_word", "total_alone", "set_off", "bold_unlike_below", "bold_unlike_above"}
RowRule = Callable[[RowContext], Mapping[str, Sequence[Contribution]]]


@record
class JudgedLine:
    """The evidence for a line, what it sums to by label, and how the line follows the one above."""

    evidence: Evidence
    signs: Sequence[str]
    steps: tuple[str, ...]
    earned: Sequence[float]
    alike: float


@record(frozen=False)
class Judgement:
    """A block's lines with everything decided about them."""

    block: Block
    # By position: what was seen of a line. Plain data has none.
    judged: dict[int, JudgedLine]
    labels: list[str]
    drafts: list[Draft]
    by_hand: bool
    # The lines that a rule of the configuration, or names of its fields, gives the label they have.
    told: frozenset[int]
    # The labellings that were chosen among, and why the chosen one is not the chain's own.
    options: Sequence[Labelling]
    reasons: list[Contribution]


def judge(
    block: Block,
    *,
    sheet: str | None,
    rule: RowRule | None = None,
    names: HeaderNames = NO_NAMES,
    known: Mapping[int, str] | None = None,
    by_hand: bool = False,
    offers_all: bool = False,
) -> Judgement:
    """Label the lines of a block and assemble its tables; `known` holds the labels of rows settled before.

    By hand, nothing that was learned counts. Where cells have no looks the best labelling is taken, because choosing
    by tables lost headers there; training asks for all that is on offer.
    """
    asked = _ask(block.lines, sheet, rule) if rule else [{} for _ in block.lines]
    asked = _with_names(block.lines, asked, names) if names.texts else asked
    block.lines, asked = _without_blanks(block.lines, asked)
    lines = block.lines
    kept = _worth_judging(lines, asked)
    near = Neighbourhood([lines[i] for i in kept], is_top=not known)
    by_hand = by_hand or (not known and not block.is_styled and len(lines) <= w.SMALL_LINES)
    widths = [near.width(k) for k in range(len(kept))]
    signs = None if by_hand else signs_of_lines(near.lines, near.keys, widths)
    seen = [_seen(near, k, asked[i], signs[k] if signs else None) for k, i in enumerate(kept)]
    settled = [(known or {}).get(line.number) for line in near.lines]
    amid = _amid_equals(kept)
    pages = frozenset(k for k, i in enumerate(kept) if not asked[i] and _is_page_number(near.lines, k))
    allowed = _allowed(settled, amid, pages) if known or amid or pages else None
    is_alone = by_hand or bool(known) or not (block.is_styled or offers_all)
    ranked = _ranked(near, seen, allowed, by_hand=by_hand, is_alone=is_alone)
    if not by_hand and not block.is_styled and not known and _loses_rows(near, ranked[0][1]):
        return judge(block, sheet=sheet, rule=rule, names=names, by_hand=True)
    work = _Work(block, kept, near, seen, Prose(lines, _claimed(asked)), by_hand)
    options = _options(work, ranked)
    told = _told(asked, options[0])
    options = [option for option in options if told <= _told(asked, option)]  # none takes back what rules decided
    chosen, reasons = choose(options)
    told = _told(asked, chosen)
    by_place = dict(zip(kept, seen, strict=True))
    return Judgement(block, by_place, chosen.labels, chosen.drafts, by_hand, told, options, reasons)


def _ranked(
    near: Neighbourhood, seen: Sequence[JudgedLine], allowed: Allowed | None, *, by_hand: bool, is_alone: bool
) -> list[tuple[float, list[str]]]:
    """Return the best labelling of the lines alone, or with those that are nearly as good."""
    emissions, steps = [line.earned for line in seen], [line.steps for line in seen]
    if is_alone:
        _, best = label_rows(near.lines, emissions, near.alike, steps, allowed=allowed, by_hand=by_hand)
        return [(0.0, best)]
    return labellings(near.lines, emissions, near.alike, steps, allowed=allowed, lead=LEAD, most=TRIED)


@record
class _Work:
    """What tables are assembled from once lines have labels."""

    block: Block
    kept: list[int]
    near: Neighbourhood
    seen: Sequence[JudgedLine]
    prose: Prose
    by_hand: bool


def _options(work: _Work, ranked: Sequence[tuple[float, list[str]]]) -> list[Labelling]:
    """Return the labellings that make different tables, the best first."""
    options: list[Labelling] = []
    known: list[object] = []
    for behind, found in ranked:
        if _makes_totals_of_records(work, ranked[0][1], found):
            continue
        labels, drafts = _assembled(work, found)
        shapes = [draft.shape for draft in drafts]
        if shapes not in known:
            known.append(shapes)
            options.append(Labelling(behind, labels, drafts))
        if len(options) == MOST:
            break
    if len(options) > 1:
        seen = TableSigns(work.block, work.kept, [line.signs for line in work.seen])
        for option in options:
            option.signs = seen.of(option.drafts)
    return options


def _makes_totals_of_records(work: _Work, first: Sequence[str], found: Sequence[str]) -> bool:
    """Tell whether data of the best labelling is a total in another, without any sign of one: it must not be lost."""
    pairs = enumerate(zip(first, found, strict=True))
    return any(
        was == "data" and now == "total" and _TOTAL_SIGNS.isdisjoint(work.seen[k].signs) for k, (was, now) in pairs
    )


def _assembled(work: _Work, found: list[str]) -> tuple[list[str], list[Draft]]:
    """Return the labels of all lines, put right where rows would be lost, and the tables they make."""
    near, lines = work.near, work.block.lines
    if not work.by_hand:
        found = _with_records(near, _noted(near, found), [line.signs for line in work.seen])
    labels = ["data"] * len(lines)
    for k, i in enumerate(work.kept):
        labels[i] = found[k]
    return labels, work.prose.without(assemble(lines, labels))


def _seen(
    near: Neighbourhood, k: int, asked: Mapping[str, Sequence[Contribution]], signs: Sequence[str] | None
) -> JudgedLine:
    evidence = row_evidence(near, k)
    line = near.lines[k]
    if signs is None:
        earned = earnings_by_hand(evidence)
    else:
        earned = earnings(evidence, signs)
        if line.texts > 1 and line.filled >= near.width(k) and _SUMS.isdisjoint(signs):
            # A full row with several texts is a record, even one of "Total Oil Ltd": it must not be lost.
            earned[_TOTAL] -= w.TOTAL_RECORD
    for place, label in enumerate(LABELS):
        for contribution in asked.get(label, ()):
            evidence[label].append(contribution)
            earned[place] += contribution.delta
    steps = () if signs is None else tuple(steps_of(near.lines, k, signs))
    return JudgedLine(evidence, signs or (), steps, earned, near.alike[k])


def _noted(near: Neighbourhood, found: list[str]) -> list[str]:
    """Call a line under a table a note when nothing follows that it could be the title of."""
    return [
        "note" if label == "title" and not near.dense_ahead[k] and near.width_above[k] > 1 else label
        for k, label in enumerate(found)
    ]


def _with_records(near: Neighbourhood, found: list[str], signs: Sequence[Sequence[str]]) -> list[str]:
    """Call rows right under data records when they would be headers of nothing or totals without any sign of one.

    They must not be lost: in a few rows without looks of their own, a record may be unlike the others.
    """
    is_small = len(near.lines) <= w.SMALL_LINES
    kept = [
        "data" if is_small and label == "total" and _TOTAL_SIGNS.isdisjoint(signs[k]) else label
        for k, label in enumerate(found)
    ]
    for k in range(len(kept) - 1, 0, -1):
        follows = kept[k + 1] if k + 1 < len(kept) else ""
        is_headless = kept[k] == "header" and follows not in ("header", "data", "group", "total")
        start = k
        while is_headless and start > 0 and kept[start] == "header" and not near.lines[start].gap:
            start -= 1
        if is_headless and kept[start] == "data":
            kept[start + 1 : k + 1] = ["data"] * (k - start)
    return kept


def _loses_rows(near: Neighbourhood, found: Sequence[str]) -> bool:
    """Return whether many rows of several cells would be titles or notes: a table with many blank cells was missed."""
    lost = sum(line.filled > 2 for line, label in zip(near.lines, found, strict=True) if label in ("title", "note"))
    return lost > w.LOST_LINES


def _worth_judging(lines: Sequence[Line], asked: Sequence[Mapping[str, Sequence[Contribution]]]) -> list[int]:
    """Return the positions of all lines but those deep inside a run of equals: these are data whatever the rest is."""
    kept: list[int] = []
    run: list[int] = []
    for i in range(len(lines)):
        if not asked[i] and is_plain(lines, i):
            run.append(i)
            continue
        kept += _ends(run)
        kept.append(i)
        run = []
    return kept + _ends(run)


def _amid_equals(kept: Sequence[int]) -> frozenset[int]:
    """Return which of the lines kept are the ends of long runs of equals, by their place among those kept."""
    cuts = [k for k in range(1, len(kept)) if kept[k] > kept[k - 1] + 1]
    return frozenset(k for cut in cuts for k in range(cut - w.PLAIN_ENDS, cut + w.PLAIN_ENDS))


def _is_page_number(lines: Sequence[Line], k: int) -> bool:
    """Return whether a line is a page number in words below records of several cells: "Page 1 of 3"."""
    line = lines[k]
    if not line.is_lone or not is_page_number(line.label) or _PAGE.search(line.label) is None:
        return False
    return k > 0 and sum(not other.is_lone for other in lines) > sum(other.is_lone for other in lines)


def _allowed(settled: Sequence[str | None], amid: frozenset[int], pages: frozenset[int]) -> Callable[[int, str], bool]:
    """Allow what was settled before; and no title or note among equals, or many rows would be lost.

    A page number is no record, whatever its place.
    """

    def allowed(k: int, label: str) -> bool:
        if settled[k] is not None:
            return settled[k] == label
        if k in pages:
            return label in ("title", "note")
        return k not in amid or label not in ("title", "note")

    return allowed


def _ends(run: list[int]) -> list[int]:
    return run if len(run) <= 2 * w.PLAIN_ENDS else run[: w.PLAIN_ENDS] + run[-w.PLAIN_ENDS :]


def _ask(lines: Sequence[Line], sheet: str | None, rule: RowRule) -> list[Mapping[str, Sequence[Contribution]]]:
    found = []
    for i, line in enumerate(lines):
        above = lines[i - 1].row if i else None
        below = lines[i + 1].row if i + 1 < len(lines) else None
        found.append(rule(RowContext(sheet, line.row, above, below, line.gap)))
    return found


def _with_names(
    lines: Sequence[Line], asked: Sequence[Mapping[str, Sequence[Contribution]]], names: HeaderNames
) -> list[Mapping[str, Sequence[Contribution]]]:
    """Add evidence for the rows that have names of the columns looked for, at the top or where a table could begin."""
    found = list(asked)
    for i, line in enumerate(lines):
        if i >= w.NAMES_LOOK and not line.gap and not lines[i - 1].is_lone:
            continue
        if names.count_in(line.values) >= w.NAMES_FEWEST:
            evidence = [*found[i].get("header", ()), Contribution("header.names_of_fields", w.HEADER_NAMED)]
            found[i] = {**found[i], "header": evidence}
    return found


def _without_blanks(
    lines: list[Line], asked: Sequence[Mapping[str, Sequence[Contribution]]]
) -> tuple[list[Line], list[Mapping[str, Sequence[Contribution]]]]:
    """Leave out the rows a rule calls blank."""
    kept, answers, gap = [], [], 0
    for line, answer in zip(lines, asked, strict=True):
        if answer and sum(c.delta for c in answer.get("blank", ())) >= w.BLANK_BY_RULE:
            gap += line.gap + 1
            continue
        line.gap += gap
        gap = 0
        kept.append(line)
        answers.append(answer)
    return kept, answers


def _claimed(asked: Sequence[Mapping[str, Sequence[Contribution]]]) -> frozenset[int]:
    """Return the positions of the lines that a rule of the configuration calls a header or data."""
    named = ((i, [*answer.get("header", ()), *answer.get("data", ())]) for i, answer in enumerate(asked) if answer)
    return frozenset(i for i, found in named if sum(c.delta for c in found) > 0)


def _told(asked: Sequence[Mapping[str, Sequence[Contribution]]], labelling: Labelling) -> frozenset[int]:
    """Return the lines that have the label that a rule or names of fields give them."""
    return frozenset(
        i for i, (answer, label) in enumerate(zip(asked, labelling.labels, strict=True)) if _says(answer, label)
    )


def _says(answer: Mapping[str, Sequence[Contribution]], label: str) -> bool:
    return sum(c.delta for c in answer.get(label, ())) > 0


def weigh_headers(judged: Judgement, draft: Draft) -> tuple[Candidate, float]:
    """Return the second best choice of header rows for a table, and the lead of the best over it."""
    first = max((draft.titles or [draft.first])[0], draft.first - w.HEADER_CHOICES)
    # Notes may stand between header rows: the last of these is a choice, however far down it is.
    last = min(max([draft.first + w.HEADER_CHOICES + len(draft.headers), *draft.headers]), _end_of(draft))
    places = [i for i in range(first, last + 1) if i in judged.judged]
    lines = [judged.block.lines[i] for i in places]
    seen = [judged.judged[i] for i in places]
    emissions, alike, steps = [s.earned for s in seen], [s.alike for s in seen], [s.steps for s in seen]
    chosen = places.index(draft.headers[-1]) if draft.headers else -1
    choices = range(-1, min(len(lines), w.HEADER_CHOICES + chosen + 1))
    scored = {k: label_rows(lines, emissions, alike, steps, allowed=_only(k), by_hand=judged.by_hand) for k in choices}
    others = sorted((k for k in choices if k != chosen), key=lambda k: (-scored[k][0], k))
    score, labels = scored[others[0]]
    rows = tuple(lines[i].number for i, label in enumerate(labels) if label == "header")
    lead = scored[chosen][0] - score + sum(reason.delta for reason in _reasons(judged, draft))
    return Candidate(rows, round(score, 4)), round(lead, 4)


def why_header(judged: Judgement, draft: Draft) -> list[Contribution]:
    """Return what spoke for and against the header rows."""
    seen = [judged.judged[i] for i in draft.headers]
    found = [c for line in seen for c in contributions_of(line.evidence, line.signs, by_hand=judged.by_hand)]
    return found + _reasons(judged, draft)


def _reasons(judged: Judgement, draft: Draft) -> list[Contribution]:
    """Return why the header of a table is not the one that the chain likes best, where it is another."""
    is_same = any(draft.headers == other.headers for other in judged.options[0].drafts)
    return [] if is_same else judged.reasons


def _end_of(draft: Draft) -> int:
    return max(draft.headers + draft.data)


def _only(k: int) -> Callable[[int, str], bool]:
    """Allow just the labellings whose last header row is k; -1 means no header at all."""

    def allowed(i: int, label: str) -> bool:
        if i == k:
            return label == "header"
        return label != "header" if i > k else True

    return allowed
