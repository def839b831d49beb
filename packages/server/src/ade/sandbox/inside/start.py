"""Where a trusted `python -I -S` begins: as the keeper of one child, or as a zygote."""

from __future__ import annotations

import json
import sys

from ade.sandbox.inside import keeper, modules, zygote
from ade.sandbox.inside.channel import Ends, first_line
from ade.sandbox.inside.spec import Spec


def main() -> None:
    """Do what the command line says."""
    role, parent, settings = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])
    modules.trust(settings["modules"])
    if role == "zygote":
        zygote.serve(settings["control"], parent=parent, trusted=settings["modules"], preload=settings["preload"])
        return
    ends = Ends.from_list(settings["ends"])
    said = first_line(ends.channel)
    if not said:
        sys.exit("the worker ended before it said what to do")
    keeper.keep(Spec.from_bytes(said), ends, parent=parent)
