"""What a child is told before it shuts itself in."""

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
ENVIRONMENT_NAMES = frozenset({*ENVIRONMENT, "HOME", "TMPDIR"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much one run may use."""

    cpu_seconds: int = 60
    memory_bytes: int = 512 * MIB
    file_bytes: int = 100 * MIB
    disk_bytes: int = 400 * MIB
    free_disk_bytes: int = 0  # what the disk must keep free
    file_count: int = 2_000
    output_bytes: int = 4 * MIB
    open_files: int = 256
    processes: int = 64
    wall_seconds: float = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """How far to shut in one child, and what it then runs."""

    layers: tuple[str, ...] = LAYERS
    limits: Limits = field(default_factory=Limits)
    uid: int | None = None
    has_user_namespace: bool = False
    is_network_allowed: bool = False
    readable: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()
    working_folder: str = "/"
    environment: Mapping[str, str] = field(default_factory=dict)
    modules: Mapping[str, str] = field(default_factory=dict)
    request: Mapping[str, Any] = field(default_factory=dict)

    def has(self, layer: str) -> bool:
        """Tell whether a layer is wanted."""
        return layer in self.layers

    def to_bytes(self) -> bytes:
        """Return the spec as it is sent."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def from_bytes(cls, content: bytes) -> Spec:
        """Return the spec that was sent."""
        values = json.loads(content)
        values["limits"] = Limits(**values["limits"])
        for name in ("layers", "readable", "writable"):
            values[name] = tuple(values[name])
        return cls(**values)
