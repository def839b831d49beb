"""ade db: bring the schema up to date, and look at it."""

from contextlib import closing
from typing import TYPE_CHECKING

import typer

from ade.cli.output import print_json

if TYPE_CHECKING:
    from ade.database.transaction import Database

app = typer.Typer(help="Upgrade and check the database.", no_args_is_help=True)

AsJson = typer.Option(False, "--json", help="Answer as JSON.")


@app.command()
def upgrade() -> None:
    """Bring the schema to this version; all steps or none. Safe to repeat."""
    from ade.database.maintenance import health, migrate, revisions

    with _database() as database:
        before = revisions.current_revision(database)
        migrate.upgrade(database)
        after = revisions.current_revision(database)
        note = migrate.tune(database)
        name = health.name_of(database.url)
    is_same = before == after
    typer.echo(
        f"{name} is at {after} already." if is_same else f"Upgraded {name} from {before or 'nothing'} to {after}."
    )
    if note:
        typer.echo(note)


@app.command()
def current(as_json: bool = AsJson) -> None:
    """Show the schema step of the database, and the one that this version needs."""
    from ade.database.maintenance import revisions

    with _database() as database:
        present, wanted = revisions.current_revision(database), revisions.NEWEST
    if as_json:
        print_json({"current": present, "needed": wanted, "is_current": present == wanted})
    else:
        typer.echo(f"at {present or 'nothing yet'}, this version needs {wanted}")


@app.command()
def check(as_json: bool = AsJson) -> None:
    """Compare the tables with what this version expects; exit 1 when they differ."""
    from ade.database.maintenance import migrate, revisions

    with _database() as database:
        revisions.require_current(database)
        found = migrate.differences(database)
    if as_json:
        print_json({"differences": found})
    else:
        typer.echo("\n".join(found) if found else "The database is as this version expects.")
    raise typer.Exit(1 if found else 0)


def _database() -> "closing[Database]":
    from ade.data_folder import keep_private, make_data_folder
    from ade.database.transaction import Database
    from ade.settings import load_settings
    from ade.system import is_embedded

    keep_private()
    settings = load_settings()
    if is_embedded(settings):
        make_data_folder(settings.data_dir.absolute())
    return closing(Database(settings.resolved_database_url))
