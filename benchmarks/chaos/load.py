"""What people do meanwhile: submit, cancel, run again, through whichever server answers."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from pathlib import Path

from site_of_chaos import Site

from ade.client import Client
from ade.errors import AdeError
from ade.ids import new_id

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
DOCUMENTS = ["title_above_header.xlsx", "stacked_tables.xlsx", "members_list.xlsx"]
COPIES = 4
MOST_OPEN = 40


class Load:
    """Submits as long as it may. What a server accepted is remembered: it must not be lost."""

    def __init__(self, site: Site, *, seed: int) -> None:
        self._site = site
        self._chance = random.Random(seed + 1)  # noqa: S311 - repeatable
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._submit_on, daemon=True)
        self.accepted: dict[str, str] = {}  # key of the submission -> run
        self.cancelled: set[str] = set()  # runs somebody asked to cancel
        self.troubles = 0
        with site.client(site.servers[0], timeout=60) as client:
            workspace = client.workspace()
            self.configuration_id = client.configuration(workspace.id).id
            paths = [SAMPLES / name for name in DOCUMENTS for _ in range(COPIES)]
            self.documents = {client.upload(workspace.id, path).id: path.name for path in paths}
            first = client.submit(self.configuration_id, next(iter(self.documents)))  # has the build made
            self.accepted["first"] = client.wait(first.id).id

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """Submit nothing more; what is being asked is asked to its end."""
        self._is_over.set()
        self._thread.join()

    def _submit_on(self) -> None:
        while not self._is_over.is_set():
            self._submit_one()
            if self._chance.random() < 0.1:
                self._cancel_one()
            while not self._is_over.is_set() and self._open_count() >= MOST_OPEN:
                self._site.pause(0.2)

    def _submit_one(self) -> None:
        """Submit until some server says yes; the key makes sure that it is once."""
        key, document_id = new_id(), self._chance.choice(sorted(self.documents))
        priority = self._chance.choice([10, 50, 50, 90])

        def submit(client: Client) -> None:
            run = client.submit(self.configuration_id, document_id, idempotency_key=key, priority=priority)
            self.accepted[key] = run.id

        self._until_answered(submit)

    def _cancel_one(self) -> None:
        run_id = self._chance.choice(list(self.accepted.values()))
        self.cancelled.add(run_id)  # before: the answer may get lost
        self._until_answered(lambda client: client.cancel(run_id))

    def _open_count(self) -> int:
        counts: list[int] = []

        def count(client: Client) -> None:
            counts.append(sum(run.status in {"queued", "running"} for run in client.runs()))

        self._until_answered(count)
        return counts[-1]

    def _until_answered(self, call: Callable[[Client], object]) -> None:
        while True:
            name = self._chance.choice(self._site.servers)
            try:
                with self._site.client(name) as client:
                    call(client)
            except AdeError as error:
                if getattr(error, "status", 503) in {404, 409}:
                    return  # a run that ended meanwhile cannot be cancelled
                self.troubles += 1
                self._site.pause(0.2)
            else:
                return
