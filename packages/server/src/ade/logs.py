"""Structured logs: one event a line, with the run, build or request it belongs to bound by context."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal


@contextmanager
def _hidden(name: str) -> Iterator[None]:
    """Let a module that was not needed so far seem not to be installed."""
    if name in sys.modules:
        yield
        return
    sys.modules[name] = None  # type: ignore[assignment]  # an import of it fails
    try:
        yield
    finally:
        del sys.modules[name]


# Where structlog finds rich it loads all of it, to colour tracebacks that we write plainly: a tenth of a start.
with _hidden("rich"):
    import structlog

bound_contextvars = structlog.contextvars.bound_contextvars

LogFormat = Literal["auto", "console", "json"]


def configure_logs(*, level: str = "info", log_format: LogFormat = "auto") -> None:
    """Send logs to standard error: JSON for machines, aligned columns for a terminal."""
    as_json = log_format == "json" or (log_format == "auto" and not sys.stderr.isatty())
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer() if as_json else structlog.dev.ConsoleRenderer()
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.StackInfoRenderer(),
            structlog.processors.format_exc_info,
            *([] if as_json else [_escaped]),
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        logger_factory=structlog.PrintLoggerFactory(file=sys.stderr),
        cache_logger_on_first_use=True,
    )
    logging.getLogger("uvicorn").handlers = [_Passed(level=logging.WARNING)]


def _escaped(_logger: Any, _method: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    """Escape what a terminal would act on: paths and names come from strangers. JSON escapes by itself."""
    return {name: _shown(value) if isinstance(value, str) else value for name, value in event.items()}


def _shown(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() or letter == "\n" else repr(letter)[1:-1] for letter in text)


class _Passed(logging.Handler):
    """Passes what libraries log to our own log, so that every line has the same form."""

    def emit(self, record: logging.LogRecord) -> None:
        """Log a record of a library."""
        structlog.get_logger().log(record.levelno, "library.message", library=record.name, message=record.getMessage())


def get_logger() -> Any:
    """Return what a module tells its events by."""
    return structlog.get_logger()


def current_trace_id() -> str | None:
    """Return the trace id of the current request, or None when there is none."""
    found = structlog.contextvars.get_contextvars().get("trace_id")
    return str(found)[:64] if found else None
