"""Editing the files of a draft. Every edit names the state it is based on, so that no work is lost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ade.database.content import configuration_files, configurations
from ade.database.content.configuration_files import FileFacts, FileRow
from ade.database.queue.events import record_audit
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
) -> FileFacts:
    """Write a file of the draft, starting one if need be; `seen` is the digest of what the editor had read.

    `is_new` says that there must not be a file of this path yet.
    """
    edit = Edit(path=path, content=content, seen=seen, is_new=is_new)
    return _edit(tx, configuration_id, [edit], actor=actor)[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """What a file shall contain, None to remove it, and the digest it has now.

    `is_new` says that there must not be a file of this path yet.
    """

    path: str
    content: bytes | None
    seen: str | None
    is_new: bool = False


def change_files(tx: Transaction, configuration_id: str, edits: Sequence[Edit], *, actor: Actor) -> list[FileFacts]:
    """Write and remove files of the draft; return those written. The caller undoes all when one is refused."""
    return _edit(tx, configuration_id, edits, actor=actor)


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
    _edit(tx, configuration_id, [Edit(path=path, content=None, seen=seen)], actor=actor)


def _edit(tx: Transaction, configuration_id: str, edits: Sequence[Edit], *, actor: Actor) -> list[FileFacts]:
    """Do all edits and return the files written.

    What is there is read once before and once after: for each edit, it would keep others from writing for long.
    """
    for edit in edits:
        if edit.content is not None:
            checked_path(edit.path)
    draft_id = _editable_draft(tx, configuration_id, actor=actor)
    before = _facts(tx, draft_id)
    for edit in edits:
        _do(tx, draft_id, edit, before.get(edit.path))
    after = _facts(tx, draft_id)
    workspace_id = get_configuration(tx, configuration_id).row.workspace_id
    _check_growth(tx, workspace_id, edits, before, after)
    subjects = [(configuration_id, workspace_id, {one.path: _digests(one.path, before, after)}) for one in edits]
    record_audit(tx, actor, action="configuration.edit", subject_kind="configuration", subjects=subjects)
    return [after[edit.path] for edit in edits if edit.content is not None]


def _facts(tx: Transaction, version_id: str) -> dict[str, FileFacts]:
    return {file.path: file for file in configuration_files.listed(tx, version_id)}


def _do(tx: Transaction, draft_id: str, edit: Edit, before: FileFacts | None) -> None:
    if edit.content is None and before is None:
        raise _unknown(edit.path)
    if edit.is_new and before is not None:
        raise Changed("There is already a file with this name. Read it, then change it.")
    _require_seen(before, edit.seen)
    if edit.content is None:
        configuration_files.delete(tx, draft_id, edit.path)
    else:
        configuration_files.put(tx, draft_id, edit.path, file_values(edit.content), is_new=before is None)


def _check_growth(
    tx: Transaction,
    workspace_id: str,
    edits: Sequence[Edit],
    before: Mapping[str, FileFacts],
    after: Mapping[str, FileFacts],
) -> None:
    written = [edit.path for edit in edits if edit.content is not None]
    if not written:
        return
    if any(path not in before or after[path].size_bytes > before[path].size_bytes for path in written):
        require_room(tx, workspace_id)
    check_folders(after.keys())
    if len(after) > MOST_FILES or sum(file.size_bytes for file in after.values()) > LARGEST_TOTAL_BYTES:
        raise TooLarge(f"A configuration has at most {MOST_FILES} files and {LARGEST_TOTAL_BYTES // 1024 // 1024} MB.")


def _digests(path: str, *states: Mapping[str, FileFacts]) -> list[str | None]:
    return [files[path].sha256 if path in files else None for files in states]


def _unknown(path: str) -> NotFound:
    return NotFound(f"There is no file {path[:80]}.")


def _found(tx: Transaction, version_id: str, path: str) -> FileRow:
    file = configuration_files.get(tx, version_id, path)
    if file is None or file.path != path:  # SQL Server passes over spaces at the end
        raise _unknown(path)
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


def _require_seen(before: FileFacts | None, seen: str | None) -> None:
    if before is None:
        if seen is not None and seen != ANYTHING:
            raise Changed("The file was removed since you read it.")
        return
    if seen is None:
        raise PreconditionRequired("Send If-Match with the ETag of the file you read, so that no edit is lost.")
    if seen not in {ANYTHING, before.sha256}:
        raise Changed("Another person changed the file. Read it again, merge, then save.")
