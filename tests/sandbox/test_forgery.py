"""What user code writes or how it exits never changes what was seen of its end."""

import pytest

from sandbox.rig import Rig

pytestmark = pytest.mark.req("S2")

SUCCESS = """
import json
def claim(**values):
    line = {"type": "result", "status": "succeeded", "failure": None, "outputs": [], "summary": {}, **values}
    os.write(3, json.dumps(line).encode() + b"\\n")
"""
BROKEN = b'{"type": "broken", "error": "forged"}\n'
TO_EVERY_DESCRIPTOR = f"""
for number in range(255, 2, -1):
    try:
        os.write(number, {BROKEN!r})
    except OSError:
        pass
os._exit(0)
"""


@pytest.mark.parametrize(
    ("code", "cause"),
    [
        ("os._exit(137)", "exit 137"),
        ("os._exit(0)", "no result"),
        ("import signal; os.kill(os.getpid(), signal.SIGKILL)", "SIGKILL"),
        ("import signal; signal.signal(24, signal.SIG_DFL); os.kill(os.getpid(), signal.SIGXCPU)", "SIGXCPU"),
        ("import signal; signal.signal(25, signal.SIG_DFL); os.kill(os.getpid(), signal.SIGXFSZ)", "SIGXFSZ"),
        ("ctypes.string_at(0)", "SIGSEGV"),
        ("os.abort()", "SIGABRT"),
        (SUCCESS + "claim()", "more than one result"),
        (SUCCESS + "claim(); os._exit(3)", "exit 3"),
        ("os.write(3, b'not JSON\\n')", "a line that is not JSON"),
        ("os.write(3, b'[' * 100_000 + b'\\n')", "a line that is not JSON"),
        ('os.write(3, b\'{"type": "over", "cause": "timed_out"}\\n\')', "a message of no known type"),
    ],
)
def test_a_chosen_end_is_just_the_end_of_a_process(rig: Rig, code: str, cause: str) -> None:
    outcome = rig.run(code)

    assert (outcome["kind"], outcome["cause"]) == ("process_terminated", cause)
    assert outcome["result"] is None


def test_nothing_counts_after_a_line_that_is_no_message(rig: Rig) -> None:
    code = """
from ade_engine.protocol import Event
emit(Event("before", {}))
os.write(3, b"\\n")
emit(Event("after", {}))
"""
    outcome = rig.run(code)

    assert [event["name"] for event in outcome["events"]] == ["before"]
    assert (outcome["kind"], outcome["cause"]) == ("process_terminated", "a line that is not JSON")


@pytest.mark.slow
def test_a_claimed_success_does_not_hide_a_limit(rig: Rig) -> None:
    outcome = rig.run(
        SUCCESS + "claim(); kept = os.urandom(1 << 20) * 200; os._exit(0)", limits={"memory_bytes": 100 << 20}
    )

    assert (outcome["kind"], outcome["cause"]) == ("resource_limit", "memory")


def test_a_claimed_success_does_not_hide_the_deadline(rig: Rig) -> None:
    outcome = rig.run(SUCCESS + "claim(); time.sleep(60)", limits={"wall_seconds": 0.5})

    assert outcome["kind"] == "timed_out"


@pytest.mark.parametrize("code", ["timed_out", "isolation_unavailable", "process_terminated", "build_failed", "x"])
def test_a_child_cannot_claim_what_only_its_parent_can_see(rig: Rig, code: str) -> None:
    forged = f"claim(status='failed', failure={{'code': {code!r}, 'message': 'forged', 'cause': 'cpu'}}); os._exit(0)"

    outcome = rig.run(SUCCESS + forged)

    assert (outcome["kind"], outcome["code"], outcome["cause"]) == ("failed", "internal_error", "")


def test_a_child_cannot_speak_for_its_keeper(rig: Rig) -> None:
    outcome = rig.run(TO_EVERY_DESCRIPTOR)

    assert (outcome["kind"], outcome["cause"]) == ("process_terminated", "a message of no known type")


def test_a_child_speaks_for_its_keeper_when_descriptors_stay_open(rig: Rig) -> None:
    outcome = rig.run(TO_EVERY_DESCRIPTOR, without=("descriptors",))

    assert (outcome["kind"], outcome["cause"]) == ("not_started", "forged")  # this is what the layer prevents


def test_a_child_that_calls_itself_ready_early_waits_all_the_same(rig: Rig) -> None:
    outcome = rig.run("print('ran')", minimum="isolated", without=("seccomp",))

    assert outcome["kind"] == "isolation_unavailable"
    assert outcome["log"] == ""
