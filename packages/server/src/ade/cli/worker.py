"""ade worker: a worker alone."""

from typing import Annotated

import typer


def worker(
    concurrency: Annotated[
        int | None, typer.Option(min=1, help="Runs at once.  [ADE_MAX_CONCURRENCY, default 2]")
    ] = None,
) -> None:
    """Execute queued runs and builds until stopped. SIGTERM lets what runs finish."""
    import signal

    from ade.logs import configure_logs, get_logger
    from ade.settings import load_settings
    from ade.system import is_embedded, open_system
    from ade.telemetry import close_telemetry, configure_telemetry
    from ade.worker.start import create_worker

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
