"""A run from the queue to its end, in a real child."""

import json
from pathlib import PurePosixPath

import pytest

from ade.database.content import documents
from ade.operations.queue import requests
from ade.operations.queue.rules import queue_rules
from ade.operations.queue.submit import Wish
from ade.worker.attempt import safe_name
from worker.stage import PERSON, SIMPLE, Stage, assert_gapless, hooked


@pytest.mark.slow
@pytest.mark.sends_statements
@pytest.mark.req("R2", "R10", "A3")
def test_a_run_goes_from_queued_to_succeeded_and_leaves_all_its_files(stage: Stage) -> None:
    run_id = stage.submit_one()

    stage.work_off([run_id])

    run = stage.run(run_id)
    assert (run.status, run.failure_code, run.claim_count) == ("succeeded", None, 1)
    names = {name.partition("/")[2] for name in stage.file_names(run_id)}
    assert names == {"artifact.json", "events.ndjson", "issues.ndjson", "logs.txt", "normalized.xlsx"}
    assert stage.artifact(run_id)["run"] == {"id": run_id, "status": "succeeded", "failure": None}
    assert stage.work_folders() == []


@pytest.mark.parametrize("name", ["名" * 200 + ".xlsx", "a" * 300 + ".csv", "é" * 150, "../..", ""])
def test_a_document_of_any_name_is_given_to_the_child_under_one_a_disk_takes(name: str) -> None:
    cleaned = safe_name(name)

    assert 0 < len(cleaned.encode()) <= 255
    assert cleaned.endswith(PurePosixPath(name).suffix)
    assert "/" not in cleaned


@pytest.mark.slow
@pytest.mark.req("A3", "R8")
def test_the_events_of_a_run_are_gapless_and_tell_its_steps(stage: Stage) -> None:
    run_id = stage.submit_one()

    stage.work_off([run_id])

    events = stage.events(run_id)
    assert_gapless(events)
    kinds = [event["type"] for event in events]
    assert kinds[0] == "run.queued"
    assert kinds[-1] == "run.succeeded"
    steps = [event["step"] for event in events if event["type"] == "step.started"]
    assert steps == ["fetch", "prepare", "execute", "collect"]
    assert "engine.table.mapped" in kinds
    assert all(event["run_id"] == run_id for event in events)


@pytest.mark.slow
@pytest.mark.req("E2")
def test_corrections_of_one_document_reach_the_engine(stage: Stage) -> None:
    decided = {"id": "a", "kind": "header", "header": "Name", "field": None, "by": "Ada", "at": None, "document": None}
    run_id = stage.submit_one(corrections=[decided])

    stage.work_off([run_id])

    run = stage.run(run_id)
    assert (run.status, run.verdict) == ("succeeded", "not_usable")
    assert run.metrics["summary"]["columns"]["mapped"] == 0


@pytest.mark.req("R10", "S5")
def test_a_run_records_its_metrics_and_its_isolation(stage: Stage) -> None:
    run_id = stage.submit_one()

    stage.work_off([run_id])

    run = stage.run(run_id)
    metrics = run.metrics
    assert set(metrics["steps"]) == {"fetch", "prepare", "execute", "collect"}
    assert set(metrics["passes"]) == {"structure", "mapping", "transform", "validate", "write"}
    assert metrics["summary"]["rows"]["written"] == 2
    assert metrics["summary"]["columns"]["mapped"] == 1
    assert set(metrics["summary"]["issues"]) == {"total", "info", "warning", "error"}
    assert run.issue_count == metrics["summary"]["issues"]["total"] == 0
    assert (run.verdict, run.fit) == ("ready", 0.75)  # one of two columns is a field
    assert run.verdict_reason == "The field was found, and no cell has an issue."
    assert metrics["cpu_seconds"] > 0
    assert metrics["peak_memory_bytes"] > 1_000_000
    assert metrics["engine_version"]
    assert metrics["worker_id"] == run.claimed_by
    assert run.isolation in {"isolated", "confined", "guarded", "limits", "open"}


@pytest.mark.slow
@pytest.mark.req("R2", "R9")
def test_a_document_that_cannot_be_read_fails_the_run_as_input_error(local: Stage) -> None:
    document = local.document(b"PK\x03\x04 not a workbook", "broken.xlsx")
    [run_id] = local.submit(local.configuration(SIMPLE), document)

    local.work_off([run_id])

    run = local.run(run_id)
    assert (run.status, run.failure_code) == ("failed", "input_error")
    assert 0 < len(run.failure_message) <= 240
    assert_gapless(local.events(run_id))


@pytest.mark.slow
def test_a_document_whose_file_is_gone_fails_the_run_with_what_to_do(local: Stage) -> None:
    document = local.document()
    [run_id] = local.submit(local.configuration(SIMPLE), document)
    local.system.files.delete(f"documents/{document}/content")

    local.work_off([run_id])

    run = local.run(run_id)
    assert (run.status, run.failure_code) == ("failed", "input_error")
    assert "upload it again" in run.failure_message
    assert "ADE_FILES_URL" in run.failure_message


@pytest.mark.slow
@pytest.mark.req("R2")
def test_a_rule_that_raises_fails_the_run_and_its_log_has_the_traceback(local: Stage) -> None:
    run_id = local.submit_one(hooked("print('so far so good')\nraise KeyError('member')"))

    local.work_off([run_id])

    run = local.run(run_id)
    assert (run.status, run.failure_code) == ("failed", "configuration_error")
    assert "so far so good" in local.file(run_id, "logs.txt").decode()


@pytest.mark.slow
@pytest.mark.req("S6")
def test_a_child_cannot_pass_off_other_files_as_outputs(local: Stage) -> None:
    """The result is a line the child writes: here it is forged, and names the worker's own stream as an output."""
    forged = json.dumps(
        {"type": "result", "status": "succeeded", "failure": None, "outputs": ["events.ndjson"], "summary": {}}
    )
    body = f"open('events.ndjson', 'w').write('gone')\nos.write(3, {forged.encode()!r} + b'\\n')\nos._exit(0)"
    run_id = local.submit_one(hooked(body))

    local.work_off([run_id])

    run = local.run(run_id)
    assert (run.status, run.failure_code) == ("failed", "configuration_error")
    assert "events.ndjson" in run.failure_message
    assert_gapless(local.events(run_id))


FORGED = [
    {"type": "event", "name": "first", "data": {"seq": 900, "type": "run.succeeded", "run_id": "x", "at": "never"}},
    {"type": "event", "name": "second", "data": {"lifecycle": 900, "kind": 1, "self": 2, "build_id": "x", "step": 3}},
    {"type": "event", "name": "third", "data": {"half": "\ud800", "nothing": "\0", "number": float("nan")}},
    {"type": "event", "name": "run.finished", "data": {"passes": {"write": 10**400, "mapping": float("inf")}}},
]


@pytest.mark.slow
@pytest.mark.req("S2", "A3")
def test_a_child_cannot_forge_the_stream_nor_break_what_records_it(stage: Stage) -> None:
    """Each line is one that user code may write: numbers and names that are ours to give, text no database takes."""
    summary = {"half": "\ud800", "nothing": "\0", "number": float("inf")}
    end = {"type": "result", "status": "failed", "outputs": [], "summary": summary}
    failure = {"code": "input_error", "message": "not \0 a \udc00 text", "cause": ""}
    lines = "".join(f"{json.dumps(line)}\n" for line in [*FORGED, {**end, "failure": failure}])
    run_id = stage.submit_one(hooked(f"os.write(3, {lines.encode()!r})\nos._exit(0)"))

    stage.work_off([run_id])

    run = stage.run(run_id)
    assert (run.status, run.failure_code, run.claim_count) == ("failed", "input_error", 1)
    assert run.metrics["passes"] == {}
    told = stage.events(run_id)
    assert_gapless(told)
    assert {event["run_id"] for event in told} == {run_id}
    named = [event for event in told if event["type"] in ("engine.first", "engine.second", "engine.third")]
    assert [set(event) - {"seq", "at", "type", "run_id"} for event in named] == [
        set(),
        {"kind", "self", "step"},
        {"half", "nothing", "number"},
    ]


@pytest.mark.slow
@pytest.mark.req("S2")
def test_a_summary_that_is_larger_than_totals_can_be_is_not_kept(local: Stage) -> None:
    summary = {"a": "b" * 200_000}
    end = {"type": "result", "status": "succeeded", "failure": None, "outputs": list[str](), "summary": summary}
    run_id = local.submit_one(hooked(f"os.write(3, {json.dumps(end).encode()!r} + b'\\n')\nos._exit(0)"))

    local.work_off([run_id])

    run = local.run(run_id)
    assert run.status == "succeeded"
    assert len(json.dumps(run.metrics)) < 10_000


@pytest.mark.slow
@pytest.mark.sends_statements
@pytest.mark.req("Q9")
def test_a_later_phase_reads_the_output_of_the_one_before(stage: Stage) -> None:
    configuration = stage.configuration(SIMPLE)
    rules = queue_rules(stage.system.settings)
    wish = Wish(runtime_network_access=False)
    phases = [
        requests.PhaseWish(configuration_id=configuration, input_document_id=stage.document(), wish=wish),
        requests.PhaseWish(configuration_id=configuration, wish=wish),
    ]
    plan_id = stage.write(
        lambda tx: requests.request_plan(tx, stage.workspace, phases, priority=50, actor=PERSON, rules=rules)
    )
    first, second = stage.runs_of_plan(plan_id)

    stage.work_off([first, second])

    assert (stage.run(first).status, stage.run(second).status) == ("succeeded", "succeeded")
    produced = stage.row_of_document(stage.run(second).input_document_id)
    assert produced.size_bytes == len(stage.file(first, "normalized.xlsx"))
    assert produced.sha256
    assert stage.artifact(second)["input"]["sha256"] == produced.sha256


@pytest.mark.slow
@pytest.mark.req("E2")
@pytest.mark.parametrize(("chosen", "used"), [(None, "cp1254"), ("cp1252", "cp1252")])
def test_a_run_reads_text_in_the_encoding_of_its_document(stage: Stage, chosen: str | None, used: str) -> None:
    text = "Ad;Şehir\nAyşe;Iğdır\nÖzgür;Muğla\nSüheyla;Ağrı\n".encode("cp1254")  # noqa: RUF001
    document_id = stage.document(text)
    stage.write(lambda tx: documents.update(tx, document_id, encoding=chosen))
    (run_id,) = stage.submit(stage.configuration(SIMPLE), document_id)

    stage.work_off([run_id])

    assert stage.run(run_id).status == "succeeded"
    assert stage.artifact(run_id)["input"]["encoding"] == used
