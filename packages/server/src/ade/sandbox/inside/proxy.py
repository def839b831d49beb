"""The proxy of one child: the only way out of its network namespace, to public addresses alone.

It is a process of its own that holds no secret: the child's bytes, and those of the servers it reaches, never pass
through a process that does. Whatever the child sends, it uses up only what its own proxy may use.
"""

from __future__ import annotations

import os
import resource
import select
import signal
import socket
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

from ade.destinations import is_outside, look_up
from ade.sandbox.inside import landlock, privileges
from ade.sandbox.inside.channel import send
from ade.sandbox.inside.layers import move_down
from ade.sandbox.inside.ledger import Ledger, Spent
from ade.sandbox.inside.network import BUFFER_BYTES, READY
from ade.sandbox.inside.proxy_requests import Refused, Target, answer, read_request
from ade.sandbox.inside.relay import relay
from ade.sandbox.inside.spec import Network

_CONNECT_SECONDS = 10.0
_ADDRESSES_TRIED = 3
_OPEN_FILES = 256
_LOOK_SECONDS = 0.1


def run(network: Network, descriptors: list[int], *, parent: int) -> NoReturn:
    """Give up what a proxy does not need, serve until the keeper says it is over, and report."""
    try:
        control, channel = (socket.socket(fileno=number) for number in move_down(descriptors))
        _shut_in(network, parent=parent)
        control.send(READY)
        _, received, _, _ = socket.recv_fds(control, 1, 1)
        if received:
            listener = socket.socket(fileno=received[0])
            ledger = Ledger(network, lambda event, values: send(channel, "network", event=event, values=values))
            try:
                Proxy(network, ledger).serve(listener, control)
            finally:
                ledger.report_totals()
    except BaseException:  # noqa: BLE001 - the last frame of this process: nothing is above it
        traceback.print_exc()
    os._exit(0)


def _shut_in(network: Network, *, parent: int) -> None:
    if network.uid is not None:
        privileges.become(network.uid)
    resource.setrlimit(resource.RLIMIT_NOFILE, (_OPEN_FILES, _OPEN_FILES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # The soft limit's signal ends serving, and leaves a while to report.
    signal.signal(signal.SIGXCPU, _stop)
    resource.setrlimit(resource.RLIMIT_CPU, (network.cpu_seconds, network.cpu_seconds + 2))
    layers: list[Callable[[], None]] = [
        privileges.drop_capabilities,
        privileges.forbid_new_privileges,
        lambda: privileges.die_with_parent(parent),  # after the change of user, which clears it
        privileges.forbid_inspection,
        lambda: landlock.restrict(readable=network.readable, writable=(), ports=None),
    ]
    for put_on in layers:
        with suppress(OSError):  # not on every system; it runs no code of the child in any case
            put_on()


def _stop(*_: object) -> NoReturn:
    raise Spent("the proxy used up its CPU time")


class Proxy:
    """Accepts connections of a child, a few at once."""

    def __init__(self, network: Network, ledger: Ledger) -> None:
        self._network = network
        self._ledger = ledger
        self._free = threading.Semaphore(network.connections_at_once)

    def serve(self, listener: socket.socket, control: socket.socket) -> None:
        """Serve until the control socket says or shows that it is over."""
        for _ in range(self._network.connection_count):
            if not self._accept(listener, control):
                return
        listener.close()  # from now on the kernel refuses, at no expense of this process
        select.select([control], [], [])

    def _accept(self, listener: socket.socket, control: socket.socket) -> bool:
        """Serve the next connection; return False when it is over."""
        while not self._free.acquire(timeout=_LOOK_SECONDS):  # those beyond wait in the kernel
            if select.select([control], [], [], 0)[0]:
                return False
        ready, _, _ = select.select([listener, control], [], [])
        if control in ready:
            return False
        try:
            client, _ = listener.accept()
        except OSError:  # it hung up before it was accepted
            self._free.release()
            return True
        threading.Thread(target=self._serve_one, args=(client,), daemon=True).start()
        return True

    def _serve_one(self, client: socket.socket) -> None:
        try:
            with client, suppress(OSError):  # either side may end it at any time
                client.settimeout(self._network.idle_seconds)
                self._carry_out(client)
        finally:
            self._free.release()

    def _carry_out(self, client: socket.socket) -> None:
        try:
            request = read_request(client)
            self._ledger.count(request.target)
            outside = self._connect(request.target)
        except Refused as refusal:
            answer(client, refusal)
            return
        with outside:
            if request.is_tunnel:
                client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            relay(client, outside, first=request.first_bytes, moved=self._ledger.meter(request.target),
                  idle_seconds=self._network.idle_seconds)  # fmt: skip

    def _connect(self, target: Target) -> socket.socket:
        """Connect to the very addresses that were checked: looked up again, the name could lead elsewhere."""
        addresses = self._addresses(target)
        if not addresses or not all(self._is_allowed(address, target.port) for address in addresses):
            # The same for names that do not exist: else the names of a private network could be found out.
            self._ledger.refuse(target, "it has no public address")
        for address in addresses[:_ADDRESSES_TRIED]:
            with suppress(OSError):
                outside = _open(address, target.port)
                self._ledger.reach(target, address)
                return outside
        return self._ledger.refuse(target, "it could not be connected to", status=502)

    def _addresses(self, target: Target) -> list[str]:
        known = self._network.names.get(target.host)
        if known is not None:
            return list(known)
        try:
            return look_up(target.host, target.port)
        except (OSError, UnicodeError):
            return []

    def _is_allowed(self, address: str, port: int) -> bool:
        return f"{address}:{port}" in self._network.addresses or is_outside(address)


def _open(address: str, port: int) -> socket.socket:
    outside = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
    try:
        for option in (socket.SO_SNDBUF, socket.SO_RCVBUF):
            outside.setsockopt(socket.SOL_SOCKET, option, BUFFER_BYTES)
        outside.settimeout(_CONNECT_SECONDS)
        outside.connect((address, port))
    except BaseException:
        outside.close()
        raise
    return outside
