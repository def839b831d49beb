"""Calls of the API, one method each. Lists are followed to their end; streams continue after a lost connection."""

import json
import time
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote

import httpx2

from ade.client.connection import refusal
from ade.client.models import CaseReport, Configuration, Document, Event, Pushed, QueuedRun, Run, Workspace
from ade.client.operating import Operating
from ade.errors import ServerRefused, ServerUnreachable

MOST_AT_ONCE = 1000
MOST_RECONNECTS = 20
STREAM_SILENCE_SECONDS = 45  # the server says something at least every 15
LOG_SECONDS = 0.5
COMBINING_SECONDS = 1000


class Client(Operating):
    """A connection to a server: what people do with it every day."""

    def workspaces(self) -> list[Workspace]:
        """Return the workspaces you see."""
        return [Workspace.of(item) for item in self._items("/workspaces")]

    def workspace(self, name: str | None = None) -> Workspace:
        """Return a workspace by slug, name or id; without one, the first."""
        for workspace in self.workspaces():
            if name is None or name in {workspace.slug, workspace.name, workspace.id}:
                return workspace
        raise ServerRefused(f"There is no workspace {name or 'you can see'}.")

    def documents(self, workspace_id: str, **filters: Any) -> Iterator[Document]:
        """Yield the documents of a workspace, newest first."""
        return (Document.of(item) for item in self._items(f"/workspaces/{workspace_id}/documents", **filters))

    def upload(
        self, workspace_id: str, path: Path, *, encoding: str | None = None, idempotency_key: str | None = None
    ) -> Document:
        """Upload a file; `encoding` is that of a text such as csv, where it should not be detected."""
        params = {"encoding": encoding} if encoding else {}
        headers = {"Idempotency-Key": idempotency_key} if idempotency_key else {}
        with path.open("rb") as file:
            parts = {"file": (path.name, file)}
            address = f"/workspaces/{workspace_id}/documents"
            return Document.of(self.call("POST", address, params=params, files=parts, headers=headers))

    def choose_encoding(self, document_id: str, encoding: str) -> Document:
        """Choose the encoding of a text document; "auto" detects it."""
        return Document.of(self.call("PATCH", f"/documents/{document_id}", json={"encoding": encoding}))

    def download(self, link: str, target: Path) -> int:
        """Save what a link leads to; return how many bytes."""
        with self._streamed(link) as answer:
            return _write(answer, target)

    def save(self, link: str, folder: Path) -> Path:
        """Save the target of a link under the name that the server gives it, next to existing files."""
        with self._streamed(link) as answer:
            named = Path(_name_of(answer.headers.get("content-disposition", "")))
            target = folder / named
            for number in count(2):
                if not target.exists():
                    break
                target = folder / f"{named.stem} ({number}){named.suffix}"
            _write(answer, target)
            return target

    def configurations(self, workspace_id: str) -> list[Configuration]:
        """Return the configurations of a workspace, newest first."""
        items = self._items(f"/workspaces/{workspace_id}/configurations")
        return [Configuration.of(item) for item in items]

    def configuration(self, workspace_id: str, name: str | None = None) -> Configuration:
        """Return a configuration by name or id; without one, the only one there is."""
        found = self.configurations(workspace_id)
        named = [one for one in found if name is None or name in {one.name, one.id}]
        if len(named) == 1:
            return named[0]
        known = ", ".join(one.name for one in found) or "none"
        if name is not None and not named:
            raise ServerRefused(f"There is no configuration {name} in this workspace. There is: {known}.")
        raise ServerRefused(f"Name one configuration of this workspace (--configuration): {known}.")

    def import_configuration(self, workspace_id: str, name: str, packed: bytes) -> Configuration:
        """Make a configuration from a zip archive."""
        path, headers = f"/workspaces/{workspace_id}/configurations", {"Content-Type": "application/zip"}
        return Configuration.of(self.call("POST", path, params={"name": name}, content=packed, headers=headers))

    def push(self, workspace_id: str, name: str, packed: bytes, *, note: str | None = None) -> Pushed:
        """Make a zip archive the draft of the configuration of a name, which is made if there is none."""
        found = next((one for one in self.configurations(workspace_id) if name in (one.id, one.name)), None)
        if found is None:
            made = self.import_configuration(workspace_id, name, packed)
            return Pushed(made.id, made.name, int(made.draft_version or 1), True)
        path, headers = f"/configurations/{found.id}/draft", {"Content-Type": "application/zip"}
        params = {} if note is None else {"note": note}
        version = self.call("PUT", path, params=params, content=packed, headers=headers)
        return Pushed(found.id, found.name, int(version["number"]), version["status"] == "draft")

    def test_draft(self, configuration_id: str, *, pause: Callable[[], object] | None = None) -> CaseReport:
        """Have the cases of the draft run, and return how they came out."""
        found = CaseReport.of(self.call("POST", f"/configurations/{configuration_id}/tests"))
        while found.is_running:
            (pause or _pause)()
            found = CaseReport.of(self.call("GET", f"/configurations/{configuration_id}/tests"))
        return found

    def save_case(self, configuration_id: str, run_id: str, *, name: str | None = None) -> str:
        """Save a run as a case of the draft; return the name of the case."""
        order = {"run_id": run_id, "name": name}
        return str(self.call("POST", f"/configurations/{configuration_id}/cases", json=order)["name"])

    def publish(self, configuration_id: str, *, note: str | None = None, skip_tests: bool = False) -> int:
        """Publish the draft; return its number."""
        order = {"note": note, "skip_tests": skip_tests}
        return int(self.call("POST", f"/configurations/{configuration_id}/publish", json=order)["number"])

    def submit(
        self, configuration_id: str, document_id: str, *, idempotency_key: str | None = None, **options: Any
    ) -> Run:
        """Queue a run."""
        headers = {"Idempotency-Key": idempotency_key} if idempotency_key else {}
        body = {"input_document_id": document_id, **options}
        return Run.of(self.call("POST", f"/configurations/{configuration_id}/runs", json=body, headers=headers))

    def submit_batch(self, configuration_id: str, document_ids: Sequence[str], **options: Any) -> list[Run]:
        """Queue a run for each document, all or none; beyond a thousand, a thousand at a time."""
        made: list[Run] = []
        for start in range(0, len(document_ids), MOST_AT_ONCE):
            body = {"input_document_ids": list(document_ids[start : start + MOST_AT_ONCE]), **options}
            made_now = self.call("POST", f"/configurations/{configuration_id}/runs/batch", json=body)
            made += [Run.of(item) for item in made_now["runs"]]
        return made

    def run(self, run_id: str) -> Run:
        """Return a run."""
        return Run.of(self.call("GET", f"/runs/{run_id}"))

    def runs(self, **filters: Any) -> Iterator[Run]:
        """Yield runs, the latest submission first."""
        return (Run.of(item) for item in self._items("/runs", **filters))

    def combine(self, workspace_id: str, run_ids: Sequence[str], target: Path) -> Path:
        """Save the outputs of runs as one document, whose ending says the format; several files are a zip archive."""
        order = {"run_ids": list(run_ids), "format": target.suffix.removeprefix(".").lower()}
        path = f"/api/v1/workspaces/{workspace_id}/combined-output"
        with self._streamed(path, method="POST", json=order, timeout=COMBINING_SECONDS) as answer:
            is_zip = answer.headers.get("content-type") == "application/zip"
            saved = target.with_suffix(".zip") if is_zip else target
            _write(answer, saved)
            return saved

    def cancel(self, run_id: str, *, reason: str | None = None) -> Run:
        """Cancel a run."""
        return Run.of(self.call("POST", f"/runs/{run_id}/cancel", json={"reason": reason}))

    def run_again(self, run_id: str, **options: Any) -> Run:
        """Queue a new run of the same document."""
        return Run.of(self.call("POST", f"/runs/{run_id}/run-again", json=options))

    def logs(self, run_id: str) -> str:
        """Return the log of a run."""
        return self._send("GET", f"/runs/{run_id}/logs").text

    def follow_log(self, run_id: str, *, pause: Callable[[], object] | None = None) -> Iterator[str]:
        """Yield what a run prints, as it is printed, until it has ended; `pause` waits before the next look."""
        decoder = getincrementaldecoder("utf-8")("replace")
        read, lost, is_over = 0, 0, False
        while not is_over:
            try:
                is_over = self.run(run_id).is_finished  # asked first: what was printed before the end is read after it
                printed = self._log_from(run_id, read)
                read, lost = read + len(printed), 0
                if text := decoder.decode(printed, final=is_over):
                    yield text
            except ServerUnreachable:
                lost, is_over = lost + 1, False
                if lost > MOST_RECONNECTS:
                    raise
            if not is_over:
                (pause or _pause)()

    def _log_from(self, run_id: str, start: int) -> bytes:
        try:
            return self._send("GET", f"/runs/{run_id}/logs", headers={"Range": f"bytes={start}-"}).content
        except ServerRefused as refused:
            if refused.status == 416:  # nothing was added
                return b""
            raise

    def queue(self) -> Iterator[QueuedRun]:
        """Yield what waits, in claim order."""
        return (QueuedRun.of(item) for item in self._items("/queue"))

    def events(self, run_id: str, *, after: int = 0) -> Iterator[Event]:
        """Yield what happens to a run until it ends, over lost connections."""
        seen, lost = after, 0
        while lost <= MOST_RECONNECTS:
            try:
                for kind, data in self._stream(f"/runs/{run_id}/events/stream", seen):
                    if kind == "end":
                        return
                    seen, lost = data["seq"], 0
                    yield Event.of(data)
                lost = 0  # the server ends a long stream in good order
            except httpx2.TransportError:
                pass
            lost += 1
            time.sleep(min(5.0, 0.2 * lost))  # noqa: TID251 - a client has no clock of the server's
        raise ServerUnreachable("The connection to the server was lost.")

    def wait(self, run_id: str) -> Run:
        """Return a run once it has ended."""
        for _ in self.events(run_id):
            pass
        return self.run(run_id)

    def _stream(self, path: str, after: int) -> Iterator[tuple[str, Mapping[str, Any]]]:
        headers, timeout = {"Last-Event-ID": str(after)}, httpx2.Timeout(60, read=STREAM_SILENCE_SECONDS)
        with self._http.stream("GET", f"/api/v1{path}", headers=headers, timeout=timeout) as answer:
            if answer.status_code >= 400:
                answer.read()
                raise refusal(answer)
            kind = ""
            for line in _lines(answer):
                name, _, value = line.partition(": ")
                if name == "event":
                    kind = value
                elif name == "data":
                    yield kind, json.loads(value)


def _lines(answer: httpx2.Response) -> Iterator[str]:
    """Yield what ends in a line feed. Python ends lines at more characters, which a text of a run may contain."""
    rest = b""
    for chunk in answer.iter_bytes():
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            yield line.decode()


def _pause() -> None:
    time.sleep(LOG_SECONDS)  # noqa: TID251 - a client has no clock of the server's


def _write(answer: httpx2.Response, target: Path) -> int:
    with target.open("wb") as file:
        return sum(file.write(chunk) for chunk in answer.iter_bytes())


def _name_of(disposition: str) -> str:
    """Return the file name of a Content-Disposition; only its last part, whatever the server says."""
    _, found, encoded = disposition.partition("filename*=UTF-8''")
    return PurePosixPath(unquote(encoded).replace("\\", "/")).name if found and encoded else "download"
