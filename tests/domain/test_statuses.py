"""The state machines: complete, and final where they say so."""

from enum import StrEnum

import pytest

from ade.domain.build import BUILD_TRANSITIONS, BuildStatus
from ade.domain.configuration import VERSION_TRANSITIONS, VersionStatus
from ade.domain.isolation import Isolation
from ade.domain.plan import PLAN_TRANSITIONS, PlanStatus
from ade.domain.run import FINISHED, RUN_TRANSITIONS, Block, RunStatus, WaitingFor
from ade.domain.transitions import Transitions, final_statuses, statuses_leading_to

MACHINES: list[tuple[type[StrEnum], Transitions[StrEnum]]] = [
    (RunStatus, RUN_TRANSITIONS),  # type: ignore[list-item]
    (BuildStatus, BUILD_TRANSITIONS),  # type: ignore[list-item]
    (PlanStatus, PLAN_TRANSITIONS),  # type: ignore[list-item]
    (VersionStatus, VERSION_TRANSITIONS),  # type: ignore[list-item]
]


@pytest.mark.parametrize(("statuses", "transitions"), MACHINES)
def test_every_status_has_a_row_in_its_table(statuses: type[StrEnum], transitions: Transitions[StrEnum]) -> None:
    assert set(transitions) == set(statuses)


@pytest.mark.parametrize(("statuses", "transitions"), MACHINES)
def test_no_status_follows_itself(statuses: type[StrEnum], transitions: Transitions[StrEnum]) -> None:
    assert all(status not in transitions[status] for status in statuses)


@pytest.mark.req("R2", "R6")
def test_a_finished_run_never_moves() -> None:
    assert {RunStatus.SUCCEEDED, RunStatus.FAILED, RunStatus.CANCELLED} == FINISHED
    assert all(not FINISHED & statuses_leading_to(RUN_TRANSITIONS, status) for status in RunStatus)


@pytest.mark.req("R2")
def test_only_a_running_run_can_succeed() -> None:
    assert statuses_leading_to(RUN_TRANSITIONS, RunStatus.SUCCEEDED) == {RunStatus.RUNNING}


@pytest.mark.req("B5")
def test_a_build_can_always_be_made_again() -> None:
    assert final_statuses(BUILD_TRANSITIONS) == frozenset()


@pytest.mark.req("R2")
def test_every_block_has_a_reason_to_show() -> None:
    assert {block.name for block in Block} <= {reason.name for reason in WaitingFor}


@pytest.mark.req("S5")
def test_isolation_levels_are_ranked_as_documented() -> None:
    ranked = sorted(Isolation, key=lambda level: level.rank, reverse=True)

    assert ranked == ["isolated", "confined", "guarded", "limits", "open"]
