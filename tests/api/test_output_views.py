"""How somebody looks at an output is checked before anything is read."""

import pytest
from fastapi.testclient import TestClient

from api.conftest import Place, submit


@pytest.mark.req("U1")
@pytest.mark.parametrize("query", ["sort=c", "sort=AAAA", "contains=Leeds", "equals=AAAA:x", "only=everything"])
def test_a_view_that_makes_no_sense_is_refused(client: TestClient, place: Place, query: str) -> None:
    run = submit(client, place)
    for address in ("cells?range=A1:C10", "cells/find?text=x"):
        answer = client.get(f"/api/v1/runs/{run['id']}/output/{address}&{query}")
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")
