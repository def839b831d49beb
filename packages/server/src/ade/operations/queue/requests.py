"""Turns what a person asks for (this configuration, these documents) into runs in the queue."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ade.database.content import configuration_files, configurations, documents
from ade.database.content.configurations import VersionRow
from ade.database.queue import plans, runs
from ade.database.transaction import Transaction
from ade.domain.access import Actor
from ade.domain.configuration import VersionStatus
from ade.domain.fingerprint import fingerprint
from ade.domain.network import NetworkRule
from ade.domain.queue import QueueRules
from ade.errors import Conflict, Invalid, NotFound
from ade.operations.content.configurations import runnable_version, snapshot_of_draft
from ade.operations.content.corrections import all_of_document, stamped
from ade.operations.queue.builds import BuildRequest
from ade.operations.queue.proposals import has_proposable, withdraw_proposal
from ade.operations.queue.submit import RunRequest, Wish, submit_plan, submit_runs
from ade.operations.queue.surroundings import here
from ade_engine.formats import MEDIA_TYPES

MOST_PHASES = 20
MOST_FINGERPRINTS = 1000
Submission = tuple[str, Wish, Actor]  # a document, what is wanted of its run, and by whom
_fingerprints: dict[str, str] = {}  # by version, of those that were published


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseWish:
    """A phase of a plan: without a document it takes the output of the phase before."""

    configuration_id: str
    input_document_id: str | None = None
    version: int | None = None
    wish: Wish


def request_runs(
    tx: Transaction,
    configuration_id: str,
    document_ids: Sequence[str],
    *,
    wish: Wish,
    number: int | None,
    actor: Actor,
    rules: QueueRules,
) -> list[str]:
    """Queue one run for each document, all or none; return their ids in order."""
    submissions = [(document_id, wish, actor) for document_id in document_ids]
    return request_each(tx, configuration_id, submissions, number=number, rules=rules)


def request_each(
    tx: Transaction, configuration_id: str, submissions: Sequence[Submission], *, number: int | None, rules: QueueRules
) -> list[str]:
    """Queue one run for each document, as different people may want it, all or none; return their ids in order."""
    build = build_request(tx, configuration_id, runnable_version(tx, configuration_id, number))
    _require_documents(tx, [document_id for document_id, _, _ in submissions], workspace_id=build.workspace_id)
    return submit_runs(tx, [_request(build, *one) for one in submissions], rules=rules)


def request_test_run(
    tx: Transaction, configuration_id: str, document_id: str, *, wish: Wish, actor: Actor, rules: QueueRules
) -> str:
    """Queue a run of the draft as it is now."""
    build = build_request(tx, configuration_id, snapshot_of_draft(tx, configuration_id, actor=actor))
    _require_documents(tx, [document_id], workspace_id=build.workspace_id)
    return submit_runs(tx, [_request(build, document_id, wish, actor)], rules=rules)[0]


def request_run_again(
    tx: Transaction,
    run_id: str,
    *,
    number: int | None,
    priority: int | None,
    network: NetworkRule,
    network_asked: bool | None,
    corrections: Sequence[Mapping[str, Any]] = (),
    is_trial: bool = False,
    is_proposal: bool = False,
    actor: Actor,
    rules: QueueRules,
) -> str:
    """Queue a new run of a run's document, with the published version or a chosen one; the old run stays as it is.

    A run that had network access asks for it again, unless something else is asked for. `corrections` hold for this
    document alone, as those of the old run do. A trial only shows what they change. A proposal lets an author find
    them; one that waits moves on to the new run, which has all of its corrections.
    """
    run = runs.get(tx, run_id)
    if run is None:
        raise NotFound(f"There is no run {run_id}.")
    asked = network_asked if network_asked is not None else run.runtime_network_access or None
    made = corrections_of_document(tx, run.input_document_id, corrections, earlier_run_id=run_id, actor=actor)
    moves_on = not is_trial and withdraw_proposal(tx, run)
    wish = Wish(
        priority=run.priority if priority is None else priority,
        sheets=run.sheets,
        corrections=made or None,
        is_trial=is_trial,
        earlier_run_id=(moves_on and run.earlier_run_id) or (run_id if made else None),
        is_proposed=moves_on or (is_proposal and not is_trial and has_proposable(corrections)),
        runtime_network_access=network.decide(asked),
        memory_mb=run.memory_mb,
        cpu_count=run.cpu_count,
    )
    own = (run.input_document_id, wish, actor)
    return request_each(tx, run.configuration_id, [own], number=number, rules=rules)[0]


def corrections_of_document(
    tx: Transaction,
    document_id: str,
    corrections: Sequence[Mapping[str, Any]],
    *,
    earlier_run_id: str | None,
    actor: Actor,
) -> list[dict[str, Any]]:
    """Return corrections for a document alone: those of an earlier run of it, and further ones."""
    earlier = runs.get(tx, earlier_run_id) if earlier_run_id is not None else None
    if earlier_run_id is not None and (earlier is None or earlier.input_document_id != document_id):
        raise NotFound(f"There is no run {earlier_run_id} of this document.")
    document = documents.get(tx, document_id)
    made = stamped(tx, corrections, document=document.name if document else None, actor=actor)
    return all_of_document((earlier.corrections or ()) if earlier else (), made)


def request_plan(
    tx: Transaction,
    workspace_id: str,
    phases: Sequence[PhaseWish],
    *,
    priority: int,
    actor: Actor,
    rules: QueueRules,
) -> str:
    """Queue the runs of a plan; return its id."""
    if not 1 <= len(phases) <= MOST_PHASES:
        raise Invalid(f"A plan has 1 to {MOST_PHASES} phases.")
    if phases[0].input_document_id is None:
        raise Invalid("The first phase needs a document: there is no output before it.")
    wanted = [_phase(tx, workspace_id, phase, actor) for phase in phases]
    plan_id, run_ids = submit_plan(tx, wanted, workspace_id=workspace_id, priority=priority, rules=rules)
    plans.set_creator(tx, plan_id, actor.name)
    for number, phase in enumerate(phases[1:], start=1):
        if phase.input_document_id is None:
            documents.update(tx, wanted[number].input_document_id, produced_by=run_ids[number - 1])
    return plan_id


def _phase(tx: Transaction, workspace_id: str, phase: PhaseWish, actor: Actor) -> RunRequest:
    row = configurations.get(tx, phase.configuration_id)
    if row is None or row.workspace_id != workspace_id:  # first: a conflict would tell of a stranger's configuration
        raise NotFound(f"There is no configuration {phase.configuration_id} in this workspace.")
    build = build_request(tx, phase.configuration_id, runnable_version(tx, phase.configuration_id, phase.version))
    document_id = phase.input_document_id or _expected_output(tx, workspace_id, actor)
    if phase.input_document_id is not None:
        _require_documents(tx, [document_id], workspace_id=workspace_id)
    return _request(build, document_id, phase.wish, actor)


def _expected_output(tx: Transaction, workspace_id: str, actor: Actor) -> str:
    """Add the document that the phase before will fill: a run must name one from the start."""
    document_id = tx.new_id()
    row = {
        "id": document_id,
        "workspace_id": workspace_id,
        "name": "normalized.xlsx",
        "media_type": MEDIA_TYPES["xlsx"],
        "size_bytes": 0,
        "sha256": "",
        "file_key": f"documents/{document_id}/content",
        "sheets": [],
        "created_by": actor.name,
        "created_at": tx.now,
    }
    documents.insert(tx, row)
    return document_id


def build_request(tx: Transaction, configuration_id: str, chosen: VersionRow) -> BuildRequest:
    """Return which build a version needs."""
    row = configurations.get(tx, configuration_id)
    if row is None:
        raise NotFound(f"There is no configuration {configuration_id}.")
    if row.archived_at is not None:
        raise Conflict("The configuration is archived. Restore it first.")
    return BuildRequest(
        workspace_id=row.workspace_id,
        configuration_id=configuration_id,
        version_id=chosen.id,
        fingerprint=_fingerprint_of(tx, chosen),
    )


def _fingerprint_of(tx: Transaction, chosen: VersionRow) -> str:
    """Return the fingerprint of a version; computed once for those whose files never change again."""
    known = _fingerprints.get(chosen.id)
    if known is not None:
        return known
    digests = {file.path: file.sha256 for file in configuration_files.listed(tx, chosen.id)}
    found = fingerprint(digests, here())
    if chosen.status == VersionStatus.PUBLISHED:
        if len(_fingerprints) >= MOST_FINGERPRINTS:
            _fingerprints.clear()
        _fingerprints[chosen.id] = found
    return found


def _require_documents(tx: Transaction, document_ids: Sequence[str], *, workspace_id: str) -> None:
    if not document_ids:
        raise Invalid("Name at least one document.")
    missing = set(document_ids) - documents.present(tx, set(document_ids), workspace_id=workspace_id)
    if missing:
        raise NotFound(f"There is no document {min(missing)} in this workspace.")


def _request(build: BuildRequest, document_id: str, wish: Wish, actor: Actor) -> RunRequest:
    return RunRequest(build=build, input_document_id=document_id, submitted_by=actor.name, wish=wish)
