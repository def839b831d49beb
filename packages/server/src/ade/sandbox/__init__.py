"""Runs user code in child processes that are shut in, and reports how far.

`Launcher.start(request)` gives a `Child`; following it gives its `Outcome`. `inside/` is what runs in the child's own
processes, in the order keeper, init, payload; everything else runs in the worker. docs/decisions/0011 says which of
them to believe.
"""
