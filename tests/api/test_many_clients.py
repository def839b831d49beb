"""Many at once: a thousand submissions from fifty clients, and the same key from all of them."""

from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any

import httpx2
import pytest

from ade.system import System
from api.conftest import Place, add_documents
from api.serving import serving

pytestmark = pytest.mark.slow


@pytest.mark.req("B4", "R3", "Q2")
def test_a_thousand_submissions_from_fifty_clients_are_all_answered_in_one_order(system: System, place: Place) -> None:
    documents = add_documents(system, place, 1000)
    with serving(system) as port:
        base = f"http://127.0.0.1:{port}/api/v1"
        clients: SimpleQueue[httpx2.Client] = SimpleQueue()
        for _ in range(50):
            clients.put(httpx2.Client(timeout=120))

        def submit(document_id: str) -> dict[str, Any]:
            client = clients.get()
            address = f"{base}/configurations/{place.configuration_id}/runs"
            answer = client.post(address, json={"input_document_id": document_id})
            clients.put(client)
            assert answer.status_code == 202, answer.text
            told: dict[str, Any] = answer.json()
            return told

        with ThreadPoolExecutor(50) as pool:
            made = list(pool.map(submit, documents))
        for _ in range(50):
            clients.get().close()
        listed: list[dict[str, Any]] = []
        cursor = ""
        while True:
            page = httpx2.get(f"{base}/queue?limit=200{cursor}", timeout=60).json()
            listed += page["items"]
            if page["next_cursor"] is None:
                break
            cursor = f"&cursor={page['next_cursor']}"

    assert {run["id"] for run in made} == {item["run_id"] for item in listed}
    assert len({run["build_id"] for run in made}) == 1
    assert [item["position"] for item in listed] == list(range(1, 1001))
    # The place each was told when it was accepted is its place in the end: nobody came in between.
    assert {run["id"]: run["position"] for run in made} == {item["run_id"]: item["position"] for item in listed}


@pytest.mark.req("A1")
def test_one_key_sent_by_twenty_clients_at_once_makes_one_run(system: System, place: Place) -> None:
    with serving(system) as port:
        address = f"http://127.0.0.1:{port}/api/v1/configurations/{place.configuration_id}/runs"

        def submit(_: int) -> str:
            body, headers = {"input_document_id": place.document_id}, {"Idempotency-Key": "same"}
            answer = httpx2.post(address, json=body, headers=headers, timeout=60)
            assert answer.status_code == 202, answer.text
            return str(answer.json()["id"])

        with ThreadPoolExecutor(20) as pool:
            made = set(pool.map(submit, range(20)))

    assert len(made) == 1
