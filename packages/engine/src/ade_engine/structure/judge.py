"""Judges one block: scores its rows, labels them, assembles its tables and says why each header was chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ade_engine.evidence import Contribution
from ade_engine.readers.base import Row
from ade_engine.records import record
from ade_engine.structure import weights as w
from ade_engine.structure.assemble import Draft, assemble
from ade_engine.structure.features import LABELS, Evidence, Neighbourhood, is_plain, row_evidence
from ade_engine.structure.grid import Block, Line
from ade_engine.structure.labelling import label_rows
from ade_engine.structure.prose import without_prose
from ade_engine.structure.tables import Candidate


@record
class RowContext:
    """A row and its surroundings, as the rules of a configuration see it."""

    sheet: str | None
    row: Row
    above: Row | None
    below: Row | None
    blank_rows_above: int


RowRule = Callable[[RowContext], Mapping[str, Sequence[Contribution]]]


@record(frozen=False)
class Judgement:
    """A block's lines with everything decided about them."""

    block: Block
    # By position: the evidence, its sums, and the likeness to the line above. Plain data has none.
    judged: dict[int, tuple[Evidence, dict[str, float], float]]
    labels: list[str]
    drafts: list[Draft]


def judge(
    block: Block, *, sheet: str | None, rule: RowRule | None = None, known: Mapping[int, str] | None = None
) -> Judgement:
    """Label the lines of a block and assemble its tables; `known` holds the labels of rows settled before."""
    asked = _ask(block.lines, sheet, rule) if rule else [{} for _ in block.lines]
    block.lines, asked = _without_blanks(block.lines, asked)
    lines = block.lines
    kept = _worth_judging(lines, asked)
    near = Neighbourhood([lines[i] for i in kept], is_top=not known)
    evidence = [_joined(row_evidence(near, k), asked[i]) for k, i in enumerate(kept)]
    emissions = [{label: sum(c.delta for c in found[label]) for label in LABELS} for found in evidence]
    settled = [(known or {}).get(line.number) for line in near.lines]
    _, found = label_rows(near.lines, emissions, near.alike, allowed=lambda k, name: settled[k] in (None, name))
    labels = ["data"] * len(lines)
    for k, i in enumerate(kept):
        labels[i] = found[k]
    judged = dict(zip(kept, zip(evidence, emissions, near.alike, strict=False), strict=True))
    return Judgement(block, judged, labels, without_prose(assemble(lines, labels), lines, claimed=_claimed(asked)))


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


def _ends(run: list[int]) -> list[int]:
    return run if len(run) <= 2 * w.PLAIN_ENDS else run[: w.PLAIN_ENDS] + run[-w.PLAIN_ENDS :]


def _ask(lines: Sequence[Line], sheet: str | None, rule: RowRule) -> list[Mapping[str, Sequence[Contribution]]]:
    found = []
    for i, line in enumerate(lines):
        above = lines[i - 1].row if i else None
        below = lines[i + 1].row if i + 1 < len(lines) else None
        found.append(rule(RowContext(sheet, line.row, above, below, line.gap)))
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


def _joined(own: Evidence, asked: Mapping[str, Sequence[Contribution]]) -> Evidence:
    for label in LABELS:
        own[label].extend(asked.get(label, ()))
    return own


def weigh_headers(judged: Judgement, draft: Draft) -> tuple[Candidate, float]:
    """Return the second best choice of header rows for a table, and the lead of the best over it."""
    first = max((draft.titles or [draft.first])[0], draft.first - w.HEADER_CHOICES)
    # Notes may stand between header rows: the last of these is a choice, however far down it is.
    last = min(max([draft.first + w.HEADER_CHOICES + len(draft.headers), *draft.headers]), _end_of(draft))
    lines = judged.block.lines[first : last + 1]
    emissions = [judged.judged[i][1] for i in range(first, last + 1)]
    alike = [judged.judged[i][2] for i in range(first, last + 1)]
    chosen = draft.headers[-1] - first if draft.headers else -1
    choices = range(-1, min(len(lines), w.HEADER_CHOICES + chosen + 1))
    scored = {k: label_rows(lines, emissions, alike, allowed=_only(k)) for k in choices}
    others = sorted((k for k in choices if k != chosen), key=lambda k: (-scored[k][0], k))
    score, labels = scored[others[0]]
    rows = tuple(lines[i].number for i, label in enumerate(labels) if label == "header")
    return Candidate(rows, round(score, 4)), round(scored[chosen][0] - score, 4)


def why_header(judged: Judgement, draft: Draft) -> list[Contribution]:
    """Return what spoke for and against the header rows."""
    return [c for i in draft.headers for c in judged.judged[i][0]["header"]]


def _end_of(draft: Draft) -> int:
    return max(draft.headers + draft.data)


def _only(k: int) -> Callable[[int, str], bool]:
    """Allow just the labellings whose last header row is k; -1 means no header at all."""

    def allowed(i: int, label: str) -> bool:
        if i == k:
            return label == "header"
        return label != "header" if i > k else True

    return allowed
