"""Ports nobody listens on."""

import socket


def free_port() -> int:
    """Return a port of the loopback address that is free now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
