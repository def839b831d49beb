"""Many uploads at once: all are taken, in turns."""

import asyncio
import urllib.request
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from ade.api.upload_gate import AT_ONCE, AT_ONCE_OF_WORKSPACE, UploadGate
from ade.system import System
from api.conftest import Place
from api.serving import serving


@pytest.mark.slow
@pytest.mark.req("A1")
def test_forty_uploads_of_one_person_at_once_are_all_taken(system: System, place: Place) -> None:
    with serving(system) as port, ThreadPoolExecutor(40) as pool:
        address = f"http://127.0.0.1:{port}/api/v1/workspaces/{place.workspace_id}/documents"

        def upload(number: int) -> int:
            part = f'Content-Disposition: form-data; name="file"; filename="{number}.csv"\r\n\r\nName,Age\nAda,36'
            body = f"--cut\r\n{part}\r\n--cut--\r\n".encode()
            request = urllib.request.Request(address, body, {"Content-Type": "multipart/form-data; boundary=cut"})
            with urllib.request.urlopen(request, timeout=120) as answer:
                return int(answer.status)

        assert Counter(pool.map(upload, range(40))) == {201: 40}


def test_uploads_wait_for_their_turn_and_workspaces_take_turns() -> None:
    most: Counter[str] = Counter()
    order: list[str] = []

    async def upload(gate: UploadGate, workspace: str, inside: Counter[str]) -> None:
        async with gate.hold(workspace):
            order.append(workspace)
            inside[workspace] += 1
            most[workspace] = max(most[workspace], inside[workspace])
            most["all"] = max(most["all"], inside.total())
            await asyncio.sleep(0)
            inside[workspace] -= 1

    async def play() -> None:
        gate, inside = UploadGate(), Counter[str]()
        await asyncio.gather(*(upload(gate, name, inside) for name in [*"a" * 50, *"b" * 2, *"c" * 50]))

    asyncio.run(play())

    assert Counter(order) == {"a": 50, "b": 2, "c": 50}
    assert most["a"] == most["c"] == AT_ONCE_OF_WORKSPACE
    assert most["all"] <= AT_ONCE
    assert order.index("b") < 20


def test_an_upload_that_is_given_up_leaves_its_place_to_others() -> None:
    async def play() -> int:
        gate = UploadGate()
        started = asyncio.Event()

        async def hold() -> None:
            async with gate.hold("a"):
                started.set()
                await asyncio.Event().wait()

        holding = [asyncio.create_task(hold()) for _ in range(AT_ONCE_OF_WORKSPACE * 2)]
        await started.wait()
        for task in holding:
            task.cancel()
        await asyncio.gather(*holding, return_exceptions=True)
        async with gate.hold("a"):
            return 1

    assert asyncio.run(play()) == 1
