"""How commands reach a server: ADE_URL and ADE_API_KEY, or the one on this machine."""

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import typer

from ade.cli.output import print_json
from ade.errors import ServerRefused

if TYPE_CHECKING:
    from ade.client import Client

DEFAULT_URL = "http://127.0.0.1:8000"
ID_WIDTH = 36
_NOT_UNDERSTOOD = (AttributeError, LookupError, RecursionError, TypeError, ValueError)
UNBOUNDED = 1000  # a file or another program has no edge
Url = typer.Option("--url", envvar="ADE_URL", help="Address of the server.")
Key = typer.Option("--key", envvar="ADE_API_KEY", help="API key, in team mode.", show_default=False)
AsJson = typer.Option("--json", help="Answer as JSON.")
WorkspaceName = typer.Option("--workspace", "-w", help="Workspace by slug, name or id; by default the first.")


@contextmanager
def connect(url: str, key: str | None) -> "Iterator[Client]":
    """Give a client of the server. What is no answer of ADE is reported as that, whatever it breaks here."""
    import httpx2

    from ade.client import Client

    with Client(url, key=key) as client:
        try:
            yield client
        except (*_NOT_UNDERSTOOD, httpx2.InvalidURL) as error:
            why = f"{type(error).__name__}: {str(error)[:200]}"
            raise ServerRefused(f"{url} does not answer like an ADE server ({why}).") from error


def show(rows: Iterable[Any], columns: Mapping[str, str], *, as_json: bool, nothing: str = "Nothing.") -> None:
    """Print models: as a table for a person, or all they hold as JSON; `nothing` is said of an empty list."""
    found = list(rows)
    if as_json:
        print_json([asdict(row) for row in found])
        return
    if not found:
        typer.echo(nothing, err=True)
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    shown = {title: name for title, name in columns.items() if any(getattr(row, name) is not None for row in found)}
    table = Table(box=None, pad_edge=False)
    for title, name in shown.items():  # an id is there to be copied: the other columns give way
        table.add_column(title, no_wrap=name == "id", min_width=ID_WIDTH if name == "id" else None)
    for row in found:
        # Text, not str: a name may hold what looks like markup.
        table.add_row(*(Text(plain(_cell(name, getattr(row, name)))) for name in shown.values()))
    Console(width=None if sys.stdout.isatty() else UNBOUNDED).print(table)


def _cell(name: str, value: Any) -> str:
    if value is None:
        return ""
    return str(value)[:16].replace("T", " ") if name == "at" or name.endswith("_at") else str(value)


def plain(text: str) -> str:
    """Return a text of others as a terminal may show it: without what moves its cursor or paints."""
    return "".join(letter if letter.isprintable() else " " for letter in text)
