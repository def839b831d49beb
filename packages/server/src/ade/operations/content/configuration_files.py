"""Editing the files of a draft. Every edit says which state it is based on, so that nobody's work is lost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ade.database.content import configuration_files, configurations
from ade.database.content.configuration_files import FileFacts, FileRow
from ade.database.transaction import Transaction
from ade.domain.access import Actor
from ade.domain.configuration import VersionStatus
from ade.domain.configuration_files import (
    LARGEST_TOTAL_BYTES,
    MOST_FILES,
    check_folders,
    checked_content,
    checked_path,
    file_values,
)
from ade.errors import Changed, NotEditable, NotFound, PreconditionRequired, TooLarge
from ade.operations.content.configurations import (
    audit,
    create_draft,
    get_configuration,
    require_room,
    working_version,
)

ANYTHING = "*"


def list_files(tx: Transaction, configuration_id: str, *, number: int | None) -> Sequence[FileFacts]:
    """Return path, size, digest and time of a version's files."""
    return configuration_files.listed(tx, working_version(tx, configuration_id, number).id)


def get_file(tx: Transaction, configuration_id: str, path: str, *, number: int | None) -> FileRow:
    """Return a file with its content; raise NotFound."""
    return _found(tx, working_version(tx, configuration_id, number).id, path)


def put_file(
    tx: Transaction, configuration_id: str, path: str, content: bytes, *, seen: str | None, is_new: bool, actor: Actor
) -> FileRow:
    """Write a file of the draft, starting one if need be; `seen` is the digest of what the editor had read.

    `is_new` says that there must not be a file of this path yet.
    """
    checked_path(path)
    draft_id = _editable_draft(tx, configuration_id, actor=actor)
    before = configuration_files.get(tx, draft_id, path)
    if is_new and before is not None:
        raise Changed("There is a file of this name already. Read it, then change it.")
    _require_seen(before, seen)
    if before is None or len(content) > before.size_bytes:
        require_room(tx, get_configuration(tx, configuration_id).row.workspace_id)
    configuration_files.put(tx, draft_id, path, file_values(content))
    _check_total(tx, draft_id)
    after = _found(tx, draft_id, path)
    _audit(tx, configuration_id, path, before, after, actor=actor)
    return after


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """What a file shall contain, None to remove it, and the digest it has now, None where there is no file."""

    path: str
    content: bytes | None
    seen: str | None


def change_files(tx: Transaction, configuration_id: str, edits: Sequence[Edit], *, actor: Actor) -> list[FileRow]:
    """Write and remove files of the draft; return those written. The caller undoes all when one is refused."""
    written = []
    for edit in edits:
        if edit.content is None:
            delete_file(tx, configuration_id, edit.path, seen=edit.seen, actor=actor)
        else:
            is_new = edit.seen is None
            written.append(
                put_file(tx, configuration_id, edit.path, edit.content, seen=edit.seen, is_new=is_new, actor=actor)
            )
    return written


def edited(files: Mapping[str, bytes], edits: Mapping[str, bytes | None]) -> dict[str, bytes]:
    """Return files as they would be after edits; refuse paths and sizes that could not be saved."""
    for path, content in edits.items():
        checked_path(path)
        checked_content(content or b"")
    after = {**files, **edits}
    kept = {path: content for path, content in after.items() if content is not None}
    check_folders(kept.keys())
    return kept


def delete_file(tx: Transaction, configuration_id: str, path: str, *, seen: str | None, actor: Actor) -> None:
    """Remove a file of the draft."""
    draft_id = _editable_draft(tx, configuration_id, actor=actor)
    before = _found(tx, draft_id, path)
    _require_seen(before, seen)
    configuration_files.delete(tx, draft_id, path)
    _audit(tx, configuration_id, path, before, None, actor=actor)


def _found(tx: Transaction, version_id: str, path: str) -> FileRow:
    file = configuration_files.get(tx, version_id, path)
    if file is None or file.path != path:  # SQL Server passes over spaces at the end
        raise NotFound(f"There is no file {path[:80]}.")
    return file


def _editable_draft(tx: Transaction, configuration_id: str, *, actor: Actor) -> str:
    get_configuration(tx, configuration_id)
    draft = configurations.version_with(tx, configuration_id, VersionStatus.DRAFT)
    if draft is None:
        configurations.keep_others_out(tx, configuration_id)  # who saves another file now may start one, too
        draft = configurations.version_with(tx, configuration_id, VersionStatus.DRAFT)
    if draft is None:
        draft = create_draft(tx, configuration_id, of=None, note=None, actor=actor)
    if not configurations.touch_draft(tx, draft.id):
        raise NotEditable("The draft was published or discarded just now. Edit again to start another.")
    return draft.id


def _require_seen(before: FileRow | None, seen: str | None) -> None:
    if before is None:
        if seen is not None and seen != ANYTHING:
            raise Changed("The file was removed since you read it.")
        return
    if seen is None:
        raise PreconditionRequired("Send If-Match with the ETag of the file you read, so that no edit is lost.")
    if seen not in {ANYTHING, before.sha256}:
        raise Changed("Someone else changed the file. Read it again, merge, then save.")


def _check_total(tx: Transaction, draft_id: str) -> None:
    files = configuration_files.listed(tx, draft_id)
    check_folders({file.path for file in files})
    if len(files) > MOST_FILES or sum(file.size_bytes for file in files) > LARGEST_TOTAL_BYTES:
        raise TooLarge(f"A configuration has at most {MOST_FILES} files and {LARGEST_TOTAL_BYTES // 1024 // 1024} MB.")


def _audit(
    tx: Transaction, configuration_id: str, path: str, before: FileRow | None, after: FileRow | None, *, actor: Actor
) -> None:
    workspace_id = get_configuration(tx, configuration_id).row.workspace_id
    digests = [None if file is None else file.sha256 for file in (before, after)]
    audit(tx, actor, configuration_id, workspace_id, action="configuration.edit", changes={path: digests})
