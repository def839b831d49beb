"""A file store that is away: runs and builds keep their places, and the worker says why it claims nothing."""

from pathlib import Path

import pytest
import sqlalchemy as sa

from ade.database.schema import workers
from postgres import wait_until
from worker.conftest import OpenStage
from worker.stage import Stage

pytestmark = [pytest.mark.slow, pytest.mark.req("W4")]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    folder = tmp_path / "store"
    folder.mkdir()
    return folder


def take_away(store: Path) -> None:
    store.rename(store.with_name("away"))
    store.touch()


def bring_back(store: Path) -> None:
    store.unlink()
    store.with_name("away").rename(store)


def reasons(stage: Stage) -> list[str | None]:
    return [row.idle_reason for row in stage.read(sa.select(workers.c.idle_reason))]


def says_why(stage: Stage) -> bool:
    return any("cannot use its file store" in (reason or "") for reason in reasons(stage))


def test_a_build_and_its_run_wait_until_the_store_is_back(open_local: OpenStage, store: Path) -> None:
    stage = open_local(files_url=store.as_uri())
    run_id = stage.submit_one()
    take_away(store)

    with stage.worker():
        wait_until(lambda: says_why(stage), what="the worker to say why it claims nothing")
        assert (stage.build_of(run_id).status, stage.build_of(run_id).claim_count) == ("queued", 0)
        bring_back(store)
        stage.wait_for_end([run_id])
        wait_until(lambda: reasons(stage) == [None], what="the worker to be content again")

    assert stage.run(run_id).status == "succeeded"
    assert (stage.run(run_id).claim_count, stage.build_of(run_id).claim_count) == (1, 1)


def test_a_run_keeps_its_place_when_its_document_cannot_be_read(open_local: OpenStage, store: Path) -> None:
    stage = open_local(files_url=store.as_uri())
    configuration = stage.configuration({"columns/name.py": 'from ade_engine import Field\n\nfield = Field("name")\n'})
    stage.work_off(stage.submit(configuration))  # so that it is built
    [run_id] = stage.submit(configuration)
    take_away(store)

    with stage.worker():
        wait_until(lambda: says_why(stage), what="the worker to say why it claims nothing")
        assert (stage.run(run_id).status, stage.run(run_id).claim_count) == ("queued", 0)
        bring_back(store)
        stage.wait_for_end([run_id])

    assert (stage.run(run_id).status, stage.run(run_id).claim_count) == ("succeeded", 1)
