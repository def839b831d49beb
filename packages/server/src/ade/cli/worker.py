"""ade worker: a worker alone."""

from typing import Annotated

import typer


def worker(
    concurrency: Annotated[
        int | None, typer.Option(min=1, help="Runs at once.  [ADE_MAX_CONCURRENCY, default 2]")
    ] = None,
    is_check: Annotated[
        bool, typer.Option("--check", help="Start no worker; exit 1 unless the worker of ADE_DATA_DIR is healthy.")
    ] = False,
) -> None:
    """Execute queued runs and builds until stopped. On SIGTERM, running runs may finish."""
    if is_check:
        _check()
    import signal

    from ade.data_folder import keep_private
    from ade.logs import configure_logs, get_logger
    from ade.settings import load_settings
    from ade.system import is_embedded, open_system
    from ade.telemetry import close_telemetry, configure_telemetry
    from ade.worker.start import create_worker

    keep_private()
    settings = load_settings()
    configure_logs(level=settings.log_level, log_format=settings.log_format)
    configure_telemetry(settings.otlp_endpoint, part="worker")
    system = open_system(settings)
    if not is_embedded(settings) and not settings.files_url:
        hint = "runs fail here unless every host has this very folder; set ADE_FILES_URL to a store all of them reach"
        get_logger().warning("files.on_this_host", folder=str(settings.files_folder), hint=hint)
    working, tools = create_worker(system, slots=concurrency)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: working.stop())
    try:
        working.run()
    finally:
        tools.close()
        system.close()
        close_telemetry()


def _check() -> None:
    """End with how the worker of the data folder is; it need not answer, so that one that hangs is found."""
    from ade.settings import load_settings
    from ade.worker.pulse import unhealthy_because

    reason = unhealthy_because(load_settings().data_dir)
    typer.echo(reason or "healthy", err=reason is not None)
    raise typer.Exit(1 if reason else 0)
