"""Plays texts of strangers to every entry of the surface: PYTHONPATH=tests python -m fuzz SEED [COUNT] [PLACE].

PLACE is a file or a function of the server; `planted` plays the mistakes that must be found.
Each entry is played in a process of its own, each text within a bound of CPU time that the kernel keeps: a pattern that
backtracks holds Python itself and hears no other signal. What is printed names the entry, the seed and the text.
"""

import json
import os
import resource
import signal
import sys
from random import Random

from fuzz.planted import PLANTED
from fuzz.surface import SURFACE, Fed
from fuzz.texts import texts

SECONDS_A_TEXT = 2.0
MEMORY_BYTES = 3 * 1024**3
_SHOWN = 120


def main(seed: int, count: int, place: str) -> int:
    """Play every entry once, however many places it stands for; print what went wrong."""
    played: set[int] = set()
    wrong = 0
    for name, entry in (PLANTED if place == "planted" else SURFACE).items():
        if isinstance(entry, Fed) and id(entry) not in played and place in (*name.split(), "", "planted"):
            played.add(id(entry))
            wrong += _play_apart(name, entry, seed, count)
    print(json.dumps({"played": len(played), "wrong": wrong}))
    return 1 if wrong else 0


def _play_apart(name: str, entry: Fed, seed: int, count: int) -> bool:
    """Play an entry in a child; return whether it went wrong."""
    sys.stdout.flush()
    receiving, telling = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(receiving)
        os._exit(_play(entry, Random(f"{seed} {name}"), count, telling))
    os.close(telling)
    with os.fdopen(receiving, "rb") as told:
        last = told.read().decode(errors="replace").rpartition("\n")[2]
    status = os.waitpid(child, 0)[1]
    if status == 0:
        return False
    took = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGPROF
    what = f"took longer than {SECONDS_A_TEXT} s of CPU time" if took else f"ended with status {status}"
    print(json.dumps({"place": name, "seed": seed, "what": what, "text": last}))
    return True


def _play(entry: Fed, random: Random, count: int, telling: int) -> int:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for text in texts(entry, random, count):
        signal.setitimer(signal.ITIMER_PROF, 0)
        os.write(telling, f"\n{len(text)} characters: {_shown(text)}".encode())
        signal.setitimer(signal.ITIMER_PROF, SECONDS_A_TEXT)
        try:
            entry.feed(text)
        except entry.raises:
            continue
        except BaseException as error:  # noqa: BLE001 - whatever it is, the server would have crashed
            os.write(telling, f" raised {type(error).__name__}: {str(error)[:_SHOWN]}".encode(errors="replace"))
            return 1
    return 0


def _shown(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else f"{text[: _SHOWN // 2]} … {text[-_SHOWN // 2 :]}")


if __name__ == "__main__":
    words = [*sys.argv[1:], *("1", "40", "")[len(sys.argv) - 1 :]]
    sys.exit(main(int(words[0]), int(words[1]), words[2]))
