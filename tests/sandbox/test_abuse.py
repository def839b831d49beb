"""The abuse suite: each attack is refused, and is seen to succeed once the layers that stop it are off."""

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sandbox.attacks import ATTACKS, Attack
from sandbox.rig import Rig

LIMITS = {"memory_bytes": 256 << 20, "file_bytes": 2 << 20}
EVERY_ATTACK = [pytest.param(attack, id=name, marks=pytest.mark.req(attack.req)) for name, attack in ATTACKS.items()]


class Listeners:
    """Sockets of the host that nobody should reach."""

    def __init__(self, folder: Path) -> None:
        self.tcp = self._bound(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0))
        port = self.tcp.getsockname()[1]
        self.udp = self._bound(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", port))
        self.stream = self._bound(socket.AF_UNIX, socket.SOCK_STREAM, str(folder / "stream"))
        self.abstract = self._bound(socket.AF_UNIX, socket.SOCK_STREAM, f"\0ade-abuse-{folder.name}")
        self.datagram = self._bound(socket.AF_UNIX, socket.SOCK_DGRAM, str(folder / "datagram"))
        for name in ("stream", "datagram"):
            (folder / name).chmod(0o777)
        self.options = {
            "port": port,
            "stream_socket": str(folder / "stream"),
            "abstract_socket": f"ade-abuse-{folder.name}",
            "datagram_socket": str(folder / "datagram"),
        }

    def _bound(self, family: int, kind: int, address: Any) -> socket.socket:
        listener = socket.socket(family, kind)
        listener.bind(address)
        if kind == socket.SOCK_STREAM:
            listener.listen()
        listener.setblocking(False)
        return listener

    @property
    def all(self) -> list[socket.socket]:
        return [self.tcp, self.udp, self.stream, self.abstract, self.datagram]

    def heard(self) -> int:
        """Return how many of them somebody reached."""
        return sum(_has_visitor(listener) for listener in self.all)


def _has_visitor(listener: socket.socket) -> bool:
    try:
        if listener.type == socket.SOCK_STREAM:
            listener.accept()[0].close()
        else:
            listener.recv(16)
    except BlockingIOError:
        return False
    return True


@pytest.fixture
def listeners(rig: Rig) -> Iterator[Listeners]:
    opened = Listeners(rig.base)
    rig.options.update(opened.options)
    yield opened
    for listener in opened.all:
        listener.close()


@pytest.mark.parametrize("attack", EVERY_ATTACK)
def test_attack_is_refused(rig: Rig, listeners: Listeners, attack: Attack) -> None:
    outcome = rig.run(attack.code, limits=LIMITS)

    is_ended = "watch" in attack.layers and outcome["kind"] == "resource_limit"  # before it could say anything
    assert is_ended or "refused" in outcome["log"], outcome
    assert "ESCAPED" not in outcome["log"]
    assert outcome["level"] == "isolated"
    assert listeners.heard() == 0
    for path in (rig.key, rig.other_run, rig.outside, rig.input, rig.build / "module.py"):
        assert path.read_text() == "# untouched"
        assert path.stat().st_mtime != 1
        assert path.stat().st_mode & 0o777 == 0o666
    assert not (rig.build / "evil.pth").exists()


@pytest.mark.slow
@pytest.mark.parametrize("attack", EVERY_ATTACK)
def test_attack_succeeds_without_its_layers(rig: Rig, listeners: Listeners, attack: Attack) -> None:
    outcome = rig.run(attack.code, without=attack.layers, limits=LIMITS)

    refused = {line.split()[1] for line in outcome["log"].splitlines() if line.startswith("refused")}
    assert "ESCAPED" in outcome["log"], outcome
    assert refused <= set(attack.privileged)
    assert outcome["level"] != "isolated"
