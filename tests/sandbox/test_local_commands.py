"""Hostile configurations that `ade run` and `ade check` execute on the machine of the person who received them."""

import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ade
import ade_engine
from ade.sandbox.removal import remove_folder
from sandbox.rig import NOBODY, SITE_PACKAGES, open_python, users

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="elsewhere only limits hold")]

DOCUMENT = "Name,City\nAnn,Bonn\nBen,Ulm\n"
SECRET = "hunter2-of-the-user"
ATTACKS = """
import os, socket, subprocess, sys
from ade_engine import Field

field = Field("name", aliases=["Name"])
SCENE, SECRET, PORT = {scene!r}, {secret!r}, {port}


def attempt(when, name, act):
    try:
        act()
    except BaseException as error:
        print("refused", when, name, type(error).__name__)
    else:
        print("ESCAPED", when, name)


def must(condition):
    if not condition:
        raise OSError("nothing happened")


def append(path):
    with open(path, "a") as file:
        file.write("# changed")


def fork():
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)


def attack(when):
    attempt(when, "key", lambda: must(SECRET in open(SCENE + "/home/.ssh/id_ed25519").read()))
    attempt(when, "home", lambda: os.listdir(SCENE + "/home"))
    attempt(when, "environment", lambda: must(SECRET in os.environ.values()))
    attempt(when, "own environ file", lambda: must(SECRET in open("/proc/self/environ").read()))
    attempt(when, "outside", lambda: append(SCENE + "/outside/new.txt"))
    attempt(when, "configuration", lambda: append(__file__))
    attempt(when, "new rule", lambda: append(os.path.dirname(__file__) + "/other.txt"))
    attempt(when, "document", lambda: append(SCENE + "/in/a.csv"))
    attempt(when, "results", lambda: append(SCENE + "/out/other.txt"))
    attempt(when, "socket", lambda: socket.create_connection(("127.0.0.1", PORT), 5).close())
    attempt(when, "unix socket", lambda: socket.socket(socket.AF_UNIX).connect(SCENE + "/outside/socket"))
    attempt(when, "process", lambda: subprocess.run(["/bin/true"], check=True))
    attempt(when, "shell", lambda: must(os.system("true") == 0))
    attempt(when, "fork", fork)


attack("import")


def transform(value):
    if value == "Ann":
        attack("rule")
    return value
"""
ATTACK_COUNT = ATTACKS.count("    attempt(when, ")


class Scene:
    """A user with secrets, a document and a received configuration. All of it is theirs to read and write."""

    def __init__(self, user: str) -> None:
        is_dropped = os.geteuid() == 0 and user == "user"
        self.identity: dict[str, Any] = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if is_dropped else {}
        self.python = sys.executable if user == "root behind a closed door" else open_python() or sys.executable
        self.base = Path(tempfile.mkdtemp(prefix="ade-received-"))
        self.listener = socket.create_server(("127.0.0.1", 0))
        for folder in ("home/.ssh", "rules/columns", "in", "out", "outside", "tmp"):
            (self.base / folder).mkdir(parents=True)
        self.files = socket.socket(socket.AF_UNIX)
        self.files.bind(str(self.base / "outside/socket"))
        self.files.listen()
        (self.base / "home/.ssh/id_ed25519").write_text(SECRET)
        for name in ("a.csv", "b.csv"):
            (self.base / "in" / name).write_text(DOCUMENT)
        self.write_rule(ATTACKS.format(scene=str(self.base), secret=SECRET, port=self.listener.getsockname()[1]))

    def write_rule(self, text: str) -> None:
        (self.base / "rules/columns/name.py").write_text(text)
        for path in (self.base, *self.base.rglob("*")):
            os.chown(path, self.identity.get("user", os.geteuid()), -1)

    def ade(self, *words: str) -> subprocess.CompletedProcess[str]:
        sources = [str(Path(module.__file__ or "").parents[1]) for module in (ade, ade_engine)]
        environment = {
            "PYTHONPATH": ":".join([*sources, SITE_PACKAGES]), "HOME": str(self.base / "home"), "TOKEN": SECRET,
            "PATH": "/usr/bin:/bin", "TMPDIR": str(self.base / "tmp"), "COLUMNS": "500",
        }  # fmt: skip
        return subprocess.run(
            [self.python, "-B", "-m", "ade", *words], cwd=self.base / "tmp", env=environment, capture_output=True,
            text=True, check=False, **self.identity,
        )  # fmt: skip

    def snapshot(self) -> dict[str, bytes]:
        """Return every file but the results."""
        kept = [
            path for path in self.base.rglob("*") if path.is_file() and "out" not in path.relative_to(self.base).parts
        ]
        return {str(path): path.read_bytes() for path in kept}

    def close(self) -> None:
        self.listener.close()
        self.files.close()
        remove_folder(self.base)


@pytest.fixture(params=users())
def scene(request: pytest.FixtureRequest) -> Iterator[Scene]:
    """Yield a scene for each user there is."""
    made = Scene(request.param)
    yield made
    made.close()


@pytest.fixture
def ordinary() -> Iterator[Scene]:
    """Yield the scene of an ordinary user, for what does not depend on who the user is."""
    made = Scene("user")
    yield made
    made.close()


COMMANDS = {
    "run, spawned": ["run", "../in/a.csv", "--config", "../rules", "--out", "../out"],
    "run, forked from a zygote": ["run", "../in", "--config", "../rules", "--out", "../out"],
    "check": ["check", "../rules"],
}


@pytest.mark.req("S1", "S4", "C1")
@pytest.mark.parametrize("command", COMMANDS)
def test_no_attack_of_a_received_configuration_succeeds(scene: Scene, command: str) -> None:
    before = scene.snapshot()

    answer = scene.ade(*COMMANDS[command])

    attacks = {"run, spawned": 2, "run, forked from a zygote": 4, "check": 1}[command] * ATTACK_COUNT
    assert "ESCAPED" not in answer.stderr
    assert answer.stderr.count("refused") == attacks
    assert answer.returncode == 0
    assert scene.snapshot() == before


@pytest.mark.parametrize("command", ["run, spawned", "check"])
def test_each_attack_succeeds_with_debug_which_says_so(scene: Scene, command: str) -> None:
    answer = scene.ade(*COMMANDS[command], "--debug")

    assert "refused" not in answer.stdout
    assert answer.stdout.count("ESCAPED") == ATTACK_COUNT * (1 if command == "check" else 2)
    assert answer.stderr.startswith("ade: --debug: the rules run in this process, without the sandbox")


WAIT = "import threading; threading.Event().wait()"
EXCESSES = {
    "memory": (f"kept = b'x' * (300 << 20); {WAIT}", "--memory-mb=200", "resource_limit"),
    "time": (WAIT, "--timeout=1", "timed_out"),
    "disk": (f"open('a', 'wb').write(bytes(8 << 20)); open('b', 'wb').write(bytes(8 << 20)); {WAIT}",
             "--disk-mb=10", "resource_limit"),
}  # fmt: skip
RULE = """
from ade_engine import Field

field = Field("name")


def transform(value):
    {body}
    return value
"""


@pytest.mark.req("S2", "C1")
@pytest.mark.parametrize("excess", EXCESSES)
def test_a_rule_that_uses_too_much_is_ended_and_the_option_named(ordinary: Scene, excess: str) -> None:
    body, option, code = EXCESSES[excess]
    ordinary.write_rule(RULE.format(body=body))

    answer = ordinary.ade("run", "../in/a.csv", "--config", "../rules", "--out", "../out", "--json", option)

    (file,) = json.loads(answer.stdout)["files"]
    assert answer.returncode == 1
    assert file["failure"]["code"] == code
    assert file["failure"]["message"].endswith(f"The limit is changed with {option.partition('=')[0]}.")
    assert list((ordinary.base / "tmp").iterdir()) == []


FORGERIES = {
    "a document that is no artifact": "import ade_engine.artifact as a; a.as_bytes = lambda _: b'[[['",
    "an artifact without its parts": "import ade_engine.artifact as a; a.as_bytes = lambda _: b'{\"sheets\": 7}'",
    "numbers without end": """
import ade_engine.artifact as a, json
a.as_bytes = lambda content: json.dumps({**content, "summary": {"issues": {"total": 9**99}}}).encode()""",
    "a name that leads elsewhere": """
import os
open("artifact.json", "w").write('{"sheets": [], "summary": {"issues": {"total": 0, "info": 0}}}')
open("issues.ndjson", "w")
os.write(3, b'{"type":"result","status":"succeeded","outputs":["../../escaped.xlsx"],"summary":{}}\\n')
os._exit(0)""",
    "a folder in place of a result": """
import os
os.makedirs("artifact.json")
os.write(3, b'{"type":"result","status":"succeeded","outputs":[],"summary":{}}\\n')
os._exit(0)""",
    "an end without a result": "import os; os._exit(0)",
}


@pytest.mark.req("S4", "C1")
@pytest.mark.parametrize("forgery", FORGERIES)
def test_forged_results_are_refused_in_a_sentence_and_not_copied(ordinary: Scene, forgery: str) -> None:
    ordinary.write_rule(f'from ade_engine import Field\nfield = Field("name")\n{FORGERIES[forgery]}\n')

    answer = ordinary.ade("run", "../in/a.csv", "--config", "../rules", "--out", "../out")

    assert answer.returncode == 1, answer.stdout
    assert "failed (" in answer.stdout
    assert "Traceback" not in answer.stderr
    assert list((ordinary.base / "out/a").iterdir()) == []
    assert list((ordinary.base / "tmp").iterdir()) == []


@pytest.mark.req("S4", "C1")
def test_a_check_is_not_ended_by_the_rules_it_imports(ordinary: Scene) -> None:
    ordinary.write_rule('from ade_engine import Field\nimport os\nfield = Field("name")\nos._exit(0)\n')

    answer = ordinary.ade("check", "../rules")

    assert answer.returncode == 1
    assert answer.stderr.startswith("ade: The check's process ended before its work was done")


@pytest.mark.req("S4", "C1")
def test_rules_send_no_commands_to_the_terminal(ordinary: Scene) -> None:
    colours = "\\x1b]52;c;Y3VybA==\\x07 \\x9b31m \\u202e"
    ordinary.write_rule(
        f'from ade_engine import Field\nfield = Field("name")\nprint("{colours}")\nraise ValueError("{colours}")\n'
    )
    words = ["run", "../in/a.csv", "--config", "../rules", "--out", "../out"]

    answers = [ordinary.ade(*words), ordinary.ade(*words, "--json"), ordinary.ade("check", "../rules")]

    for answer in answers:
        assert answer.returncode == 1
        assert "Y3VybA==" in answer.stdout
        assert "Y3VybA==" in answer.stderr
        assert not set(answer.stdout + answer.stderr) & set("\x1b\x07\x9b\u202e")
