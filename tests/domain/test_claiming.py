"""What a claim takes: decided without a database."""

from dataclasses import replace
from typing import Any

import pytest

from ade.domain.claiming import Capacity, Choice, Head, Holds, choose
from ade.domain.pause import Pause, PauseScope
from ade.domain.run import Block

RUN = Head(
    kind="run",
    id="r",
    workspace_id="w",
    plan_id=None,
    priority=50,
    input_document_id="d",
    memory_mb=None,
    cpu_count=None,
    event_count=1,
    effective_priority=50,
    order_key=0,
    plan_sequence=0,
    phase=0,
    sequence=0,
    is_busy=0,
)


def run(name: str, **values: Any) -> Head:
    return replace(RUN, id=name, **{"input_document_id": f"document of {name}", **values})


def build(name: str, **values: Any) -> Head:
    return replace(RUN, kind="build", id=name, input_document_id=None, **values)


def chosen(heads: list[Head], *, slots: int = 10, holds: Holds | None = None, **values: Any) -> Choice:
    free_by_workspace = values.pop("free_by_workspace", {})
    return choose(
        heads, holds=holds or Holds(), room=Capacity(slots=slots, **values), free_by_workspace=free_by_workspace
    )


def names(choice: Choice) -> list[str]:
    return [head.id for head in choice.taken]


def test_heads_are_taken_in_order_and_no_more_than_there_are_slots() -> None:
    heads = [run("late", order_key=9), run("urgent", effective_priority=10), run("early", order_key=3)]

    choice = chosen(heads, slots=2)

    assert names(choice) == ["urgent", "early"]
    assert (choice.room.slots, choice.is_more) == (0, True)


def test_a_build_goes_before_a_run_of_the_same_place_and_behind_an_earlier_one() -> None:
    heads = [run("same"), build("build"), run("earlier", order_key=-1)]

    assert names(chosen(heads)) == ["earlier", "build", "same"]


def test_runs_of_one_instant_go_by_plan_phase_and_submission() -> None:
    heads = [run("b", sequence=2), run("plan", plan_sequence=1), run("a", sequence=1)]

    assert names(chosen(heads)) == ["a", "b", "plan"]


def test_fewer_heads_than_slots_are_all_there_is() -> None:
    choice = chosen([run("only")])

    assert (choice.room.slots, choice.is_more) == (9, False)


def test_what_does_not_fit_beside_the_others_is_passed_over() -> None:
    heads = [run("large", memory_mb=700), run("too large", memory_mb=700, sequence=1), run("small", sequence=2)]

    choice = chosen(heads, slots=3, memory_mb=1000)

    assert names(choice) == ["large", "small"]
    assert (choice.room.memory_mb, choice.room.slots, choice.is_more) == (300, 1, True)


def test_processors_are_counted_as_memory_is() -> None:
    heads = [run("one", cpu_count=1.5), run("two", cpu_count=1, sequence=1), run("three", cpu_count=0.5, sequence=2)]

    assert names(chosen(heads, cpu_count=2)) == ["one", "three"]


@pytest.mark.parametrize(
    ("scope", "value"), [(PauseScope.PRIORITY, "50"), (PauseScope.WORKSPACE, "w"), (PauseScope.PLAN, "p")]
)
def test_a_paused_head_ends_the_choice(scope: PauseScope, value: str) -> None:
    heads = [
        run("before", workspace_id="x", priority=20, sequence=1),
        run("held", plan_id="p", sequence=2),
        run("after"),
    ]
    heads[2] = replace(heads[2], sequence=3)

    choice = chosen(heads, holds=Holds(pauses=[Pause(scope, value)]))

    assert names(choice) == ["before"]
    assert choice.obstacle is not None
    assert (choice.obstacle.block, choice.obstacle.scope, choice.obstacle.value, choice.obstacle.met) == (
        Block.PAUSED,
        scope,
        value,
        "held",
    )
    assert choice.is_more


def test_a_pause_of_a_plan_holds_no_run_without_a_plan() -> None:
    assert names(chosen([run("free")], holds=Holds(pauses=[Pause(PauseScope.PLAN, "None of these")]))) == ["free"]


def test_a_pause_holds_no_build() -> None:
    assert names(chosen([build("build")], holds=Holds(pauses=[Pause(PauseScope.WORKSPACE, "w")]))) == ["build"]


def test_a_document_is_in_one_run_at_a_time() -> None:
    busy = chosen([run("held", is_busy=1)])
    twice = chosen([run("first", input_document_id="d"), run("second", input_document_id="d", sequence=1)])

    assert names(busy) == []
    assert names(twice) == ["first"]
    assert busy.obstacle is not None
    assert twice.obstacle is not None
    assert (busy.obstacle.block, twice.obstacle.value, twice.obstacle.met) == (Block.DOCUMENT_BUSY, "d", "second")


def test_a_workspace_starts_no_more_than_its_cap_leaves() -> None:
    heads = [run("one"), run("two", sequence=1), run("elsewhere", workspace_id="x", sequence=2)]

    choice = chosen(heads, free_by_workspace={"w": 1})

    assert names(choice) == ["one"]
    assert choice.obstacle is not None
    assert (choice.obstacle.block, choice.obstacle.value) == (Block.CAPACITY, "w")


def test_what_is_given_is_left_as_it_was() -> None:
    free_by_workspace, room = {"w": 1}, Capacity(slots=1)

    choose([run("one")], holds=Holds(), room=room, free_by_workspace=free_by_workspace)

    assert (free_by_workspace, room) == ({"w": 1}, replace(room, slots=1))
