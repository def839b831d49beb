"""Steps: tried twice when a fault may pass, once when it would not."""

from collections.abc import Iterable, Iterator

import pytest

from ade.errors import FilesUnreachable
from ade.files import LocalFiles
from worker.conftest import OpenStage
from worker.stage import SIMPLE, Stage, assert_gapless, hooked


class FailingFiles(LocalFiles):
    """A file store that does not answer a few times, for keys that end in a certain way."""

    def __init__(self, stage: Stage, *, ending: str, times: int) -> None:
        super().__init__(stage.system.settings.files_folder)
        self._ending = ending
        self.times_left = times

    def write_all(self, files: Iterable[tuple[str, Iterable[bytes]]]) -> int:
        wanted = list(files)
        for key, _ in wanted:
            self._fail_for(key)
        return super().write_all(wanted)

    def read(self, key: str, *, start: int = 0, length: int | None = None) -> Iterator[bytes]:
        self._fail_for(key)
        return super().read(key, start=start, length=length)

    def _fail_for(self, key: str) -> None:
        if key.endswith(self._ending) and self.times_left > 0:
            self.times_left -= 1
            raise FilesUnreachable("no answer")


@pytest.mark.slow
@pytest.mark.req("R8")
@pytest.mark.parametrize(("step", "ending"), [("fetch", "/content"), ("collect", "/normalized.xlsx")])
def test_a_fault_that_passes_is_tried_again_once_and_told(open_local: OpenStage, step: str, ending: str) -> None:
    local = open_local()
    run_id = local.submit_one()
    local.replace_files(FailingFiles(local, ending=ending, times=1))

    local.work_off([run_id])

    assert local.run(run_id).status == "succeeded"
    retried = [event for event in local.events(run_id) if event["type"] == "step.retried"]
    assert [(event["step"], event["fault"]) for event in retried] == [(step, "FilesUnreachable")]
    assert_gapless(local.events(run_id))


@pytest.mark.slow
@pytest.mark.req("R8", "R9")
def test_a_fault_that_stays_fails_the_run_after_two_tries(open_local: OpenStage) -> None:
    local = open_local()
    run_id = local.submit_one()
    files = FailingFiles(local, ending="/content", times=1000)
    local.replace_files(files)

    local.work_off([run_id])

    run = local.run(run_id)
    assert (run.status, run.failure_code) == ("failed", "internal_error")
    assert "run it again" in run.failure_message
    assert files.times_left == 998


@pytest.mark.slow
@pytest.mark.req("R8")
@pytest.mark.parametrize("files", [SIMPLE, hooked("raise ValueError('no')"), hooked("os.kill(os.getpid(), 9)")])
def test_what_would_fail_again_is_not_tried_again(local: Stage, files: dict[str, str]) -> None:
    document = local.document(b"PK\x03\x04 broken", "broken.xlsx")
    [run_id] = local.submit(local.configuration(files), document)

    local.work_off([run_id])

    assert local.run(run_id).status == "failed"
    assert "step.retried" not in [event["type"] for event in local.events(run_id)]
    started = [event for event in local.events(run_id) if event["type"] == "engine.run.started"]
    assert len(started) == 1


@pytest.mark.slow
@pytest.mark.req("R8")
def test_a_build_whose_archive_cannot_be_stored_at_first_is_tried_again(open_local: OpenStage) -> None:
    local = open_local()
    run_id = local.submit_one()
    local.replace_files(FailingFiles(local, ending="/environment.tar", times=1))

    local.work_off([run_id])

    assert local.run(run_id).status == "succeeded"
    told = [event.get("step") for event in local.events(local.build_of(run_id).id, kind="build")]
    assert told.count("publish") == 2
