"""How the command line speaks: results on standard output, everything else on standard error."""

import json
import sys
from typing import Any

from ade.errors import AdeError, ServerRefused


def print_json(value: Any) -> None:
    """Write one JSON document."""
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=False, default=str) + "\n")


def fail(error: AdeError) -> int:
    """Say what went wrong and return the exit code."""
    title = (type(error).__doc__ or "").partition("\n")[0].rstrip(".")
    sys.stderr.write(f"ade: {title}.\n")
    for line in [*str(error).splitlines(), *_hint(error)]:
        sys.stderr.write(f"     {line}\n")
    return 1


def _hint(error: AdeError) -> list[str]:
    """Return what to do about a refusal that a command causes by itself."""
    problem = getattr(error, "problem", {})
    is_unknown = isinstance(error, ServerRefused) and problem.get("code") == "not_signed_in"
    return ["Set ADE_API_KEY, or give --key: an API key of yours on that server."] if is_unknown else []
