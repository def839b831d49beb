"""Folders that are pushed to the server: one configuration of each name, and no draft that is lost."""

import pytest
from fastapi.testclient import TestClient

from ade.domain.configuration_files import pack
from api.conftest import RULES, Place

ZIP = {"Content-Type": "application/zip"}
AGE = b'from ade_engine import Field\n\nfield = Field("age")\n'


@pytest.mark.req("B4")
def test_a_pushed_folder_is_the_draft_and_the_draft_before_is_archived(client: TestClient, place: Place) -> None:
    address = f"/api/v1/configurations/{place.configuration_id}"
    client.put(f"{address}/files/columns/mine.py", content=AGE, headers={"If-None-Match": "*"})

    pushed = client.put(f"{address}/draft", content=pack({**RULES, "columns/age.py": AGE}), headers=ZIP)

    assert (pushed.status_code, pushed.json()["status"]) == (200, "draft")
    files = client.get(f"{address}/files").json()["items"]
    assert {file["path"] for file in files} == {"columns/name.py", "columns/age.py"}
    versions = client.get(f"{address}/versions").json()["items"]
    assert [version["status"] for version in versions] == ["draft", "archived", "published"]
    again = client.put(f"{address}/draft", content=pack({**RULES, "columns/age.py": AGE}), headers=ZIP)
    assert again.json()["number"] == pushed.json()["number"]


def test_pushing_what_is_published_changes_nothing(client: TestClient, place: Place) -> None:
    address = f"/api/v1/configurations/{place.configuration_id}"
    pushed = client.put(f"{address}/draft", content=pack(RULES), headers=ZIP).json()
    assert pushed["status"] == "published"
    assert len(client.get(f"{address}/versions").json()["items"]) == 1


def test_a_name_belongs_to_one_configuration_of_a_workspace_until_it_is_put_away(
    client: TestClient, place: Place
) -> None:
    home = f"/api/v1/workspaces/{place.workspace_id}/configurations"
    taken = client.post(home, json={"name": "Members", "template": "minimal"})
    assert (taken.status_code, taken.json()["code"]) == (409, "conflict")
    assert "Members" in taken.json()["detail"]

    other = client.post(home, json={"name": "Others", "template": "minimal"}).json()["id"]
    assert client.patch(f"/api/v1/configurations/{other}", json={"name": "Members"}).status_code == 409
    away = client.patch(f"/api/v1/configurations/{place.configuration_id}", json={"is_archived": True})
    assert away.status_code == 200
    assert client.patch(f"/api/v1/configurations/{other}", json={"name": "Members"}).status_code == 200
    back = client.patch(f"/api/v1/configurations/{place.configuration_id}", json={"is_archived": False})
    assert back.status_code == 409
