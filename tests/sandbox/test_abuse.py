"""The abuse suite: each attack is refused, and is seen to succeed once the layers that stop it are off."""

import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ade.sandbox.removal import remove_folder
from sandbox.attacks import ATTACKS, Attack
from sandbox.rig import Rig, Worker

LIMITS = {"memory_bytes": 256 << 20, "file_bytes": 2 << 20}
BOMBS = ("17", "24")  # these use up what others need, or are ended for it
BEGIN = "-- "


def params(attacks: Mapping[str, Attack]) -> list[Any]:
    return [pytest.param(name, id=name, marks=pytest.mark.req(attack.req)) for name, attack in attacks.items()]


CALM = {name: attack for name, attack in ATTACKS.items() if not name.startswith(BOMBS)}
LOUD = {name: attack for name, attack in ATTACKS.items() if name.startswith(BOMBS)}


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


@dataclass(frozen=True)
class Raid:
    """Every calm attack by one child: what is refused changes nothing for the next."""

    outcome: dict[str, Any]
    logs: dict[str, str]
    heard: int
    rig: Rig


@pytest.fixture(scope="module", params=["spawn", "zygote", "zygote with network access"])
def raid(request: pytest.FixtureRequest, worker: Worker) -> Iterator[Raid]:
    """Yield what became of all attacks: a child for each would take most of the suite's time."""
    rig = Rig(worker, request.param.split()[0])
    opened = Listeners(rig.base)
    rig.options.update(opened.options)
    codes = [f"print({BEGIN + name!r})\nexec({attack.code!r}, dict(globals()))\n" for name, attack in CALM.items()]
    outcome = rig.run("".join(codes), limits=LIMITS, network="network" in request.param)
    told = [part.partition("\n") for part in f"\n{outcome['log']}".split(f"\n{BEGIN}")]
    yield Raid(outcome, {name: log for name, _, log in told}, opened.heard(), rig)
    for listener in opened.all:
        listener.close()
    remove_folder(rig.base)


@pytest.mark.parametrize("name", params(CALM))
def test_attack_is_refused(raid: Raid, name: str) -> None:
    log = raid.logs.get(name, "")

    assert "refused" in log, raid.outcome
    assert "ESCAPED" not in log


@pytest.mark.req("S1", "S3", "S4")
def test_attacks_have_reached_nobody_and_changed_nothing(raid: Raid) -> None:
    assert (raid.outcome["kind"], raid.outcome["level"]) == ("succeeded", raid.rig.worker.best_level)
    assert raid.heard == 0
    assert_untouched(raid.rig)


@pytest.mark.parametrize("name", params(LOUD))
def test_bomb_is_refused(rig: Rig, name: str) -> None:
    attack = ATTACKS[name]

    outcome = rig.run(attack.code, limits=LIMITS)

    is_ended = "watch" in attack.layers and outcome["kind"] == "resource_limit"  # before it could say anything
    assert is_ended or "refused" in outcome["log"], outcome
    assert "ESCAPED" not in outcome["log"]
    assert outcome["level"] == rig.worker.best_level
    assert_untouched(rig)


def assert_untouched(rig: Rig) -> None:
    for path in (rig.key, rig.other_run, rig.outside, rig.input, rig.build / "module.py"):
        assert path.read_text() == "# untouched"
        assert path.stat().st_mtime != 1
        assert path.stat().st_mode & 0o777 == 0o666
    assert not (rig.build / "evil.pth").exists()


@pytest.mark.slow
@pytest.mark.usefixtures("listeners")
@pytest.mark.parametrize("name", params(ATTACKS))
def test_attack_succeeds_without_its_layers(rig: Rig, name: str) -> None:
    attack = ATTACKS[name]

    outcome = rig.run(attack.code, without=attack.layers, limits=LIMITS)

    refused = {line.split()[1] for line in outcome["log"].splitlines() if line.startswith("refused")}
    assert "ESCAPED" in outcome["log"], outcome
    assert refused <= set(attack.privileged)
    assert outcome["level"] != "isolated"
