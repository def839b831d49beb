"""Tests a draft before it is published: its build runs the cases of its folder in the sandbox, once for these files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from ade.database.content import configuration_files, configurations
from ade.database.content.configurations import VersionRow
from ade.database.queue import builds
from ade.database.queue.control import lock_dispatch
from ade.database.queue.wakeups import wake_workers
from ade.database.transaction import Transaction
from ade.domain.access import Actor
from ade.domain.build import BuildStatus
from ade.domain.configuration import VersionStatus
from ade.domain.configuration_files import as_part
from ade.domain.priority import DEFAULT_PRIORITY
from ade.errors import CasesNotPassed, Conflict, Invalid
from ade.operations.content.configuration_files import Edit, change_files
from ade.operations.content.configurations import publish, snapshot_of_draft
from ade.operations.queue.builds import ask_build, get_or_create_build
from ade.operations.queue.requests import build_request
from ade_engine.formats import FORMATS, SUFFIXES
from ade_engine.protocol import MAX_MESSAGE_CHARACTERS

_HOME = "tests"
OUTCOMES = ("passed", "differs", "failed")
MOST_CASES = 1000
MOST_DIFFERENCES = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseTests:
    """How far the tests of a draft are. `status` is that of the build, or `none` without cases, or `not_run`."""

    status: str
    build_id: str | None = None
    cases: Sequence[Mapping[str, Any]] = field(default_factory=list)
    failure: str | None = None

    @property
    def have_passed(self) -> bool:
        """Return whether nothing is left to be tested."""
        is_ready = self.status == BuildStatus.READY and all(case["status"] == "passed" for case in self.cases)
        return self.status == "none" or is_ready


def request_tests(tx: Transaction, configuration_id: str, *, actor: Actor) -> CaseTests:
    """Have a worker test the draft as it is now, unless it did; the answer tells how far it is."""
    draft = _draft(tx, configuration_id)
    known = _tests_of(tx, configuration_id, draft)
    if known.status not in {"not_run", BuildStatus.FAILED}:  # a build may have failed for want of a package index
        return known
    dispatch = lock_dispatch(tx)
    wanted = build_request(tx, configuration_id, snapshot_of_draft(tx, configuration_id, actor=actor))
    answer = ask_build(tx, wanted)
    get_or_create_build(tx, wanted, answer, effective_priority=DEFAULT_PRIORITY, sequence=dispatch.run_sequence)
    wake_workers(tx)
    return draft_tests(tx, configuration_id)


def draft_tests(tx: Transaction, configuration_id: str) -> CaseTests:
    """Return how the cases of the draft came out, for the files it has now; without a draft nothing is to be tested."""
    draft = configurations.version_with(tx, configuration_id, VersionStatus.DRAFT)
    return CaseTests(status="none") if draft is None else _tests_of(tx, configuration_id, draft)


def _tests_of(tx: Transaction, configuration_id: str, draft: VersionRow) -> CaseTests:
    if not any(_is_of_case(file.path) for file in configuration_files.listed(tx, draft.id)):
        return CaseTests(status="none")
    wanted = build_request(tx, configuration_id, draft)
    build = builds.find(tx, configuration_id=configuration_id, fingerprint=wanted.fingerprint)
    if build is None or build.status in {BuildStatus.CANCELLED, BuildStatus.REMOVED}:
        return CaseTests(status="not_run")
    listed = (build.manifest or {}).get("cases", [])
    cases = [_sound(case) for case in (listed if isinstance(listed, list) else [listed])[:MOST_CASES]]
    return CaseTests(status=build.status, build_id=build.id, cases=cases, failure=build.failure_message)


def _sound(case: Any) -> dict[str, Any]:
    """Return how a case came out, whatever rules wrote in the place of it: then it failed."""
    found = case if isinstance(case, dict) else {}
    count, differences, failure = (found.get(key) for key in ("difference_count", "differences", "failure"))
    return {
        "name": _text(found.get("name", "")),
        "status": found["status"] if found.get("status") in OUTCOMES else "failed",
        "differences": [_text(one) for one in differences[:MOST_DIFFERENCES]] if isinstance(differences, list) else [],
        "difference_count": count if type(count) is int and 0 <= count < 10**12 else 0,
        "failure": None if failure is None else _text(failure),
    }


def _text(found: Any) -> str:
    return str(found)[:MAX_MESSAGE_CHARACTERS]


def publish_tested(
    tx: Transaction, configuration_id: str, *, note: str | None, is_untested: bool, actor: Actor
) -> VersionRow:
    """Publish the draft; refuse one whose cases did not pass, unless it shall be published all the same."""
    if not is_untested and configurations.version_with(tx, configuration_id, VersionStatus.DRAFT) is not None:
        tests = draft_tests(tx, configuration_id)
        if not tests.have_passed:
            raise CasesNotPassed(_in_words(tests))
    return publish(tx, configuration_id, note=note, actor=actor)


def save_case(
    tx: Transaction, configuration_id: str, name: str, files: Mapping[str, bytes], *, actor: Actor
) -> list[str]:
    """Add a case to the draft, or replace the one of this name; return the paths of its files."""
    folder = f"{_HOME}/{name}"
    draft = configurations.version_with(tx, configuration_id, VersionStatus.DRAFT)
    source = draft or configurations.version_with(tx, configuration_id, VersionStatus.PUBLISHED)
    if source is None:
        raise Conflict("The configuration has neither a draft nor a published version. Restore a version first.")
    before = {file.path: file.sha256 for file in configuration_files.listed(tx, source.id)}
    wanted = {f"{folder}/{path}": content for path, content in files.items()}
    gone = [path for path in before if path.startswith(f"{folder}/") and path not in wanted]
    edits = [Edit(path=path, content=None, seen=before[path]) for path in gone]
    edits += [Edit(path=path, content=content, seen=before.get(path)) for path, content in wanted.items()]
    change_files(tx, configuration_id, edits, actor=actor)
    return sorted(wanted)


def case_name(text: str) -> str:
    """Return the name of a case, or refuse what no folder should be called."""
    plain = "".join(sign if sign.isalnum() or sign in "-_." else "_" for sign in text.strip()).strip("._")[:80]
    if not plain:
        raise Invalid("A case needs a name of letters and digits.")
    return plain


def case_document_name(document_name: str, media_type: str) -> str:
    """Return the name of a document as that of a file in its case, where `expected` is taken; rules may read it."""
    path = PurePosixPath(document_name)
    stem, suffix = as_part(path.stem), path.suffix.lower()
    if suffix not in SUFFIXES:  # its content said what it is
        stem, suffix = as_part(path.name), next(one.suffixes[0] for one in FORMATS if one.media_type == media_type)
    return f"{'document_' if stem.startswith('expected') else ''}{stem}{suffix}"


def _draft(tx: Transaction, configuration_id: str) -> VersionRow:
    draft = configurations.version_with(tx, configuration_id, VersionStatus.DRAFT)
    if draft is None:
        raise Conflict("There is no draft to test. Edit a file or restore a version first.")
    return draft


def _is_of_case(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return len(parts) >= 3 and parts[0] == _HOME


def _in_words(tests: CaseTests) -> str:
    if tests.status == "not_run":
        return "The cases of the draft have not been run. Test it first."
    if tests.status in {BuildStatus.QUEUED, BuildStatus.BUILDING}:
        return "The cases of the draft are being run. Publish it when they have passed."
    if tests.failure:
        return f"The draft could not be tested: {tests.failure}"
    wrong = [case["name"] for case in tests.cases if case["status"] != "passed"]
    return f"{len(wrong)} of {len(tests.cases)} cases did not pass: {', '.join(wrong[:5])}."
