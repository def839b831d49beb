"""Corrections: what people decided about documents; those of a configuration are in its file corrections.json."""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ade.clock import as_text
from ade.database.content import configuration_files, documents
from ade.database.content.configurations import VersionRow
from ade.database.transaction import Transaction
from ade.domain.access import Actor
from ade.domain.configuration import VersionStatus
from ade.errors import Conflict, Invalid, NotFound
from ade.operations.content.configuration_files import put_file
from ade.operations.content.configurations import create_draft, get_configuration

FILE = "corrections.json"
VERSION = 1
MOST = 1000  # of a document, or of a configuration
MOST_OF_RUN_CHARACTERS = 64_000  # they are kept with the run, and with every run of the same document after it


def stamped(
    tx: Transaction, corrections: Sequence[Mapping[str, Any]], *, document: str | None, actor: Actor
) -> list[dict[str, Any]]:
    """Return corrections with who made them, when, and the document that led to them."""
    about = {"by": actor.name, "at": as_text(tx.now.replace(microsecond=0)), "document": document}
    return [{"id": tx.new_id(), **one, **about} for one in corrections]


def all_of_document(earlier: Sequence[Mapping[str, Any]], later: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return all corrections of a document; refuse more than can be kept with a run."""
    found = all_in_order(earlier, later)
    if sum(len(json.dumps(one, ensure_ascii=False)) for one in found) > MOST_OF_RUN_CHARACTERS:
        raise Invalid(
            f"The corrections of a document take at most {MOST_OF_RUN_CHARACTERS} characters. Keep them in the "
            "configuration instead, or turn them into rules."
        )
    return found


def all_in_order(earlier: Sequence[Mapping[str, Any]], later: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return all corrections in the order they were made; refuse more than can be kept."""
    found = [dict(one) for one in (*earlier, *later)]
    if len(found) > MOST:
        raise Invalid(f"There can be at most {MOST} corrections. Undo some, or turn them into rules.")
    return found


def draft_with_corrections(
    tx: Transaction,
    configuration_id: str,
    corrections: Sequence[Mapping[str, Any]],
    *,
    undone: Collection[str],
    document: str | None,
    note: str | None,
    actor: Actor,
) -> VersionRow:
    """Start a draft with further corrections, and without those undone; refuse where there is a draft already."""
    if get_configuration(tx, configuration_id).version_with(VersionStatus.DRAFT) is not None:
        raise Conflict("There is a draft, which would be published too. Publish or discard it first.")
    draft = create_draft(tx, configuration_id, of=None, note=note, actor=actor)
    before = configuration_files.get(tx, draft.id, FILE)
    earlier = entries_of(before.content) if before is not None else []
    unknown = set(undone) - {str(one["id"]) for one in earlier}
    if unknown:
        raise NotFound(f"There is no correction {min(unknown)}.")
    kept = [one for one in earlier if one["id"] not in undone]
    content = text_of(all_in_order(kept, stamped(tx, corrections, document=document, actor=actor)))
    seen = before.sha256 if before is not None else None
    put_file(tx, configuration_id, FILE, content, seen=seen, is_new=before is None, actor=actor)
    return draft


def document_name(tx: Transaction, document_id: str, *, workspace_id: str) -> str:
    """Return the name of a document of a workspace; raise NotFound, for those of others too."""
    found = documents.get(tx, document_id)
    if found is None or found.workspace_id != workspace_id:
        raise NotFound(f"There is no document {document_id} in this workspace.")
    return found.name


def entries_of(content: bytes) -> list[dict[str, Any]]:
    """Return the corrections of a file; raise Invalid when it has another shape."""
    try:
        found = json.loads(content.decode("utf-8-sig"))
        entries = found["corrections"]
        if found["version"] == VERSION and all(isinstance(one["id"], str) for one in entries):
            text_of(entries)  # halves of characters cannot be written
            return list(entries)
    except (ValueError, RecursionError, KeyError, TypeError):
        pass
    raise Invalid(f"{FILE} of this configuration is damaged. Check it in the workbench.")


def text_of(entries: Sequence[Mapping[str, Any]]) -> bytes:
    """Return the file of corrections, one a line, as `ade correct` writes it."""
    lines = ",\n".join("  " + json.dumps(entry, ensure_ascii=False) for entry in entries)
    return f'{{"version": {VERSION}, "corrections": [\n{lines}\n]}}\n'.encode()
