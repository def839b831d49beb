"""seccomp: the system calls a process may make. A fixed program, written here instruction by instruction.

What Python and data libraries need for computing is allowed, by the lists of `allowed`. What reaches other processes,
the network, the kernel's rarer parts or memory outside the limit is refused by name; every other call does not exist.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct

from ade.sandbox.inside import allowed, syscalls
from ade.sandbox.inside.kernel import syscall
from ade.sandbox.inside.syscalls import number, numbers

Instruction = tuple[int, int, int, int]  # code, jump if true, jump if false, value
Block = list[Instruction]

_LOAD, _AND, _RETURN = 0x20, 0x54, 0x06
_IF_EQUAL, _IF_AT_LEAST, _IF_ANY_BIT = 0x15, 0x35, 0x45
_SET_MODE_FILTER = 1
_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32_BIT = 0x40000000

_NUMBER, _ARCHITECTURE = 0, 4
_ARGUMENTS = [16 + 8 * position for position in range(6)]  # low words; both machines are little-endian

_ALLOW: Instruction = (_RETURN, 0, 0, 0x7FFF0000)
_KILL: Instruction = (_RETURN, 0, 0, 0x80000000)
_REFUSE: Instruction = (_RETURN, 0, 0, 0x00050000 | errno.EPERM)
_UNKNOWN: Instruction = (_RETURN, 0, 0, 0x00050000 | errno.ENOSYS)
_INVALID: Instruction = (_RETURN, 0, 0, 0x00050000 | errno.EINVAL)
_NO_SUCH_CONTROL: Instruction = (_RETURN, 0, 0, 0x00050000 | errno.ENOTTY)
_NOT_SUPPORTED: Instruction = (_RETURN, 0, 0, 0x00050000 | errno.EOPNOTSUPP)
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
# sendfile puts pages of a file into a buffer that counts the bytes of them that are sent: one, if a run likes.
_HIDDEN_MEMORY = "memfd_create memfd_secret shmget shmat msgget semget mq_open splice tee vmsplice sendfile"
# By number or name these reach what others made, where there is no namespace of its own.
_QUEUES_OF_OTHERS = "shmctl msgctl msgsnd msgrcv semctl semop semtimedop mq_unlink"
_LINKS = "link linkat symlink symlinkat"
_SERVERS = "bind listen accept accept4"
# They carry descriptors; those under way count for all processes of a user together, so the worker would have none.
_MESSAGES = "sendmsg sendmmsg recvmsg recvmmsg"
_SOCKETS = "socket setsockopt connect"
# Landlock does not cover these. They answer "done" and do nothing, so that shutil.copy and its like keep working.
_METADATA = """chmod fchmod fchmodat fchmodat2 utime utimes utimensat futimesat setxattr lsetxattr fsetxattr
    removexattr lremovexattr fremovexattr"""
_OF_THE_WHOLE_HOST = "sync syncfs"  # would have the disks of everybody written

_CLONE_THREAD, _CLONE_FILES = 0x00010000, 0x00000400
_CLONE_NEW_ANYTHING = 0x7E020080
_RENAME_WHITEOUT = 4  # leaves a device behind, whatever Landlock says about making one
_CLOSE_RANGE_UNSHARE = 2
_MAP_HUGETLB = 0x40000  # pages that count to no process
_MAP_SHARED, _MAP_ANONYMOUS = 0x01, 0x20
_F_SETFL = 4
_NAMELESS = os.O_TMPFILE & ~os.O_DIRECTORY if hasattr(os, "O_TMPFILE") else 0
_PACKETS = getattr(os, "O_DIRECT", 0)
_OUT_OF_BAND = 1  # rarely used, and with a history of faults in the kernel
_WITHOUT_CONNECT = 0x20000000  # MSG_FASTOPEN connects where Landlock does not look
_AF_UNIX, _AF_INET, _SOCK_STREAM, _TCP = 1, 2, 1, 6


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
    refused += numbers(f"{_SERVERS} {_MESSAGES}")
    return [
        *_only_this_architecture(),
        *_on("clone3", [_UNKNOWN]),  # its flags lie in memory, where no filter sees them; libc falls back to clone
        *_on("openat2", [_UNKNOWN]),
        *_checked_by_arguments(),
        *(_with_network() if is_network_allowed else _each(numbers(_SOCKETS), _REFUSE)),
        *_each(refused, _REFUSE),
        *_each(numbers(f"{_METADATA} {_OF_THE_WHOLE_HOST}"), _IGNORE),
        *_each(numbers(f"{allowed.CALLS} connect"), _ALLOW),
        _UNKNOWN,
    ]


def _checked_by_arguments() -> Block:
    """Return the rules of calls that are allowed for some arguments only."""
    return [
        *_on("open", _open(1)),
        *_on("openat", _open(2)),
        *_on("clone", _clone()),
        *_on("kill", _only_if_first_argument_is(os.getpid())),
        *_on("tgkill", _only_if_first_argument_is(os.getpid())),
        *_on("prlimit64", _only_if_first_argument_is(0)),
        *_on("sched_setaffinity", _only_if_first_argument_is(0)),
        *_on("renameat2", _unless_bit(4, _RENAME_WHITEOUT)),
        *_on("close_range", _unless_bit(2, _CLOSE_RANGE_UNSHARE)),
        *_on("mmap", _mmap()),
        # Takes the space of a whole file in one call, before anybody can look; libc writes zeros instead.
        *_on("fallocate", [_NOT_SUPPORTED]),
        *_on("prctl", _by_argument(0, allowed.PRCTL, otherwise=_REFUSE)),
        *_on("fcntl", _fcntl()),
        *_on("ioctl", _by_argument(1, allowed.IOCTL, otherwise=_NO_SUCH_CONTROL)),
        *_on("socketpair", _socketpair()),
        *_on("sendto", _unless_bit(3, _OUT_OF_BAND | _WITHOUT_CONNECT)),
        *_on("recvfrom", _unless_bit(3, _OUT_OF_BAND)),
    ]


def _each(found: list[int], answer: Instruction) -> Block:
    """Give each of the calls the same answer."""
    return [line for one in sorted(found) for line in ((_IF_EQUAL, 0, 1, one), answer)]


def _only_this_architecture() -> Block:
    """Refuse the calls of other instruction sets, whose numbers mean something else."""
    check: Block = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_IF_EQUAL, 1, 0, _ARCHITECTURES[syscalls.machine()]),
        _KILL,
        (_LOAD, 0, 0, _NUMBER),
    ]
    x32: Block = [(_IF_AT_LEAST, 0, 1, _X32_BIT), _KILL] if syscalls.machine() == "x86_64" else []
    return [*check, *x32]


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
        (_IF_ANY_BIT, 1, 0, _CLONE_FILES),  # else each thread has as many descriptors as the run may have
        _REFUSE,
        _ALLOW,
    ]


def _only_if_first_argument_is(value: int) -> Block:
    return [(_LOAD, 0, 0, _ARGUMENTS[0]), (_IF_EQUAL, 1, 0, value), _REFUSE, _ALLOW]


def _by_argument(
    position: int, values: tuple[int, ...], *, otherwise: Instruction, ignored: tuple[int, ...] = ()
) -> Block:
    """Allow a call for these values of an argument; those ignored are answered with "done"."""
    return [
        (_LOAD, 0, 0, _ARGUMENTS[position]),
        *_each(list(values), _ALLOW),
        *_each(list(ignored), _IGNORE),
        otherwise,
    ]


def _unless_bit(position: int, bit: int) -> Block:
    return [(_LOAD, 0, 0, _ARGUMENTS[position]), (_IF_ANY_BIT, 0, 1, bit), _REFUSE, _ALLOW]


def _fcntl() -> Block:
    """Allow some commands, but not to turn a pipe into one of packets: its reader gets one of them each time."""
    flags: Block = [(_LOAD, 0, 0, _ARGUMENTS[2]), (_IF_ANY_BIT, 0, 1, _PACKETS), _INVALID, _ALLOW]
    others = _by_argument(1, allowed.FCNTL, ignored=allowed.FCNTL_IGNORED, otherwise=_INVALID)
    return [(_LOAD, 0, 0, _ARGUMENTS[1]), (_IF_EQUAL, 0, len(flags), _F_SETFL), *flags, *others]


def _mmap() -> Block:
    """Refuse shared memory without a file: a mapping of one page of it keeps all that was ever written there.

    The rest counts neither to the memory of the process nor to its address space.
    """
    nameless = _MAP_SHARED | _MAP_ANONYMOUS
    return [
        (_LOAD, 0, 0, _ARGUMENTS[3]),
        (_IF_ANY_BIT, 0, 1, _MAP_HUGETLB),
        _REFUSE,
        (_AND, 0, 0, nameless),
        (_IF_EQUAL, 0, 1, nameless),
        _REFUSE,
        _ALLOW,
    ]


def _open(position: int) -> Block:
    """Refuse files without a name, which no folder shows.

    And refuse to empty a file by opening it for reading: the first versions of Landlock let that pass.
    """
    return [
        (_LOAD, 0, 0, _ARGUMENTS[position]),
        (_IF_ANY_BIT, 0, 1, _NAMELESS),
        _NOT_SUPPORTED,
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


def _with_network() -> Block:
    return [*_on("socket", _only_tcp()), *_on("setsockopt", _socket_options())]


def _socket_options() -> Block:
    """Allow options by level, and refuse the rest: a buffer that a run enlarges is memory no limit counts."""
    levels = [
        line
        for level, options in allowed.SOCKET_OPTIONS.items()
        for block in [_by_argument(2, options, otherwise=_REFUSE)]
        for line in ((_IF_EQUAL, 0, len(block), level), *block)
    ]
    return [(_LOAD, 0, 0, _ARGUMENTS[1]), *levels, _REFUSE]


def _only_tcp() -> Block:
    """Allow TCP over IPv4: the proxy inside the network namespace listens on nothing else."""
    return [
        (_LOAD, 0, 0, _ARGUMENTS[0]),
        (_IF_EQUAL, 1, 0, _AF_INET),
        _REFUSE,
        (_LOAD, 0, 0, _ARGUMENTS[1]),
        (_AND, 0, 0, 0xF),
        (_IF_EQUAL, 1, 0, _SOCK_STREAM),
        _REFUSE,
        (_LOAD, 0, 0, _ARGUMENTS[2]),
        (_IF_EQUAL, 2, 0, 0),
        (_IF_EQUAL, 1, 0, _TCP),
        _REFUSE,
        _ALLOW,
    ]
