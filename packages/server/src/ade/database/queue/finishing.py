"""How workers end the runs they hold: any number at once, with one look at all of them.

The queue is locked, so nobody else changes the status or the token of a run meanwhile: what the first statement finds
under its claim is what the second one ends. It repeats the fence all the same. A run that went well and ends alone, as
most do, is ended by the first statement where the database can return enough about what it changed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

import sqlalchemy as sa

from ade.database.dialects import first_row, holding
from ade.database.queue.endings import failure_data, failure_values
from ade.database.queue.kinds import RUN, record_changes
from ade.database.queue.runs import RUNNING, r
from ade.database.rows import Rows
from ade.database.schema import queue_control, runs
from ade.database.transaction import Transaction
from ade.database.types import Instant
from ade.database.wire.prepared import Answer, Prepared, PreparedRows
from ade.domain.order import ORDER
from ade.domain.queue import Ending
from ade.domain.run import Block, RunStatus

# Databases whose RETURNING may read other rows. SQL Server's may not, and SQLite's has no names of tables.
_RETURNS_OTHER_ROWS = {"postgresql"}

_sibling = runs.alias("sibling")
# In order, and not "is there any": a planner that believes there are many reads all runs until it meets one.
_next_sibling = first_row(
    sa.select(_sibling.c.id)
    .where(
        _sibling.c.status == sa.literal_column("'queued'"),
        _sibling.c.input_document_id == r.input_document_id,
        _sibling.c.block_mask.in_([sa.literal_column("0"), sa.literal_column(str(int(Block.DOCUMENT_BUSY)))]),
    )
    .order_by(*(_sibling.c[name] for name in ORDER))
).scalar_subquery()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Held:
    """A run that ends: with the number of the event that says so, and when it ended if it did."""

    id: str
    claim_token: int
    workspace_id: str
    input_document_id: str
    plan_id: str | None
    phase: int
    cancel_requested_at: datetime | None
    next_sibling: str | None
    event_count: int
    finished_at: datetime | None


_HELD = Rows(_Held, runs, next_sibling=_next_sibling, event_count=r.event_count + 1)
_SUCCEEDED = Rows(_Held, runs, next_sibling=_next_sibling)


@cache
def _held(count: int) -> PreparedRows[_Held]:
    """Return the statement that finds this many running runs.

    Several are locked in the one order that heartbeats lock them in, too: one statement ends them, in any order.
    """
    ids = [sa.bindparam(f"run_{number}", type_=r.id.type) for number in range(count)]
    found = _HELD.select(RUNNING, r.id.in_(ids)).order_by(r.id)
    return PreparedRows(_HELD, holding(found, runs, by_key=True) if count > 1 else found)


_QUEUE_TIME = (
    sa.select(queue_control.c.clock_at).where(queue_control.c.name == sa.literal_column("'dispatch'")).scalar_subquery()
)
_SUCCEEDED_OR_CANCELLED = sa.case(
    (r.cancel_requested_at.is_(None), sa.literal_column(f"'{RunStatus.SUCCEEDED}'")),
    else_=sa.literal_column(f"'{RunStatus.CANCELLED}'"),
)


@cache
def _succeed(names: tuple[str, ...]) -> PreparedRows[_Held]:
    """Return the statement that ends one run that went well, at the time its transaction took the queue's lock."""
    types = _parameters(RunStatus.SUCCEEDED, names)
    ending = _ending(RunStatus.SUCCEEDED, {name: sa.bindparam(name, type_=type_) for name, type_ in types.items()})
    ending = ending.values(status=_SUCCEEDED_OR_CANCELLED, finished_at=_QUEUE_TIME)
    return PreparedRows(_SUCCEEDED, ending.returning(*_SUCCEEDED.columns))


_CORRECT_TIME = Prepared(
    sa.update(runs)
    .where(r.id == sa.bindparam("run_id", type_=r.id.type))
    .values(finished_at=sa.bindparam("now", type_=Instant))
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """A run that just ended."""

    id: str
    status: RunStatus
    workspace_id: str
    input_document_id: str
    plan_id: str | None
    phase: int
    event_count: int
    has_sibling: bool  # another run of its document waits, and nothing but the document may have held it
    ending: Ending

    @property
    def unblocks_others(self) -> bool:
        """Return whether another run may start now that it ended."""
        return self.has_sibling or self.plan_id is not None


def ask_to_finish(tx: Transaction, endings: Sequence[Ending]) -> Callable[[], list[Finished]]:
    """Ask for the state of runs in one message with the lock; return what ends those whose claims are present.

    It gives them in the order asked for, and leaves the others as they are. A run someone asked to cancel is cancelled,
    however far it got: that was the promise.
    """
    if not endings:
        return list
    if len(endings) == 1 and endings[0].failure is None and tx.dialect in _RETURNS_OTHER_ROWS:
        [ending] = endings
        answer = _succeed(tuple(sorted(ending.facts))).ask(tx, _values(ending, RunStatus.SUCCEEDED))
        return lambda: _succeeded(tx, ending, answer)
    held = _held(len(endings)).ask(tx, {f"run_{number}": ending.claim.id for number, ending in enumerate(endings)})
    return lambda: _finish(tx, endings, held)


def _succeeded(tx: Transaction, ending: Ending, answer: Answer[_Held]) -> list[Finished]:
    found = answer()
    if found and found[0].finished_at != tx.now:  # the lock was waited for, and the clock asked again
        _CORRECT_TIME.change(tx, {"run_id": ending.claim.id, "now": tx.now})
    return _record_ends(tx, [_finished(row, ending) for row in found])


def _finish(tx: Transaction, endings: Sequence[Ending], held: Answer[_Held]) -> list[Finished]:
    found = {row.id: row for row in held()}
    finished = [
        _finished(found[ending.claim.id], ending) for ending in endings if _is_held(found.get(ending.claim.id), ending)
    ]
    alike: dict[tuple[RunStatus, tuple[str, ...]], list[Finished]] = {}
    for run in sorted(finished, key=lambda run: run.id):
        alike.setdefault((run.status, tuple(sorted(run.ending.facts))), []).append(run)
    for (status, names), ended in alike.items():
        _end_all(tx, status, names, ended)
    return _record_ends(tx, finished)


def _record_ends(tx: Transaction, finished: list[Finished]) -> list[Finished]:
    for run in sorted(finished, key=lambda run: run.id):
        record_changes(tx, RUN, [run], event=f"run.{run.status}", data=_event_data(run))
    return finished


def _end_all(tx: Transaction, status: RunStatus, names: tuple[str, ...], ended: Sequence[Finished]) -> None:
    """End runs that end alike: PostgreSQL takes longer over beginning a statement than over a row of it."""
    each = [_values(run.ending, run.status) for run in ended]
    if tx.dialect != "postgresql" or len(ended) == 1:
        _end(status, names).change(tx, *({**values, "now": tx.now} for values in each))
        return
    numbered = {f"{name}_{number}": value for number, values in enumerate(each) for name, value in values.items()}
    _end_many(status, names, len(ended)).change(tx, {**numbered, "now": tx.now})


def _is_held(row: _Held | None, ending: Ending) -> bool:
    """Return whether a running run, if it is one, runs under this very claim: the fence."""
    return row is not None and row.claim_token == ending.claim.token


def _finished(row: _Held, ending: Ending) -> Finished:
    status = RunStatus.FAILED if ending.failure else RunStatus.SUCCEEDED
    return Finished(
        id=row.id,
        status=RunStatus.CANCELLED if row.cancel_requested_at is not None else status,
        workspace_id=row.workspace_id,
        input_document_id=row.input_document_id,
        plan_id=row.plan_id,
        phase=row.phase,
        event_count=row.event_count,
        has_sibling=row.next_sibling is not None,
        ending=ending,
    )


@cache
def _end(status: RunStatus, names: tuple[str, ...]) -> Prepared:
    """Return the statement that ends a run with this status and these facts, if its claim still holds."""
    values = {name: sa.bindparam(name, type_=type_) for name, type_ in _parameters(status, names).items()}
    return Prepared(_ending(status, values))


@cache
def _end_many(status: RunStatus, names: tuple[str, ...], count: int) -> Prepared:
    """Return the statement that ends this many at once."""
    types = _parameters(status, names)
    rows = [
        tuple(sa.bindparam(f"{name}_{number}", type_=type_) for name, type_ in types.items()) for number in range(count)
    ]
    ended = sa.values(*(sa.column(name, type_) for name, type_ in types.items()), name="ended").data(rows)
    return Prepared(_ending(status, {name: ended.c[name] for name in types}))


def _parameters(status: RunStatus, names: tuple[str, ...]) -> dict[str, Any]:
    written = [*names, *(_FAILURE if status == RunStatus.FAILED else ())]
    return {"run_id": r.id.type, "token": r.claim_token.type} | {f"new_{name}": r[name].type for name in written}


def _ending(status: RunStatus, values: Mapping[str, Any]) -> sa.Update:
    """Return the change of a run, whose id, token and facts are these."""
    return (
        sa.update(runs)
        .where(RUN.allows(status), r.id == values["run_id"], RUNNING, r.claim_token == values["token"])
        .values(
            status=status,
            finished_at=sa.bindparam("now", type_=Instant),
            lease_expires_at=None,
            ages_at=None,
            event_count=r.event_count + 1,
            **{name.removeprefix("new_"): value for name, value in values.items() if name.startswith("new_")},
        )
    )


_FAILURE = ("failure_code", "failure_resource", "failure_message")


def _values(ending: Ending, status: RunStatus) -> dict[str, Any]:
    facts = dict(ending.facts)
    if status == RunStatus.FAILED and ending.failure is not None:
        facts |= failure_values(ending.failure)
    claim = ending.claim
    return {"run_id": claim.id, "token": claim.token, **{f"new_{name}": value for name, value in facts.items()}}


def _event_data(run: Finished) -> dict[str, Any]:
    failure = run.ending.failure
    return failure_data(failure) if failure is not None and run.status == RunStatus.FAILED else {}
