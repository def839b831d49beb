"""Structured logs: one event a line, with the run, build or request it belongs to bound by context."""

import logging
import sys
from typing import Literal

import structlog

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
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        logger_factory=structlog.PrintLoggerFactory(file=sys.stderr),
        cache_logger_on_first_use=True,
    )


def current_trace_id() -> str | None:
    """Return the trace id of the request at hand, or None when there is none."""
    found = structlog.contextvars.get_contextvars().get("trace_id")
    return str(found)[:64] if found else None
