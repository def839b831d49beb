"""What a run leaves is stored within its limits, whatever it says of itself."""

import math
from dataclasses import dataclass
from pathlib import Path

import pytest

from ade.files import LocalFiles
from ade.sandbox.inside.spec import Limits
from ade.sandbox.outcome import Outcome, OutcomeKind
from ade.worker.collecting import OutOfTime, OutputTooLarge, collect_outputs
from ade.worker.log_file import LogFile
from ade.worker.tools import collect_deadline, run_limits
from ade_engine.errors import DISK_IS_FULL
from ade_engine.protocol import Result
from worker.conftest import OpenStage
from worker.stage import Stage, hooked

MIB = 1 << 20
FORGED = """
import json
def claim(names, failure=None):
    status = "failed" if failure else "succeeded"
    line = {"type": "result", "status": status, "failure": failure, "outputs": names, "summary": {}}
    os.write(3, json.dumps(line).encode() + b"\\n")
    os._exit(0)
"""
# Made in the last moment: before the keeper looks again, the run has ended.
HOLES = """
names = [f"normalized{number}.csv" for number in range(6)]
for name in names:
    with open(name, "wb") as file:
        file.truncate(99 << 20)
claim(names)
"""
TWICE = """
with open("normalized.csv", "wb") as file:
    file.write(bytes(1 << 20))
claim(["normalized.csv"] * 500)
"""


@pytest.fixture(params=["zygote", "spawn"])
def stage(request: pytest.FixtureRequest, open_local: OpenStage) -> Stage:
    """Return a stage for children started both ways."""
    return open_local(child_start=request.param)


def ended(stage: Stage, code: str) -> str:
    run_id = stage.submit_one(hooked(FORGED + code))
    stage.work_off([run_id])
    return run_id


@pytest.mark.req("S2")
def test_files_with_holes_are_stored_by_nobody(stage: Stage) -> None:
    run = stage.run(ended(stage, HOLES))

    assert (run.failure_code, run.failure_resource) == ("resource_limit", "disk")
    assert run.metrics["output_bytes"] < MIB


@pytest.mark.req("S2")
def test_an_output_that_is_named_many_times_is_stored_once(stage: Stage) -> None:
    run = stage.run(ended(stage, TWICE))

    assert run.status == "succeeded"
    assert run.metrics["output_bytes"] < 2 * MIB


@pytest.mark.req("S2", "R9")
def test_a_child_that_blames_the_disk_is_not_executed_again_while_there_is_room(stage: Stage) -> None:
    blame = f"claim([], {{'code': 'internal_error', 'message': {DISK_IS_FULL!r}, 'cause': ''}})"

    run_id = ended(stage, f"print('executed', flush=True)\n{blame}")

    told = [event["type"] for event in stage.events(run_id)]
    assert (stage.run(run_id).failure_code, stage.run(run_id).claim_count) == ("internal_error", 1)
    assert "step.retried" not in told
    assert "run.requeued" not in told


@dataclass(frozen=True)
class Left:
    """Outputs of a child that has ended, and where they go."""

    folder: Path
    files: LocalFiles

    def write(self, name: str, size_bytes: int) -> None:
        with (self.folder / "output" / name).open("wb") as file:
            file.truncate(size_bytes)

    def collect(self, *names: str, deadline: float = math.inf, **limits: int) -> int:
        outcome = Outcome(kind=OutcomeKind.SUCCEEDED, result=Result(status="succeeded", outputs=names))
        log = LogFile(self.files, "run")
        given = Limits(**limits)
        return collect_outputs(self.files, self.folder, "run", outcome, log=log, limits=given, deadline=deadline)

    def stored(self) -> list[str]:
        return [key for key in self.files.keys("run") if "normalized" in key]


@pytest.fixture
def left(tmp_path: Path) -> Left:
    """Return an empty folder of outputs."""
    for name in ("work/output", "files"):
        (tmp_path / name).mkdir(parents=True)
    return Left(tmp_path / "work", LocalFiles(tmp_path / "files"))


@pytest.mark.req("S2")
def test_outputs_larger_than_a_run_may_write_are_refused_before_one_is_copied(left: Left) -> None:
    for name in ("normalized1.csv", "normalized2.csv"):
        left.write(name, 6 * MIB)

    with pytest.raises(OutputTooLarge):
        left.collect("normalized1.csv", "normalized2.csv", disk_bytes=10 * MIB)

    assert left.stored() == []


@pytest.mark.req("S2")
def test_outputs_without_room_on_the_disk_are_not_begun(left: Left) -> None:
    left.write("normalized.csv", 1 << 42)

    with pytest.raises(OSError, match="No space left"):
        left.collect("normalized.csv", disk_bytes=1 << 50, file_bytes=1 << 50)

    assert left.stored() == []


@pytest.mark.req("S2", "R7")
def test_storing_outputs_ends_at_the_deadline_of_the_run(left: Left) -> None:
    left.write("normalized.csv", MIB)

    with pytest.raises(OutOfTime):
        left.collect("normalized.csv", deadline=0.0)

    assert left.stored() == []


@pytest.mark.req("R7")
def test_outputs_are_stored_before_the_queue_ends_the_run(local: Stage) -> None:
    settings = local.system.settings
    limits = run_limits(settings)

    deadline = collect_deadline(settings, claimed=0.0)

    assert limits.wall_seconds < deadline < settings.run_timeout_seconds
