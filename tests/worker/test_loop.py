"""The worker's loop continues, whatever it meets."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import sqlalchemy as sa

from ade.database.transaction import Database, Transaction
from postgres import wait_until
from worker.stage import Stage


class _Full(Database):
    """A database whose disk is full for a few writes."""

    refused_count = 0

    def write(self, work: Callable[[Transaction], Any]) -> Any:
        if self.refused_count:
            self.refused_count -= 1
            raise sa.exc.OperationalError("UPDATE", {}, Exception("database or disk is full"))
        return super().write(work)


@pytest.mark.slow
@pytest.mark.req("W4")
def test_a_worker_goes_on_after_an_error_nobody_foresaw(local: Stage) -> None:
    usual, full = local.system, _Full(local.system.settings.resolved_database_url)
    local.system = replace(usual, database=full)
    with local.worker() as worker:
        wait_until(lambda: bool(worker.worker_id), what="the worker to start")
        full.refused_count = 20
        wait_until(lambda: not full.refused_count, what="the writes to be refused")
        local.system = usual
        run_id = local.submit_one()
        local.wait_for_end([run_id])
    full.close()

    assert local.run(run_id).status == "succeeded"
