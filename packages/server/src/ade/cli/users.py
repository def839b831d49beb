"""ade users: accounts, from the machine that has the database. The first administrator is made here."""

from contextlib import closing
from typing import TYPE_CHECKING, Annotated

import typer

from ade.cli.output import print_json
from ade.domain.access import Scope

if TYPE_CHECKING:
    from ade.system import System

app = typer.Typer(help="Make accounts and API keys, and list accounts (team mode).", no_args_is_help=True)


@app.command("create")
def create(
    email: Annotated[str, typer.Argument(help="Address to sign in with.")],
    name: Annotated[str | None, typer.Option(help="The name that others see; by default the address.")] = None,
    is_admin: Annotated[bool, typer.Option("--admin", help="Can administer the whole deployment.")] = False,
    password: Annotated[
        str, typer.Option(envvar="ADE_NEW_PASSWORD", prompt=True, hide_input=True, confirmation_prompt=True)
    ] = "",
) -> None:
    """Add an account; its password is prompted for, or read from ADE_NEW_PASSWORD."""
    from ade.domain.access import SYSTEM
    from ade.operations.access.people import checked_password, create_user

    hashed = checked_password(password)
    with _system() as system:
        system.database.write(
            lambda tx: create_user(
                tx, email=email, name=name or email, password_hash=hashed, is_admin=is_admin, actor=SYSTEM
            )
        )
    typer.echo(f"{email} can sign in now{' as an administrator' if is_admin else ''}.")


@app.command("key")
def create_key(
    email: Annotated[str, typer.Argument(help="Owner of the key; the key can do at most what they can.")],
    name: Annotated[str, typer.Option(help="What the key is for.")] = "command line",
    scopes: Annotated[list[Scope], typer.Option("--scope", help="What the key can be used for; may be repeated.")] = [  # noqa: B006 - Typer reads it
        Scope.RUN
    ],
) -> None:
    """Make an API key for ADE_API_KEY and print it; it is shown only once."""
    from ade.operations.access.people import create_key_of

    with _system() as system:
        key = system.database.write(lambda tx: create_key_of(tx, email, name=name, scopes=scopes))
    typer.echo(key)


@app.command("list")
def list_users(as_json: Annotated[bool, typer.Option("--json", help="Answer as JSON.")] = False) -> None:
    """List the accounts."""
    from ade.database.access.people import all_users

    with _system() as system:
        rows = system.database.read(all_users)
    if as_json:
        print_json([{"id": row.id, "email": row.email, "name": row.name, "is_admin": row.is_admin} for row in rows])
        return
    for row in rows:
        typer.echo(f"{row.email}  {row.name}{'  administrator' if row.is_admin else ''}")


def _system() -> "closing[System]":
    from ade.data_folder import keep_private
    from ade.settings import load_settings
    from ade.system import open_system

    keep_private()
    return closing(open_system(load_settings()))
