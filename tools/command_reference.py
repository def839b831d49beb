"""The page about the command line that comes from its code: cli.md."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from typer.main import get_command

from ade.cli import app

_MARKUP = re.compile(r"\[/?[a-z ]+\]")


def commands_page() -> str:
    """Return every command with its arguments and options."""
    root: Any = get_command(app)
    lines = [
        "# Commands",
        "",
        "From a clone it is `bin/ade`, installed it is `ade`. Results go to standard output, everything else to",
        "standard error. `--help` says the same as this page; `--json` answers for programs. Commands read the",
        "[settings](settings.md) too; those under *Using a server* need its address only (`ADE_URL`, `ADE_API_KEY`).",
        "",
        "| command | what for |",
        "| --- | --- |",
        *(f"| [`{name}`](#{_anchor(name)}) | {_first_line(command)} |" for name, command in _commands(root, "ade")),
    ]
    for name, command in _commands(root, "ade"):
        lines += _section(name, command)
    return "\n".join([*lines, ""])


def _commands(group: Any, path: str) -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _commands(command, f"{path} {name}")
        elif not command.hidden:
            yield f"{path} {name}", command


def _section(name: str, command: Any) -> list[str]:
    words = [_usage(parameter) for parameter in command.params if parameter.param_type_name == "argument"]
    lines = ["", f"## {name}", "", _plain(command.help), "", "```text", " ".join([name, *words, "[OPTIONS]"]), "```"]
    rows = [_row(parameter) for parameter in command.params if parameter.name != "help"]
    if rows:
        lines += ["", "| argument or option | default | meaning |", "| --- | --- | --- |", *rows]
    return lines


def _usage(argument: Any) -> str:
    word = f"{argument.name.upper()}{'…' if argument.nargs == -1 else ''}"
    return word if argument.required else f"[{word}]"


def _row(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        name = f"`{parameter.name.upper()}`"
    else:
        name = ", ".join(f"`{word}`" for word in [*parameter.opts, *parameter.secondary_opts])
    told = _plain(parameter.help or "")
    if parameter.envvar:
        told += f" Also `{parameter.envvar}`."
    return f"| {name} | {_default(parameter)} | {told.strip()} |"


def _default(parameter: Any) -> str:
    default = parameter.default
    if parameter.required or default in (None, "", False) or callable(default):
        return ""
    if default is True and parameter.secondary_opts:
        return f"`{parameter.opts[0]}`"
    if isinstance(default, list | tuple):
        return ", ".join(f"`{value}`" for value in default)
    return f"`{default}`"


def _first_line(command: Any) -> str:
    return _plain(command.help).partition("\n")[0]


def _plain(text: str) -> str:
    return _MARKUP.sub("", text).strip()


def _anchor(name: str) -> str:
    return name.replace(" ", "-")
