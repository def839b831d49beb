"""How commands reach a server: ADE_URL and ADE_API_KEY, or the one on this machine."""

import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import typer

from ade.cli.output import print_json

if TYPE_CHECKING:
    from ade.client import Client

DEFAULT_URL = "http://127.0.0.1:8000"
ID_WIDTH = 36
UNBOUNDED = 1000  # a file or another program has no edge
Url = typer.Option("--url", envvar="ADE_URL", help="Address of the server.")
Key = typer.Option("--key", envvar="ADE_API_KEY", help="API key, in team mode.", show_default=False)
AsJson = typer.Option("--json", help="Answer as JSON.")
WorkspaceName = typer.Option("--workspace", "-w", help="Workspace by slug, name or id; else the first.")


def connect(url: str, key: str | None) -> "Client":
    """Return a client of the server."""
    from ade.client import Client

    return Client(url, key=key)


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
