"""The state of a workspace at a glance."""

from dataclasses import dataclass

from ade.database.transaction import Transaction
from ade.database.views import overviews


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """What waits and runs in a workspace, and what the newest run of each of its documents found.

    Test runs and cancelled ones say nothing about a document, and a run again takes the place of the one before.
    """

    running_count: int
    queued_count: int
    document_count: int
    failed_count: int
    with_issues_count: int
    issue_count: int
    ready_count: int
    check_count: int
    not_usable_count: int
    proposal_count: int


def view_overview(tx: Transaction, workspace_id: str) -> Overview:
    """Return the state of a workspace, exact at any size."""
    running_count, queued_count = overviews.unfinished(tx, workspace_id)
    found = overviews.results(tx, workspace_id)
    return Overview(
        running_count=running_count,
        queued_count=queued_count,
        document_count=found.documents,
        failed_count=found.failed,
        with_issues_count=found.with_issues,
        issue_count=found.issues,
        ready_count=found.ready,
        check_count=found.check,
        not_usable_count=found.not_usable,
        proposal_count=overviews.waiting_proposals(tx, workspace_id),
    )
