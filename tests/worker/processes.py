"""What runs on this machine, by process id and start: a number given to another process is not the same one."""

from pathlib import Path

Process = tuple[int, str]  # id, when it started


def below(pid: int) -> set[Process]:
    """Return all processes that a process started, and those they started."""
    parents: dict[int, list[int]] = {}
    for number in _numbers():
        if (facts := _facts(number)) is not None:
            parents.setdefault(int(facts[1]), []).append(number)
    found: list[int] = []
    waiting = [pid]
    while waiting:
        children = parents.get(waiting.pop(), [])
        found += children
        waiting += children
    return {process for number in found if (process := identify(number)) is not None}


def children(pid: int) -> set[Process]:
    """Return the processes that a process started itself."""
    found = {number for number in _numbers() if (facts := _facts(number)) is not None and int(facts[1]) == pid}
    return {process for number in found if (process := identify(number)) is not None}


def identify(pid: int) -> Process | None:
    """Return the process of this number, or None."""
    facts = _facts(pid)
    return None if facts is None else (pid, facts[19])


def living(processes: set[Process]) -> set[Process]:
    """Return those that still run."""
    return {process for process in processes if identify(process[0]) == process and not _is_zombie(process[0])}


def names(processes: set[Process]) -> dict[int, str]:
    """Return the command of each, for messages."""
    return {pid: _command(pid) for pid, _ in living(processes)}


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


def _numbers() -> list[int]:
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]


def _facts(pid: int) -> list[str] | None:
    """Return the fields of a process behind its name: state, parent, …"""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None


def _is_zombie(pid: int) -> bool:
    facts = _facts(pid)
    return facts is None or facts[0] == "Z"
