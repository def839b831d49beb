"""Groups of commands on a server: their options, and what they do without a command."""

from collections.abc import Callable
from typing import Annotated

import typer

from ade.cli.connection import DEFAULT_URL, AsJson, Key, Url, WorkspaceName

UrlOption = Annotated[str, Url]
KeyOption = Annotated[str | None, Key]
JsonOption = Annotated[bool, AsJson]
WorkspaceOption = Annotated[str | None, WorkspaceName]


def lists_alone(group: typer.Typer, lists: Callable[..., None], about: str) -> None:
    """Let a group that is called without a command list what it is about."""

    @group.callback(help=about)
    def alone(
        context: typer.Context, url: UrlOption = DEFAULT_URL, key: KeyOption = None, as_json: JsonOption = False
    ) -> None:
        if _is_alone(context):
            lists(url=url, key=key, as_json=as_json)


def _is_alone(context: typer.Context) -> bool:
    """Return whether no command follows; refuse options before one that does, which would not reach it."""
    if context.invoked_subcommand is None:
        return True
    sources = [context.get_parameter_source(name) for name in context.params]
    if any(source is not None and source.name == "COMMANDLINE" for source in sources):
        raise typer.BadParameter(
            f"Put options behind the command: ade {context.info_name} {context.invoked_subcommand} ..."
        )
    return False
