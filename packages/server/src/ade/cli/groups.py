"""Groups of commands on a server: their options, and what they do without a command."""

from collections.abc import Callable
from inspect import Parameter, Signature, signature
from typing import TYPE_CHECKING, Annotated, Any, Concatenate

import typer

from ade.cli.connection import DEFAULT_URL, AsJson, Key, Url, WorkspaceName, connect

if TYPE_CHECKING:
    from ade.client import Client

UrlOption = Annotated[str, Url]
KeyOption = Annotated[str | None, Key]
JsonOption = Annotated[bool, AsJson]
WorkspaceOption = Annotated[str | None, WorkspaceName]
Command = Callable[Concatenate["Client", ...], None]


def server_command(group: typer.Typer, name: str) -> Callable[[Command], Callable[..., None]]:
    """Add a command to a group: in place of the client that it takes, it has the options --url and --key."""

    def added(command: Command) -> Callable[..., None]:
        def connected(*, url: str, key: str | None, **own: Any) -> None:
            with connect(url, key) as client:
                command(client, **own)

        _, *own = (one.replace(kind=Parameter.KEYWORD_ONLY) for one in signature(command).parameters.values())
        last = [own.pop()] if own and own[-1].name == "as_json" else []
        options = [_option("url", UrlOption, DEFAULT_URL), _option("key", KeyOption, None)]
        connected.__signature__ = Signature([*own, *options, *last])  # type: ignore[attr-defined]
        connected.__doc__, connected.__annotations__ = command.__doc__, {}
        group.command(name)(connected)
        return connected

    return added


def _option(name: str, annotation: Any, default: str | None) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, annotation=annotation, default=default)


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
            f"Put options after the command: ade {context.info_name} {context.invoked_subcommand} ..."
        )
    return False
