"""The system calls and options that computing needs: all that a child may use.

What is not listed here does not exist for a child. New calls of the kernel are therefore refused until somebody has
read what they do.
"""

from __future__ import annotations

_FILES = """read write close fstat stat lstat newfstatat statx lseek pread64 pwrite64 readv writev preadv pwritev
    preadv2 pwritev2 access faccessat faccessat2 dup dup2 dup3 pipe pipe2 flock fsync fdatasync sync_file_range
    ftruncate getdents getdents64 getcwd chdir fchdir rename renameat mkdir mkdirat rmdir creat unlink unlinkat readlink
    readlinkat umask statfs fstatfs copy_file_range fadvise64 readahead getxattr lgetxattr fgetxattr
    listxattr llistxattr flistxattr cachestat"""
_MEMORY = """mprotect munmap brk mremap msync mincore madvise mlock munlock mlock2 mlockall munlockall membarrier
    get_mempolicy pkey_mprotect pkey_alloc pkey_free map_shadow_stack"""
_WAITING = """poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2
    eventfd eventfd2 timerfd_create timerfd_settime timerfd_gettime signalfd signalfd4 nanosleep clock_nanosleep pause
    rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigtimedwait rt_sigsuspend sigaltstack restart_syscall"""
_TIME = """clock_gettime clock_getres gettimeofday time times getitimer setitimer alarm timer_create timer_settime
    timer_gettime timer_getoverrun timer_delete"""
_THREADS = """futex futex_waitv futex_wake futex_wait futex_requeue set_robust_list get_robust_list set_tid_address
    rseq sched_yield sched_getaffinity sched_getparam sched_getscheduler sched_getattr sched_get_priority_max
    sched_get_priority_min sched_rr_get_interval getcpu exit exit_group wait4 waitid arch_prctl get_thread_area"""
_ITSELF = """getpid gettid getppid getpgrp getpgid getsid getuid geteuid getgid getegid getgroups getresuid getresgid
    getpriority ioprio_get capget getrlimit setrlimit getrusage sysinfo uname getrandom"""
# Of a socket pair; another socket cannot be had without network access.
_STREAMS = "shutdown getsockname getpeername getsockopt"

CALLS = f"{_FILES} {_MEMORY} {_WAITING} {_TIME} {_THREADS} {_ITSELF} {_STREAMS}"

# F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_GETLK, F_GETOWN, F_GETSIG, F_OFD_GETLK, F_DUPFD_CLOEXEC, F_GETPIPE_SZ.
# Not among them: signals to others, larger pipes, leases, notifications.
FCNTL = (0, 1, 2, 3, 5, 9, 11, 36, 1030, 1032)
# F_SETLK, F_SETLKW: a lock on each byte of a file would be memory of the kernel that no limit counts. A child is one
# process, and these locks never keep a process from itself, so a lock that is not taken is not missed.
FCNTL_IGNORED = (6, 7)
# TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX: whether it is a terminal, how much there is to read.
IOCTL = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
# Questions (parent death, dumpable, keeping capabilities, seccomp, bounding set, TSC, secure bits, timer slack, new
# privileges, large pages, vector lengths, speculation, tagged addresses, auxiliary vector), and: the
# thread's name, timer slack, no new privileges, names of mappings.
PRCTL = (2, 3, 7, 15, 16, 21, 23, 25, 27, 29, 30, 38, 39, 42, 51, 52, 56, 64, 0x41555856, 0x53564D41)
# By level. Nothing that enlarges a buffer or brings a program: SO_REUSEADDR, SO_KEEPALIVE, SO_LINGER, SO_REUSEPORT,
# time limits; TCP_NODELAY, what keeps a connection alive, TCP_USER_TIMEOUT; IP_RECVERR; IPV6_RECVERR, IPV6_V6ONLY.
SOCKET_OPTIONS = {1: (2, 9, 13, 15, 20, 21, 66, 67), 6: (1, 4, 5, 6, 18), 0: (11,), 41: (25, 26)}
