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
    channel = socket.socket(fileno=ends.channel)
    spec = Spec.from_bytes(channel.recv(MAX_BYTES))
    channel.detach()
    keeper.keep(spec, ends, parent=parent)
