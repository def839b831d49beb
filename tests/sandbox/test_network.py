"""A run with network access reaches public addresses through its proxy, and nothing else in any way."""

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from ade.sandbox.removal import remove_folder
from postgres import wait_until
from sandbox.rig import Rig, Worker, users

pytestmark = [
    pytest.mark.req("S3"),
    pytest.mark.skipif(not Path("/proc/self/ns/net").exists(), reason="network namespaces are Linux's"),
]
NAME = "data.example"
CLIENT = f'''
import socket, urllib.request, urllib.error
HOST = f"{NAME}:{{OPTIONS['port']}}"
def ask(text):
    """Send bytes to the proxy and return the status of its answer."""
    with socket.create_connection(("127.0.0.1", 3128), 20) as proxy:
        proxy.sendall(text.encode("latin-1"))
        return proxy.makefile("rb").readline().decode().split(" ", 2)[1:]
'''


class Handler(BaseHTTPRequestHandler):
    """Answers with what it was sent, and notes how it was asked."""

    def do_POST(self) -> None:
        self.server.heard.append((self.path, dict(self.headers), self.client_address[1]))  # type: ignore[attr-defined]
        content = self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Print nothing."""


@pytest.fixture
def server() -> Iterator[ThreadingHTTPServer]:
    """Yield a server on the loopback of the host: out of reach, unless the test's policy allows its address."""
    opened = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    opened.heard = []  # type: ignore[attr-defined]
    thread = threading.Thread(target=opened.serve_forever)
    thread.start()
    yield opened
    opened.shutdown()
    thread.join()
    opened.server_close()


def policy(server: ThreadingHTTPServer, **changes: Any) -> dict[str, Any]:
    port = server.server_address[1]
    return {"addresses": [f"127.0.0.1:{port}"], "names": {NAME: ["127.0.0.1"]}, **changes}


def run(rig: Rig, server: ThreadingHTTPServer, code: str, **changes: Any) -> dict[str, Any]:
    given = policy(server, **changes)
    return rig.run(
        CLIENT + code, network=True, policy=given, minimum=rig.worker.best_level, port=server.server_address[1]
    )


def test_plain_and_tunnelled_requests_reach_a_public_host_and_are_recorded(
    rig: Rig, server: ThreadingHTTPServer
) -> None:
    code = """
import http.client
answer = urllib.request.urlopen(f"http://{HOST}/plain", data=b"x" * 100_000, timeout=20).read()
print(answer == b"x" * 100_000)
tunnel = http.client.HTTPConnection("127.0.0.1", 3128, timeout=20)
tunnel.set_tunnel(HOST.split(":")[0], OPTIONS["port"])
tunnel.request("POST", "/tunnelled", body=b"y" * 100_000)
print(tunnel.getresponse().read() == b"y" * 100_000)
tunnel.close()
"""
    outcome = run(rig, server, code)

    assert (outcome["kind"], outcome["level"], outcome["log"]) == ("succeeded", rig.worker.best_level, "True\nTrue\n")
    [plain, tunnelled] = server.heard  # type: ignore[attr-defined]
    assert (plain[0], tunnelled[0]) == ("/plain", "/tunnelled")
    assert not any(name.lower().startswith("proxy") for name in plain[1])
    reached, used = outcome["network"]
    at = {"host": NAME, "port": server.server_address[1]}
    assert reached == {"name": "network.reached", "data": {**at, "address": "127.0.0.1"}}
    assert used["name"] == "network.used"
    assert used["data"].items() >= {**at, "connection_count": 2}.items()
    assert used["data"]["sent_bytes"] > 200_000
    assert used["data"]["received_bytes"] > 200_000


def test_nothing_is_reached_around_the_proxy(rig: Rig, server: ThreadingHTTPServer) -> None:
    own = socket.gethostbyname_ex(socket.gethostname())[2] if _has_name() else []
    with socket.socket(socket.AF_UNIX) as abstract, socket.socket(socket.AF_UNIX) as named:
        abstract.bind(f"\0{rig.base.name}")
        named.bind(str(rig.base / "socket"))
        (rig.base / "socket").chmod(0o777)
        for listener in (abstract, named):
            listener.listen()
        code = """
for address in ["127.0.0.1", "127.0.0.2", "0.0.0.0", "10.0.0.1", "169.254.169.254", "8.8.8.8", *OPTIONS["own"]]:
    for port in (OPTIONS["port"], 53, 80):
        attempt(f"{address}:{port}", lambda: socket.create_connection((address, port), 5))
for address in ["::1", "fd00::1", "fe80::1", "2606:4700::1111", "::ffff:127.0.0.1"]:
    attempt(address, lambda: socket.socket(socket.AF_INET6, socket.SOCK_STREAM).connect((address, OPTIONS["port"])))
def send(family, address):
    socket.socket(family, socket.SOCK_DGRAM).sendto(b"x", (address, 53))
attempt("udp", lambda: send(socket.AF_INET, "127.0.0.1"))
attempt("udp of version 6", lambda: send(socket.AF_INET6, "::1"))
attempt("ping", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM, 1))
attempt("raw", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))
attempt("sctp", lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM, 132))
attempt("mptcp", lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262))
attempt("packet", lambda: socket.socket(17, socket.SOCK_RAW))
attempt("netlink", lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW))
attempt("vsock", lambda: socket.socket(40, socket.SOCK_STREAM))
attempt("unix", lambda: socket.socket(socket.AF_UNIX, socket.SOCK_STREAM).connect(OPTIONS["named"]))
attempt("abstract", lambda: socket.socket(socket.AF_UNIX, socket.SOCK_STREAM).connect("\\0" + OPTIONS["abstract"]))
def fast_open():
    flags = 0x20000000
    socket.socket().sendto(b"x", flags, ("127.0.0.1", OPTIONS["port"]))
attempt("fast open", fast_open)
attempt("bind", lambda: socket.socket().bind(("127.0.0.1", 0)))
attempt("listen", lambda: socket.socket().listen())
attempt("name", lambda: socket.getaddrinfo("localhost.example", 80))
attempt("key", lambda: open(OPTIONS["key"]).read())
attempt("private keys", lambda: os.listdir("/etc/ssl/private"))
attempt("names of the host", lambda: open("/etc/hosts").read())
attempt("process", lambda: os.fork())
"""
        outcome = rig.run(
            CLIENT + code, network=True, minimum=rig.worker.best_level, port=server.server_address[1], own=own,
            abstract=rig.base.name, named=str(rig.base / "socket"),
        )  # fmt: skip
        for listener in (abstract, named):
            listener.setblocking(False)
            with pytest.raises(BlockingIOError):
                listener.accept()

    lines = outcome["log"].splitlines()
    assert outcome["kind"] == "succeeded"
    assert len(lines) > 40
    assert [line for line in lines if not line.startswith("refused ")] == []
    assert server.heard == []  # type: ignore[attr-defined]


def _has_name() -> bool:
    with suppress(OSError):
        socket.gethostbyname(socket.gethostname())
        return True
    return False


HIDDEN = {
    "private.example": ["10.1.2.3"],
    "metadata.example": ["169.254.169.254"],
    "mixed.example": ["93.184.215.14", "127.0.0.1"],
    "six.example": ["2606:4700::1111", "fd00::1"],
    "mapped.example": ["::ffff:127.0.0.1"],
}


def test_the_proxy_leads_to_public_addresses_only(rig: Rig, server: ThreadingHTTPServer) -> None:
    code = """
hosts = ["127.0.0.1", "127.1", "0x7f.1", "2130706433", "0177.0.0.1", "localhost", "LOCALHOST.", "0.0.0.0", "0",
         "10.0.0.1", "172.16.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1", "168.63.129.16", "192.0.0.192",
         "224.0.0.1", "255.255.255.255", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]",
         "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]", "[2001:0:4136:e378:8000:63bf:80ff:fffe]", "[fe80::1]",
         "[fd00:ec2::254]", "[ff02::1]", "no-such-name.invalid", *OPTIONS["names"], *OPTIONS["own"]]
for host in hosts:
    for port in (OPTIONS["port"], 80):
        print("tunnel", host, port, *ask(f"CONNECT {host}:{port} HTTP/1.1\\r\\n\\r\\n")[:1])
        print("plain", host, port, *ask(f"GET http://{host}:{port}/ HTTP/1.1\\r\\nHost: {host}\\r\\n\\r\\n")[:1])
"""
    own = socket.gethostbyname_ex(socket.gethostname())[2] if _has_name() else []
    outcome = rig.run(
        CLIENT + code, network=True, minimum=rig.worker.best_level, policy={"names": HIDDEN},
        port=server.server_address[1], names=list(HIDDEN), own=own,
    )  # fmt: skip

    answers = [line.split() for line in outcome["log"].splitlines()]
    assert outcome["kind"] == "succeeded", outcome
    assert len(answers) >= 4 * (30 + len(HIDDEN))
    assert [answer for answer in answers if answer[-1] != "403"] == []
    assert server.heard == []  # type: ignore[attr-defined]
    assert {event["name"] for event in outcome["network"]} == {"network.refused"}
    # A name that does not exist is refused like one that does: else the names of a private network could be listed.
    assert len({event["data"]["reason"] for event in outcome["network"]}) == 1


def test_what_is_not_a_request_of_a_proxy_is_refused(rig: Rig, server: ThreadingHTTPServer) -> None:
    code = """
end = " HTTP/1.1\\r\\n\\r\\n"
for text in ["GET /" + end, "CONNECT " + HOST.split(":")[0] + end, f"CONNECT {HOST}0000" + end, "CONNECT :80" + end,
             f"CONNECT user@{HOST}" + end, f"GET http://user@{HOST}/" + end, f"GET ftp://{HOST}/" + end,
             f"GET http://{HOST}/ HTTP/2\\r\\n\\r\\n", "CONNECT [fe80::1%25lo]:80" + end, "\\x00\\xff" + end,
             f"CONNECT {HOST}/x" + end, "GET http://a b/" + end, "x" * 40_000]:
    print(*ask(text)[:1])
"""
    outcome = run(rig, server, code)

    assert outcome["log"].split() == ["400"] * 13, outcome
    assert server.heard == []  # type: ignore[attr-defined]


def test_a_run_moves_a_bounded_number_of_bytes(rig: Rig, server: ThreadingHTTPServer) -> None:
    code = """
moved = 0
for _ in range(20):
    try:
        moved += len(urllib.request.urlopen(f"http://{HOST}/", data=b"x" * 100_000, timeout=20).read())
    except (OSError, http.client.HTTPException) as error:
        print(moved, error)
"""
    outcome = run(rig, server, "import http.client\n" + code, total_bytes=1_000_000)

    assert "429" in outcome["log"].splitlines()[-1]
    [_, used] = outcome["network"]
    assert 300_000 < used["data"]["sent_bytes"] + used["data"]["received_bytes"] < 1_200_000


def test_a_run_makes_a_bounded_number_of_connections_to_a_bounded_number_of_hosts(
    rig: Rig, server: ThreadingHTTPServer
) -> None:
    code = """
for number in range(6):
    print(*ask(f"CONNECT host-{number % 4}.invalid:80 HTTP/1.1\\r\\n\\r\\n")[:1])
for _ in range(2):
    attempt("beyond", lambda: ask(f"CONNECT {HOST} HTTP/1.1\\r\\n\\r\\n"))
"""
    outcome = run(rig, server, code, connection_count=6, target_count=3)

    assert outcome["log"].splitlines()[:6] == ["403", "403", "403", "429", "403", "403"]
    assert [line.split()[0] for line in outcome["log"].splitlines()[6:]] == ["refused", "refused"]


def test_connections_that_say_nothing_take_only_the_places_of_their_own_run(
    rig: Rig, server: ThreadingHTTPServer
) -> None:
    code = """
held = [socket.create_connection(("127.0.0.1", 3128), 20) for _ in range(2)]
late = socket.create_connection(("127.0.0.1", 3128), 20)
late.sendall(b"GET /x HTTP/1.1\\r\\n\\r\\n")
held.pop().close()
print(late.recv(12).decode())
"""
    outcome = run(rig, server, code, connections_at_once=2)

    assert outcome["log"] == "HTTP/1.1 400\n", outcome


@pytest.mark.skipif(os.geteuid() != 0, reason="only root sees the sockets and environments of others")
def test_the_proxy_is_a_process_of_its_own_without_secrets_and_ends_with_its_run(rig: Rig) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        code = f"""
with socket.create_connection(("127.0.0.1", 3128), 20) as proxy:
    proxy.sendall(b"CONNECT {NAME}:{port} HTTP/1.1\\r\\n\\r\\n")
    while True:
        proxy.recv(10)
"""
        allowed = {"addresses": [f"127.0.0.1:{port}"], "names": {NAME: ["127.0.0.1"]}}
        number = rig.start(CLIENT + code, network=True, policy=allowed, port=port)
        connection, (_, peer_port) = listener.accept()
        with connection:
            owner, uid = _owner_of(peer_port, port)
            environment = Path(f"/proc/{owner}/environ").read_bytes()
            rig.worker.order("kill", number=number)

            assert connection.recv(1) == b""
        assert rig.worker.answer(number)["kind"] == "killed"
    assert owner != rig.worker.process.pid
    assert b"DATABASE_URL" not in environment
    assert uid != 0
    wait_until(lambda: not Path(f"/proc/{owner}").exists(), what="the proxy to end")


def _owner_of(port: int, peer_port: int) -> tuple[int, int]:
    """Return the process that holds the socket of a connection, and the user it was made by."""
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    ends = [f":{port:04X}", f":{peer_port:04X}"]
    [found] = [line for line in lines if [line[1][-5:], line[2][-5:]] == ends]
    for path in Path("/proc").glob("[0-9]*/fd/*"):
        with suppress(OSError):
            if str(path.readlink()) == f"socket:[{found[9]}]":
                return int(path.parts[2]), int(found[7])
    raise AssertionError("nobody holds the socket")


@pytest.mark.parametrize("mode", ["spawn", "zygote"])
@pytest.mark.parametrize("user", [user for user in users() if user != "root behind a closed door"])
def test_without_a_network_namespace_a_run_with_network_access_never_starts(user: str, mode: str) -> None:
    worker = Worker(user, denied=("unshare",))
    rig = Rig(worker, mode)
    try:
        outcome = rig.run("open('ran', 'w').close()", network=True, minimum="open")

        assert (outcome["kind"], outcome["code"]) == ("network_unavailable", "network_unavailable")
        assert "network_namespace" in outcome["message"]
        assert not (rig.output / "ran").exists()
    finally:
        worker.close()
        remove_folder(rig.base)


def test_a_host_network_is_never_handed_out_instead(rig: Rig) -> None:
    outcome = rig.run("open('ran', 'w').close()", network=True, without=("network_namespace",))

    assert outcome["kind"] == "network_unavailable"
    assert not (rig.output / "ran").exists()
