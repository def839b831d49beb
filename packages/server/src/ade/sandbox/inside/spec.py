"""What a child receives before it confines itself."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

MIB = 1024 * 1024

# Every layer, in the order it is put on. `watch` is the keeper's own eye on memory, disk and time.
LAYERS = (
    "environment",
    "descriptors",
    "identity",
    "network_namespace",
    "ipc_namespace",
    "pid_namespace",
    "mount_namespace",
    "watch",
    "limits",
    "capabilities",
    "no_new_privileges",
    "parent_death",
    "not_dumpable",
    "landlock",
    "seccomp",
)

# All a child's environment may hold. One thread per library: the CPU limit is shared, and stacks cost address space.
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "MALLOC_ARENA_MAX": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}
# Where a child that may use the network finds its proxy: in a network namespace of its own no port is taken.
PROXY_PORT = 3128
PROXY_ENVIRONMENT = dict.fromkeys(
    ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"),
    f"http://127.0.0.1:{PROXY_PORT}",
)
ENVIRONMENT_NAMES = frozenset({*ENVIRONMENT, *PROXY_ENVIRONMENT, "HOME", "TMPDIR"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much one run may use."""

    cpu_seconds: int = 60
    memory_bytes: int = 512 * MIB
    file_bytes: int = 100 * MIB
    disk_bytes: int = 400 * MIB
    free_disk_bytes: int = 0  # what the disk must keep free
    free_inodes: int = 20_000  # the same in files, where the file system counts them
    file_count: int = 2_000
    output_bytes: int = 4 * MIB
    open_files: int = 128  # a run can have as many watches of epoll as a third of this, cubed (decision 0066)
    processes: int = 64
    wall_seconds: float = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """What the proxy of one child may do, and who it is.

    `addresses` ("127.0.0.1:8080") are reachable without being public and `names` need no name server, for tests that
    bring a server of their own.
    """

    uid: int | None = None
    readable: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    connections_at_once: int = 16
    connection_count: int = 10_000
    target_count: int = 200
    total_bytes: int = 1024 * MIB
    idle_seconds: float = 120.0
    cpu_seconds: int = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """How far to shut in one child, and what it then runs."""

    layers: tuple[str, ...] = LAYERS
    limits: Limits = field(default_factory=Limits)
    uid: int | None = None
    closed_path: str = ""  # what keeps root from changing its user: the new one could not read it
    network: Network | None = None
    readable: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()
    working_folder: str = "/"
    environment: Mapping[str, str] = field(default_factory=dict)
    modules: Mapping[str, str] = field(default_factory=dict)
    request: Mapping[str, Any] = field(default_factory=dict)

    @property
    def has_user_namespace(self) -> bool:
        """Return whether the child changes its user inside a namespace only: it is not root, or root must not."""
        return self.uid is None or bool(self.closed_path)

    def has(self, layer: str) -> bool:
        """Return whether a layer is wanted."""
        return layer in self.layers

    def to_bytes(self) -> bytes:
        """Return the spec as it is sent."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def from_bytes(cls, content: bytes) -> Spec:
        """Return the spec that was sent."""
        values = json.loads(content)
        values["limits"] = Limits(**values["limits"])
        if values["network"] is not None:
            values["network"] = Network(**values["network"])
        for name in ("layers", "readable", "writable"):
            values[name] = tuple(values[name])
        return cls(**values)
