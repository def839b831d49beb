"""What operators proposed, as authors see it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ade.database.transaction import Transaction
from ade.database.views import run_lists
from ade.database.views.run_lists import ListedRun, RunFilter
from ade.domain.queue import QueueRules
from ade.operations.views.run_views import RunView, list_runs


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalView:
    """A run with corrections that were proposed, and the run whose result they correct, while it is kept."""

    run: RunView
    before: ListedRun | None


def list_proposals(
    tx: Transaction, wanted: RunFilter, *, after: int | None, limit: int, rules: QueueRules
) -> Sequence[ProposalView]:
    """Return proposals, the latest first."""
    found = list_runs(tx, wanted, after=after, limit=limit, rules=rules)
    made = run_lists.corrections_of(tx, [one.row.id for one in found])
    earlier = run_lists.chosen(tx, [one.row.earlier_run_id for one in found if one.row.earlier_run_id])
    by_id = {row.id: row for row in earlier}
    return [
        ProposalView(
            run=replace(one, row=replace(one.row, corrections=made[one.row.id])),
            before=by_id.get(one.row.earlier_run_id or ""),
        )
        for one in found
    ]
