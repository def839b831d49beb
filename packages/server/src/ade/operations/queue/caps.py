"""How many runs a workspace may have running at once."""

from ade.database.content import workspaces
from ade.database.queue import caps, waiting
from ade.database.queue.control import lock_dispatch
from ade.database.queue.events import record_audit
from ade.database.queue.wakeups import wake_workers
from ade.database.transaction import Transaction
from ade.domain.access import Actor
from ade.errors import Invalid, NotFound


def cap_workspace(tx: Transaction, workspace_id: str, max_running: int | None, *, actor: Actor) -> None:
    """Set or (with None) remove a workspace's cap. What runs already finishes; what waited for room is looked at again.

    The only way to change a cap: runs parked for one that is gone would wait forever.
    """
    lock_dispatch(tx)
    if max_running is not None and max_running < 1:
        raise Invalid("A workspace needs room for at least one run. To hold its runs back, pause it.")
    found = workspaces.get(tx, workspace_id)
    if found is None:
        raise NotFound(f"There is no workspace {workspace_id}.")
    caps.put(tx, workspace_id, max_running)
    waiting.unpark_capped(tx, workspace_id)
    changes = {"max_running": [found.max_running, max_running]}
    subjects = [(workspace_id, workspace_id, changes)]
    record_audit(tx, actor, action="workspace.cap", subject_kind="workspace", subjects=subjects)
    wake_workers(tx)
