"""ade backup and ade restore: database and files of the embedded default, in one file."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ade.cli.output import print_json, printable

if TYPE_CHECKING:
    from ade.operations.maintenance.backup_format import Backup

AsJson = Annotated[bool, typer.Option("--json", help="Answer as JSON.")]
SECONDS_BETWEEN_LINES = 1.0


def backup(
    file: Annotated[Path, typer.Argument(help="File to write, or a folder for a file named after the time.")],
    is_verifying: Annotated[bool, typer.Option("--verify", help="Write nothing; check an existing backup.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write the database and all its files to one file while servers and workers keep running (SQLite, local files).

    Exit 1 when files of the database were already missing; the backup is still made.
    """
    from ade.clock import SystemClock
    from ade.data_folder import keep_private
    from ade.operations.maintenance.backup import make_backup
    from ade.operations.maintenance.backup_format import embedded_places
    from ade.operations.maintenance.restore import verify_backup
    from ade.settings import load_settings

    keep_private()
    clock = SystemClock()
    with _said() as progress:
        if is_verifying:
            made = verify_backup(file, progress=progress)
        else:
            target = file / f"ade-{clock.now():%Y%m%dT%H%M%SZ}.tar" if file.is_dir() else file
            made = make_backup(embedded_places(load_settings()), target, clock=clock, progress=progress)
    _show(made, "is whole" if is_verifying else "written", as_json=as_json)
    raise typer.Exit(1 if made.missing and not is_verifying else 0)


def restore(
    file: Annotated[Path, typer.Argument(help="A file that `ade backup` wrote.")],
    data_dir: Annotated[Path | None, typer.Option(help="Folder to restore to.  [ADE_DATA_DIR, default ./data]")] = None,
    is_replacing: Annotated[
        bool, typer.Option("--replace", help="Move existing data to a folder `replaced-…` next to it.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check a whole backup, then put its database and files in place. Servers and workers must be stopped."""
    from ade.clock import SystemClock
    from ade.data_folder import keep_private, make_data_folder
    from ade.database.maintenance.revisions import NEWEST
    from ade.operations.maintenance.backup_format import embedded_places
    from ade.operations.maintenance.restore import restore_backup
    from ade.settings import load_settings

    keep_private()
    settings = load_settings(**({"data_dir": data_dir} if data_dir is not None else {}))
    places = embedded_places(settings)
    with _said() as progress:
        make_data_folder(places.data_dir)
        made, aside = restore_backup(places, file, clock=SystemClock(), progress=progress, is_replacing=is_replacing)
    _show(made, f"restored to {places.data_dir}", as_json=as_json, replaced=str(aside) if aside else None)
    if aside and not as_json:
        typer.echo(f"The previous data is in {aside}. Remove it when you no longer need it.")
    if made.schema_revision != NEWEST:
        typer.echo(f"The database is at {made.schema_revision}. Run: ade db upgrade", err=True)


def _show(made: Backup, what: str, *, as_json: bool, **more: str | None) -> None:
    if as_json:
        print_json({**asdict(made), **more})
    else:
        facts = f"{made.file_count:,} files, {made.size_bytes / 1e6:,.1f} MB, of {made.created_at}"
        typer.echo(printable(f"{made.path}: {what} ({facts})."))
    if made.missing:
        names = printable("\n     ".join(made.missing))
        typer.echo(
            "ade: Files that the database names were lost or changed before the backup was made.\n     " + names,
            err=True,
        )


@contextmanager
def _said() -> Iterator[_Line]:
    """Show how far it is, and turn what the system refuses into a sentence."""
    from ade.errors import BackupRefused

    line = _Line()
    try:
        yield line
    except OSError as error:
        raise BackupRefused(f"{error.strerror or error}: {error.filename}" if error.filename else str(error)) from error
    finally:
        line.clear()


class _Line:
    """One line on a terminal that says how much was read or written; nothing elsewhere."""

    def __init__(self) -> None:
        self._is_shown = sys.stderr.isatty()
        self._last = 0.0

    def __call__(self, file_count: int, size_bytes: int) -> None:
        if self._is_shown and time.monotonic() - self._last >= SECONDS_BETWEEN_LINES:
            self._last = time.monotonic()
            sys.stderr.write(f"\r{file_count:,} files, {size_bytes / 1e6:,.0f} MB ")
            sys.stderr.flush()

    def clear(self) -> None:
        """Take the line away."""
        if self._last:
            sys.stderr.write("\r\033[K")
