"""How a workspace stands, counted from its runs, and the lists that the counts lead to."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

import rows
from ade.database.transaction import Transaction
from ade.database.views import gauges
from ade.database.views.run_lists import RunFilter, page
from ade.domain.run import RunStatus
from ade.operations.views.overviews import Overview, view_overview
from scene import Scene

Add = Callable[..., str]


@pytest.fixture
def add(scene: Scene) -> Add:
    """Return what adds a run that has ended, of a document and a status."""

    configuration = scene.build.configuration_id

    def add(document: str, status: RunStatus, issues: int | None = None, **values: Any) -> str:
        def work(tx: Transaction) -> str:
            build = rows.add_build(tx, configuration_id=configuration, **values)
            ended = {**rows.fitting(status), "finished_at": tx.now, "issue_count": issues}
            return rows.add_run(tx, build_id=build, input_document_id=document, **ended)

        return scene.write(work)

    return add


def overview(scene: Scene) -> Overview:
    return scene.database.read(lambda tx: view_overview(tx, scene.build.workspace_id))


def listed(scene: Scene, **wanted: Any) -> list[str]:
    found = RunFilter(workspace_ids=[scene.build.workspace_id], **wanted)
    return [row.id for row in scene.database.read(lambda tx: page(tx, found, after=None, limit=50))]


def a_draft(scene: Scene) -> str:
    """Add a draft with a snapshot of it, as a test run has; return the snapshot."""

    def work(tx: Transaction) -> str:
        draft = rows.add_version(tx, scene.build.configuration_id, status="draft")
        return rows.add_version(tx, scene.build.configuration_id, snapshot_of=draft)

    return scene.write(work)


def test_a_document_counts_by_its_newest_result_alone(scene: Scene, add: Add) -> None:
    repaired, broken, clean = scene.documents(3)
    add(repaired, RunStatus.SUCCEEDED, 40)
    add(repaired, RunStatus.FAILED)
    good = add(repaired, RunStatus.SUCCEEDED, 7)
    add(broken, RunStatus.SUCCEEDED, 9)
    failed = add(broken, RunStatus.FAILED)
    empty = add(clean, RunStatus.SUCCEEDED, 0)

    found = overview(scene)

    assert (found.document_count, found.failed_count) == (3, 1)
    assert (found.with_issues_count, found.issue_count) == (1, 7)
    assert listed(scene, is_newest=True) == [empty, failed, good]
    assert listed(scene, is_newest=True, statuses=[RunStatus.FAILED]) == [failed]
    assert listed(scene, is_newest=True, has_issues=True) == [good]
    assert listed(scene, is_newest=True, has_issues=False) == [empty, failed]


def test_test_runs_and_cancelled_ones_say_nothing_about_a_document(scene: Scene, add: Add) -> None:
    document, only_tested = scene.documents(2)
    snapshot = a_draft(scene)
    good = add(document, RunStatus.SUCCEEDED, 3)
    cancelled = add(document, RunStatus.CANCELLED)
    tests = [add(one, RunStatus.FAILED, version_id=snapshot) for one in (document, only_tested)]

    found = overview(scene)

    assert (found.document_count, found.failed_count, found.issue_count) == (1, 0, 3)
    assert listed(scene, is_newest=True) == [good]
    assert listed(scene, is_test=True) == tests[::-1]
    assert listed(scene, is_test=False) == [cancelled, good]


def test_a_deleted_document_and_another_workspace_are_not_counted(scene: Scene, add: Add) -> None:
    here = scene.build.workspace_id
    add(scene.write(lambda tx: rows.add_document(tx, workspace_id=here, deleted_at=tx.now)), RunStatus.FAILED)
    scene.write(lambda tx: rows.add_run(tx, **rows.fitting(RunStatus.FAILED), finished_at=tx.now))

    assert overview(scene) == Overview(
        running_count=0,
        queued_count=0,
        document_count=0,
        failed_count=0,
        with_issues_count=0,
        issue_count=0,
        ready_count=0,
        check_count=0,
        not_usable_count=0,
        proposal_count=0,
    )


def test_more_issues_than_fit_32_bits_are_summed(scene: Scene, add: Add) -> None:
    for document in scene.documents(2):
        add(document, RunStatus.SUCCEEDED, 2**31 - 1)

    assert overview(scene).issue_count == 2**32 - 2


def test_what_waits_and_runs_is_counted(scene: Scene) -> None:
    scene.submit_many(3)
    claim = scene.claim_one()

    assert (overview(scene).running_count, overview(scene).queued_count) == (1, 2)

    scene.succeed(claim, issue_count=5)

    assert (overview(scene).running_count, overview(scene).issue_count) == (0, 5)


@pytest.mark.req("Q14")
def test_the_longest_wait_is_that_of_the_first_submitted_whatever_its_place(scene: Scene) -> None:
    assert scene.database.read(gauges.waiting_since) is None
    starving = scene.submit(priority=90)
    began = scene.run(starving).created_at
    scene.advance(timedelta(minutes=2))
    scene.submit_many(3, priority=10)

    assert scene.database.read(gauges.waiting_since) == began


@pytest.mark.req("Q14")
def test_a_scheduled_run_waits_from_its_time_on(scene: Scene) -> None:
    now = scene.database.read(lambda tx: tx.now)
    scene.submit(scheduled_at=now + timedelta(hours=1))

    assert scene.database.read(gauges.waiting_since) is None

    scene.advance(timedelta(hours=2))

    assert scene.database.read(gauges.waiting_since) == now + timedelta(hours=1)
