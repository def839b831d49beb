"""Runs that start by themselves when a workspace asks for it: one for each new document."""

from collections.abc import Sequence

from ade.database.transaction import Transaction
from ade.domain.access import Actor
from ade.domain.network import NetworkRule
from ade.domain.queue import QueueRules
from ade.errors import AdeError
from ade.logs import get_logger
from ade.operations.content.workspaces import get_workspace
from ade.operations.queue.requests import request_runs
from ade.operations.queue.submit import Wish

log = get_logger()


def run_on_upload(
    tx: Transaction,
    workspace_id: str,
    document_ids: Sequence[str],
    *,
    network: NetworkRule,
    actor: Actor,
    rules: QueueRules,
) -> list[str]:
    """Queue the runs a workspace wants for new documents; an upload never fails because of them."""
    wanted = get_workspace(tx, workspace_id).preferences.get("run_on_upload")
    if not wanted:
        return []
    try:
        with tx.savepoint():
            return request_runs(
                tx,
                wanted["configuration_id"],
                document_ids,
                wish=Wish(priority=int(wanted["priority"]), runtime_network_access=network.decide(None)),
                number=None,
                actor=actor,
                rules=rules,
            )
    except AdeError as error:
        log.warning("upload.not_run", workspace_id=workspace_id, error=str(error))
        return []
