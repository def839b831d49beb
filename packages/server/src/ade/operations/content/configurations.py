"""Configurations: made from a template, a document or a zip; versions that are drafted, published and archived."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ade.clock import as_text
from ade.database.content import configuration_files, configurations
from ade.database.content.configurations import ConfigurationRow, VersionRow
from ade.database.queue.events import record_audit
from ade.database.transaction import Transaction
from ade.domain.access import Actor
from ade.domain.configuration import VersionStatus
from ade.domain.configuration_files import file_values
from ade.domain.fingerprint import digest_of_files
from ade.errors import Conflict, Invalid, NotFound, NothingPublished, TooLarge
from ade_engine.configuration.requirements import FILES, read_requirements

MIB = 1024 * 1024
MOST_STORED_BYTES = 1024 * MIB


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """A configuration with its draft and its published version. It may have any number of older ones."""

    row: ConfigurationRow
    versions: list[VersionRow]

    def version_with(self, status: VersionStatus) -> VersionRow | None:
        """Return the draft or the published version, or None."""
        return next((version for version in self.versions if version.status == status), None)


def create_configuration(
    tx: Transaction, *, workspace_id: str, name: str, files: Mapping[str, bytes], actor: Actor
) -> Configuration:
    """Add a configuration with a draft of these files."""
    require_room(tx, workspace_id)
    _require_free(tx, workspace_id, name)
    configuration_id = tx.new_id()
    row = {
        "id": configuration_id,
        "workspace_id": workspace_id,
        "name": name,
        "created_by": actor.name,
        "created_at": tx.now,
    }
    if not configurations.insert(tx, row):
        raise _taken(name)
    version_id = _add_draft(tx, configuration_id, actor=actor, note=None)
    configuration_files.insert_all(tx, version_id, [{"path": path, **file_values(files[path])} for path in files])
    audit(tx, actor, configuration_id, workspace_id, action="configuration.create", changes={"name": [None, name]})
    return get_configuration(tx, configuration_id)


def _require_free(tx: Transaction, workspace_id: str, name: str, *, but: str | None = None) -> None:
    """Refuse a name that another configuration of the workspace has: people and commands choose by name."""
    other = configurations.named(tx, workspace_id, name)
    if other is not None and other.id != but:
        raise _taken(name)


def _taken(name: str) -> Conflict:
    return Conflict(f"There is already a configuration {name} in this workspace. Choose another name, or push to it.")


def require_room(tx: Transaction, workspace_id: str) -> None:
    """Refuse to store another copy of files in a workspace that has too many: they are in the database of all."""
    if configuration_files.stored_bytes(tx, workspace_id) > MOST_STORED_BYTES:
        raise TooLarge(
            f"The configurations of this workspace take over {MOST_STORED_BYTES // MIB} MB with all their versions. "
            "Work in another workspace, or ask an administrator."
        )


def _add_draft(tx: Transaction, configuration_id: str, *, actor: Actor, note: str | None) -> str:
    version_id = tx.new_id()
    row = {
        "id": version_id,
        "configuration_id": configuration_id,
        "number": configurations.next_number(tx, configuration_id),
        "status": VersionStatus.DRAFT,
        "note": note,
        "created_by": actor.name,
        "created_at": tx.now,
    }
    configurations.insert_version(tx, row)
    return version_id


def get_configuration(tx: Transaction, configuration_id: str) -> Configuration:
    """Return a configuration; raise NotFound."""
    row = configurations.get(tx, configuration_id)
    if row is None:
        raise NotFound(f"There is no configuration {configuration_id}.")
    return Configuration(row=row, versions=list(configurations.versions_in_force(tx, [configuration_id])))


def list_configurations(
    tx: Transaction, *, workspace_id: str, is_archived: bool, after: tuple[datetime, str] | None, limit: int
) -> list[Configuration]:
    """Return the configurations of a workspace, newest first."""
    rows = configurations.page(tx, workspace_id=workspace_id, is_archived=is_archived, after=after, limit=limit)
    versions: dict[str, list[VersionRow]] = {row.id: [] for row in rows}
    for version in configurations.versions_in_force(tx, list(versions)) if rows else []:
        versions[version.configuration_id].append(version)
    return [Configuration(row=row, versions=versions[row.id]) for row in rows]


def list_versions(tx: Transaction, configuration_id: str, *, below: int | None, limit: int) -> Sequence[VersionRow]:
    """Return versions of a configuration, newest first, with numbers below one."""
    return configurations.versions(tx, configuration_id, below=below, limit=limit)


def change_configuration(
    tx: Transaction, configuration_id: str, *, name: str | None, is_archived: bool | None, actor: Actor
) -> Configuration:
    """Rename a configuration, or put it away or back."""
    before = get_configuration(tx, configuration_id).row
    if name is not None or is_archived is False:
        _require_free(tx, before.workspace_id, name or before.name, but=configuration_id)
    values: dict[str, Any] = {} if name is None else {"name": name}
    if is_archived is not None:
        values["archived_at"] = tx.now if is_archived else None
    if values:
        if not configurations.update(tx, configuration_id, **values):
            raise _taken(name or before.name)
        changes = {key: [_audited(getattr(before, key)), _audited(value)] for key, value in values.items()}
        audit(tx, actor, configuration_id, before.workspace_id, action="configuration.change", changes=changes)
    return get_configuration(tx, configuration_id)


def _audited(value: Any) -> Any:
    return as_text(value) if isinstance(value, datetime) else value


def create_draft(
    tx: Transaction, configuration_id: str, *, of: int | None, note: str | None, actor: Actor
) -> VersionRow:
    """Start a draft from a version (else the published one); raise Conflict when there is a draft already."""
    configurations.keep_others_out(tx, configuration_id)
    configuration = get_configuration(tx, configuration_id)
    if configuration.version_with(VersionStatus.DRAFT) is not None:
        raise Conflict("There is already a draft. Publish or discard it first.")
    require_room(tx, configuration.row.workspace_id)
    source = chosen_version(tx, configuration_id, of)
    draft_id = _add_draft(tx, configuration_id, actor=actor, note=note)
    configuration_files.copy(tx, source.id, draft_id)
    changes = {"from": [None, source.number]}
    audit(tx, actor, configuration_id, configuration.row.workspace_id, action="configuration.draft", changes=changes)
    return _present(configurations.version_with(tx, configuration_id, VersionStatus.DRAFT), configuration_id)


def replace_draft(
    tx: Transaction, configuration_id: str, files: Mapping[str, bytes], *, note: str | None, actor: Actor
) -> VersionRow:
    """Make these files the draft. A draft that has others is archived, so that it can be restored.

    Return the draft or the published version unchanged when it has these very files.
    """
    configurations.keep_others_out(tx, configuration_id)
    configuration = get_configuration(tx, configuration_id)
    rows = [{"path": path, **file_values(files[path])} for path in files]
    wanted = digest_of_files({row["path"]: row["sha256"] for row in rows})
    draft = configuration.version_with(VersionStatus.DRAFT)
    latest = draft or configuration.version_with(VersionStatus.PUBLISHED)
    if latest is not None and files_digest(tx, latest.id) == wanted:
        return latest
    require_room(tx, configuration.row.workspace_id)
    if draft is not None:
        configurations.move_version(tx, draft.id, to=VersionStatus.ARCHIVED, archived_at=tx.now)
    version_id = _add_draft(tx, configuration_id, actor=actor, note=note)
    configuration_files.insert_all(tx, version_id, rows)
    changes = {"files": [None if latest is None else latest.number, len(rows)]}
    audit(tx, actor, configuration_id, configuration.row.workspace_id, action="configuration.push", changes=changes)
    return _present(configurations.version_with(tx, configuration_id, VersionStatus.DRAFT), configuration_id)


def chosen_version(tx: Transaction, configuration_id: str, number: int | None) -> VersionRow:
    """Return the version of a number; without one the published version, else the draft."""
    if number is not None:
        return _present(configurations.version(tx, configuration_id, number), configuration_id)
    published = configurations.version_with(tx, configuration_id, VersionStatus.PUBLISHED)
    found = published or configurations.version_with(tx, configuration_id, VersionStatus.DRAFT)
    return _present(found, configuration_id)


def working_version(tx: Transaction, configuration_id: str, number: int | None) -> VersionRow:
    """Return the version of a number; without one the draft, else the published version: what an editor opens."""
    draft = configurations.version_with(tx, configuration_id, VersionStatus.DRAFT) if number is None else None
    return draft or chosen_version(tx, configuration_id, number)


def _present(version: VersionRow | None, configuration_id: str) -> VersionRow:
    if version is None:
        raise NotFound(f"The configuration {configuration_id} has no such version.")
    return version


def publish(tx: Transaction, configuration_id: str, *, note: str | None, actor: Actor) -> VersionRow:
    """Make the draft the version that runs use; the one before is archived."""
    configuration = get_configuration(tx, configuration_id)
    draft = configuration.version_with(VersionStatus.DRAFT)
    if draft is None:
        raise Conflict("There is no draft to publish. Edit a file or restore a version first.")
    if not configurations.touch_draft(tx, draft.id):  # from here on nobody edits what the digest is made of
        raise Conflict("Another person has just published or discarded the draft.")
    _require_installable(tx, draft.id)
    before = configuration.version_with(VersionStatus.PUBLISHED)
    if before is not None:
        configurations.move_version(tx, before.id, to=VersionStatus.ARCHIVED, archived_at=tx.now)
    values = {"published_at": tx.now, "digest": files_digest(tx, draft.id), "note": note or draft.note}
    configurations.move_version(tx, draft.id, to=VersionStatus.PUBLISHED, **values)
    changes = {"published": [before.number if before else None, draft.number]}
    workspace_id = configuration.row.workspace_id
    audit(tx, actor, configuration_id, workspace_id, action="configuration.publish", changes=changes, reason=note)
    return _present(configurations.version(tx, configuration_id, draft.number), configuration_id)


def _require_installable(tx: Transaction, version_id: str) -> None:
    """Refuse a version whose requirements no worker would install: it must not become a build."""
    _, problems = read_requirements(configuration_files.contents(tx, version_id, only=FILES))
    if problems:
        raise Invalid(str(problems[0]))


def archive_version(tx: Transaction, configuration_id: str, number: int, *, actor: Actor) -> VersionRow:
    """Discard a draft, or withdraw the published version: new runs can no longer use it."""
    version = chosen_version(tx, configuration_id, number)
    if not configurations.move_version(tx, version.id, to=VersionStatus.ARCHIVED, archived_at=tx.now):
        raise Conflict(f"Version {number} is archived already.")
    workspace_id = get_configuration(tx, configuration_id).row.workspace_id
    changes: dict[str, list[Any]] = {"status": [version.status, "archived"], "version": [number, number]}
    audit(tx, actor, configuration_id, workspace_id, action="configuration.archive", changes=changes)
    return chosen_version(tx, configuration_id, number)


def files_digest(tx: Transaction, version_id: str) -> str:
    """Return the digest of a version's files as they are now."""
    return digest_of_files({file.path: file.sha256 for file in configuration_files.listed(tx, version_id)})


def runnable_version(tx: Transaction, configuration_id: str, number: int | None) -> VersionRow:
    """Return the version a run shall use: the published one, or one that was; raise NothingPublished."""
    if number is None:
        found = configurations.version_with(tx, configuration_id, VersionStatus.PUBLISHED)
    else:
        found = _present(configurations.version(tx, configuration_id, number), configuration_id)
        found = found if found.published_at is not None else None
    if found is None:
        raise NothingPublished("Publish a version first, or test the draft with a test run.")
    return found


def snapshot_of_draft(tx: Transaction, configuration_id: str, *, actor: Actor) -> VersionRow:
    """Return a copy of the draft that no edit changes, making it unless these very files were copied before."""
    draft = configurations.version_with(tx, configuration_id, VersionStatus.DRAFT)
    if draft is None:
        raise Conflict("There is no draft to test. Edit a file or restore a version first.")
    if not configurations.touch_draft(tx, draft.id):  # from here on nobody edits what is copied
        raise Conflict("Another person has just published or discarded the draft.")
    wanted = files_digest(tx, draft.id)
    found = configurations.snapshot(tx, draft.id, wanted)
    if found is not None:
        return found
    _require_installable(tx, draft.id)
    require_room(tx, get_configuration(tx, configuration_id).row.workspace_id)
    snapshot_id = tx.new_id()
    row = {
        "id": snapshot_id,
        "configuration_id": configuration_id,
        "number": draft.number,
        "snapshot_of": draft.id,
        "status": VersionStatus.ARCHIVED,
        "digest": wanted,
        "created_by": actor.name,
        "created_at": tx.now,
        "archived_at": tx.now,
    }
    configurations.insert_version(tx, row)
    configuration_files.copy(tx, draft.id, snapshot_id)
    return _present(configurations.snapshot(tx, draft.id, wanted), configuration_id)


def audit(
    tx: Transaction,
    actor: Actor,
    configuration_id: str,
    workspace_id: str,
    *,
    action: str,
    changes: Mapping[str, list[Any]],
    reason: str | None = None,
) -> None:
    """Write who changed what of a configuration."""
    subjects: Sequence[tuple[str, str | None, Mapping[str, list[Any]]]] = [(configuration_id, workspace_id, changes)]
    record_audit(tx, actor, action=action, subject_kind="configuration", subjects=subjects, reason=reason)
