"""What honest user code needs works inside."""

import pytest

from sandbox.rig import SITE_PACKAGES, Rig

pytestmark = pytest.mark.req("S1")

HONEST = {
    "openpyxl": """
import openpyxl
book = openpyxl.Workbook()
book.active.append(["name", 1, 2.5])
book.save("book.xlsx")
assert next(openpyxl.load_workbook("book.xlsx").active.values) == ("name", 1, 2.5)
""",
    "calamine": """
import openpyxl, python_calamine
book = openpyxl.Workbook()
book.active.append(["name", 1])
book.save("book.xlsx")
assert python_calamine.CalamineWorkbook.from_path("book.xlsx").get_sheet_by_index(0).to_python() == [["name", 1.0]]
""",
    "zoneinfo": """
import datetime, zoneinfo
assert datetime.datetime(2026, 7, 1, tzinfo=zoneinfo.ZoneInfo("Europe/Berlin")).utcoffset().seconds == 7200
""",
    "tempfile": """
import tempfile
with tempfile.NamedTemporaryFile() as file, tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as other:
    file.write(b"x"); other.write(b"x")
    assert tempfile.gettempdir() == os.environ["TMPDIR"]
""",
    "thread pool": """
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(16) as pool:
    assert sum(pool.map(lambda n: n * n, range(100))) == 328350
""",
    "asyncio": """
import asyncio
async def main():
    await asyncio.sleep(0)
    return await asyncio.to_thread(lambda: 42)
assert asyncio.run(main()) == 42
""",
    "files": """
import shutil
open("a", "w").write("x")
shutil.copy("a", "b"); shutil.copy2("a", "c"); shutil.copytree(".", "../output/copies", ignore=lambda *_: ["copies"])
os.makedirs("x/y/z"); os.rename("b", "x/y/z/b"); os.remove("c"); shutil.rmtree("x")
""",
    "input and build": """
import module
assert open(OPTIONS["input"]).read() == "# untouched"
""",
    "standard library": """
import csv, ctypes, decimal, email, hashlib, json, locale, logging, lzma, mimetypes, random, re, secrets, sqlite3, ssl
import statistics, subprocess, unicodedata, urllib.request, uuid, xml.etree.ElementTree, zipfile
mimetypes.init(); uuid.uuid4(); hashlib.sha256(b"x"); sqlite3.connect("db").execute("create table t (a)")
logging.warning("heard"); locale.setlocale(locale.LC_ALL, ""); ssl.create_default_context(); zipfile.ZipFile("z", "w")
""",
    "own signals": """
import signal, threading
got = []
signal.signal(signal.SIGUSR1, lambda *_: got.append(1))
os.kill(os.getpid(), signal.SIGUSR1)
signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)
assert len(got) == 2
""",
}


@pytest.mark.slow
@pytest.mark.parametrize("code", HONEST.values(), ids=HONEST)
def test_honest_code_works(rig: Rig, code: str) -> None:
    needs_packages = "openpyxl" in code
    outcome = rig.run(code, site_packages=SITE_PACKAGES if needs_packages else None, minimum=rig.worker.best_level)

    assert outcome["kind"] == "succeeded", outcome["log"]


def test_events_arrive_in_order(rig: Rig) -> None:
    code = """
from ade_engine.protocol import Event
for number in range(1000):
    emit(Event("rows.progress", {"rows": number}))
"""
    outcome = rig.run(code)

    assert [event["data"]["rows"] for event in outcome["events"]] == list(range(1000))
    assert outcome["result"]["status"] == "succeeded"


def test_an_error_of_user_code_is_a_configuration_error_with_its_trace_in_the_log(rig: Rig) -> None:
    outcome = rig.run("def rule():\n    return 1 / 0\nrule()")

    assert (outcome["kind"], outcome["code"]) == ("failed", "configuration_error")
    assert outcome["message"] == "ZeroDivisionError: division by zero"
    assert "in rule" in outcome["log"]


@pytest.mark.req("S2", "S3")
def test_a_run_that_may_use_the_network_sets_options_that_take_no_memory(rig: Rig) -> None:
    code = """
import socket
with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as s:
    attempt("delay", lambda: s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1))
    attempt("alive", lambda: s.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1))
    attempt("send", lambda: s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20))
    attempt("receive", lambda: s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20))
    attempt("filter", lambda: reaches_kernel("setsockopt", s.fileno(), 1, 26, None, 0))
"""
    outcome = rig.run(code, network=True)

    assert [line.split()[:2] for line in outcome["log"].splitlines()] == [
        ["ESCAPED", "delay"],
        ["ESCAPED", "alive"],
        ["refused", "send"],
        ["refused", "receive"],
        ["refused", "filter"],
    ]
