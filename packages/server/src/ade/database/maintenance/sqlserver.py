"""How a SQL Server is set up and what blocks it, for its administrators."""

from dataclasses import dataclass
from datetime import timedelta

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from ade.database.transaction import Database, Transaction

SNAPSHOT_IS_OFF = "READ_COMMITTED_SNAPSHOT is off: readers and heartbeats wait for writers."
TURN_SNAPSHOT_ON = (
    "Have an administrator run: ALTER DATABASE ... SET READ_COMMITTED_SNAPSHOT ON WITH ROLLBACK AFTER 5 SECONDS"
)
LONGEST_PAUSE = timedelta(seconds=10)  # between two statements of a transaction; ours take milliseconds
_SNAPSHOT_IS_ON = "SELECT is_read_committed_snapshot_on FROM sys.databases WHERE name = DB_NAME()"
_MAY_LOOK = "SELECT HAS_PERMS_BY_NAME(NULL, NULL, 'VIEW SERVER STATE')"
# A session that waits for its client in the middle of a transaction. No transaction of ours does: its process is
# still, or somebody left a window open. What it holds stays held, and nothing on the server ends it.
_STALLED = """
SELECT s.session_id, s.host_name, s.host_process_id, s.program_name, s.login_name,
       DATEDIFF(second, s.last_request_end_time, SYSDATETIME()) AS seconds,
       CASE WHEN EXISTS (
           SELECT 1 FROM sys.dm_tran_locks AS l JOIN sys.partitions AS p ON p.hobt_id = l.resource_associated_entity_id
           WHERE l.request_session_id = s.session_id AND l.resource_database_id = DB_ID()
             AND l.request_mode IN ('X', 'U') AND p.object_id = OBJECT_ID('queue_control')
       ) THEN 1 ELSE 0 END AS holds_queue
FROM sys.dm_exec_sessions AS s
WHERE s.database_id = DB_ID() AND s.session_id <> @@SPID AND s.status = 'sleeping' AND s.open_transaction_count > 0
  AND s.last_request_end_time < DATEADD(second, :before, SYSDATETIME())
ORDER BY holds_queue DESC, seconds DESC
"""


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something about a database that its administrator should know, and what to do about it."""

    found: str
    advice: str


def is_snapshot_on(tx: Transaction) -> bool:
    """Return whether readers see a snapshot instead of waiting for writers."""
    return bool(tx.execute(sa.text(_SNAPSHOT_IS_ON)).scalar_one())


def setup_troubles(database: Database) -> list[Trouble]:
    """Return what is not set up as it should be; quick enough to be asked often."""
    if database.dialect != "mssql" or database.read(is_snapshot_on):
        return []
    return [Trouble(SNAPSHOT_IS_OFF, TURN_SNAPSHOT_ON)]


def stalled_sessions(database: Database) -> list[Trouble]:
    """Return the sessions that are idle in a transaction, or why they cannot be seen."""
    if database.dialect != "mssql":
        return []
    try:
        if not database.read(lambda tx: tx.execute(sa.text(_MAY_LOOK)).scalar_one()):
            return [Trouble("Sessions that hold the queue cannot be seen.", "Grant VIEW SERVER STATE to see them.")]
        before = {"before": -int(LONGEST_PAUSE.total_seconds())}
        found = database.read(lambda tx: tx.execute(sa.text(_STALLED), before).all())
    except DBAPIError as error:
        return [Trouble("Sessions that hold the queue cannot be seen.", str(error.orig).strip().partition("\n")[0])]
    return [_stalled(*tuple(row)) for row in found]


def _stalled(
    session: int, host: str, process: int, program: str, login: str, seconds: int, holds_queue: int
) -> Trouble:
    held = " and holds the queue: no run can be submitted, claimed or finished" if holds_queue else ""
    return Trouble(
        f"session {session} ({login}, process {process} on {host}, {program}) has left a transaction open for "
        f"{seconds} s{held}",
        f"Let that process continue, or end it. If its host is gone, an administrator must run: KILL {session}",
    )
