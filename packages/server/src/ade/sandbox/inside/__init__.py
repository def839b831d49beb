"""Runs inside the child's processes, before any user code: standard library only, so that it starts in milliseconds."""
