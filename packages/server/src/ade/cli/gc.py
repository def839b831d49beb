"""ade gc: remove what nobody needs any more, now."""

from typing import Annotated

import typer

from ade.cli.output import print_json


def gc(
    is_dry_run: Annotated[bool, typer.Option("--dry-run", help="Only tell what would go.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Answer as JSON.")] = False,
    run_days: Annotated[
        float | None, typer.Option(min=0, help="Keep files of finished runs so long.  [ADE_RETENTION_RUN_DAYS]")
    ] = None,
    build_days: Annotated[
        float | None, typer.Option(min=0, help="Keep unused builds so long.  [ADE_RETENTION_BUILD_DAYS]")
    ] = None,
) -> None:
    """Remove old run folders, deleted documents, unused builds and what dead workers left; never what is in use."""
    from contextlib import closing

    from ade.logs import configure_logs
    from ade.operations.retention import Collected, collect_garbage, collect_orphans, retention_rules
    from ade.settings import load_settings
    from ade.system import open_system
    from ade.worker.retention import clean_host

    given = {"retention_run_days": run_days, "retention_build_days": build_days}
    settings = load_settings(**{name: value for name, value in given.items() if value is not None})
    configure_logs(level=settings.log_level, log_format=settings.log_format)
    with closing(open_system(settings)) as system:
        rules = retention_rules(settings)
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
