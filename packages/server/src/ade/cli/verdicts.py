"""Verdicts on a terminal: their words, their colours, and the exit codes that follow from them."""

from collections.abc import Iterable
from typing import Annotated

import typer

EXIT_CODES = {"ready": 0, "check": 3, "not_usable": 4}  # from the best to the worst
WORDS = {"ready": "Ready", "check": "Check", "not_usable": "Not usable"}
COLOURS = {"ready": "green", "check": "yellow", "not_usable": "red"}
Accept = Annotated[
    str, typer.Option(help="The worst verdict that still ends with exit code 0: ready, check or not_usable.")
]


def check_accept(accept: str) -> None:
    """Refuse a word that is no verdict."""
    if accept not in EXIT_CODES:
        raise typer.BadParameter(f"{accept} is not one of {', '.join(EXIT_CODES)}", param_hint="--accept")


def exit_code_of(verdicts: Iterable[str], accept: str) -> int:
    """Return the exit code of the worst verdict, or 0 when it is accepted."""
    worst = max((EXIT_CODES.get(verdict, 0) for verdict in verdicts), default=0)
    return worst if worst > EXIT_CODES[accept] else 0
