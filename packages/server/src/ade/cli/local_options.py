"""The options of commands that execute rules on this machine."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ade.cli.local_sandbox import SandboxChoice

DEFAULT_SECONDS, DEFAULT_MEMORY_MB, DEFAULT_DISK_MB = 900.0, 2048, 2048
LEVELS = ("open", "limits", "guarded", "confined", "isolated")
_MOST = 1_000_000

Timeout = Annotated[float, typer.Option(help="Seconds that one document or check may take.", min=1, max=_MOST)]
MemoryMb = Annotated[int, typer.Option(help="Memory that one document or check may use.", min=64, max=_MOST)]
DiskMb = Annotated[int, typer.Option(help="Disk space that one document may use.", min=1, max=_MOST)]
MinIsolation = Annotated[
    str,
    typer.Option(
        help=f"Refuse to execute rules below this level: {', '.join(LEVELS)}. By default, the best level of this host."
    ),
]
Debug = Annotated[
    bool, typer.Option("--debug", help="Execute the rules in this process: breakpoint() works. No sandbox, no limits.")
]


def sandbox_choice(
    *, timeout: float, memory_mb: int, min_isolation: str, disk_mb: int = DEFAULT_DISK_MB
) -> SandboxChoice:
    """Return the options as the sandbox takes them, or end with 2 for a level that does not exist."""
    from ade.cli.local_sandbox import SandboxChoice
    from ade.domain.isolation import Isolation

    if min_isolation and min_isolation not in LEVELS:
        typer.echo(f"ade: --min-isolation {min_isolation} is not one of {', '.join(LEVELS)}", err=True)
        raise typer.Exit(2)
    level = Isolation(min_isolation) if min_isolation else Isolation.OPEN
    return SandboxChoice(timeout_seconds=timeout, memory_mb=memory_mb, disk_mb=disk_mb, min_isolation=level)


def warn_of_debugging() -> None:
    """Say that nothing protects this machine from the rules."""
    sys.stderr.write("ade: --debug: the rules run in this process, without the sandbox; use it for rules you trust\n")
