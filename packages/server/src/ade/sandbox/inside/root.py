"""Gives a process a file tree of its own: the paths it may read or write, and nothing else of the host.

Landlock refuses to open everything else, but not to ask for its size, owner and time; nor which processes there are.
"""

from __future__ import annotations

import os
import stat
import struct
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from ade.sandbox.inside.kernel import syscall

_NEW_NAMESPACE = 0x00020000
_NOSUID, _NODEV, _BIND, _RECURSIVE, _PRIVATE = 2, 4, 0x1000, 0x4000, 1 << 18
_DETACH = 2
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
_ATTRIBUTE_READ_ONLY, _ATTRIBUTE_NOSUID, _ATTRIBUTE_NODEV = 1, 2, 4
_MOST_LINKS = 40
# Where the tree is put together: a folder that every host has, and that holds nothing of what goes into it.
_BASE = "/proc"


@dataclass(slots=True)
class _Plan:
    """What the tree holds: paths of the host, read-only or not, and the links that lead to them."""

    is_writable: dict[str, bool] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)

    def add(self, path: str, *, is_writable: bool = False) -> None:
        """Add a path with all links on the way to it; one that does not exist is left out."""
        links: dict[str, str] = {}
        try:
            found = _resolve(path, links)
        except OSError:
            return
        self.links |= links
        self.is_writable[found] = is_writable or self.is_writable.get(found, False)

    def mounts(self) -> list[str]:
        """Return what must be mounted, the outer before the inner; what lies in a folder comes with it."""
        chosen: list[str] = []
        for path in sorted(self.is_writable):
            outer = next((one for one in reversed(chosen) if _is_beneath(path, one)), None)
            if outer is None or self.is_writable[path] != self.is_writable[outer]:
                chosen.append(path)
        return chosen


def enter(*, readable: Iterable[str], writable: Iterable[str], devices: Iterable[str]) -> None:
    """Leave this process only these paths, under their own names. If that fails, nothing has changed."""
    working_folder = Path.cwd()
    plan = _Plan()
    for path in (*readable, *devices):
        plan.add(path)
    for path in writable:
        plan.add(path, is_writable=True)
    syscall("unshare", _NEW_NAMESPACE)
    syscall("mount", None, b"/", None, _RECURSIVE | _PRIVATE, None)
    syscall("mount", b"ade", _BASE.encode(), b"tmpfs", _NOSUID | _NODEV, b"mode=755,size=1m")
    old_mask = os.umask(0o022)
    try:
        _furnish(plan)
        # Not pivot_root: to unmount the old root takes the kernel milliseconds. Out of here would lead only a
        # descriptor of a folder, which this process has not, or a right that it gives up next.
        os.chroot(_BASE)
    except OSError:
        with suppress(OSError):
            syscall("umount2", _BASE.encode(), _DETACH)
        raise
    finally:
        os.umask(old_mask)
        os.chdir(working_folder)


def is_entered() -> bool:
    """Return whether this process sees a tree of its own: without the host's processes, and not to be changed."""
    return not Path("/proc").exists() and bool(os.statvfs("/").f_flag & os.ST_RDONLY)


def _furnish(plan: _Plan) -> None:
    mounts = plan.mounts()
    for path in mounts:
        _bind(path, is_writable=plan.is_writable[path])
    for link, target in plan.links.items():
        if not any(_is_beneath(link, path) for path in mounts):
            place = Path(f"{_BASE}{link}")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to(target)
    _set_attributes(_BASE, _ATTRIBUTE_READ_ONLY, flags=0)


def _bind(path: str, *, is_writable: bool) -> None:
    place, mode = Path(f"{_BASE}{path}"), Path(path).stat().st_mode
    if stat.S_ISDIR(mode):
        place.mkdir(parents=True, exist_ok=True)
    elif not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch()
    syscall("mount", path.encode(), bytes(place), None, _BIND | _RECURSIVE, None)
    attributes = _ATTRIBUTE_NOSUID
    if stat.S_ISDIR(mode) or stat.S_ISREG(mode):
        attributes |= _ATTRIBUTE_NODEV | (0 if is_writable else _ATTRIBUTE_READ_ONLY)
    _set_attributes(str(place), attributes, flags=_AT_RECURSIVE)


def _set_attributes(path: str, attributes: int, *, flags: int) -> None:
    wanted = struct.pack("=QQQQ", attributes, 0, 0, 0)
    syscall("mount_setattr", _AT_FDCWD, path.encode(), flags, wanted, len(wanted))


def _resolve(path: str, links: dict[str, str]) -> str:
    """Return the path without links, and note each link that it leads over."""
    left, current, link_count = path.split("/")[::-1], "", 0
    while left:
        part = left.pop()
        if part in ("", "."):
            continue
        if part == "..":
            current = current.rpartition("/")[0]
            continue
        place = f"{current}/{part}"
        if not stat.S_ISLNK(os.lstat(place).st_mode):
            current = place
            continue
        link_count += 1
        if link_count > _MOST_LINKS:
            raise OSError(f"{path} has too many links")
        target = str(Path(place).readlink())
        links[place] = target
        left += target.split("/")[::-1]
        current = "" if target.startswith("/") else current
    return current or "/"


def _is_beneath(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")
