"""Every limit is kept, and its end has its name; without the layer that keeps it, the run continues."""

import sys

import pytest

from ade.sandbox.removal import remove_folder
from sandbox.rig import Rig

MIB = 1024 * 1024

HOARD = """
kept = []
for _ in range(40):
    kept.append(bytearray(os.urandom(1 << 20) * 8))
print("ESCAPED", len(kept))
"""
BURN = """
import signal
for number in (signal.SIGXCPU, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
started = time.process_time()
while time.process_time() - started < OPTIONS["seconds"]:
    pass
print("ESCAPED")
"""
SLEEP = """
import signal
for number in range(1, 32):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
deadline = time.monotonic() + OPTIONS["seconds"]
while time.monotonic() < deadline:
    time.sleep(1)
print("ESCAPED")
"""
LITTER = """
for number in range(OPTIONS["count"]):
    open(f"file{number}", "w").close()
print("ESCAPED")
"""
DIG = """
for _ in range(3000):
    os.mkdir("d" * 50)
    os.chdir("d" * 50)
print("ESCAPED")
"""
HIDE = """
os.mkdir("hidden", 0o300)
os.chdir("hidden")
time.sleep(OPTIONS["seconds"])
print("ESCAPED")
"""
FILL = """
for number in range(OPTIONS["count"]):
    with open(f"file{number}", "wb") as file:
        file.write(os.urandom(1 << 20))
time.sleep(OPTIONS["seconds"])
print("ESCAPED")
"""
HOLES = """
for number in range(12):
    with open(f"file{number}", "wb") as file:
        file.truncate(1 << 20)  # takes no block
print("ESCAPED", flush=True)
time.sleep(OPTIONS["seconds"])
"""
THREADS = """
import threading
never = threading.Event()
for _ in range(OPTIONS["count"]):
    threading.Thread(target=never.wait, daemon=True).start()
print("ESCAPED", flush=True)
time.sleep(OPTIONS["seconds"])
"""
TABLES = """
import mmap
libc.mmap.restype = ctypes.c_void_p
for number in range(OPTIONS["count"]):
    place = ctypes.c_void_p((1 << 44) + (number << 30))  # two tables for each page, which is read and takes no memory
    page = libc.mmap(place, ctypes.c_size_t(4096), 1, 0x32, -1, ctypes.c_long(0))
    ctypes.c_char.from_address(page).value
print("ESCAPED", flush=True)
time.sleep(OPTIONS["seconds"])
"""
HIDE_MEMORY = """
import threading
def work():
    time.sleep(OPTIONS["seconds"])
    print("ESCAPED", flush=True)
    os._exit(0)
threading.Thread(target=work).start()
libc.syscall(ctypes.c_long(OPTIONS["numbers"]["exit"]), ctypes.c_long(0))  # of the first thread alone
"""
# Each file is kept by a mapping alone: no folder shows it, and no descriptor is needed.
HIDE_INODES = """
kept = []
for number in range(OPTIONS["count"]):
    with open("hidden", "w+b") as file:
        file.write(b"x")
        file.flush()
        kept.append(libc.mmap(None, 4096, 1, 1, file.fileno(), 0))
    os.unlink("hidden")
time.sleep(OPTIONS["seconds"])
print("ESCAPED", len(kept))
"""
HIDE_FILES = """
kept = []
for number in range(OPTIONS["count"]):
    file = open(f"file{number}", "wb")
    os.unlink(f"file{number}")  # it lives on, and no folder shows it
    file.write(bytes(4 << 20))
    file.flush()
    kept.append(file)
time.sleep(OPTIONS["seconds"])
print("ESCAPED")
"""
BABBLE = """
block = b"x" * 65536
for _ in range(OPTIONS["count"]):
    os.write(1, block)
os.write(1, b"ESCAPED")
"""


@pytest.mark.slow
@pytest.mark.req("S2")
def test_memory_over_the_limit_has_its_name(rig: Rig) -> None:
    outcome = rig.run(HOARD, limits={"memory_bytes": 128 * MIB})

    assert (outcome["kind"], outcome["cause"]) == ("resource_limit", "memory")
    assert "ESCAPED" not in outcome["log"]
    assert outcome["usage"]["peak_memory_bytes"] > 100 * MIB


@pytest.mark.slow
@pytest.mark.req("S2")
def test_memory_is_there_without_the_limit(rig: Rig) -> None:
    outcome = rig.run(HOARD, limits={"memory_bytes": 128 * MIB}, without=("limits", "watch"))

    assert "ESCAPED" in outcome["log"]


@pytest.mark.req("S2")
def test_tables_of_pages_are_memory(rig: Rig) -> None:
    outcome = rig.run(TABLES, count=20_000, seconds=60, limits={"memory_bytes": 64 * MIB})

    assert (outcome["kind"], outcome["cause"]) == ("resource_limit", "memory")


@pytest.mark.req("S2")
def test_a_run_whose_memory_does_not_show_is_ended(rig: Rig) -> None:
    outcome = rig.run(HIDE_MEMORY, seconds=60)

    assert (outcome["kind"], outcome["cause"]) == ("resource_limit", "memory")
    assert "ESCAPED" not in outcome["log"]


@pytest.mark.req("S2")
def test_one_allocation_that_can_never_fit_is_named_by_the_engine(rig: Rig) -> None:
    outcome = rig.run("bytearray(1 << 40)", limits={"memory_bytes": 128 * MIB})

    assert (outcome["kind"], outcome["code"], outcome["cause"]) == ("failed", "resource_limit", "memory")


@pytest.mark.req("S2")
@pytest.mark.slow
def test_cpu_time_over_the_limit_has_its_name(rig: Rig) -> None:
    outcome = rig.run(BURN, seconds=60, limits={"cpu_seconds": 1})

    assert (outcome["kind"], outcome["cause"]) == ("resource_limit", "cpu")
    assert outcome["usage"]["cpu_seconds"] >= 1


@pytest.mark.req("S2")
@pytest.mark.slow
def test_cpu_time_is_there_without_the_limit(rig: Rig) -> None:
    outcome = rig.run(BURN, seconds=4, limits={"cpu_seconds": 1}, without=("limits", "watch"))

    assert "ESCAPED" in outcome["log"]


@pytest.mark.req("S2")
@pytest.mark.slow
def test_cpu_time_that_the_kernel_does_not_count_is_limited_too(rig: Rig) -> None:
    """The kernel's limit counts ticks: a run that sleeps through every tick is at zero. Its exact time is watched."""
    outcome = rig.run(BURN, seconds=60, limits={"cpu_seconds": 1}, without=("limits",))

    assert (outcome["kind"], outcome["cause"]) == ("resource_limit", "cpu")
    assert "ESCAPED" not in outcome["log"]


@pytest.mark.req("S2")
def test_a_run_yields_the_processors_to_the_server(rig: Rig) -> None:
    outcome = rig.run("import os; print('nice', os.getpriority(os.PRIO_PROCESS, 0))")

    assert "nice 15" in outcome["log"]


@pytest.mark.slow
@pytest.mark.req("R7")
def test_a_sleeper_that_ignores_signals_ends_at_the_deadline(rig: Rig) -> None:
    outcome = rig.run(SLEEP, seconds=60, limits={"wall_seconds": 0.5})

    assert (outcome["kind"], outcome["code"]) == ("timed_out", "timed_out")
    assert "0.5 seconds" in outcome["message"]


@pytest.mark.slow
@pytest.mark.req("R7")
def test_a_sleeper_outlives_the_deadline_when_nobody_watches(rig: Rig) -> None:
    outcome = rig.run(SLEEP, seconds=1, limits={"wall_seconds": 0.5}, without=("watch",))

    assert "ESCAPED" in outcome["log"]


@pytest.mark.slow
@pytest.mark.req("S2")
@pytest.mark.parametrize(
    ("code", "options"),
    [
        pytest.param(LITTER, {"count": 200_000}, id="200000 small files"),
        pytest.param(DIG, {}, id="3000 nested folders"),
        pytest.param(FILL, {"count": 12, "seconds": 60}, id="many large files"),
    ],
)
def test_too_much_on_disk_has_its_name(rig: Rig, code: str, options: dict[str, int]) -> None:
    outcome = rig.run(code, limits={"disk_bytes": 10 * MIB, "file_bytes": 2 * MIB}, **options)

    assert (outcome["kind"], outcome["cause"]) == ("resource_limit", "disk")
    assert "ESCAPED" not in outcome["log"]
    remove_folder(rig.output)
    assert not rig.output.exists()


@pytest.mark.req("S2")
@pytest.mark.parametrize("seconds", [0, 60], ids=["at its end", "while it runs"])
def test_files_with_holes_count_with_their_size(rig: Rig, seconds: int) -> None:
    outcome = rig.run(HOLES, seconds=seconds, limits={"disk_bytes": 10 * MIB, "file_bytes": 2 * MIB})

    assert (outcome["kind"], outcome["cause"]) == ("resource_limit", "disk")


@pytest.mark.req("S2")
def test_more_threads_than_allowed_end_a_run_whose_user_is_not_its_own(rig: Rig) -> None:
    outcome = rig.run(THREADS, count=60, seconds=60, without=("identity",), limits={"processes": 40})

    assert (outcome["kind"], outcome["cause"]) == ("resource_limit", "processes")
    assert outcome["level"] == "confined"


@pytest.mark.req("S2")
def test_threads_are_there_when_nobody_watches(rig: Rig) -> None:
    outcome = rig.run(THREADS, count=60, seconds=0, without=("identity", "watch"), limits={"processes": 40})

    assert outcome["kind"] == "succeeded"


@pytest.mark.req("S2")
def test_files_without_a_name_are_noticed_once_the_disk_runs_low(rig: Rig) -> None:
    limits = {"disk_bytes": 10 * MIB, "free_disk_bytes": 1 << 60}

    outcome = rig.run(HIDE_FILES, count=200, seconds=60, limits=limits)  # more than other tests may free meanwhile

    assert (outcome["kind"], outcome["cause"]) == ("resource_limit", "disk")
    assert "ESCAPED" not in outcome["log"]


@pytest.mark.req("S2")
def test_files_without_a_name_are_noticed_once_few_more_files_fit_on_the_disk(rig: Rig) -> None:
    outcome = rig.run(HIDE_INODES, count=20_000, seconds=60, limits={"file_count": 1_000, "free_inodes": 1 << 60})

    assert (outcome["kind"], outcome["cause"]) == ("resource_limit", "disk")
    assert "ESCAPED" not in outcome["log"]


@pytest.mark.slow
@pytest.mark.req("S2")
def test_files_without_a_name_are_no_harm_while_the_disk_is_large(rig: Rig) -> None:
    outcome = rig.run(HIDE_FILES, count=5, seconds=0, limits={"disk_bytes": 10 * MIB, "free_disk_bytes": 1})

    assert outcome["kind"] == "succeeded"


@pytest.mark.slow
@pytest.mark.req("S2")
@pytest.mark.parametrize(
    ("code", "options"),
    [
        pytest.param(LITTER, {"count": 3_000}, id="3000 small files"),
        pytest.param(DIG, {}, id="3000 nested folders"),
        pytest.param(HIDE, {"seconds": 0}, id="an unreadable folder"),
        pytest.param(FILL, {"count": 12, "seconds": 0}, id="many large files"),
    ],
)
def test_disk_is_there_when_nobody_watches_and_is_cleaned_up(rig: Rig, code: str, options: dict[str, int]) -> None:
    limits = {"disk_bytes": 10 * MIB, "file_bytes": 2 * MIB}

    outcome = rig.run(code, limits=limits, without=("watch",), **options)

    assert "ESCAPED" in outcome["log"]
    remove_folder(rig.output)
    assert not rig.output.exists()


@pytest.mark.req("S2")
def test_a_folder_the_keeper_cannot_look_into_counts_as_too_much(rig: Rig) -> None:
    if rig.worker.user != "user":
        pytest.skip("nothing is unreadable for root")

    # In a user namespace of its own the keeper reads everything of its user.
    outcome = rig.run(HIDE, seconds=60, without=("identity",))

    assert (outcome["kind"], outcome["cause"]) == ("resource_limit", "disk")


@pytest.mark.req("S2")
def test_a_file_at_its_size_limit_has_its_name_whatever_the_child_says(rig: Rig) -> None:
    code = """
try:
    open("large", "wb").write(bytes(4 << 20))
except OSError:
    pass
"""
    outcome = rig.run(code, limits={"file_bytes": 1 * MIB})

    assert (outcome["kind"], outcome["cause"]) == ("resource_limit", "disk")


@pytest.mark.slow
@pytest.mark.req("S2")
def test_endless_output_is_cut_and_has_its_name(rig: Rig) -> None:
    before = rig.run("pass")["own_peak"]

    outcome = rig.run(BABBLE, count=160_000, limits={"output_bytes": 1 * MIB})

    assert (outcome["kind"], outcome["cause"]) == ("resource_limit", "output")
    assert len(outcome["log"]) <= MIB
    assert (outcome["own_peak"] - before) * 1024 < 32 * MIB  # of 10 GB


@pytest.mark.req("S2")
def test_output_is_kept_below_the_limit(rig: Rig) -> None:
    outcome = rig.run(BABBLE, count=64, limits={"output_bytes": 8 * MIB})

    assert outcome["kind"] == "succeeded"
    assert outcome["log"].endswith("ESCAPED")


@pytest.mark.req("S2")
def test_endless_events_are_output_too(rig: Rig) -> None:
    outcome = rig.run("while True: os.write(3, b'x' * 65536)", limits={"output_bytes": 1 * MIB})

    assert (outcome["kind"], outcome["cause"]) == ("resource_limit", "output")


@pytest.mark.req("S2")
def test_open_files_are_limited(rig: Rig) -> None:
    outcome = rig.run("kept = [open(os.devnull) for _ in range(100)]", limits={"open_files": 32})

    assert (outcome["kind"], outcome["code"]) == ("failed", "configuration_error")
    assert "Too many open files" in outcome["message"]


@pytest.mark.slow
@pytest.mark.req("R10")
def test_usage_is_measured(rig: Rig) -> None:
    outcome = rig.run("kept = bytearray(os.urandom(32 << 20)); sum(range(2_000_000))")

    assert outcome["kind"] == "succeeded"
    assert outcome["usage"]["cpu_seconds"] > 0
    assert outcome["usage"]["peak_memory_bytes"] > 32 * MIB
    assert outcome["usage"]["wall_seconds"] > 0
    assert sys.platform != "linux" or outcome["level"] == rig.worker.best_level


def test_a_run_takes_few_of_the_watches_that_all_processes_of_its_user_share(rig: Rig) -> None:
    # A watch is a file under a number. It stays when the number is given to another file, as long as the first is open.
    code = """
import resource, select
share = (resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 10) // 3
files = [number for _ in range(share // 2) for number in os.pipe()]
watchers = [select.epoll() for _ in range(share)]
count = 0
for file in files:
    first = max(watcher.fileno() for watcher in watchers) + 1
    for number in range(first, resource.getrlimit(resource.RLIMIT_NOFILE)[0]):
        os.dup2(file, number)
        for watcher in watchers:
            watcher.register(number)
            count += 1
        os.close(number)
print(count)
"""
    outcome = rig.run(code)

    # The kernel gives a user some 200,000 for each gigabyte of the host's memory, and each takes 200 bytes of it.
    assert 1_000 < int(outcome["log"]) < 100_000, outcome
