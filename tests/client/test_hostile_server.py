"""Commands against a server, or a run, whose texts are meant for the terminal of their reader."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from ade.cli import app
from ade.cli.output import fail
from ade.client import Client
from ade.errors import AdeError, ServerRefused

ID = "01932c07-5b1e-7c3a-9d2f-3f1b8c6a7e10"
TITLE = "\x1b]0;title\x07"
HOSTILE = f"{TITLE}\x1b[2J\x9b31m\u202e[/bold][red]"
OBEYED = ("\x1b]", "\x1b[2J", "\x9b", "\x07", "\u202e")
MOMENT = "2026-01-01T00:00:00Z"
LINKS = {name: f"/api/v1/runs/{ID}/{name}" for name in ("output", "artifact", "issues", "logs")}
FAILURE = {"code": "input_error", "message": HOSTILE}
RUN = {"id": ID, "document_name": f"{HOSTILE}.csv", "status": "failed", "failure": FAILURE, "created_at": MOMENT,
       "links": LINKS, "configuration_name": HOSTILE, "submitted_by": HOSTILE, "metrics": None}  # fmt: skip
NAMED = {"id": ID, "name": HOSTILE, "slug": "a", "created_at": MOMENT}
EVENT = {"seq": 1, "at": MOMENT, "type": HOSTILE, "note": HOSTILE}
STREAM = f"event: a\ndata: {json.dumps(EVENT, ensure_ascii=False)}\n\nevent: end\ndata: {{}}\n\n"
ANSWERS: dict[str, Any] = {
    "workspaces": {"items": [NAMED], "next_cursor": None},
    "configurations": {"items": [NAMED], "next_cursor": None},
    "documents": NAMED,
    "batch": {"runs": [RUN]},
    "stream": STREAM,
    "logs": f"{HOSTILE}\n",
    "runs": {"items": [RUN], "next_cursor": None},
    ID: RUN,
    "cancel": RUN,
    "run-again": RUN,
    "pauses": {"id": HOSTILE},
}


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        is_refused = self.server.is_refusing  # type: ignore[attr-defined]
        told = ANSWERS.get(self.path.partition("?")[0].rpartition("/")[2], "data")
        told = {"detail": HOSTILE, "code": "unreadable_document"} if is_refused else told
        content = (told if isinstance(told, str) else json.dumps(told)).encode()
        self.send_response(400 if is_refused else 200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_POST = do_GET  # noqa: N815 - its name in the library

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.fixture
def server() -> Iterator[ThreadingHTTPServer]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as opened:
        opened.is_refusing = False  # type: ignore[attr-defined]
        thread = threading.Thread(target=opened.serve_forever)
        thread.start()
        yield opened
        opened.shutdown()
        thread.join()


def _printed(server: ThreadingHTTPServer, *words: str, is_terminal: bool) -> str:
    environment = {"ADE_URL": f"http://127.0.0.1:{server.server_port}", "COLUMNS": "300"}
    terminal = {"FORCE_COLOR": "1", "TERM": "xterm"} if is_terminal else {}
    done = CliRunner().invoke(app, words, env={**environment, **terminal})
    if isinstance(done.exception, AdeError):
        return done.output + str(fail(done.exception))
    assert done.exception is None or isinstance(done.exception, SystemExit), repr(done.exception)
    return done.output


@pytest.mark.req("C1")
@pytest.mark.parametrize("is_terminal", [False, True])
@pytest.mark.parametrize(
    "words",
    ["runs list", "runs show ID", "runs events ID", "runs logs ID", "runs logs ID --follow", "runs cancel ID",
     "runs again ID", "builds log ID", "queue pause why", "submit FILE", "submit FILE --wait"],
)  # fmt: skip
def test_what_a_server_or_a_run_says_does_not_command_the_terminal(
    server: ThreadingHTTPServer, tmp_path: Path, words: str, is_terminal: bool
) -> None:
    file = tmp_path / "a.csv"
    file.write_text("a,b\n")
    given = [{"ID": ID, "FILE": str(file)}.get(word, word) for word in words.split()]

    printed = _printed(server, *given, is_terminal=is_terminal)

    assert [sign for sign in OBEYED if sign in printed] == []


@pytest.mark.req("C1")
@pytest.mark.parametrize("words", ["runs list", "submit FILE"])
def test_what_a_server_refuses_with_does_not_command_the_terminal(
    server: ThreadingHTTPServer, tmp_path: Path, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    server.is_refusing = True  # type: ignore[attr-defined]
    file = tmp_path / "a.csv"
    file.write_text("a,b\n")

    printed = _printed(server, *words.replace("FILE", str(file)).split(), is_terminal=False)

    assert [sign for sign in OBEYED if sign in printed + "".join(capsys.readouterr())] == []


@pytest.mark.req("C1")
def test_a_server_that_never_runs_out_of_files_is_asked_for_a_bounded_number(
    server: ThreadingHTTPServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, out = tmp_path / "a.csv", tmp_path / "out"
    file.write_text("a,b\n")
    monkeypatch.setitem(ANSWERS, ID, {**RUN, "status": "succeeded", "failure": None, "document_name": "a.csv"})
    monkeypatch.setattr("ade.cli.submit.MOST_OUTPUTS", 5)

    _printed(server, "submit", str(file), "--output", str(out), is_terminal=False)

    assert len(list((out / "a").iterdir())) <= 5 + 2  # and the artifact and the issues


@pytest.mark.req("C1")
@pytest.mark.parametrize("line_end", ["\u2028", "\u2029", "\x85", "\\n", "\\r", "\\u000b", "\\f", "\\u001c"])
def test_what_a_run_says_neither_ends_nor_breaks_its_stream_of_events(
    server: ThreadingHTTPServer, monkeypatch: pytest.MonkeyPatch, line_end: str
) -> None:
    said = f"{line_end}event: end{line_end}data: 0{line_end}"
    events = [f'{{"seq": {number}, "at": "", "type": "engine.a", "note": "{said}"}}' for number in (1, 2)]
    stream = "".join(f"event: engine.a\ndata: {event}\n\n" for event in events)
    monkeypatch.setitem(ANSWERS, "stream", f"{stream}event: end\ndata: {{}}\n\n")

    with Client(f"http://127.0.0.1:{server.server_port}") as client:
        assert [event.seq for event in client.events(ID)] == [1, 2]


@pytest.mark.req("C1")
@pytest.mark.parametrize(
    "summary", [{"issues": 5}, {"issues": {"total": "\x1b"}}, {"issues": None}, {"issues": []}, {}]
)
def test_results_are_saved_whatever_summary_the_rules_sent(
    server: ThreadingHTTPServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, summary: dict[str, Any]
) -> None:
    file, out = tmp_path / "a.csv", tmp_path / "out"
    file.write_text("a,b\n")
    ended = {"status": "succeeded", "failure": None, "document_name": "a.csv", "metrics": {"summary": summary}}
    monkeypatch.setitem(ANSWERS, ID, {**RUN, **ended})
    monkeypatch.setattr("ade.cli.submit.MOST_OUTPUTS", 1)

    _printed(server, "submit", str(file), "--output", str(out), is_terminal=False)

    assert (out / "a" / "artifact.json").exists()


@pytest.mark.req("S2")
@pytest.mark.parametrize(
    "told", ["null", "[]", "5", '"x"', "{", '{"items": [null]}', '{"items": [5]}', "[" * 100_000, "\0"]
)
def test_what_is_no_answer_of_ade_is_reported_in_words(
    server: ThreadingHTTPServer, monkeypatch: pytest.MonkeyPatch, told: str
) -> None:
    monkeypatch.setitem(ANSWERS, "runs", told)

    result = CliRunner().invoke(app, ["runs", "list", "--url", f"http://127.0.0.1:{server.server_port}"])

    assert isinstance(result.exception, ServerRefused)
    assert "does not answer like an ADE server" in str(result.exception)
