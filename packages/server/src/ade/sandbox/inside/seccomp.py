"""seccomp: the system calls a process may make. A fixed program, written here instruction by instruction.

Everything Python and data libraries need for computing stays; what reaches other processes, the network, the kernel's
rarer parts or memory outside the limit is refused. Calls newer than the list do not exist for the child.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct

from ade.sandbox.inside import syscalls
from ade.sandbox.inside.kernel import syscall
from ade.sandbox.inside.syscalls import number, numbers

Instruction = tuple[int, int, int, int]  # code, jump if true, jump if false, value
Block = list[Instruction]

_LOAD, _AND, _RETURN = 0x20, 0x54, 0x06
_IF_EQUAL, _IF_AT_LEAST, _IF_ANY_BIT = 0x15, 0x35, 0x45
_SET_MODE_FILTER = 1
_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32_BIT = 0x40000000
_FIRST_UNKNOWN = 457  # calls of Linux 6.8 and later

_NUMBER, _ARCHITECTURE = 0, 4
_ARGUMENTS = [16 + 8 * position for position in range(6)]  # low words; both machines are little-endian

_ALLOW: Instruction = (_RETURN, 0, 0, 0x7FFF0000)
_KILL: Instruction = (_RETURN, 0, 0, 0x80000000)
_REFUSE: Instruction = (_RETURN, 0, 0, 0x00050000 | errno.EPERM)
_UNKNOWN: Instruction = (_RETURN, 0, 0, 0x00050000 | errno.ENOSYS)
_IGNORE: Instruction = (_RETURN, 0, 0, 0x00050000)

_OTHER_PROCESSES = """ptrace process_vm_readv process_vm_writev process_madvise process_mrelease kcmp pidfd_open
    pidfd_getfd pidfd_send_signal tkill rt_sigqueueinfo rt_tgsigqueueinfo setpriority sched_setscheduler sched_setattr
    sched_setparam ioprio_set setsid setpgid fork vfork execve execveat"""
_PRIVILEGES = """setuid setgid setreuid setregid setresuid setresgid setfsuid setfsgid setgroups capset unshare setns
    chroot mount umount2 pivot_root fsopen fsconfig fsmount fspick open_tree move_mount mount_setattr seccomp
    chown fchown lchown fchownat"""
_KERNEL = """bpf perf_event_open userfaultfd io_uring_setup io_uring_enter io_uring_register io_setup add_key
    request_key keyctl init_module finit_module delete_module kexec_load kexec_file_load reboot swapon swapoff acct
    quotactl quotactl_fd name_to_handle_at open_by_handle_at personality iopl ioperm modify_ldt syslog settimeofday
    clock_settime clock_adjtime adjtimex sethostname setdomainname vhangup lookup_dcookie nfsservctl uselib mknod
    mknodat move_pages migrate_pages mbind set_mempolicy fanotify_init inotify_init inotify_init1 truncate"""
_HIDDEN_MEMORY = "memfd_create memfd_secret shmget shmat msgget semget mq_open"
# By number or name these reach what others made, where there is no namespace of its own.
_QUEUES_OF_OTHERS = "shmctl msgctl msgsnd msgrcv semctl semop semtimedop mq_unlink"
_LINKS = "link linkat symlink symlinkat"
_SOCKETS = "socket bind connect listen accept accept4"
# Landlock does not cover these. They answer "done" and do nothing, so that shutil.copy and its like keep working.
_METADATA = """chmod fchmod fchmodat fchmodat2 utime utimes utimensat futimesat setxattr lsetxattr fsetxattr
    removexattr lremovexattr fremovexattr"""

_CLONE_THREAD = 0x00010000
_CLONE_NEW_ANYTHING = 0x7E020080
# Parent death, dumpable, seccomp, memory map, subreaper, sharing a core, ptracer.
_PRCTL_REFUSED = (1, 4, 22, 35, 36, 62, 0x59616D61)
_FCNTL_REFUSED = (8, 10, 15)  # F_SETOWN, F_SETSIG, F_SETOWN_EX: would signal another process
_IOCTL_REFUSED = (0x5412, 0x541C, 0x8901, 0x8902)  # TIOCSTI, TIOCLINUX, FIOSETOWN, SIOCSPGRP
_RENAME_WHITEOUT = 4  # leaves a device behind, whatever Landlock says about making one
_AF_UNIX, _AF_INET, _AF_INET6, _SOCK_STREAM = 1, 2, 10, 1


def restrict(*, is_network_allowed: bool) -> None:
    """Leave this process and its threads only harmless calls, for good. Needs no_new_privileges."""
    if not syscalls.is_known_machine():
        raise OSError(errno.ENOSYS, f"no seccomp program for {syscalls.machine()}")
    content = b"".join(struct.pack("=HBBI", *line) for line in program(is_network_allowed=is_network_allowed))
    filters = ctypes.create_string_buffer(content, len(content))
    header = struct.pack("@HP", len(content) // 8, ctypes.addressof(filters))
    syscall("seccomp", _SET_MODE_FILTER, 0, header)


def program(*, is_network_allowed: bool) -> Block:
    """Return the filter for the process that asks: it names its own process id."""
    refused = numbers(f"{_OTHER_PROCESSES} {_PRIVILEGES} {_KERNEL} {_HIDDEN_MEMORY} {_QUEUES_OF_OTHERS} {_LINKS}")
    if not is_network_allowed:
        refused += numbers(_SOCKETS)
    return [
        *_only_this_architecture(),
        *_on("clone3", [_UNKNOWN]),  # its flags lie in memory, where no filter sees them; libc falls back to clone
        *_on("openat2", [_UNKNOWN]),
        *_on("open", _unless_truncating(1)),
        *_on("openat", _unless_truncating(2)),
        *_on("clone", _clone()),
        *_on("kill", _only_if_first_argument_is(os.getpid())),
        *_on("tgkill", _only_if_first_argument_is(os.getpid())),
        *_on("prlimit64", _only_if_first_argument_is(0)),
        *_on("sched_setaffinity", _only_if_first_argument_is(0)),
        *_on("renameat2", _unless_bit(4, _RENAME_WHITEOUT)),
        *_on("prctl", _unless_argument(0, _PRCTL_REFUSED)),
        *_on("fcntl", _unless_argument(1, _FCNTL_REFUSED)),
        *_on("ioctl", _unless_argument(1, _IOCTL_REFUSED)),
        *_on("socketpair", _socketpair()),
        *(_on("socket", _only_internet()) if is_network_allowed else []),
        *(line for found in sorted(refused) for line in ((_IF_EQUAL, 0, 1, found), _REFUSE)),
        *(line for found in numbers(_METADATA) for line in ((_IF_EQUAL, 0, 1, found), _IGNORE)),
        _ALLOW,
    ]


def _only_this_architecture() -> Block:
    """Refuse the calls of other instruction sets, whose numbers mean something else."""
    check: Block = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_IF_EQUAL, 1, 0, _ARCHITECTURES[syscalls.machine()]),
        _KILL,
        (_LOAD, 0, 0, _NUMBER),
    ]
    x32: Block = [(_IF_AT_LEAST, 0, 1, _X32_BIT), _KILL] if syscalls.machine() == "x86_64" else []
    return [*check, *x32, (_IF_AT_LEAST, 0, 1, _FIRST_UNKNOWN), _UNKNOWN]


def _on(name: str, block: Block) -> Block:
    """Run the block for one call; every path through it must return."""
    found = number(name)
    return [] if found is None else [(_IF_EQUAL, 0, len(block), found), *block]


def _clone() -> Block:
    return [
        (_LOAD, 0, 0, _ARGUMENTS[0]),
        (_IF_ANY_BIT, 0, 1, _CLONE_NEW_ANYTHING),
        _REFUSE,
        (_IF_ANY_BIT, 1, 0, _CLONE_THREAD),
        _REFUSE,
        _ALLOW,
    ]


def _only_if_first_argument_is(value: int) -> Block:
    return [(_LOAD, 0, 0, _ARGUMENTS[0]), (_IF_EQUAL, 1, 0, value), _REFUSE, _ALLOW]


def _unless_argument(position: int, values: tuple[int, ...]) -> Block:
    tests = [line for value in values for line in ((_IF_EQUAL, 0, 1, value), _REFUSE)]
    return [(_LOAD, 0, 0, _ARGUMENTS[position]), *tests, _ALLOW]


def _unless_bit(position: int, bit: int) -> Block:
    return [(_LOAD, 0, 0, _ARGUMENTS[position]), (_IF_ANY_BIT, 0, 1, bit), _REFUSE, _ALLOW]


def _unless_truncating(position: int) -> Block:
    """Refuse to empty a file by opening it for reading: the first versions of Landlock let that pass."""
    return [
        (_LOAD, 0, 0, _ARGUMENTS[position]),
        (_IF_ANY_BIT, 0, 3, os.O_TRUNC),
        (_AND, 0, 0, os.O_ACCMODE),
        (_IF_EQUAL, 0, 1, os.O_RDONLY),
        _REFUSE,
        _ALLOW,
    ]


def _socketpair() -> Block:
    """Allow connected streams (asyncio wakes itself with one). A datagram socket could write to any socket file."""
    return [
        (_LOAD, 0, 0, _ARGUMENTS[0]),
        (_IF_EQUAL, 1, 0, _AF_UNIX),
        _REFUSE,
        (_LOAD, 0, 0, _ARGUMENTS[1]),
        (_AND, 0, 0, 0xF),
        (_IF_EQUAL, 1, 0, _SOCK_STREAM),
        _REFUSE,
        _ALLOW,
    ]


def _only_internet() -> Block:
    return [
        (_LOAD, 0, 0, _ARGUMENTS[0]),
        (_IF_EQUAL, 2, 0, _AF_INET),
        (_IF_EQUAL, 1, 0, _AF_INET6),
        _REFUSE,
        _ALLOW,
    ]
