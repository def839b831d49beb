"""ade serve: everything in one process."""

from pathlib import Path
from typing import Annotated

import typer


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.  [ADE_HOST, default 127.0.0.1]")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on.  [ADE_PORT, default 8000]")] = None,
    data_dir: Annotated[Path | None, typer.Option(help="Folder for all data.  [ADE_DATA_DIR, default ./data]")] = None,
    is_worker_wanted: Annotated[
        bool, typer.Option("--worker/--no-worker", help="Execute runs in this process too.")
    ] = True,
) -> None:
    """Start API, page and a worker in one process; on SQLite it prepares its own database."""
    from contextlib import ExitStack
    from threading import Thread

    from ade.api.app import create_app
    from ade.api.deliveries import Deliveries
    from ade.api.start import prepare, require_safe_address
    from ade.cli.http_server import HttpServer, end_in_good_order, listen
    from ade.data_folder import keep_private
    from ade.logs import configure_logs
    from ade.operations.content import inspection
    from ade.settings import load_settings
    from ade.system import open_system
    from ade.telemetry import close_telemetry, configure_telemetry

    keep_private()
    given = {"host": host, "port": port, "data_dir": data_dir}
    settings = load_settings(**{name: value for name, value in given.items() if value is not None})
    configure_logs(level=settings.log_level, log_format=settings.log_format)
    configure_telemetry(settings.otlp_endpoint, part="server")
    require_safe_address(settings)
    with ExitStack() as stack:
        stack.callback(close_telemetry)
        # Before anything is made or started: a server that nobody can reach must not claim runs.
        listeners = [stack.enter_context(listener) for listener in listen(settings.host, settings.port)]
        system = open_system(settings)
        stack.callback(system.close)
        typer.echo(f"ADE listens on http://{settings.host}:{settings.port} (Ctrl+C stops it)", err=True)
        prepare(system)
        stack.enter_context(Deliveries(system))
        worker = None
        end_in_good_order()  # from here on, runs may be held
        if is_worker_wanted:
            from ade.worker.embedded import EmbeddedWorker

            worker = stack.enter_context(EmbeddedWorker(system))
        stop_claiming = worker.stop if worker else lambda: None
        # Beside all else: the first look is as quick as later ones, and the start no slower.
        Thread(target=inspection.warm, daemon=True, name="reader").start()
        app = create_app(system)
        hang_up = app.state.feeds.hang_up
        server = HttpServer(app, proxies=settings.proxies, on_signal=stop_claiming, on_shutdown=hang_up)
        server.serve_until_stopped(listeners)
