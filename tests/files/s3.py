"""A real S3-compatible server on this machine, for tests."""

import socket
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path

from postgres import wait_until

BUCKET = "ade-test"


class S3Server:
    """The S3 server of moto in a process of its own."""

    def __init__(self) -> None:
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            self.port = int(listener.getsockname()[1])
        self.endpoint = f"http://127.0.0.1:{self.port}"
        command = [str(Path(sys.executable).parent / "moto_server"), "-H", "127.0.0.1", "-p", str(self.port)]
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self._process = subprocess.Popen(command, stdout=self._log, stderr=self._log)
        wait_until(self._makes_bucket, what="the S3 server to answer")

    def stop(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        self._log.close()

    @property
    def variables(self) -> dict[str, str]:
        """Return what a client finds the server by."""
        return {
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_ALLOW_HTTP": "true",
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_REGION": "us-east-1",
        }

    def _makes_bucket(self) -> bool:
        request = urllib.request.Request(f"{self.endpoint}/{BUCKET}", method="PUT")
        with suppress(urllib.error.URLError, OSError), urllib.request.urlopen(request, timeout=5):
            return True
        return False
