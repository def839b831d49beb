"""A real `ade serve`, for a real browser."""

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from postgres import wait_until

ROOT = Path(__file__).resolve().parent.parent.parent
SAMPLES = ROOT / "samples"
PATIENCE_SECONDS = 120  # on a busy machine; nothing waits longer than it has to


class Server:
    """A server process on its own folder; it can be stopped and started again."""

    def __init__(self, folder: Path, *options: str, **settings: str) -> None:
        self.port = _free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._log = folder / "serve.log"
        self._options = options
        self._environment = {**os.environ, "ADE_DATA_DIR": str(folder / "data"), **settings}
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "Server":
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> "Server":
        """Start it, and wait until it takes work."""
        command = [sys.executable, "-m", "ade", "serve", "--port", str(self.port), *self._options]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(command, env=self._environment, stdout=log, stderr=log)
        try:
            wait_until(self._is_ready, what="ade serve to be ready", seconds=PATIENCE_SECONDS)
        except TimeoutError:
            self.stop()
            raise
        return self

    def stop(self) -> None:
        """End it as an operator would."""
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM)
            self._process.wait(timeout=60)
            self._process = None

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """Call the API as a program would."""
        content = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            f"{self.url}/api/v1{path}", content, {"Content-Type": "application/json", **headers}, method=method
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            sent = answer.read()
        return json.loads(sent) if sent else None

    def upload(self, sample: str, name: str | None = None) -> str:
        """Upload a sample; return its id."""
        return self.upload_content(name or sample, (SAMPLES / sample).read_bytes())

    def upload_content(self, name: str, content: bytes) -> str:
        """Upload a document of this content; return its id."""
        boundary = "----ade-test"
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
        content = head.encode() + content + f"\r\n--{boundary}--\r\n".encode()
        request = urllib.request.Request(
            f"{self.url}/api/v1/workspaces/{self.workspace_id}/documents",
            content,
            {"Content-Type": f"multipart/form-data; boundary={boundary}"},
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            return str(json.load(answer)["id"])

    def configure(self, name: str, files: dict[str, str] | None = None) -> str:
        """Publish a configuration like the starter, with these files added; return its id."""
        order = {"name": name, "template": "example"}
        made = self.call("POST", f"/workspaces/{self.workspace_id}/configurations", order)["id"]
        for path, text in (files or {}).items():
            self.write_file(made, path, text)
        self.call("POST", f"/configurations/{made}/publish", {"note": "first"})
        return str(made)

    def write_file(self, configuration_id: str, path: str, text: str) -> None:
        """Write a file of the draft, as someone else would."""
        address = f"{self.url}/api/v1/configurations/{configuration_id}/files/{quote(path)}"
        headers = {"Content-Type": "text/plain", "If-Match": "*"}
        request = urllib.request.Request(address, text.encode(), headers, method="PUT")
        urllib.request.urlopen(request, timeout=60).close()

    def read_file(self, configuration_id: str, path: str) -> str:
        """Return a file of the draft, or of the published version without one."""
        address = f"{self.url}/api/v1/configurations/{configuration_id}/files/{quote(path)}"
        with urllib.request.urlopen(address, timeout=60) as answer:
            return str(answer.read().decode())

    def submit(self, document_id: str, *, configuration: str | None = None, **options: Any) -> str:
        """Queue a run, of the starter configuration unless another is named; return its id."""
        order = {"input_document_id": document_id, **options}
        return str(self.call("POST", f"/configurations/{configuration or self.configuration_id}/runs", order)["id"])

    def finished(self, run_id: str) -> Any:
        """Wait for the end of a run; return it."""
        found: dict[str, Any] = {}

        def is_over() -> bool:
            found.update(self.call("GET", f"/runs/{run_id}"))
            return found["finished_at"] is not None

        wait_until(is_over, what="the run to end", seconds=PATIENCE_SECONDS)
        return found

    @property
    def workspace_id(self) -> str:
        """Return the one workspace of local mode."""
        return str(self.call("GET", "/workspaces")["items"][0]["id"])

    @property
    def configuration_id(self) -> str:
        """Return the starter configuration: the first there was."""
        listed = self.call("GET", f"/workspaces/{self.workspace_id}/configurations?limit=200")["items"]
        return str(min(one["id"] for one in listed))

    def _is_ready(self) -> bool:
        with suppress(OSError), urllib.request.urlopen(f"{self.url}/readyz", timeout=5) as answer:
            return bool(answer.status == 200)
        return False


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
