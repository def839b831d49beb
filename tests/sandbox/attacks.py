"""What hostile user code tries, and which layers keep it from succeeding.

Each attack says ESCAPED or refused for everything it tries. With its layers off all of it must escape, or it proves
nothing. Everything aims at processes, files and sockets the test itself made, and is bounded when it succeeds.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Attack:
    """Code, the layers that stop it, and the requirement they fulfil.

    `privileged` tries need rights that an ordinary user has not got, whatever the layers.
    """

    code: str
    layers: tuple[str, ...]
    req: str
    privileged: tuple[str, ...] = ()


# A process that shares the worker's user, capabilities and process ids may do to it what the user may.
_WORKER_LAYERS = ("seccomp", "landlock", "identity", "capabilities", "pid_namespace", "mount_namespace")
_NETWORK_LAYERS = ("seccomp", "landlock", "network_namespace", "mount_namespace")

ATTACKS = {
    "01 environment of the worker": Attack(
        """
def secret():
    must("DATABASE_URL" in os.environ)
attempt("environ", secret)
""",
        ("environment",),
        "S1",
    ),
    "02 inherited descriptors": Attack(
        """
def count():
    found = []
    for number in range(4, 256):
        try:
            os.fstat(number)
        except OSError:
            continue
        found.append(number)
    must(found)
    return found
attempt("descriptors", count)
""",
        ("descriptors",),
        "S4",
    ),
    "03 the worker's private key": Attack(
        """
attempt("read", lambda: open(OPTIONS["key"]).read())
attempt("list", lambda: os.listdir(os.path.dirname(OPTIONS["key"])))
""",
        ("landlock", "mount_namespace"),
        "S4",
    ),
    "04 another run": Attack(
        """
attempt("read", lambda: open(OPTIONS["other_run"]).read())
attempt("list", lambda: os.listdir(OPTIONS["runs"]))
attempt("upwards", lambda: open("../../other/output/normalized.csv").read())
""",
        ("landlock", "mount_namespace"),
        "S4",
    ),
    "05 writing elsewhere": Attack(
        """
def leave(folder):
    path = f"{folder}/ade-abuse-{os.urandom(8).hex()}"
    open(path, "w").write("x")
    os.unlink(path)
attempt("beside", lambda: leave(os.path.dirname(OPTIONS["outside"])))
attempt("tmp", lambda: leave("/tmp"))
attempt("shm", lambda: leave("/dev/shm"))
attempt("overwrite", lambda: open(OPTIONS["outside"], "w").write("changed"))
attempt("move", lambda: os.rename(OPTIONS["outside"], "stolen"))
""",
        ("landlock", "mount_namespace"),
        "S1",
    ),
    "06 changing the input": Attack(
        """
attempt("write", lambda: open(OPTIONS["input"], "w").write("changed"))
attempt("remove", lambda: os.unlink(OPTIONS["input"]))
""",
        ("landlock", "mount_namespace"),
        "S1",
    ),
    "06b emptying the input by reading it": Attack(
        """
attempt("open", lambda: os.close(os.open(OPTIONS["input"], os.O_RDONLY | os.O_TRUNC)))
""",
        ("seccomp", "landlock", "mount_namespace"),
        "S1",
    ),
    "07 changing the build": Attack(
        """
attempt("module", lambda: open(OPTIONS["build"] + "/module.py", "w").write("changed"))
attempt("pth", lambda: open(OPTIONS["build"] + "/evil.pth", "w").write("import os"))
""",
        ("landlock", "mount_namespace"),
        "S1",
    ),
    "09 TCP to the host": Attack(
        """
import socket
attempt("connect", lambda: socket.create_connection(("127.0.0.1", OPTIONS["port"]), 5).close())
""",
        _NETWORK_LAYERS,
        "S3",
    ),
    "10 TCP by raw system calls": Attack(
        """
import struct
def connect():
    number = syscall("socket", 2, 1, 0)
    address = struct.pack("=H", 2) + struct.pack("!H", OPTIONS["port"]) + bytes([127, 0, 0, 1]) + bytes(8)
    return syscall("connect", number, address, 16)
attempt("connect", connect)
""",
        _NETWORK_LAYERS,
        "S3",
    ),
    "11a UDP": Attack(
        """
import socket
def send():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        return s.sendto(b"x", ("127.0.0.1", OPTIONS["port"]))
attempt("send", send)
""",
        _NETWORK_LAYERS,
        "S3",
    ),
    "11b netlink": Attack(
        """
import socket
attempt("netlink", lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0).close())
attempt("vsock", lambda: reaches_kernel("socket", 40, 1, 0))
""",
        ("seccomp",),
        "S3",
    ),
    "11c unix sockets": Attack(
        """
import socket
def connect(address, kind):
    with socket.socket(socket.AF_UNIX, kind) as s:
        s.connect(address)
attempt("path", lambda: connect(OPTIONS["stream_socket"], socket.SOCK_STREAM))
attempt("abstract", lambda: connect("\\0" + OPTIONS["abstract_socket"], socket.SOCK_STREAM))
""",
        _NETWORK_LAYERS,
        "S3",
    ),
    "11d datagrams from a socket pair": Attack(
        """
import socket
def send():
    first, second = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with first, second:
        return first.sendto(b"x", OPTIONS["datagram_socket"])
attempt("send", send)
""",
        ("seccomp", "mount_namespace"),
        "S3",
    ),
    "11e rare ways to send": Attack(
        """
import socket
first, second = socket.socketpair()
attempt("out of band", lambda: reaches_kernel("sendto", first.fileno(), b"x", 1, 1, None, 0))
attempt("read out of band", lambda: reaches_kernel("recvfrom", second.fileno(), bytes(1), 1, 0x41, None, None))
attempt("without connecting", lambda: reaches_kernel("sendto", first.fileno(), b"x", 1, 0x20000000, None, 0))
first.close(), second.close()
""",
        ("seccomp",),
        "S4",
    ),
    "12 io_uring": Attack(
        """attempt("setup", lambda: reaches_kernel("io_uring_setup", 4, None))""",
        ("seccomp",),
        "S4",
    ),
    "13 the worker's memory and environment in /proc": Attack(
        """
worker = OPTIONS["worker"]
attempt("environ", lambda: must(b"DATABASE_URL" in open(f"/proc/{worker}/environ", "rb").read()))
attempt("mem", lambda: open(f"/proc/{worker}/mem", "rb").close())
attempt("cmdline", lambda: open(f"/proc/{worker}/cmdline", "rb").read())
attempt("descriptors", lambda: os.listdir(f"/proc/{worker}/fd"))
""",
        _WORKER_LAYERS,
        "S4",
    ),
    "14 the worker as a debugger would": Attack(
        """
worker = OPTIONS["worker"]
attempt("ptrace", lambda: syscall("ptrace", 0x4206, worker, 0, 0))
attempt("process_vm_readv", lambda: reaches_kernel("process_vm_readv", worker, ctypes.create_string_buffer(16), 1,
                                                   ctypes.create_string_buffer(16), 1, 0))
def steal():
    return syscall("pidfd_getfd", syscall("pidfd_open", worker, 0), 0, 0)
attempt("pidfd_getfd", steal)
""",
        _WORKER_LAYERS,
        "S4",
    ),
    "15 signals to others": Attack(
        """
import fcntl
attempt("worker", lambda: os.kill(OPTIONS["worker"], 0))
attempt("everyone", lambda: os.kill(-1, 0))
attempt("parent", lambda: os.kill(os.getppid(), 0))
attempt("group", lambda: os.kill(0, 0))
reading, writing = os.pipe()
attempt("by descriptor", lambda: fcntl.fcntl(reading, fcntl.F_SETOWN, OPTIONS["worker"]))
attempt("limits", lambda: syscall("prlimit64", os.getppid(), 7, None, None))
""",
        _WORKER_LAYERS,
        "S4",
    ),
    "15b the processors of others": Attack(
        """
attempt("worker", lambda: os.sched_setaffinity(OPTIONS["worker"], os.sched_getaffinity(0)))
attempt("core", lambda: reaches_kernel("prctl", 62, 1, OPTIONS["worker"], 0, 0))
""",
        ("seccomp", "identity", "capabilities", "pid_namespace"),
        "S4",
    ),
    "16 metadata of files outside": Attack(
        """
path = OPTIONS["outside"]
def change(act, field):
    before = os.stat(path)
    act()
    must(getattr(os.stat(path), field) != getattr(before, field))
attempt("chmod", lambda: change(lambda: os.chmod(path, 0o600), "st_mode"))
attempt("utime", lambda: change(lambda: os.utime(path, (1, 1)), "st_mtime"))
attempt("truncate", lambda: change(lambda: os.truncate(path, 0), "st_size"))
attempt("watch", lambda: syscall("inotify_init1", 0))
""",
        ("seccomp", "landlock", "identity", "mount_namespace"),
        "S1",
    ),
    "16b what there is on the host": Attack(
        """
attempt("process", lambda: os.stat(f"/proc/{OPTIONS['worker']}"))
attempt("size", lambda: os.stat(OPTIONS["key"]).st_size)
attempt("access", lambda: must(os.access(OPTIONS["other_run"], os.F_OK)))
attempt("link", lambda: os.readlink("/proc/self/ns/user"))
attempt("users", lambda: os.stat("/etc/passwd"))
attempt("mounts", lambda: os.statvfs("/proc"))
""",
        ("mount_namespace",),
        "S4",
    ),
    "30c namespaces of the host": Attack(
        """
import fcntl
attempt("owner", lambda: os.close(fcntl.ioctl(os.open("/proc/self/ns/pid", os.O_RDONLY), 0xb701)))
""",
        ("seccomp", "mount_namespace"),
        "S4",
    ),
    "30d questions to file systems": Attack(
        """
import fcntl
def ask(number, *word):
    with open("asked", "wb") as file:
        try:
            return fcntl.ioctl(file, number, *word)
        except OSError as error:
            if error.errno == errno.ENOTTY:
                raise
            return os.strerror(error.errno)
attempt("clone", lambda: ask(0x40049409, 200))
attempt("map", lambda: ask(0xC020660B, bytes(32)))
""",
        ("seccomp",),
        "S4",
    ),
    "17a fork bomb": Attack(
        """
import signal
def fork():
    for _ in range(40):
        if os.fork() == 0:
            signal.pause()
attempt("fork", fork)
""",
        ("seccomp", "limits"),
        "S2",
    ),
    "17c timers without number": Attack(
        """
def start():
    number = ctypes.c_int()
    for _ in range(5000):
        must(libc.timer_create(1, None, ctypes.byref(number)) == 0)
attempt("timers", start)
""",
        ("limits",),
        "S2",
    ),
    "17b thread bomb": Attack(
        """
import threading
never = threading.Event()
def start():
    for _ in range(400):
        threading.Thread(target=never.wait, daemon=True).start()
attempt("threads", start)
""",
        ("limits", "watch"),
        "S2",
    ),
    "19 memory outside the limit": Attack(
        """
attempt("memfd", lambda: os.close(os.memfd_create("x")))
def segment():
    number = syscall("shmget", 0, 1 << 20, 0o1600)
    libc.shmctl(number, 0, None)
attempt("shm", segment)
""",
        ("seccomp",),
        "S2",
    ),
    "19f memory that one mapped page keeps": Attack(
        """
import mmap
attempt("shared", lambda: mmap.mmap(-1, 1 << 20, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS).close())
attempt("validated", lambda: reaches_kernel("mmap", 0, 1 << 20, 3, 0x23, -1, 0))
def zeros():
    with open("/dev/zero", "rb+", buffering=0) as device:
        mmap.mmap(device.fileno(), 1 << 20).close()
attempt("zeros", zeros)
""",
        ("seccomp", "landlock", "mount_namespace"),
        "S2",
    ),
    "19g huge pages of which one part is kept": Attack(
        """
attempt("disabled", lambda: must(libc.prctl(42, 0, 0, 0, 0) == 0))
attempt("enable", lambda: must(libc.prctl(41, 0, 0, 0, 0) == 0))
""",
        ("seccomp", "limits"),
        "S2",
    ),
    "19h pipes of packets": Attack(
        """
import fcntl
flags = fcntl.fcntl(1, fcntl.F_GETFL)
attempt("log", lambda: fcntl.fcntl(1, fcntl.F_SETFL, flags | os.O_DIRECT))
attempt("messages", lambda: fcntl.fcntl(3, fcntl.F_SETFL, fcntl.fcntl(3, fcntl.F_GETFL) | os.O_DIRECT))
fcntl.fcntl(1, fcntl.F_SETFL, flags)
""",
        ("seccomp",),
        "S2",
    ),
    "19i pages that a buffer keeps for a byte of each": Attack(
        """
import socket
first, second = socket.socketpair()
def pin():
    with open("pages", "wb+", buffering=0) as file:
        file.write(bytes(1 << 13))
        os.sendfile(first.fileno(), file.fileno(), 4095, 2)
attempt("sendfile", pin)
first.close(), second.close()
""",
        ("seccomp",),
        "S2",
    ),
    "19b queues and segments of others": Attack(
        """
for name in ("shmctl", "msgctl", "msgsnd", "msgrcv", "semctl", "semop", "semtimedop"):
    attempt(name, lambda: reaches_kernel(name, 0, None, 0, 0, 0))
attempt("mq_unlink", lambda: reaches_kernel("mq_unlink", b"nothing"))
""",
        ("seccomp",),
        "S4",
    ),
    "19c memory in buffers of sockets": Attack(
        """
import socket
first, second = socket.socketpair()
for name in ("SO_SNDBUF", "SO_RCVBUF", "SO_SNDBUFFORCE", "SO_RCVBUFFORCE"):
    option = {"SO_SNDBUFFORCE": 32, "SO_RCVBUFFORCE": 33}.get(name) or getattr(socket, name)
    attempt(name, lambda: first.setsockopt(socket.SOL_SOCKET, option, 1 << 20))
attempt("filter", lambda: reaches_kernel("setsockopt", first.fileno(), 1, 26, None, 0))
attempt("descriptors in flight", lambda: socket.send_fds(first, [b"x"], [0]))
attempt("many at once", lambda: reaches_kernel("sendmmsg", first.fileno(), None, 0, 0))
first.close(), second.close()
""",
        ("seccomp",),
        "S2",
        privileged=("SO_SNDBUFFORCE", "SO_RCVBUFFORCE"),
    ),
    "19d a table of descriptors for each thread": Attack(
        """
attempt("close_range", lambda: reaches_kernel("close_range", 200, 200, 2))
# Without CLONE_SIGHAND the kernel refuses it as well, but by another name.
attempt("clone", lambda: reaches_kernel("clone", 0x10000, None, None, None, 0))
attempt("unshare", lambda: reaches_kernel("unshare", 0x400))
""",
        ("seccomp",),
        "S2",
    ),
    "19e memory of the kernel": Attack(
        """
import fcntl, struct
reading, writing = os.pipe()
attempt("pipe", lambda: fcntl.fcntl(writing, 1031, 1 << 20))
attempt("vmsplice", lambda: reaches_kernel("vmsplice", writing, None, 0, 0))
attempt("tee", lambda: reaches_kernel("tee", reading, writing, 0, 0))
attempt("huge pages", lambda: reaches_kernel("mmap", 0, 2 << 20, 3, 0x40022, -1, 0))
def lock(command):
    with open("locked", "wb") as first, open("locked", "rb+") as second:
        fcntl.fcntl(first, command, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 1, 0))
        found = fcntl.fcntl(second, 36, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 1, 0))
        must(struct.unpack("hhqqi4x", found)[0] != fcntl.F_UNLCK)
attempt("lock", lambda: lock(fcntl.F_SETLK))
attempt("lock of a file", lambda: lock(37))
def lease():
    with open("leased", "wb") as file:
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
attempt("lease", lease)
def notify():
    descriptor = os.open(".", os.O_RDONLY)
    fcntl.fcntl(descriptor, fcntl.F_NOTIFY, 2)
    os.close(descriptor)
attempt("notify", notify)
os.close(reading), os.close(writing)
""",
        ("seccomp", "identity"),
        "S2",
    ),
    "25 disk taken at once": Attack(
        """
def reserve(mode, size):
    with open("reserved", "wb") as file:
        syscall("fallocate", file.fileno(), mode, 0, size)
attempt("behind the end of a file", lambda: reserve(1, 1 << 20))
attempt("at the end of a file", lambda: reserve(0, 1 << 20))
def nameless():
    os.close(os.open(".", os.O_TMPFILE | os.O_RDWR))
attempt("a file without a name", nameless)
""",
        ("seccomp",),
        "S2",
    ),
    "24 huge files": Attack(
        """
def write():
    with open("huge", "wb") as huge:
        for _ in range(4):
            huge.write(bytes(1 << 20))
attempt("write", write)
def sparse():
    with open("sparse", "wb") as huge:
        huge.truncate(1 << 30)
attempt("sparse", sparse)
def allocate():
    with open("allocated", "wb") as huge:
        os.posix_fallocate(huge.fileno(), 0, 8 << 20)
attempt("allocate", allocate)
""",
        ("limits", "watch"),
        "S2",
    ),
    "28 traps in the output folder": Attack(
        """
attempt("symlink", lambda: os.symlink(OPTIONS["key"], "normalized.xlsx"))
attempt("fifo", lambda: os.mkfifo("issues.ndjson"))
attempt("device", lambda: os.mknod("device", 0o60600, os.makedev(7, 0)))
attempt("link", lambda: os.link(OPTIONS["other_run"], "artifact.json"))
def whiteout():
    open("plain", "w").close()
    syscall("renameat2", -100, b"plain", -100, b"moved", 4)
    os.stat("plain")
attempt("whiteout", whiteout)
""",
        ("seccomp", "landlock", "mount_namespace"),
        "S6",
        privileged=("device",),
    ),
    "29 other programs": Attack(
        """
import subprocess
def shell(*words):
    return subprocess.run(words, capture_output=True, stdin=subprocess.DEVNULL, timeout=20).stdout
attempt("sh", lambda: shell("/bin/sh", "-c", "echo shell"))
attempt("su", lambda: shell("/bin/su", "--version"))
def dropped():
    with open(os.open("program", os.O_CREAT | os.O_WRONLY, 0o755), "w") as program:
        program.write("#!/bin/sh\\necho dropped")
    return shell(os.path.abspath("program"))
attempt("dropped", dropped)
attempt("exec", lambda: reaches_kernel("execve", None, None, None))
""",
        ("seccomp", "landlock", "mount_namespace"),
        "S4",
    ),
    "30 more of the kernel": Attack(
        """
attempt("unshare", lambda: syscall("unshare", 0x10000000))
attempt("setns", lambda: reaches_kernel("setns", -1, 0))
attempt("keyctl", lambda: reaches_kernel("keyctl", 0, -3, 0))
attempt("mount", lambda: must(False) if libc.mount(None, b"/", None, 1 << 18, None) else "mounted")
attempt("clone3", lambda: reaches_kernel("clone3", None, 0))
attempt("bpf", lambda: reaches_kernel("bpf", 99, None, 0))
attempt("userfaultfd", lambda: reaches_kernel("userfaultfd", 0xFFFF))
attempt("future", lambda: must(libc.syscall(ctypes.c_long(457), None, None, 0, 0) == 0 or
                               ctypes.get_errno() != errno.ENOSYS))
""",
        ("seccomp", "mount_namespace"),
        "S4",
        privileged=("mount",),
    ),
    "30b undoing the sandbox": Attack(
        """
import resource
attempt("dumpable", lambda: must(libc.prctl(4, 1, 0, 0, 0) == 0))
attempt("parent death", lambda: must(libc.prctl(1, 0, 0, 0, 0) == 0))
def raise_limit():
    resource.setrlimit(resource.RLIMIT_CPU, (10_000, 10_000))
attempt("limits", raise_limit)
""",
        ("seccomp", "limits"),
        "S4",
    ),
}
