"""A worker for tests, in a process of its own: starts children on request, one JSON line each way.

    runner.py [DENIED_CALL ...]

It holds what a worker holds: a secret in its environment and an open file. The named system calls do not exist for it
or its children, as on a kernel or in a container that lacks them.
"""

import ctypes
import errno
import json
import os
import resource
import struct
import sys
import threading
from dataclasses import asdict
from typing import Any

from ade.domain.isolation import Isolation
from ade.sandbox.child import Child
from ade.sandbox.inside import kernel, syscalls
from ade.sandbox.inside.spec import Limits, Network
from ade.sandbox.launcher import Launcher, Mode
from ade.sandbox.zygotes import Zygotes
from ade_engine.protocol import Request

Key = tuple[Mode, frozenset[str], Isolation | None, int, str]


class Runner:
    """Starts children on behalf of a test."""

    def __init__(self) -> None:
        self.launchers: dict[Key, Launcher] = {}
        self.zygotes: dict[tuple[bool, int], Zygotes] = {}
        self.children: dict[int, Child] = {}
        self.lock = threading.Lock()

    def serve(self) -> None:
        """Do what each line says, until there are no more."""
        for line in sys.stdin:
            order = json.loads(line)
            match order.pop("do"):
                case "run":
                    threading.Thread(target=self.run, kwargs=order).start()
                case "kill":
                    self.children[order["number"]].kill()
                case "zygote":
                    self.say(order["number"], pid=self.launcher(order).zygote_pid())
                case unknown:
                    raise AssertionError(unknown)
        for launcher in self.launchers.values():
            launcher.close()

    def run(self, *, number: int, request: dict[str, Any], limits: dict[str, Any], **order: Any) -> None:
        """Start a child, follow it to its end, and tell how that was."""
        launcher = self.launcher(order)
        child = launcher.start(
            Request.from_json(request), limits=Limits(**limits), slot=number % 8, is_network_allowed=order["network"]
        )
        self.children[number] = child
        told = list(child.batches())
        events = [asdict(event) for batch in told for event in batch.events]
        network = [asdict(event) for batch in told for event in batch.network]
        outcome = child.wait()
        values = {**asdict(outcome), "code": outcome.code, "log": outcome.log.decode(errors="replace")}
        own_peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        self.say(number, events=events, network=network, own_peak=own_peak, **values)

    def launcher(self, order: dict[str, Any]) -> Launcher:
        """Return the launcher of a kind, started on first use."""
        minimum = Isolation(order["minimum"]) if order["minimum"] else None
        policy = json.dumps(order.get("policy") or {})
        key: Key = (order["mode"], frozenset(order["without"]), minimum, order["runs_per_zygote"], policy)
        with self.lock:
            if key not in self.launchers:
                self.launchers[key] = self.start_launcher(key)
            return self.launchers[key]

    def start_launcher(self, key: Key) -> Launcher:
        """Start a launcher that shares its zygote with all it can.

        Layers are put on after the fork, whatever the zygote; only what the zygote itself inherits is its own. One for
        each set of layers would take most of the suite's time.
        """
        mode, without, minimum, runs_per_zygote, policy = key
        launcher = Launcher(
            mode=mode, without=without, minimum=minimum, runs_per_zygote=runs_per_zygote,
            network=Network(**json.loads(policy)),
        )  # fmt: skip
        own = launcher._zygotes
        launcher._zygotes = self.zygotes.setdefault(("descriptors" in without, runs_per_zygote), own)
        return launcher

    def say(self, number: int, **values: Any) -> None:
        """Answer an order."""
        with self.lock:
            sys.stdout.write(json.dumps({"number": number, **values}) + "\n")
            sys.stdout.flush()


def deny(names: list[str]) -> None:
    """Make system calls disappear for this process and all it starts."""
    lines = [(0x20, 0, 0, 0)]
    for number in (found for name in names if (found := syscalls.number(name)) is not None):
        lines += [(0x15, 0, 1, number), (0x06, 0, 0, 0x00050000 | errno.ENOSYS)]
    content = b"".join(struct.pack("=HBBI", *line) for line in [*lines, (0x06, 0, 0, 0x7FFF0000)])
    program = ctypes.create_string_buffer(content, len(content))
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    kernel.syscall("seccomp", 1, 0, struct.pack("@HP", len(content) // 8, ctypes.addressof(program)))


if __name__ == "__main__":
    if sys.argv[1:]:
        deny(sys.argv[1:])
    os.set_inheritable(os.open(__file__, os.O_RDONLY), True)
    Runner().serve()
