"""What operators proposed, as authors see it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ade.database.transaction import Transaction
from ade.database.views import run_lists
from ade.database.views.run_lists import ListedRun, RunFilter
from ade.domain.queue import QueueRules
from ade.operations.views.run_views import RunView, list_runs

MOST_CHARACTERS = 250_000  # of corrections in one list
READ_AT_ONCE = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalView:
    """A run with corrections that were proposed, and the run whose result they correct, while it is kept."""

    run: RunView
    before: ListedRun | None


@dataclass(frozen=True, slots=True)
class ListedProposals:
    """Proposals, and whether more follow although fewer than asked for are here."""

    items: Sequence[ProposalView]
    is_cut: bool


def list_proposals(
    tx: Transaction, wanted: RunFilter, *, after: int | None, limit: int, rules: QueueRules
) -> ListedProposals:
    """Return proposals, the latest first: at least one, and no further one after many characters of corrections."""
    found = list_runs(tx, wanted, after=after, limit=limit, rules=rules)
    made = _corrections(tx, [one.row.id for one in found])
    shown = [one for one in found if one.row.id in made]
    earlier = run_lists.chosen(tx, [one.row.earlier_run_id for one in shown if one.row.earlier_run_id])
    by_id = {row.id: row for row in earlier}
    views = [
        ProposalView(
            run=replace(one, row=replace(one.row, corrections=made[one.row.id])),
            before=by_id.get(one.row.earlier_run_id or ""),
        )
        for one in shown
    ]
    return ListedProposals(views, is_cut=len(shown) < len(found))


def _corrections(tx: Transaction, run_ids: Sequence[str]) -> dict[str, Any]:
    """Return the corrections of the first runs, in order; those of one run may have 64,000 characters."""
    found: dict[str, Any] = {}
    characters = 0
    for ids in _batches(run_ids):
        read = run_lists.corrections_of(tx, ids)
        for run_id in ids:
            if characters > MOST_CHARACTERS:
                return found
            found[run_id] = read[run_id]
            characters += len(json.dumps(read[run_id]))
    return found


def _batches(ids: Sequence[str]) -> Sequence[Sequence[str]]:
    return [ids[start : start + READ_AT_ONCE] for start in range(0, len(ids), READ_AT_ONCE)]
