"""The command line: thin commands over operations. `ade --help` lists them.

Commands import what they need when they run, so that `ade --help` and completion stay quick.
"""

import sys

import typer

from ade import __version__
from ade.cli import (
    backup,
    bench,
    configuration,
    correct,
    db,
    doctor,
    gc,
    learning,
    operating,
    proposing,
    remote,
    run,
    serve,
    submit,
    testing,
    users,
    worker,
)
from ade.cli.output import fail
from ade.errors import AdeError

app = typer.Typer(
    name="ade",
    help="Turn messy spreadsheets into one clean workbook, with an explanation.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)


def _show_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"ade {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: bool = typer.Option(False, "--version", callback=_show_version, is_eager=True, help="Show the version."),
) -> None:
    """Turn messy spreadsheets into one clean workbook, with an explanation."""


app.command(rich_help_panel="Files")(run.run)
app.command(rich_help_panel="Files")(configuration.explain)
app.command(rich_help_panel="Configurations")(configuration.init)
app.command(rich_help_panel="Configurations")(learning.learn)
app.command(rich_help_panel="Configurations")(configuration.check)
app.command("test", rich_help_panel="Configurations")(testing.run_cases)
app.add_typer(
    correct.correct,
    name="correct",
    rich_help_panel="Configurations",
    help="Correct what was read from documents, without Python.",
)
app.command(rich_help_panel="Server")(serve.serve)
app.command(rich_help_panel="Server")(worker.worker)
app.add_typer(db.app, name="db", rich_help_panel="Server")
app.command(rich_help_panel="Server")(gc.gc)
app.command(rich_help_panel="Server")(backup.backup)
app.command(rich_help_panel="Server")(backup.restore)
app.command(rich_help_panel="Server")(doctor.doctor)
app.command(rich_help_panel="Server")(bench.bench)
app.add_typer(users.app, name="users", rich_help_panel="Server")
app.command(rich_help_panel="Using a server")(submit.submit)
app.add_typer(remote.runs, name="runs", rich_help_panel="Using a server")
app.add_typer(remote.queue, name="queue", rich_help_panel="Using a server")
app.add_typer(remote.documents, name="documents", rich_help_panel="Using a server")
app.add_typer(remote.configurations, name="configurations", rich_help_panel="Using a server")
app.add_typer(proposing.proposals, name="proposals", rich_help_panel="Using a server")
app.add_typer(remote.workers, name="workers", rich_help_panel="Using a server")
app.add_typer(operating.pauses, name="pauses", rich_help_panel="Operating a server")
app.add_typer(operating.builds, name="builds", rich_help_panel="Operating a server")
app.add_typer(operating.members, name="members", rich_help_panel="Operating a server")
app.add_typer(operating.webhooks, name="webhooks", rich_help_panel="Operating a server")
app.add_typer(operating.audit, name="audit", rich_help_panel="Operating a server")


def main() -> None:
    """Run a command; an error of ours is a sentence, not a traceback."""
    try:
        app()
    except AdeError as error:
        sys.exit(fail(error))
