"""The queue: builds, plans, runs, the workers, what holds them back, and what happened.

The order of the queue is effective priority, order key (the ready time, or the place it was dragged to), plan, phase,
submission sequence. `block_mask` says why a queued run may not start; only runs without a block are in ix_runs_ready,
so a claim reads the head of that index and nothing else.
"""

import sqlalchemy as sa

from ade.database.schema.columns import (
    count,
    filtered,
    flag,
    instant,
    metadata,
    not_on_postgresql,
    one_of,
    primary_id,
    reference,
)
from ade.database.types import Instant, Json, code, counter, identifier, words
from ade.domain.build import BuildStatus
from ade.domain.isolation import Isolation
from ade.domain.order import ORDER
from ade.domain.pause import PauseScope
from ade.domain.plan import PlanStatus
from ade.domain.priority import HIGHEST, LOWEST
from ade.domain.run import Block, FailureCode, LimitedResource, RunStatus
from ade_engine.protocol import MAX_MESSAGE_CHARACTERS

SURROUNDINGS = 120  # engine, Python and platform, in words


def _priority_range(column: str) -> sa.CheckConstraint:
    return sa.CheckConstraint(f"{column} BETWEEN {HIGHEST} AND {LOWEST}", name=column)


workers = sa.Table(
    "workers",
    metadata,
    primary_id(),  # a new one each start
    sa.Column("name", code(200), nullable=False),  # the same each start: a restart recovers what its predecessor held
    sa.Column("host", code(255), nullable=False),
    sa.Column("process_id", sa.Integer, nullable=False),
    sa.Column("version", code(32), nullable=False),
    sa.Column("surroundings", code(SURROUNDINGS), nullable=False, server_default=""),  # of the builds it makes
    sa.Column("slots", sa.Integer, nullable=False),
    sa.Column("memory_mb", sa.Integer),  # for all its runs together, as the next
    sa.Column("cpu_count", sa.Float),
    sa.Column("isolation", code(16)),
    sa.Column("details", Json, nullable=False),  # python, platform, memory, disk, layers missing
    sa.Column("idle_reason", words(MAX_MESSAGE_CHARACTERS)),  # why it claims nothing: disk, drain, ...
    sa.Column("crowded", Json),  # why it starts nothing of some workspaces: {id: reason}
    instant("started_at", nullable=False),
    instant("heartbeat_at", nullable=False),
    instant("drain_requested_at"),
    instant("stopped_at"),
    one_of("isolation", Isolation),
    filtered("uq_workers_name", "name", where="stopped_at IS NULL", unique=True),
)

# Which workers wait for work: database/queue/idle.py.
idle_workers = sa.Table(
    "idle_workers",
    metadata,
    sa.Column("worker_id", identifier(), primary_key=True),  # no reference: its row goes with the worker's stop
    instant("since"),  # none: it does not wait
)

plans = sa.Table(
    "plans",
    metadata,
    primary_id(),
    reference("workspaces"),
    sa.Column("sequence", sa.BigInteger, nullable=False),
    sa.Column("status", code(16), nullable=False),
    sa.Column("priority", sa.Integer, nullable=False),
    sa.Column("created_by", words(254)),
    instant("created_at", nullable=False),
    instant("finished_at"),
    one_of("status", PlanStatus),
    _priority_range("priority"),
    sa.UniqueConstraint("sequence"),
    sa.Index("ix_plans_listed", "workspace_id", "sequence"),
)

builds = sa.Table(
    "builds",
    metadata,
    primary_id(),
    reference("workspaces"),
    reference("configurations"),
    reference("configuration_versions", "version_id"),
    sa.Column("fingerprint", code(64), nullable=False),
    sa.Column("surroundings", code(SURROUNDINGS), nullable=False, server_default=""),  # only workers of these make it
    sa.Column("status", code(16), nullable=False),
    sa.Column("effective_priority", sa.Integer, nullable=False),  # the best of the runs that wait for it
    sa.Column("order_key", sa.BigInteger, nullable=False),
    sa.Column("sequence", sa.BigInteger, nullable=False),
    instant("created_at", nullable=False),
    instant("queued_at", nullable=False),
    instant("started_at"),
    instant("finished_at"),
    instant("last_used_at"),
    reference("workers", "claimed_by", nullable=True),
    sa.Column("claim_token", sa.BigInteger),
    count("claim_count"),
    instant("lease_expires_at"),
    instant("deadline_at"),
    sa.Column("failure_code", code(32)),
    sa.Column("failure_resource", code(16)),
    sa.Column("failure_message", words(MAX_MESSAGE_CHARACTERS)),
    sa.Column("manifest", Json),
    sa.Column("metrics", Json),
    sa.Column("size_bytes", sa.BigInteger),
    sa.Column("file_key", code(400)),
    instant("files_removed_at"),  # by retention
    count("event_count"),
    one_of("status", BuildStatus),
    one_of("failure_code", FailureCode),
    one_of("failure_resource", LimitedResource),
    sa.CheckConstraint("(status = 'failed' AND failure_code IS NOT NULL) OR (status <> 'failed')", name="failure"),
    sa.CheckConstraint(
        "(status = 'building' AND claim_token IS NOT NULL AND lease_expires_at IS NOT NULL)"
        " OR (status <> 'building' AND lease_expires_at IS NULL)",
        name="lease",
    ),
    sa.UniqueConstraint("configuration_id", "fingerprint"),
    filtered(
        "ix_builds_ready", "surroundings", "effective_priority", "order_key", "sequence", where="status = 'queued'"
    ),
    filtered("ix_builds_building", "claimed_by", where="status = 'building'"),
    sa.Index("ix_builds_listed", "configuration_id", "created_at", "id"),
)

runs = sa.Table(
    "runs",
    metadata,
    primary_id(),
    reference("workspaces"),
    reference("configurations"),
    reference("configuration_versions", "version_id"),
    reference("documents", "input_document_id"),
    reference("builds"),
    reference("plans", nullable=True),
    sa.Column("status", code(16), nullable=False),
    # order
    sa.Column("priority", sa.Integer, nullable=False),
    sa.Column("effective_priority", sa.Integer, nullable=False),
    sa.Column("order_key", sa.BigInteger, nullable=False),
    sa.Column("plan_sequence", sa.BigInteger, nullable=False, server_default=sa.text("0")),  # 0: no plan
    count("phase"),
    sa.Column("sequence", sa.BigInteger, nullable=False),
    count("block_mask"),
    # time
    instant("created_at", nullable=False),
    instant("scheduled_at"),
    instant("ready_at"),
    instant("placed_at"),  # a person dragged it: its order key is a place, not a time
    instant("ages_at"),  # when it moves up one level if it still waits
    instant("started_at"),
    instant("finished_at"),
    instant("deadline_at"),
    instant("cancel_requested_at"),
    # claim
    sa.Column("claimed_by", identifier()),  # a worker; its row may be gone, its runs are recovered all the same
    sa.Column("claim_token", sa.BigInteger),
    count("claim_count"),
    instant("lease_expires_at"),
    # request
    sa.Column("submitted_by", words(254)),
    sa.Column("sheets", Json),
    sa.Column("corrections", Json),  # for this document alone
    flag("is_trial"),  # somebody tries corrections: it is never the result of its document
    sa.Column("earlier_run_id", identifier()),  # the run that it repeats, as far as somebody corrected its result
    sa.Column("proposal", code(16)),  # whether its corrections wait for an author, or what the author decided
    sa.Column("proposal_note", words(500)),
    sa.Column("proposal_decided_by", words(254)),
    instant("proposal_decided_at"),
    flag("runtime_network_access"),
    sa.Column("memory_mb", sa.Integer),
    sa.Column("cpu_count", sa.Float),
    sa.Column("trace_id", code(64)),
    # outcome
    sa.Column("failure_code", code(32)),
    sa.Column("failure_resource", code(16)),
    sa.Column("failure_message", words(MAX_MESSAGE_CHARACTERS)),
    sa.Column("isolation", code(16)),
    sa.Column("metrics", Json),
    sa.Column("issue_count", sa.BigInteger),  # as the metrics say; on its own, so that it can be summed, as the next
    sa.Column("output_bytes", sa.BigInteger),
    sa.Column("verdict", code(16)),  # as the engine judged; it counts only when the run succeeded
    sa.Column("verdict_reason", words(240)),
    sa.Column("fit", sa.Float),  # how well the document fits the configuration, from 0 to 1
    sa.Column("file_key", code(400)),  # the published run folder
    instant("files_removed_at"),  # by retention
    count("event_count"),
    one_of("status", RunStatus),
    # PostgreSQL checks every condition again at each change of a run, so it has that one alone; and those on how a run
    # ended (code, resource, isolation) are left to the domain everywhere.
    *(
        not_on_postgresql(condition)
        for condition in (
            _priority_range("priority"),
            _priority_range("effective_priority"),
            sa.CheckConstraint(
                "(status = 'failed' AND failure_code IS NOT NULL) OR (status <> 'failed')", name="failure"
            ),
            sa.CheckConstraint(
                "(status = 'running' AND claim_token IS NOT NULL AND lease_expires_at IS NOT NULL)"
                " OR (status <> 'running' AND lease_expires_at IS NULL)",
                name="lease",
            ),
        )
    ),
    sa.UniqueConstraint("sequence"),
    filtered("ix_runs_ready", *ORDER, where="status = 'queued' AND block_mask = 0"),
    filtered("ix_runs_queued", *ORDER, where="status = 'queued'"),
    filtered("uq_runs_running_document", "input_document_id", where="status = 'running'", unique=True),
    filtered("ix_runs_queued_document", "input_document_id", *ORDER, where="status = 'queued'"),
    filtered(
        "ix_runs_capacity", "workspace_id", *ORDER, where=f"status = 'queued' AND block_mask = {int(Block.CAPACITY)}"
    ),
    filtered("ix_runs_queued_build", "build_id", where="status = 'queued'"),
    # No lease column in any index: a heartbeat must stay a cheap in-place update on PostgreSQL.
    filtered("ix_runs_running", "claimed_by", where="status = 'running'"),
    filtered("ix_runs_plan", "plan_id", "phase", where="plan_id IS NOT NULL"),
    filtered("ix_runs_ageing", "ages_at", where="status = 'queued' AND ages_at IS NOT NULL"),
    filtered(
        "ix_runs_scheduled",
        "scheduled_at",
        where="status = 'queued' AND scheduled_at IS NOT NULL AND ready_at IS NULL",  # not those unblocked already
    ),
    # With the status, so that the runs of each status are counted from the index alone.
    filtered("ix_runs_finished", "finished_at", "status", where="finished_at IS NOT NULL"),
    filtered("ix_runs_proposals", "workspace_id", "proposal", "sequence", where="proposal IS NOT NULL"),
    sa.Index("ix_runs_workspace", "workspace_id", "sequence"),
    sa.Index("ix_runs_configuration", "configuration_id", "sequence"),
    sa.Index("ix_runs_document", "input_document_id", "sequence"),
    sa.Index("ix_runs_build_id", "build_id"),
)

pauses = sa.Table(
    "pauses",
    metadata,
    primary_id(),
    sa.Column("scope", code(16), nullable=False),
    sa.Column("value", code(36)),  # a priority, a workspace or a plan; none for everything
    sa.Column("reason", words(500), nullable=False),
    sa.Column("created_by", words(254)),
    instant("created_at", nullable=False),
    sa.Column("lifted_by", words(254)),
    instant("lifted_at"),
    one_of("scope", PauseScope),
    sa.CheckConstraint("(scope = 'all' AND value IS NULL) OR (scope <> 'all' AND value IS NOT NULL)", name="value"),
    filtered("ix_pauses_active", "scope", "value", where="lifted_at IS NULL"),
)

# Two rows, each a lock and its numbers. `dispatch`: locked first by every transaction that changes what waits or runs,
# so that there is one order of locks, exact limits and no lost wakeup. `upkeep`: whose turn it is to sweep.
queue_control = sa.Table(
    "queue_control",
    metadata,
    sa.Column("name", code(32), primary_key=True),
    instant("clock_at", nullable=False),  # never goes back, whatever the database's clock does
    sa.Column("claim_sequence", sa.BigInteger, nullable=False),  # the last claim token
    sa.Column("run_sequence", sa.BigInteger, nullable=False),  # the last submission
    sa.Column("order_version", sa.BigInteger, nullable=False),  # grows when a person changes the order
    sa.Column("open_run_count", sa.Integer, nullable=False),  # queued and running
    sa.Column("recent_starts", Json),  # [[microseconds, how many], ...]: for the start rate
    # What the database's own clock said last: when it steps back, `clock_at` continues from here, more slowly.
    sa.Column("read_at", Instant, nullable=False, server_default=sa.text("0")),
    # Workers of an older generation claim nothing: an upgrade raises it when they would do the wrong thing.
    sa.Column("oldest_generation", sa.Integer, nullable=False, server_default=sa.text("1")),
)

# Submissions refused because the queue was full, for the analytics.
queue_rejections = sa.Table(
    "queue_rejections",
    metadata,
    instant("hour_at", nullable=False),
    sa.Column("priority", sa.Integer, nullable=False),
    sa.Column("rejected_count", sa.Integer, nullable=False),
    sa.PrimaryKeyConstraint("hour_at", "priority"),
)

# What is counted since the first start and has no rows that stay, such as recoveries: retention removes events.
totals = sa.Table(
    "totals",
    metadata,
    sa.Column("name", code(64), primary_key=True),
    sa.Column("total", sa.BigInteger, nullable=False),
)

events = sa.Table(
    "events",
    metadata,
    sa.Column("position", counter(), primary_key=True, autoincrement=True),
    sa.Column("subject_kind", code(16), nullable=False),
    sa.Column("subject_id", code(36), nullable=False),
    sa.Column("sequence", sa.Integer, nullable=False),  # gapless for each subject
    sa.Column("workspace_id", identifier()),  # that of its subject, which refers to it
    sa.Column("type", code(64), nullable=False),
    instant("at", nullable=False),
    sa.Column("data", Json, nullable=False),
    sa.UniqueConstraint("subject_kind", "subject_id", "sequence", name="uq_events_subject"),
)
