"""What was seen outranks what was said, in every combination."""

import signal
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ade.sandbox.ending import Seen, ending_of
from ade.sandbox.inside.spec import Limits
from ade.sandbox.outcome import Outcome, OutcomeKind
from ade_engine.protocol import Failure, Result

LIMITS = Limits(cpu_seconds=10, memory_bytes=100 << 20)
SUCCESS = Result(status="succeeded")
FAILURE = Result(status="failed", failure=Failure(code="input_error", message="The document is empty."))


def seen(**changes: object) -> Seen:
    """Return a child that ended well, but for the changes."""
    well = Seen(LIMITS, is_started=True, is_over=True, status=0, results=[SUCCESS])
    return replace(well, **changes)  # type: ignore[arg-type]


def exited(code: int) -> int:
    return code << 8


@pytest.mark.req("S2", "R7")
@pytest.mark.parametrize(
    ("changes", "kind", "cause"),
    [
        ({}, "succeeded", ""),
        ({"results": [FAILURE]}, "failed", ""),
        ({"keeper_cause": "timed_out"}, "timed_out", "wall"),
        ({"keeper_cause": "memory"}, "resource_limit", "memory"),
        ({"keeper_cause": "disk"}, "resource_limit", "disk"),
        ({"keeper_cause": "cpu"}, "resource_limit", "cpu"),
        ({"keeper_cause": "killed"}, "killed", "asked"),
        ({"is_output_exceeded": True, "keeper_cause": "killed"}, "resource_limit", "output"),
        ({"peak_bytes": (100 << 20) + 1}, "resource_limit", "memory"),
        ({"status": signal.SIGXCPU, "cpu_seconds": 10.1}, "resource_limit", "cpu"),
        ({"status": signal.SIGXCPU, "cpu_seconds": 7.0}, "resource_limit", "cpu"),
        ({"status": signal.SIGKILL, "cpu_seconds": 11.0}, "resource_limit", "cpu"),
        ({"status": signal.SIGKILL, "cpu_seconds": 7.0}, "process_terminated", "SIGKILL"),
        ({"status": signal.SIGXCPU, "cpu_seconds": 0.1}, "process_terminated", "SIGXCPU"),
        ({"status": signal.SIGKILL, "cpu_seconds": 0.1}, "process_terminated", "SIGKILL"),
        ({"status": signal.SIGRTMIN + 6}, "process_terminated", "signal 40"),  # one without a name
        ({"status": exited(1)}, "process_terminated", "exit 1"),
        ({"results": []}, "process_terminated", "no result"),
        ({"results": [SUCCESS, FAILURE]}, "process_terminated", "more than one result"),
        ({"broken_protocol": "nonsense"}, "process_terminated", "nonsense"),
        ({"status": None}, "process_terminated", "killed from outside"),
        ({"is_over": False}, "process_terminated", "killed from outside"),
        ({"is_over": False, "status": None, "is_kill_asked": True}, "killed", "asked"),
        ({"is_kill_asked": True}, "succeeded", ""),  # it was done before the order arrived
        ({"is_started": False}, "not_started", "the process ended before it was ready"),
        ({"trouble": "OSError"}, "not_started", "OSError"),
        ({"refusal": "too open", "keeper_cause": "killed"}, "isolation_unavailable", "too open"),
    ],
)
def test_the_end_has_one_name(changes: dict[str, object], kind: str, cause: str) -> None:
    found_kind, found_cause, message = ending_of(seen(**changes))

    assert (found_kind, found_cause) == (kind, cause)
    assert len(message) <= 240
    assert bool(message) == (kind != "succeeded")


RESULTS = st.lists(st.sampled_from([SUCCESS, FAILURE]), max_size=3)


@given(results=RESULTS, broken=st.sampled_from(["", "nonsense"]), code=st.integers(0, 255))
def test_nothing_a_child_says_hides_what_was_seen(results: list[Result], broken: str, code: int) -> None:
    for cause in ("timed_out", "memory", "disk"):
        calm = ending_of(seen(keeper_cause=cause))
        loud = ending_of(
            seen(keeper_cause=cause, results=results, broken_protocol=broken, status=exited(code), cpu_seconds=99.0)
        )
        assert loud == calm


@given(results=RESULTS, broken=st.sampled_from(["", "nonsense"]), status=st.sampled_from([0, exited(1), exited(137)]))
def test_nothing_a_child_says_looks_like_a_limit(results: list[Result], broken: str, status: int) -> None:
    kind, _, _ = ending_of(seen(results=results, broken_protocol=broken, status=status))

    assert kind in {OutcomeKind.SUCCEEDED, OutcomeKind.FAILED, OutcomeKind.PROCESS_TERMINATED}


@pytest.mark.parametrize(
    ("outcome", "code"),
    [
        (Outcome(kind=OutcomeKind.SUCCEEDED, result=SUCCESS), ""),
        (Outcome(kind=OutcomeKind.FAILED, result=FAILURE), "input_error"),
        (Outcome(kind=OutcomeKind.TIMED_OUT), "timed_out"),
        (Outcome(kind=OutcomeKind.NOT_STARTED), "internal_error"),
    ],
)
def test_an_outcome_has_a_failure_code(outcome: Outcome, code: str) -> None:
    assert outcome.code == code
