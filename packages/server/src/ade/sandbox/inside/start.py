"""Where a trusted `python -I -S` begins: as the keeper of one child, or as a zygote."""

from __future__ import annotations

import json
import socket
import sys

from ade.sandbox.inside import keeper, modules, zygote
from ade.sandbox.inside.channel import MAX_BYTES, Ends
from ade.sandbox.inside.spec import Spec


def main() -> None:
    """Do what the command line says."""
    role, parent, settings = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])
    modules.trust(settings["folders"])
    if role == "zygote":
        zygote.serve(settings["control"], parent=parent, folders=settings["folders"], preload=settings["preload"])
        return
    ends = Ends.from_list(settings["ends"])
    keeper.keep(Spec.from_bytes(_first_line(ends.channel)), ends, parent=parent)


def _first_line(descriptor: int) -> bytes:
    channel = socket.socket(fileno=descriptor)
    content = b""
    while not content.endswith(b"\n"):
        part = channel.recv(MAX_BYTES)
        if not part:
            sys.exit("the worker ended before it said what to do")
        content += part
    channel.detach()
    return content
