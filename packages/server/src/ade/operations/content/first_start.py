"""What a first start prepares, so that there is something to work with at once."""

from ade.database.content import workspaces
from ade.database.transaction import Database, Transaction
from ade.domain.access import SYSTEM
from ade.operations.content.configurations import create_configuration, publish
from ade.operations.content.inspection import starter_files

DEFAULT_SLUG = "default"


def prepare_default_workspace(database: Database) -> None:
    """Make the workspace `default` with a published starter configuration, unless there is any workspace."""
    if database.read(_is_prepared):
        return
    files = starter_files("example")

    def work(tx: Transaction) -> None:
        if _is_prepared(tx):
            return
        workspace_id = tx.new_id()
        row = {"id": workspace_id, "slug": DEFAULT_SLUG, "name": "Default", "preferences": {}, "created_at": tx.now}
        if not workspaces.insert(tx, row):
            return  # another server starting at the same time was quicker
        made = create_configuration(tx, workspace_id=workspace_id, name="Starter", files=files, actor=SYSTEM)
        publish(tx, made.row.id, note="The example configuration of every new installation.", actor=SYSTEM)

    database.write(work)


def _is_prepared(tx: Transaction) -> bool:
    return bool(workspaces.listed(tx, among=None))
