"""ade gc: remove what is no longer needed, now."""

from typing import Annotated

import typer

from ade.cli.output import print_json

MOST_DAYS = 36_500  # a century, as in the settings


def gc(
    is_dry_run: Annotated[bool, typer.Option("--dry-run", help="Only report what would be removed.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Answer as JSON.")] = False,
    run_days: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=MOST_DAYS,
            help="Keep files of finished runs this many days; 0 keeps none.  [ADE_RETENTION_RUN_DAYS]",
        ),
    ] = None,
    build_days: Annotated[
        float | None,
        typer.Option(
            min=0, max=MOST_DAYS, help="Keep unused builds this many days; 0 keeps none.  [ADE_RETENTION_BUILD_DAYS]"
        ),
    ] = None,
) -> None:
    """Remove old run folders, deleted documents, unused builds and files of dead workers, but nothing in use."""
    from contextlib import closing
    from dataclasses import replace
    from datetime import timedelta

    from ade.data_folder import keep_private
    from ade.logs import configure_logs
    from ade.operations.maintenance.retention import Collected, collect_garbage, collect_orphans, retention_rules
    from ade.settings import load_settings
    from ade.system import open_system
    from ade.worker.retention import clean_host

    keep_private()
    settings = load_settings()
    configure_logs(level=settings.log_level, log_format=settings.log_format)
    with closing(open_system(settings)) as system:
        rules = retention_rules(settings)
        # Not through the settings: there 0 means forever, and here --run-days 0 means to keep none.
        if run_days is not None:
            rules = replace(rules, runs=timedelta(days=run_days))
        if build_days is not None:
            rules = replace(rules, builds=timedelta(days=build_days))
        collected = collect_garbage(system.database, system.files, rules=rules, is_dry_run=is_dry_run)
        orphans: Collected = collect_orphans(system.database, system.files, is_dry_run=is_dry_run)
        clean_host(system, collected, is_dry_run=is_dry_run)
    counts, sizes = collected.counts + orphans.counts, collected.bytes + orphans.bytes
    if as_json:
        print_json({"is_dry_run": is_dry_run, "counts": dict(counts), "bytes": dict(sizes)})
        return
    verb = "would go" if is_dry_run else "removed"
    for kind in sorted(counts):
        typer.echo(f"{counts[kind]:8}  {kind}{'s' if counts[kind] != 1 else ''}  {sizes[kind] / 1e6:.1f} MB {verb}")
    if not counts:
        typer.echo("Nothing to remove.")
