"""ade doctor: checks everything ADE needs, with advice for everything that is missing."""

import os
import platform
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ade.cli.checks import Check, Verdict
from ade.cli.output import print_json
from ade.errors import AdeError, DriverMissing, InvalidSettings
from ade.sandbox.inside.spec import MIB

if TYPE_CHECKING:
    from ade.operations.maintenance.health import DatabaseHealth
    from ade.sandbox.probe import Reached

MARKS: dict[Verdict, str] = {"ok": "[green]ok[/]", "warning": "[yellow]warning[/]", "failed": "[red]failed[/]"}
SECONDS_FOR_FILES = 10


def doctor(as_json: bool = typer.Option(False, "--json", help="Answer as JSON.")) -> None:
    """Check Python, settings, disk, files, database, workers, addresses and isolation; exit 1 when one failed."""
    checks = list(examine())
    if as_json:
        print_json({"checks": [asdict(check) for check in checks]})
    else:
        _print_table(checks)
    raise typer.Exit(1 if any(check.verdict == "failed" for check in checks) else 0)


def examine() -> Iterator[Check]:
    """Run the checks; without valid settings only those that need none."""
    from ade.cli.doctor_network import check_addresses
    from ade.settings import load_settings, unknown_settings

    minimum, network = "", "never"
    yield check_python()
    try:
        settings = load_settings()
    except InvalidSettings as error:
        yield Check("settings", "failed", str(error), "Correct these variables; docs/reference/settings.md lists them.")
    else:
        strangers = unknown_settings(os.environ)
        yield Check("settings", "warning" if strangers else "ok", "\n".join(strangers) or "valid")
        yield check_disk(settings.data_dir, min_free_mb=settings.min_free_disk_mb)
        yield from check_modes(settings.data_dir.absolute())
        yield check_files(settings.files_url, folder=settings.files_folder)
        yield from check_database(
            settings.resolved_database_url, silent_after=timedelta(seconds=2 * settings.lease_seconds)
        )
        yield from check_addresses(settings)
        minimum, network = settings.min_isolation, settings.runtime_network_access
    from ade.sandbox.probe import probe

    reached = probe()
    yield check_isolation(reached, minimum)
    yield check_network(network)
    yield check_local_commands(reached)


def check_python() -> Check:
    """Return which Python this is, and whether sandboxed children will be able to start it."""
    found = (
        f"{platform.python_implementation()} {platform.python_version()} on {platform.system()} {platform.machine()}"
    )
    if os.getuid() == 0 and (closed := _closed_folder(Path(sys.executable).resolve())):
        advice = f"Runs drop root, and {closed} is closed to others: install Python elsewhere, or run ADE as its owner."
        return Check("python", "warning", found, advice)
    return Check("python", "ok", found)


def _closed_folder(path: Path) -> Path | None:
    return next((folder for folder in path.parents if not folder.stat().st_mode & stat.S_IXOTH), None)


def check_disk(data_dir: Path, *, min_free_mb: int) -> Check:
    """Return whether the data folder can be written and has room."""
    existing = next(folder for folder in (data_dir.absolute(), *data_dir.absolute().parents) if folder.exists())
    if not os.access(existing, os.W_OK):
        return Check("data folder", "failed", f"{existing} cannot be written", "Set ADE_DATA_DIR to a folder you own.")
    free_mb = shutil.disk_usage(existing).free // MIB
    found = f"{data_dir.absolute()}, {free_mb:,} MB free"
    if free_mb < min_free_mb:
        advice = f"Workers claim nothing below {min_free_mb} MB: free some disk, or lower ADE_MIN_FREE_DISK_MB."
        return Check("data folder", "failed", found, advice)
    return Check("data folder", "ok", found)


def check_modes(data_dir: Path) -> Iterator[Check]:
    """Return what in the data folder other users of this machine can read, or nothing."""
    from ade.data_folder import open_parts

    if not data_dir.is_dir():
        return
    if opened := [str(path) for path in open_parts(data_dir)]:
        advice = f"Run: chmod go-rwx {' '.join(opened)} (a server or worker of the same user does so at its start)"
        yield Check("privacy", "warning", f"other users of this machine can reach {', '.join(opened)}", advice)
    elif data_dir.stat().st_mode & 0o066 and not data_dir.stat().st_mode & stat.S_ISVTX:
        advice = f"Run: chmod {'711' if os.geteuid() == 0 else '700'} {data_dir}"
        yield Check("privacy", "warning", f"other users can see the names of the parts of {data_dir}", advice)


def check_files(url: str, *, folder: Path, seconds: float = SECONDS_FOR_FILES) -> Check:
    """Return whether files can be written, read and removed where they are kept."""
    from ade.files import open_files
    from ade.files.trial import shown_address, try_files, without_secrets

    where = shown_address(url, folder=folder)
    if not url and not folder.exists():
        return Check("files", "ok", f"{where}, made with the first file")
    try:
        try_files(lambda: open_files(url, folder=folder, is_patient=False), seconds=seconds)
    except InvalidSettings as error:
        return Check("files", "failed", without_secrets(str(error), url), "docs/how-to/object-store.md has examples.")
    except (AdeError, OSError) as error:
        return Check("files", "failed", f"{where}: {without_secrets(str(error), url)}", _advice_for_files(url))
    return Check("files", "ok", where)


def _advice_for_files(url: str) -> str:
    if not url:
        return "Let the user that runs ADE write there, or set ADE_DATA_DIR to another folder."
    if url.startswith("file:"):
        return "Mount it, and let the user that runs ADE write there."
    return "Check ADE_FILES_URL, endpoint and credentials; the bucket must exist. See docs/how-to/object-store.md."


def check_database(url: str, *, silent_after: timedelta) -> Iterator[Check]:
    """Return whether the database answers, is current, and has workers."""
    from ade.database.maintenance.sqlserver import stalled_sessions
    from ade.database.transaction import Database
    from ade.operations.maintenance.health import look_at_database

    if url.startswith("sqlite") and not Path(url.removeprefix("sqlite:///")).exists():
        yield Check("database", "ok", "none yet: ade serve makes it on its first start")
        return
    try:
        with closing(Database(url)) as database:
            health = look_at_database(database, silent_after=silent_after)
            troubles = [*health.troubles, *stalled_sessions(database)]
    except DriverMissing as error:
        yield Check("database", "failed", str(error))
        return
    except AdeError as error:
        yield Check("database", "failed", str(error), "Start it, or correct ADE_DATABASE_URL.")
        return
    yield Check("database", "ok", health.product)
    for trouble in troubles:
        yield Check("database", "warning", trouble.found, trouble.advice)
    if not health.is_current:
        found = f"at {health.revision or 'nothing yet'}, this version needs {health.wanted_revision}"
        advice = (
            "Upgrade the program: the database was made by a newer one." if health.is_newer else "Run: ade db upgrade"
        )
        yield Check("schema", "failed", found, advice)
        return
    yield Check("schema", "ok", f"current ({health.revision})")
    yield check_workers(health)


def check_workers(health: "DatabaseHealth") -> Check:
    """Return how many workers there are, and which went silent."""
    counts, silent = health.workers, health.silent_workers
    if counts is None:
        return Check("workers", "warning", "unknown")
    found = f"{counts.live_count or 'none'} at work"
    advice = [] if counts.live_count else ["Queued runs wait until a worker starts."]
    if counts.silent_count:
        others = counts.silent_count - len(silent)
        found += f", {counts.silent_count} silent: {', '.join(silent)}" + (f" and {others} more" if others else "")
        given = "were given" if counts.live_count else "will be given"
        advice.append(
            f"Restart a silent worker or its host (one that is gone for good is harmless); its runs {given} to others."
        )
    return Check("workers", "warning" if advice else "ok", found, " ".join(advice))


def check_isolation(reached: "Reached", minimum: str = "") -> Check:
    """Return how well a real child was isolated, and what is missing."""
    from ade.domain.isolation import Isolation
    from ade.sandbox.launcher import default_minimum

    needed = Isolation(minimum) if minimum else default_minimum()
    missing = "; ".join(f"{layer}: {reason}" for layer, reason in reached.missing.items())
    found = f"{reached.level}, {reached.description}" + (f"; missing {missing}" if missing else "")
    if reached.level.rank < needed.rank:
        advice = f"Runs are refused below {needed}: allow the missing layers, or lower ADE_MIN_ISOLATION."
        return Check("isolation", "failed", found, advice)
    if missing:
        return Check("isolation", "warning", found, "User code is less isolated than it could be.")
    return Check("isolation", "ok", found)


def check_network(setting: str) -> Check:
    """Report which runs get network access, and whether this host can give it."""
    from ade.sandbox.probe import missing_for_network

    if setting == "never":
        return Check("network", "ok", "never: runs get no network access")
    if missing := missing_for_network():
        advice = "Runs with network access fail on this host. Allow network namespaces, or set it to never."
        return Check("network", "warning", f"{setting}; {missing}", advice)
    return Check("network", "ok", f"{setting}: through a proxy, to public addresses")


def check_local_commands(reached: "Reached") -> Check:
    """Return how well `ade run` and `ade check` isolate rules, which they execute whatever the level."""
    from ade.domain.isolation import Isolation

    found = f"ade run and ade check execute rules at {reached.level}"
    if reached.level.rank >= Isolation.CONFINED.rank:
        return Check("local commands", "ok", found)
    advice = "Rules can read your files. Use rules you trust, or --min-isolation confined to refuse all."
    return Check("local commands", "warning", found, advice)


def _print_table(checks: list[Check]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False, show_header=False)
    for check in checks:
        table.add_row(check.name, MARKS[check.verdict], escape(check.found))
        if check.advice:
            table.add_row("", "", f"[dim]{escape(check.advice)}[/]")
    Console().print(table)
