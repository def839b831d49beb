"""Texts of people are kept as they are, up to their length, whatever their characters; keys differ where texts do."""

import pytest
import sqlalchemy as sa

import calls
from ade.database.access import people
from ade.database.content import documents
from ade.database.schema import runs
from ade.domain.queue import Failure
from ade.domain.run import FailureCode
from ade.operations.content.documents import checked_tags
from scene import Scene

EMOJI = "😀"  # two units of UTF-16, which SQL Server counts


@pytest.mark.req("W5")
def test_a_failure_of_emoji_is_told_in_full_length(scene: Scene) -> None:
    scene.submit()
    claim = scene.claim_one()
    failure = Failure(code=FailureCode.CONFIGURATION_ERROR, message=EMOJI * 300)

    scene.write(lambda tx: calls.fail(tx, claim, failure))

    told = scene.database.read(lambda tx: tx.execute(sa.select(runs.c.failure_message)).scalar_one())
    assert told == EMOJI * 240


@pytest.mark.req("W5")
def test_tags_that_differ_in_case_or_accents_are_different(scene: Scene) -> None:
    document = scene.document()
    tags = ["Sales", "sales", "sâles", EMOJI * 64, "it's"]

    scene.write(lambda tx: documents.set_tags(tx, document, checked_tags(tags)))

    kept = scene.database.read(lambda tx: documents.tags_of(tx, [document]))[document]
    assert sorted(kept) == sorted(tags)
    used = scene.database.read(lambda tx: documents.tags_in_use(tx, scene.build.workspace_id))
    assert len(used) == len(tags)


def test_spaces_around_a_tag_are_not_a_part_of_it() -> None:
    assert checked_tags(["sales ", " sales"]) == ["sales", "sales"]


def test_names_of_emoji_are_kept(scene: Scene) -> None:
    workspace = scene.add_workspace(slug="emoji", name=EMOJI * 200)
    document = scene.document()

    scene.write(lambda tx: documents.update(tx, document, name=EMOJI * 255))

    found = scene.database.read(lambda tx: documents.get(tx, document))
    assert found is not None
    assert found.name == EMOJI * 255
    assert workspace


def test_an_address_of_emoji_is_one_account(scene: Scene) -> None:
    address = f"{EMOJI * 200}@example.org"
    row = {"email": address, "email_key": address, "name": "Ada", "is_admin": False}

    def add(number: str) -> bool:
        return scene.write(lambda tx: people.insert_user(tx, {**row, "id": number, "created_at": tx.now}))

    assert (add("1"), add("2")) == (True, False)
