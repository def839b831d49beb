"""Every type of event, and what it says: the one place that pages and tests take them from.

Events of a run or a build form one stream, numbered without gaps. Some are recorded by the database in the transaction
of what they report; the others come from the worker, or from the engine in the child through the worker.
"""

from collections.abc import Mapping

RECORDED: Mapping[str, str] = {
    "run.queued": "The run was submitted and waits. `priority`.",
    "run.released": "A cause of waiting is gone (`from`), or its worker returned it because it stops.",
    "run.priority_changed": "A person gave it another priority.",
    "run.aged": "It moved up one priority level because it waited long.",
    "run.moved": "A person gave it another place in the queue.",
    "run.claimed": "A worker took it. `worker_id`, `token`.",
    "run.requeued": "Its worker was lost, or its host failed it (`code`, `message`); it returned to its place.",
    "run.cancel_requested": "Its cancellation was requested while it ran.",
    "run.succeeded": "It succeeded. No event follows.",
    "run.failed": "It failed; the run has the failure. No event follows.",
    "run.cancelled": "It was cancelled. No event follows.",
    "build.queued": "The build waits to be made, for the first time or again.",
    "build.claimed": "A worker took it. `worker_id`, `token`.",
    "build.released": "Its worker returned it because it stops.",
    "build.requeued": "Its worker was lost, or its host failed it (`code`, `message`); it waits again.",
    "build.ready": "It was made. The runs that waited for it continue.",
    "build.failed": "It could not be made. The runs that waited for it fail.",
    "build.removed": "Retention removed its files; the next run that needs it has it made again.",
    "build.cancelled": "It was cancelled.",
}
REPORTED_BY_WORKER: Mapping[str, str] = {
    "step.started": "The next step begins. `step`: fetch, prepare, execute, collect; of a build snapshot, install, "
    "prove, publish.",
    "step.retried": "A step met a fault that may pass, and is tried again after a pause. `step`, `fault`, "
    "`pause_seconds`.",
    "network.reached": "A run with network access connected to a host for the first time. `host`, `port`, `address`.",
    "network.refused": "It asked for a host that is not public or cannot be reached. `host`, `port`, `reason`.",
    "network.used": "Its traffic, at its end. `host`, `port`, `connection_count`, `sent_bytes`, `received_bytes`.",
    "events.left_out": "The run sent more events than are kept (`limit`); the others are left out.",
    "run.finishing": "The worker is about to write how the run ended. `status`.",
    "build.log": "A line of the installer. `line`.",
    "build.finishing": "The worker is about to write how the build ended. `status`.",
}
# Reported by a process that runs user code: shown, and believed in nothing.
REPORTED_BY_ENGINE: Mapping[str, str] = {
    "engine.run.started": "The engine begins. `input`.",
    "engine.sheet.started": "It begins a sheet. `sheet`.",
    "engine.table.found": "It found a table. `sheet`, `first_row`, `header_rows`, `columns`.",
    "engine.table.mapped": "It mapped the table's columns. `mapped`, `unmapped`.",
    "engine.rows.progress": "How many rows of the table are written. `rows`.",
    "engine.table.finished": "The table is written. `range`, `rows`, `issues`.",
    "engine.run.finished": "The engine ended. `status`, `failure`, `verdict`, `summary`, `passes` (seconds of each "
    "pass).",
    "engine.problem": "A build found a problem in the configuration. `severity` (only `error` fails the build), "
    "`file`, `line`, `code`, `message`, `suggestion`.",
}
