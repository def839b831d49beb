"""Every error the engine raises on purpose; each has the failure code a run shows.

EngineError
  InputError              input_error          the document cannot be read; the message says why and what to do
  ConfigurationError      configuration_error  a rule is wrong; the message names file and line
  ResourceLimitExceeded   resource_limit       the document needs more than it may have
"""

from __future__ import annotations

import errno


class EngineError(Exception):
    """Base of all errors raised on purpose."""

    code = "internal_error"


class InputError(EngineError):
    """The document cannot be read. `cause` is a stable word: encrypted, truncated, unsupported, empty, too_large."""

    code = "input_error"

    def __init__(self, message: str, *, cause: str) -> None:
        super().__init__(message)
        self.cause = cause


class ConfigurationError(EngineError):
    """A configuration is wrong."""

    code = "configuration_error"

    def __init__(self, message: str, *, file: str | None = None, line: int | None = None) -> None:
        super().__init__(message)
        self.file = file
        self.line = line


class ResourceLimitExceeded(EngineError):
    """The work needs more than it may have. `resource` is cpu, memory, disk or output."""

    code = "resource_limit"

    def __init__(self, message: str, *, resource: str) -> None:
        super().__init__(message)
        self.resource = resource


DISK_IS_FULL = "The worker's disk is full. Free space on its host, then run it again."


def full_disk(error: BaseException | None) -> OSError | None:
    """Return the want of space behind an error, also behind the name of the rule that met it; None for all others."""
    if error is None or (isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)):
        return error
    return full_disk(error.__cause__)
