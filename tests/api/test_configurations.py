"""Configurations: made, edited without losing work, published, compared, carried in and out."""

import io
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient

from ade.database.schema import builds
from ade.database.transaction import Database, Transaction
from ade.domain.access import SYSTEM
from ade.domain.configuration_files import pack, unpack
from ade.domain.differences import LARGEST_DIFF, changes_between
from ade.domain.fingerprint import Surroundings, fingerprint
from ade.errors import Invalid, NotEditable, TooLarge
from ade.operations.content import configurations
from ade.operations.content.configuration_files import Edit, change_files, list_files, put_file
from ade.operations.content.configurations import files_digest, publish
from ade.system import System
from api.conftest import RULES, Place, furnish, make_system, open_client, submit
from race import raised, together

FILE = "columns/name.py"


def files_of(place: Place, path: str = FILE) -> str:
    return f"/api/v1/configurations/{place.configuration_id}/files/{path}"


def archive(parts: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        for name, content in parts.items():
            made.writestr(name, content)
    return buffer.getvalue()


def put(system: System, place: Place, path: str, content: bytes = b"x = 1\n") -> None:
    def work(tx: Transaction) -> None:
        put_file(tx, place.configuration_id, path, content, seen=None, is_new=False, actor=SYSTEM)

    system.database.write(work)


def test_files_that_are_saved_at_once_start_one_draft(system: System, place: Place) -> None:
    paths = [f"columns/c{number}.py" for number in range(8)]

    outcomes = together(*(lambda path=path: put(system, place, path) for path in paths))

    assert outcomes == [None] * len(paths)
    rows = system.database.read(lambda tx: list_files(tx, place.configuration_id, number=2))
    assert {FILE, *paths} == {row.path for row in rows}


def test_what_is_saved_while_a_draft_is_published_is_in_it_or_in_the_next(system: System, place: Place) -> None:
    put(system, place, "columns/first.py")
    publication = lambda tx: publish(tx, place.configuration_id, note=None, actor=SYSTEM)  # noqa: E731
    saves = [lambda number=number: put(system, place, f"columns/c{number}.py") for number in range(6)]

    outcomes = together(*saves, lambda: system.database.write(publication))

    published = outcomes[-1]
    assert raised(outcomes, NotEditable) <= len(saves)
    assert published.digest == system.database.read(lambda tx: files_digest(tx, published.id))


@pytest.mark.req("A2", "B8")
def test_a_configuration_from_the_template_is_a_draft_without_problems(client: TestClient, place: Place) -> None:
    made = client.post(f"/api/v1/workspaces/{place.workspace_id}/configurations", json={"name": "People"})
    configuration = made.json()
    address = f"/api/v1/configurations/{configuration['id']}"

    assert made.status_code == 201, made.text
    assert (configuration["published_version"], configuration["draft_version"]) == (None, 1)
    listed = client.get(f"{address}/files").json()["items"]
    assert "columns/member_id.py" in [file["path"] for file in listed]
    assert client.post(f"{address}/check").json() == {"is_valid": True, "problems": []}


def test_a_configuration_is_inferred_from_the_columns_of_a_document(
    client: TestClient, system: System, place: Place
) -> None:
    lines = ["Name,Age", *(f"Person {number},{20 + number}" for number in range(12))]
    system.files.write(f"documents/{place.document_id}/content", ["\n".join(lines).encode()])
    order = {"name": "Ages", "from_document_id": place.document_id}
    made = client.post(f"/api/v1/workspaces/{place.workspace_id}/configurations", json=order).json()

    assert "id" in made, made
    listed = client.get(f"/api/v1/configurations/{made['id']}/files").json()["items"]

    assert {"columns/name.py", "columns/age.py"} <= {file["path"] for file in listed}


def test_fields_of_a_document_are_chosen_renamed_and_published(
    client: TestClient, system: System, place: Place
) -> None:
    lines = ["Name,Born,Remark", *(f"Person {number},{number + 10}/04/1990," for number in range(12))]
    system.files.write(f"documents/{place.document_id}/content", ["\n".join(lines).encode()])
    found = client.get(f"/api/v1/documents/{place.document_id}/fields").json()["items"]
    assert [(field["name"], field["type"]) for field in found] == [("name", None), ("born", "date"), ("remark", None)]
    assert [cell["value"] for cell in found[0]["samples"]] == ["Person 0", "Person 1", "Person 2"]

    fields = [{"inferred": "born", "day_first": True}, {"inferred": "name", "name": "person", "label": "Person"}]
    order = {"name": "People", "from_document_id": place.document_id, "fields": fields}
    made = client.post(f"/api/v1/workspaces/{place.workspace_id}/configurations", json=order).json()
    address = f"/api/v1/configurations/{made['id']}"
    published = client.post(f"{address}/publish", json={"note": "From people.csv"})

    assert published.status_code == 200, published.text
    listed = {file["path"] for file in client.get(f"{address}/files").json()["items"]}
    assert listed == {"columns/born.py", "columns/person.py", "profiles.json", "settings.toml"}
    assert 'label="Person"' in client.get(f"{address}/files/columns/person.py").text
    assert "day_first=True" in client.get(f"{address}/files/columns/born.py").text
    again = client.post(
        f"/api/v1/workspaces/{place.workspace_id}/configurations",
        json={**order, "name": "Twice", "fields": [*fields, {"inferred": "remark", "name": "person"}]},
    )
    assert (again.status_code, "same name" in again.json()["detail"]) == (422, True), again.text


def test_a_configuration_has_files_in_the_script_of_its_document(
    client: TestClient, system: System, place: Place
) -> None:
    lines = ["客户名称,Имя (1),Имя (2)", *(f"客户 {number},x{number},y{number}" for number in range(12))]
    system.files.write(f"documents/{place.document_id}/content", ["\n".join(lines).encode()])
    order = {"name": "客户", "from_document_id": place.document_id}
    made = client.post(f"/api/v1/workspaces/{place.workspace_id}/configurations", json=order).json()
    address = f"/api/v1/configurations/{made['id']}"
    paths = ["columns/имя_1.py", "columns/имя_2.py", "columns/客户名称.py", "profiles.json", "settings.toml"]

    assert sorted(file["path"] for file in client.get(f"{address}/files").json()["items"]) == sorted(paths)
    assert client.post(f"{address}/check").json() == {"is_valid": True, "problems": []}
    read = client.get(f"{address}/files/columns/客户名称.py")
    assert 'Field("客户名称"' in read.text
    saved = client.put(
        f"{address}/files/columns/客户名称.py", content=read.content + b"\n", headers={"If-Match": read.headers["etag"]}
    )
    assert saved.status_code == 200
    assert sorted(unpack(client.get(f"{address}/export").content)) == sorted(paths)


def test_a_check_names_file_line_and_what_was_meant(client: TestClient, place: Place) -> None:
    wrong = b'from ade_engine import Field\n\nfield = Field("name")\n\n\ndef trasnform(value):\n    return value\n'
    etag = client.get(files_of(place)).headers["etag"]
    client.put(files_of(place), content=wrong, headers={"If-Match": etag})

    result = client.post(f"/api/v1/configurations/{place.configuration_id}/check").json()

    assert result["problems"], result
    assert (result["problems"][0]["file"], result["problems"][0]["line"]) == (FILE, 6)
    assert "transform" in result["problems"][0]["suggestion"]


BAD_REQUIREMENTS = {
    "requirements.txt": ["a" + ">=1," * 30 + "$", "a" * 80_000, "-e .", "evil @ https://elsewhere/evil.whl"],
    "pyproject.toml": ["[project]\ndependencies = ['./evil']", "a = " + "[\n" * 9000, f"a = {'9' * 5000}"],
}


@pytest.mark.req("B9")
@pytest.mark.parametrize(("path", "text"), [(path, text) for path, texts in BAD_REQUIREMENTS.items() for text in texts])
def test_a_requirement_that_no_worker_installs_is_refused_before_it_becomes_a_build(
    client: TestClient, system: System, place: Place, path: str, text: str
) -> None:
    put(system, place, path, text.encode())
    address = f"/api/v1/configurations/{place.configuration_id}"

    checked = client.post(f"{address}/check").json()
    published = client.post(f"{address}/publish")
    tested = client.post(f"{address}/test-run", json={"input_document_id": place.document_id})

    [problem] = [each for each in checked["problems"] if each["code"] == "bad-requirement"]
    assert (checked["is_valid"], problem["file"]) == (False, path)
    assert problem["suggestion"]
    place_of_it = f"{path}, line {problem['line']}: "
    for answer in (published, tested):
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")
        assert answer.json()["detail"].startswith(place_of_it)
    assert client.get("/api/v1/builds").json()["items"] == []


def test_a_check_can_be_asked_about_edits_that_are_not_saved(client: TestClient, place: Place) -> None:
    address = f"/api/v1/configurations/{place.configuration_id}"
    broken = {"files": [{"path": FILE, "content": "field = ("}, {"path": "columns/other.py", "content": None}]}

    result = client.post(f"{address}/check", json=broken).json()
    led_away = client.post(f"{address}/check", json={"files": [{"path": "../x.py", "content": ""}]})

    assert (result["is_valid"], result["problems"][0]["file"]) == (False, FILE)
    assert client.get(files_of(place)).content == RULES[FILE]
    assert client.post(f"{address}/check", json={}).json()["is_valid"]
    assert led_away.status_code == 422


def test_several_files_are_changed_together_or_not_at_all(client: TestClient, place: Place) -> None:
    address = f"/api/v1/configurations/{place.configuration_id}/files"
    etag = client.get(files_of(place)).headers["etag"]
    moved: list[dict[str, str | None]] = [
        {"path": "columns/new.py", "content": RULES[FILE].decode()},
        {"path": FILE, "content": None, "if_match": etag},
    ]
    outdated = [moved[0], {**moved[1], "if_match": '"0"'}]

    refused = client.patch(address, json={"files": outdated})
    before = [file["path"] for file in client.get(address).json()["items"]]
    done = client.patch(address, json={"files": moved})
    again = client.patch(address, json={"files": moved[:1]})
    after = [file["path"] for file in client.get(address).json()["items"]]

    assert (refused.status_code, refused.json()["code"]) == (412, "changed")
    assert "columns/new.py" not in before
    assert [file["path"] for file in done.json()["items"]] == ["columns/new.py"]
    assert again.status_code == 412
    assert after == ["columns/new.py" if path == FILE else path for path in before]


def test_many_files_are_changed_with_one_statement_for_each(
    system: System, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    edits = [Edit(path=f"{number}.txt", content=b"x", seen=None) for number in range(100)]
    asked: list[Any] = []
    execute = Transaction.execute

    def counted(tx: Transaction, *given: Any, **options: Any) -> Any:
        asked.append(given)
        return execute(tx, *given, **options)

    monkeypatch.setattr(Transaction, "execute", counted)
    system.database.write(lambda tx: change_files(tx, place.configuration_id, edits, actor=SYSTEM))

    assert len(edits) <= len(asked) < len(edits) + 40


def test_small_files_take_room_too(system: System, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(configurations, "MOST_STORED_BYTES", 100_000)
    for number in range(22):  # with the one there is, in two versions
        put(system, place, f"{number}.txt", b"")

    with pytest.raises(TooLarge):
        put(system, place, "one too many.txt", b"")


def test_versions_are_listed_in_parts(client: TestClient, place: Place) -> None:
    base = f"/api/v1/configurations/{place.configuration_id}"
    for _ in range(2):
        assert client.post(f"{base}/versions").status_code == 201
        assert client.post(f"{base}/publish").status_code == 200

    first = client.get(f"{base}/versions", params={"limit": 2}).json()
    second = client.get(f"{base}/versions", params={"limit": 2, "cursor": first["next_cursor"]}).json()

    assert [one["number"] for one in first["items"] + second["items"]] == [3, 2, 1]
    assert second["next_cursor"] is None


def test_a_path_is_changed_once_by_an_order(client: TestClient, place: Place) -> None:
    edits = [{"path": "a.py", "content": "1"}, {"path": "a.py", "content": "2"}]

    answer = client.patch(f"/api/v1/configurations/{place.configuration_id}/files", json={"files": edits})

    assert answer.status_code == 422


@pytest.mark.req("A1")
def test_an_edit_must_name_the_state_it_is_based_on(client: TestClient, place: Place) -> None:
    etag = client.get(files_of(place)).headers["etag"]

    without = client.put(files_of(place), content=b"# new\n")
    saved = client.put(files_of(place), content=b"# new\n", headers={"If-Match": etag})
    late = client.put(files_of(place), content=b"# mine\n", headers={"If-Match": etag})
    removed_late = client.delete(files_of(place), headers={"If-Match": etag})

    assert (without.status_code, without.json()["code"]) == (428, "precondition_required")
    assert saved.status_code == 200
    assert saved.headers["etag"] == f'"{saved.json()["sha256"]}"'
    assert (late.status_code, late.json()["code"]) == (412, "changed")
    assert removed_late.status_code == 412
    assert client.get(files_of(place)).content == b"# new\n"
    assert client.get(files_of(place), headers={"If-None-Match": saved.headers["etag"]}).status_code == 304


def test_a_new_file_needs_no_etag_and_can_ask_to_be_the_first(client: TestClient, place: Place) -> None:
    address = files_of(place, "columns/age.py")

    first = client.put(address, content=b"a", headers={"If-None-Match": "*"})
    second = client.put(address, content=b"b", headers={"If-None-Match": "*"})

    assert (first.status_code, second.status_code) == (200, 412)
    assert client.delete(address, headers={"If-Match": first.headers["etag"]}).status_code == 204
    assert client.get(address).status_code == 404


@pytest.mark.req("B7")
def test_editing_starts_a_draft_and_leaves_the_published_version_alone(client: TestClient, place: Place) -> None:
    etag = client.get(files_of(place)).headers["etag"]
    client.put(files_of(place), content=b"# edited\n", headers={"If-Match": etag})

    versions = client.get(f"/api/v1/configurations/{place.configuration_id}/versions").json()["items"]

    assert [(one["number"], one["status"]) for one in versions] == [(2, "draft"), (1, "published")]
    assert client.get(f"{files_of(place)}?version=1").content == RULES[FILE]
    assert client.get(files_of(place)).content == b"# edited\n"


def test_publishing_archives_the_version_before_and_an_old_one_can_be_restored(
    client: TestClient, place: Place
) -> None:
    address = f"/api/v1/configurations/{place.configuration_id}"
    etag = client.get(files_of(place)).headers["etag"]
    client.put(files_of(place), content=b"# second\n", headers={"If-Match": etag})

    published = client.post(f"{address}/publish", json={"note": "Better"})
    again = client.post(f"{address}/publish")
    restored = client.post(f"{address}/versions", json={"from_version": 1})
    twice = client.post(f"{address}/versions")

    assert (published.status_code, published.json()["status"]) == (200, "published")
    assert again.status_code == 409
    assert (restored.status_code, restored.json()["number"]) == (201, 3)
    assert twice.status_code == 409
    assert client.get(files_of(place)).content == RULES[FILE]
    statuses = {one["number"]: one["status"] for one in client.get(f"{address}/versions").json()["items"]}
    assert statuses == {1: "archived", 2: "published", 3: "draft"}
    assert client.delete(f"{address}/versions/3").json()["status"] == "archived"


def test_two_versions_are_compared_line_by_line(client: TestClient, place: Place) -> None:
    etag = client.get(files_of(place)).headers["etag"]
    client.put(files_of(place), content=RULES[FILE].replace(b"Name", b"Full name"), headers={"If-Match": etag})
    client.put(files_of(place, "columns/photo.bin"), content=b"\xff\xfe")

    compared = client.get(f"/api/v1/configurations/{place.configuration_id}/diff?from_version=1").json()

    assert (compared["from_version"], compared["to_version"]) == (1, 2)
    changes = {one["path"]: one for one in compared["files"]}
    assert changes[FILE]["change"] == "changed"
    assert '+field = Field("name", label="Full name")' in changes[FILE]["diff"]
    assert changes["columns/photo.bin"] == {"path": "columns/photo.bin", "change": "added", "diff": None}


@pytest.mark.req("A1")
def test_a_key_is_not_used_again_for_the_same_zip_under_another_name(client: TestClient, place: Place) -> None:
    headers = {"Content-Type": "application/zip", "Idempotency-Key": "zip"}
    address = f"/api/v1/workspaces/{place.workspace_id}/configurations"
    packed = pack({"columns/name.py": b"from ade_engine import Field\nfield = Field('name')\n"})

    answers = [client.post(f"{address}?name={name}", content=packed, headers=headers) for name in ("a", "a", "b")]

    assert [answer.status_code for answer in answers] == [201, 201, 422]
    assert answers[0].json()["id"] == answers[1].json()["id"]


def test_a_configuration_is_carried_out_and_in_as_a_zip(client: TestClient, place: Place) -> None:
    packed = client.get(f"/api/v1/configurations/{place.configuration_id}/export")
    made = client.post(
        f"/api/v1/workspaces/{place.workspace_id}/configurations?name=Copy",
        content=packed.content,
        headers={"Content-Type": "application/zip"},
    )

    assert unpack(packed.content) == RULES
    assert (made.status_code, made.json()["name"]) == (201, "Copy")
    assert client.get(f"/api/v1/configurations/{made.json()['id']}/files/{FILE}").content == RULES[FILE]


BAD_ZIPS: dict[str, tuple[bytes, type[Exception]]] = {
    "a path that leads outside": (archive({"../../evil.py": b"x"}), Invalid),
    "an absolute path": (archive({"/etc/evil.py": b"x"}), Invalid),
    "a path of another system": (archive({"columns\\..\\..\\evil.py": b"x"}), Invalid),
    "a bomb": (archive({"columns/a.py": b"\0" * 20_000_000}), TooLarge),
    "too many files": (archive({f"columns/f{number}.py": b"" for number in range(600)}), TooLarge),
    "no zip": (b"PK nonsense", Invalid),
    "an empty one": (archive({}), Invalid),
}


@pytest.mark.req("S7")
@pytest.mark.parametrize(("packed", "error"), BAD_ZIPS.values(), ids=BAD_ZIPS)
def test_a_zip_is_refused_for(packed: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        unpack(packed)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_of_a_method_that_unpacks_without_bound_is_refused(method: int) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as made:
        made.writestr(FILE, "x" * 900_000)

    with pytest.raises(Invalid, match="plain zip"):
        unpack(buffer.getvalue())


def test_a_zip_whose_list_of_parts_is_endless_is_refused_before_it_is_read() -> None:
    packed = archive({f"{'a/' * 100}{number}": b"" for number in range(6000)})

    with pytest.raises(TooLarge, match="at most 500 files"):
        unpack(packed)


def test_a_long_file_that_was_rewritten_is_shown_as_replaced() -> None:
    older, newer = (f"{number}\n" for number in range(5000)), (f"{number % 70}\n" for number in range(5000))
    middle = ["same\n", *older], ["same\n", *newer]

    [change] = changes_between(*({FILE: "".join(lines).encode()} for lines in middle))

    assert change.diff is not None
    lines = change.diff.splitlines()
    assert lines[:3] == [f"--- a/{FILE}", f"+++ b/{FILE}", "@@ -72,4930 +72,4930 @@"]
    assert len(lines) == 3 + 2 * 4930


@pytest.mark.req("S7")
def test_files_that_are_too_large_are_not_compared_and_a_difference_ends_at_its_limit() -> None:
    """A viewer could have ten megabytes of line breaks compared as often as they liked."""
    large = {f"{number}.txt": b"\n" * 900_000 for number in range(9)}
    changed = {path: b"a" + content for path, content in large.items()}
    wide = {"a.txt": b"".join(b"%d\n" % number for number in range(60_000))}

    too_large = changes_between(large, changed)
    [cut] = changes_between({}, wide)

    assert [one.path for one in too_large] == sorted(large)
    assert all(one.diff is not None and "too large to compare" in one.diff for one in too_large)
    assert cut.diff is not None
    assert len(cut.diff) == LARGEST_DIFF


@pytest.mark.req("S7")
def test_a_workspace_that_stores_too_much_gets_no_further_copies(
    client: TestClient, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(configurations, "MOST_STORED_BYTES", 0)
    versions = f"/api/v1/configurations/{place.configuration_id}/versions"
    named = {"name": "another"}
    refused = [
        client.put(files_of(place, "more.py"), content=b"x = 1\n", headers={"If-None-Match": "*"}),
        client.post(versions, json={}),
        client.post(f"/api/v1/workspaces/{place.workspace_id}/configurations", json=named),
    ]
    monkeypatch.undo()

    assert [(answer.status_code, answer.json()["code"]) for answer in refused] == [(413, "too_large")] * 3
    assert client.post(versions, json={}).status_code == 201


@pytest.mark.req("W6")
def test_a_full_disk_takes_no_files_of_configurations_and_still_takes_runs(database_url: str, tmp_path: Path) -> None:
    with closing(Database(database_url)) as database:
        system = make_system(database, tmp_path, min_free_disk_mb=10**9)
        place = furnish(system)
        with open_client(system) as client:
            refused = client.post(f"/api/v1/configurations/{place.configuration_id}/versions", json={})
            taken = submit(client, place)
            ready = client.get("/readyz")

    assert (refused.status_code, refused.json()["code"]) == (503, "unavailable")
    assert "ADE_MIN_FREE_DISK_MB" in refused.json()["detail"]
    assert taken["status"] == "queued"
    assert any("MB of disk are free" in warning for warning in ready.json()["warnings"])


def test_a_zip_with_one_folder_around_everything_is_taken_without_it() -> None:
    packed = archive({"people/columns/name.py": b"x", "people/__pycache__/a.pyc": b"y", "people/settings.toml": b""})

    assert unpack(packed) == {"columns/name.py": b"x", "settings.toml": b""}
    assert pack(unpack(packed)) == pack(unpack(packed))


def test_an_archive_of_macos_has_names_in_their_one_spelling() -> None:
    assert unpack(archive({"columns/pre\u0301nom.py": b"x"})) == {"columns/prénom.py": b"x"}


@pytest.mark.req("S7")
@pytest.mark.parametrize(
    "path",
    ["..%2Fx.py", "columns/..%2F..%2Fx", ".env", "columns/.hidden", "a//b", "x" * 300, "a%00b", "客" * 90, "e%CC%81.py",
     "a%EF%BC%8Fb.py", "a%E2%80%A4%E2%80%A4.py", "a%E2%80%AEyp.b", "%ED%A0%80.py"],
)  # fmt: skip
def test_a_path_that_leads_elsewhere_is_refused(client: TestClient, place: Place, path: str) -> None:
    answer = client.put(f"/api/v1/configurations/{place.configuration_id}/files/{path}", content=b"x")

    assert answer.status_code in {404, 405, 422}, answer.text
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_file_too_large_is_refused(client: TestClient, place: Place) -> None:
    answer = client.put(files_of(place, "columns/big.py"), content=b"x" * 1_100_000)

    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


@pytest.mark.req("B7", "U3")
def test_a_test_run_executes_the_draft_as_it_was_and_shares_a_build_until_it_is_edited(
    client: TestClient, place: Place
) -> None:
    address = f"/api/v1/configurations/{place.configuration_id}"
    order = {"input_document_id": place.document_id}
    nothing_to_test = client.post(f"{address}/test-run", json=order)
    etag = client.get(files_of(place)).headers["etag"]
    saved = client.put(files_of(place), content=b"# one\n", headers={"If-Match": etag})
    first, same = (client.post(f"{address}/test-run", json=order).json() for _ in range(2))
    client.put(files_of(place), content=b"# two\n", headers={"If-Match": saved.headers["etag"]})
    other = client.post(f"{address}/test-run", json=order).json()

    assert nothing_to_test.status_code == 409
    assert (first["version"], first["is_test"]) == (2, True)
    assert first["build_id"] == same["build_id"] != other["build_id"]
    assert len(client.get(f"{address}/versions").json()["items"]) == 2  # copies of the draft are no versions
    assert client.get(f"/api/v1/builds/{first['build_id']}").json()["is_test"] is True


@pytest.mark.req("B7", "U1")
def test_the_build_of_a_test_run_is_that_of_the_version_published_from_the_same_files(
    client: TestClient, place: Place
) -> None:
    address = f"/api/v1/configurations/{place.configuration_id}"
    etag = client.get(files_of(place)).headers["etag"]
    valid = RULES["columns/name.py"] + b"# tested\n"
    client.put(files_of(place), content=valid, headers={"If-Match": etag})
    tested = client.post(f"{address}/test-run", json={"input_document_id": place.document_id}).json()
    build = f"/api/v1/builds/{tested['build_id']}"
    before = client.get(build).json()
    assert client.post(f"{address}/publish", json={"note": "tested"}).status_code == 200
    after = client.get(build).json()

    assert submit(client, place)["build_id"] == tested["build_id"]
    assert (before["version"], before["is_test"]) == (2, True)
    assert (after["version"], after["is_test"]) == (2, False)
    assert client.get("/api/v1/builds").json()["items"] == [client.get(build).json()]


@pytest.mark.req("B8", "S2")
def test_a_build_has_its_manifest_and_a_list_of_builds_has_none(
    client: TestClient, system: System, place: Place
) -> None:
    build_id = submit(client, place)["build_id"]
    manifest = {"fields": ["as large as a message of a child"] * 5000}
    system.database.write(
        lambda tx: tx.execute(sa.update(builds).where(builds.c.id == build_id).values(manifest=manifest))
    )

    one = client.get(f"/api/v1/builds/{build_id}").json()
    listed = client.get("/api/v1/builds").json()["items"]

    assert one["manifest"] == manifest
    assert listed == [{**one, "manifest": None}]


@pytest.mark.req("B1", "B7")
def test_the_same_published_version_gives_one_build_and_the_next_another(client: TestClient, place: Place) -> None:
    first, same = submit(client, place), submit(client, place)
    etag = client.get(files_of(place)).headers["etag"]
    client.put(files_of(place), content=b"# second\n", headers={"If-Match": etag})
    before_publishing = submit(client, place)
    client.post(f"/api/v1/configurations/{place.configuration_id}/publish")
    after, older = submit(client, place), submit(client, place, version=1)

    assert first["build_id"] == same["build_id"] == before_publishing["build_id"] == older["build_id"]
    assert after["build_id"] != first["build_id"]
    assert (after["version"], older["version"]) == (2, 1)


def test_nothing_published_is_a_conflict_that_says_so(client: TestClient, place: Place) -> None:
    made = client.post(
        f"/api/v1/workspaces/{place.workspace_id}/configurations", json={"name": "New", "template": "minimal"}
    ).json()

    answer = client.post(f"/api/v1/configurations/{made['id']}/runs", json={"input_document_id": place.document_id})

    assert (answer.status_code, answer.json()["code"]) == (409, "nothing_published")


def test_an_archived_configuration_is_put_away_and_back(client: TestClient, place: Place) -> None:
    address = f"/api/v1/configurations/{place.configuration_id}"
    client.patch(address, json={"is_archived": True, "name": "Old"})
    refused = client.post(f"{address}/runs", json={"input_document_id": place.document_id})
    listed: list[Any] = client.get(f"/api/v1/workspaces/{place.workspace_id}/configurations").json()["items"]
    client.patch(address, json={"is_archived": False})

    assert refused.status_code == 409
    assert listed == []
    assert submit(client, place)["configuration_name"] == "Old"


@pytest.mark.req("B1")
def test_a_fingerprint_changes_with_everything_a_build_is_made_from() -> None:
    here = Surroundings(engine_version="1", python_version="3.11", platform="Linux")
    files = {"columns/a.py": "1" * 64, "requirements.txt": "2" * 64}
    same = dict(reversed(files.items()))

    assert fingerprint(files, here) == fingerprint(same, here)
    others = [
        fingerprint({**files, "columns/a.py": "3" * 64}, here),
        fingerprint({"columns/b.py": "1" * 64, "requirements.txt": "2" * 64}, here),
        fingerprint({**files, "requirements.txt": "3" * 64}, here),
        fingerprint(files, Surroundings(engine_version="2", python_version="3.11", platform="Linux")),
        fingerprint(files, Surroundings(engine_version="1", python_version="3.12", platform="Linux")),
        fingerprint(files, Surroundings(engine_version="1", python_version="3.11", platform="Darwin")),
    ]
    assert len({fingerprint(files, here), *others}) == 7


def test_every_edit_is_in_the_audit_log(client: TestClient, place: Place, system: System) -> None:
    etag = client.get(files_of(place)).headers["etag"]
    client.put(files_of(place), content=b"# x\n", headers={"If-Match": etag})
    client.post(f"/api/v1/configurations/{place.configuration_id}/publish", json={"note": "because"})

    rows = client.get(f"/api/v1/audit?subject_id={place.configuration_id}").json()["items"]

    actions = ["configuration.publish", "configuration.edit", "configuration.draft"]
    assert [row["action"] for row in rows][:3] == actions
    assert rows[0]["reason"] == "because"
    assert rows[0]["actor_name"] == "local"
