"""Steps: a fault that may pass is waited out, one that would come again is not."""

import errno
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import sqlalchemy as sa

from ade.database.schema import documents
from ade.errors import FileMissing, FileRemoved, FilesUnreachable
from ade.files import LocalFiles
from ade.worker.event_log import EventLog
from ade.worker.log_file import LogFile
from ade.worker.steps import PAUSES, TRANSIENT, Patience, Steps
from repeatable import FakeClock
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


class WithoutEvents(LocalFiles):
    """A file store that breaks off a few times while it appends events that tell something."""

    def __init__(self, stage: Stage, *, at: bytes, times: int) -> None:
        super().__init__(stage.system.settings.files_folder)
        self._at = at
        self._times_left = times

    def append(self, key: str, data: bytes) -> None:
        if "/events." in key and key.startswith("runs/") and self._at in data and self._times_left > 0:
            self._times_left -= 1
            super().append(key, data[: len(data) // 2])
            raise OSError(errno.EIO, "the store broke off")
        super().append(key, data)


@dataclass
class Pauser:
    """What waits for a step, without waiting; an attempt may be stopped meanwhile, or its time be over."""

    is_stopped: bool = False
    seconds_left: float = 300
    waited: list[float] = field(default_factory=list)

    def wait(self, seconds: float) -> bool:
        self.waited.append(seconds)
        return self.is_stopped


def steps_of(tmp_path: Path, pauser: Pauser) -> Steps:
    files = LocalFiles(tmp_path)
    patience = Patience(wait=pauser.wait, seconds_left=lambda: pauser.seconds_left)
    events = EventLog(files, "runs/a/1", clock=FakeClock(), subject={"run_id": "a"})
    return Steps(events, LogFile(files, "runs/a/1"), patience)


def failing(fault: Exception) -> tuple[Callable[[], None], list[int]]:
    tries: list[int] = []

    def step() -> None:
        tries.append(1)
        raise fault

    return step, tries


@pytest.mark.req("R8")
def test_pauses_grow_and_outlast_a_fault_of_ten_seconds(tmp_path: Path) -> None:
    pauser = Pauser()
    step, tries = failing(OSError("gone"))

    with pytest.raises(OSError, match="gone"):
        steps_of(tmp_path, pauser).run("fetch", step)

    assert len(tries) == len(pauser.waited) + 1 == len(PAUSES) + 1
    assert pauser.waited == sorted(pauser.waited)
    assert pauser.waited[0] < 0.2
    assert sum(pauser.waited) > 10


@pytest.mark.req("R8")
@pytest.mark.parametrize(
    ("pauser", "fault", "tried"),
    [
        (Pauser(is_stopped=True), OSError("gone"), 1),
        (Pauser(seconds_left=0.05), OSError("gone"), 1),
        (Pauser(seconds_left=1), OSError("gone"), 4),
        (Pauser(), OSError(errno.ENOSPC, "full"), 2),
        (Pauser(), FileRemoved("by retention"), 1),
        (Pauser(), FileMissing("for a moment"), len(PAUSES) + 1),
    ],
)
def test_a_step_is_tried_no_longer_than_it_makes_sense(
    tmp_path: Path, pauser: Pauser, fault: Exception, tried: int
) -> None:
    step, tries = failing(fault)

    with pytest.raises(type(fault)):
        steps_of(tmp_path, pauser).run("fetch", step, passing=(*TRANSIENT, FileMissing))

    assert abs(len(tries) - tried) <= (1 if pauser.seconds_left == 1 else 0)  # pauses vary a little


@pytest.mark.slow
@pytest.mark.req("R8")
@pytest.mark.parametrize("times", [1, 5])
@pytest.mark.parametrize(("step", "ending"), [("fetch", "/content"), ("collect", "/normalized.xlsx")])
def test_a_fault_that_passes_is_tried_again_and_told(open_local: OpenStage, step: str, ending: str, times: int) -> None:
    local = open_local()
    run_id = local.submit_one()
    local.replace_files(FailingFiles(local, ending=ending, times=times))

    local.work_off([run_id])

    assert local.run(run_id).status == "succeeded"
    retried = [event for event in local.events(run_id) if event["type"] == "step.retried"]
    assert [(event["step"], event["fault"]) for event in retried] == [(step, "FilesUnreachable")] * times
    log = local.file(run_id, "logs.txt").decode()
    assert log.count(f"The step {step} failed (FilesUnreachable); it is tried again in ") == times
    assert_gapless(local.events(run_id))


@pytest.mark.slow
@pytest.mark.req("R8", "R9")
def test_a_fault_that_stays_fails_the_run_when_every_pause_is_over(open_local: OpenStage) -> None:
    local = open_local()
    run_id = local.submit_one()
    files = FailingFiles(local, ending="/content", times=1000)
    local.replace_files(files)

    local.work_off([run_id])

    run = local.run(run_id)
    assert (run.status, run.failure_code) == ("failed", "internal_error")
    assert "run it again" in run.failure_message
    assert files.times_left == 1000 - 1 - len(PAUSES)


@pytest.mark.slow
@pytest.mark.req("R8")
def test_a_document_that_is_away_for_a_moment_is_read_when_it_is_back(open_local: OpenStage) -> None:
    local = open_local()
    run_id = local.submit_one()
    document = local.system.settings.files_folder / "documents" / local.run(run_id).input_document_id / "content"
    away = document.rename(document.with_name("away"))

    with local.worker(pauses=PAUSES):
        local.wait_for_event(run_id, "step.retried")
        away.rename(document)
        local.wait_for(run_id, "succeeded")

    assert {event["fault"] for event in local.events(run_id) if event["type"] == "step.retried"} == {"FileMissing"}


@pytest.mark.slow
@pytest.mark.req("R8", "R9")
def test_a_document_that_retention_removed_is_not_waited_for(open_local: OpenStage) -> None:
    local = open_local()
    run_id = local.submit_one()
    forget = sa.update(documents).where(documents.c.id == local.run(run_id).input_document_id).values(file_key="")
    local.write(lambda tx: tx.execute(forget))

    local.work_off([run_id])

    run = local.run(run_id)
    assert (run.failure_code, "Retention removed" in run.failure_message) == ("input_error", True)
    assert "step.retried" not in [event["type"] for event in local.events(run_id)]


@pytest.mark.slow
@pytest.mark.req("R8", "W4")
def test_a_run_that_is_cancelled_while_a_fault_is_waited_out_ends_at_once(open_local: OpenStage) -> None:
    local = open_local()
    run_id = local.submit_one()
    local.replace_files(FailingFiles(local, ending="/content", times=1000))

    with local.worker(pauses=(200.0,)):
        local.wait_for_event(run_id, "step.retried")
        local.cancel(run_id)
        local.wait_for(run_id, "cancelled")


@pytest.mark.slow
@pytest.mark.req("R8")
def test_a_store_that_takes_no_events_for_a_moment_leaves_no_gap_in_them(open_local: OpenStage) -> None:
    local = open_local()
    run_id = local.submit_one()
    local.replace_files(WithoutEvents(local, at=b'"step.started"', times=3))

    local.work_off([run_id])

    assert local.run(run_id).status == "succeeded"
    assert_gapless(local.events(run_id))
    told = [event.get("step") for event in local.events(run_id) if event["type"] == "step.started"]
    assert told == ["fetch", "prepare", "execute", "collect"]


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
