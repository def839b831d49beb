"""The cases of a draft, run by a worker before it is published."""

import pytest

from ade.errors import CasesNotPassed
from ade.operations.queue.case_tests import CaseTests, draft_tests, publish_tested, request_tests
from worker.stage import PERSON, SIMPLE, Stage

DOCUMENT = "Name,Age\nAda,36\nBob,41\n"


def outcome_of(stage: Stage, configuration_id: str) -> CaseTests:
    """Have the draft tested, and return how it came out."""
    stage.write(lambda tx: request_tests(tx, configuration_id, actor=PERSON))
    run_id = stage.submit_test_run(configuration_id)  # it waits for the same build
    stage.work_off([run_id])
    found: CaseTests = stage.system.database.read(lambda tx: draft_tests(tx, configuration_id))
    return found


@pytest.mark.slow
@pytest.mark.req("B8")
def test_a_draft_whose_build_failed_is_not_published_and_can_be_tested_again(local: Stage) -> None:
    configuration = local.configuration(SIMPLE)
    local.edit_draft(configuration, "tests/two/in.csv", DOCUMENT)
    local.edit_draft(configuration, "columns/age.py", "nonsense(\n")

    assert outcome_of(local, configuration).status == "failed"
    with pytest.raises(CasesNotPassed, match="could not be tested"):
        local.write(lambda tx: publish_tested(tx, configuration, note=None, is_untested=False, actor=PERSON))
    again = local.write(lambda tx: request_tests(tx, configuration, actor=PERSON))
    assert again.status == "queued"


@pytest.mark.slow
@pytest.mark.req("B8")
def test_a_draft_is_published_when_its_cases_have_passed(local: Stage) -> None:
    configuration = local.configuration(SIMPLE)
    local.edit_draft(configuration, "tests/two/in.csv", DOCUMENT)
    local.edit_draft(configuration, "tests/two/expected.csv", "name,Age\nAda,36\nEve,41\n")

    found = outcome_of(local, configuration)

    assert found.status == "ready", found
    [case] = found.cases
    assert (found.status, case["status"], case["difference_count"]) == ("ready", "differs", 1)
    assert case["differences"] == ["expected.csv: A3 (name): expected 'Eve', got 'Bob'"]
    with pytest.raises(CasesNotPassed, match="1 of 1 cases did not pass: two"):
        local.write(lambda tx: publish_tested(tx, configuration, note=None, is_untested=False, actor=PERSON))

    local.edit_draft(configuration, "tests/two/expected.csv", "name,Age\nAda,36\nBob,41\n")
    assert [case["status"] for case in outcome_of(local, configuration).cases] == ["passed"]
    version = local.write(lambda tx: publish_tested(tx, configuration, note=None, is_untested=False, actor=PERSON))
    assert version.status == "published"
