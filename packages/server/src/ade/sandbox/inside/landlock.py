"""Landlock: the files a process may reach, whatever its user may."""

from __future__ import annotations

import ctypes
import os
import stat
import struct
from collections.abc import Iterable

from ade.sandbox.inside.kernel import syscall

_VERSION = 1
_PATH_BENEATH = 1
(
    _EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR, _REMOVE_DIR, _REMOVE_FILE, _MAKE_CHAR, _MAKE_DIR, _MAKE_REG,
    _MAKE_SOCK, _MAKE_FIFO, _MAKE_BLOCK, _MAKE_SYM, _REFER, _TRUNCATE, _IOCTL_DEV,
) = (1 << bit for bit in range(16))  # fmt: skip

_READ = _READ_FILE | _READ_DIR
# No links, pipes, sockets or devices: the collector should meet none. Nothing is executable.
_WRITE = _READ | _WRITE_FILE | _REMOVE_DIR | _REMOVE_FILE | _MAKE_DIR | _MAKE_REG | _REFER | _TRUNCATE
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV
_FIRST_WITH_TCP = 4
_NET_PORT = 2
_TCP = 0b11
_TCP_CONNECT = 0b10
_ABSTRACT_SOCKETS_AND_SIGNALS = 0b11

# Not /dev/zero: mapped, it is shared memory that counts to no process.
DEVICES = ("/dev/null", "/dev/urandom", "/dev/random")
# A device that everybody may read and write, unless Landlock refuses it.
REFUSED_DEVICE = "/dev/full"


def version() -> int:
    """Return the newest Landlock this kernel speaks; 0 for none."""
    try:
        return syscall("landlock_create_ruleset", None, 0, _VERSION)
    except OSError:
        return 0


def restrict(*, readable: Iterable[str], writable: Iterable[str], ports: Iterable[int] | None = ()) -> None:
    """Leave this process only these paths, for good, and TCP to these ports (None: to all). Needs no_new_privileges."""
    handled = _handled(version())
    ruleset = syscall("landlock_create_ruleset", *_attributes(handled, is_tcp_handled=ports is not None), 0)
    try:
        for path in readable:
            _allow(ruleset, path, _READ & handled)
        for path in writable:
            _allow(ruleset, path, _WRITE & handled)
        for path in DEVICES:
            _allow(ruleset, path, (_READ_FILE | _WRITE_FILE) & handled)
        for port in ports or () if version() >= _FIRST_WITH_TCP else ():
            _allow_port(ruleset, port)
        syscall("landlock_restrict_self", ruleset, 0)
    finally:
        os.close(ruleset)


def _handled(abi: int) -> int:
    bit_count = 13 + (abi >= 2) + (abi >= 3) + (abi >= 5)
    return int((1 << bit_count) - 1)


def _attributes(handled: int, *, is_tcp_handled: bool) -> tuple[bytes, int]:
    abi = version()
    words = [handled]
    if abi >= _FIRST_WITH_TCP:
        words.append(_TCP if is_tcp_handled else 0)
    if abi >= 6:
        words.append(_ABSTRACT_SOCKETS_AND_SIGNALS)
    content = struct.pack(f"={len(words)}Q", *words)
    return content, len(content)


def _allow(ruleset: int, path: str, access: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except (FileNotFoundError, PermissionError):
        return  # not every system has every folder of libraries, or lets everyone in
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            access &= _OF_FILES
        rule = ctypes.create_string_buffer(struct.pack("=Qi", access, descriptor))
        syscall("landlock_add_rule", ruleset, _PATH_BENEATH, rule, 0)
    finally:
        os.close(descriptor)


def _allow_port(ruleset: int, port: int) -> None:
    rule = ctypes.create_string_buffer(struct.pack("=QQ", _TCP_CONNECT, port))
    syscall("landlock_add_rule", ruleset, _NET_PORT, rule, 0)
