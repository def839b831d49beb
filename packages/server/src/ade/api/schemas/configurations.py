"""Configurations, over the wire."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, model_validator

from ade.api.schemas.base import Answer, Body, Id, Name, Number, Reason, Text
from ade.database.content import configuration_files
from ade.database.content.configurations import VersionRow
from ade.domain.configuration import VersionStatus
from ade.domain.configuration_files import LONGEST_PATH, MOST_FILES
from ade.operations.content import configurations
from ade.operations.queue.case_tests import CaseTests

LONGEST_FIELD_NAME = 200
MOST_FIELDS = MOST_FILES - 10


class Version(Answer):
    """One state of a configuration."""

    number: int
    status: VersionStatus
    note: str | None
    digest: str | None = Field(description="Of its files, once published.")
    created_by: str | None
    created_at: datetime
    published_at: datetime | None
    archived_at: datetime | None

    @classmethod
    def of(cls, row: VersionRow) -> "Version":
        """Return the model of a row."""
        return cls.from_row(row)


class Configuration(Answer):
    """A folder of rules, with versions."""

    id: Id
    workspace_id: Id
    name: str
    published_version: int | None
    draft_version: int | None
    created_by: str | None
    created_at: datetime
    archived_at: datetime | None
    links: dict[str, str]

    @classmethod
    def of(cls, configuration: configurations.Configuration) -> "Configuration":
        """Return the model of a configuration."""
        row = configuration.row
        published = configuration.version_with(VersionStatus.PUBLISHED)
        draft = configuration.version_with(VersionStatus.DRAFT)
        address = f"/api/v1/configurations/{row.id}"
        parts = ("versions", "files", "runs", "export")
        return cls.from_row(
            row,
            published_version=published.number if published else None,
            draft_version=draft.number if draft else None,
            links={"self": address, **{part: f"{address}/{part}" for part in parts}},
        )


FieldName = Annotated[Text, Field(min_length=1, max_length=LONGEST_FIELD_NAME)]


class ChosenField(Body):
    """A field of an example document that the configuration shall have; what is left out stays as inferred."""

    inferred: FieldName = Field(description="Its name among the fields of the document.", examples=["member_id"])
    name: FieldName | None = None
    label: Name | None = None
    type: Literal["text", "integer", "number", "money", "percent", "date", "datetime", "time", "boolean"] | None = None
    day_first: bool | None = Field(default=None, description="How 03/04/2024 is read; null: as most values suggest.")
    required: bool = False
    unique: bool = False


class NewConfiguration(Body):
    """A configuration to make: from a template, or from the columns a document has."""

    name: Name = Field(examples=["Members"])
    template: Literal["example", "minimal"] | None = None
    from_document_id: Id | None = None
    fields: list[ChosenField] | None = Field(
        default=None,
        max_length=MOST_FIELDS,
        description="Columns of the document; by default all of them, as inferred.",
    )


class ConfigurationChange(Body):
    """What to change of a configuration; what is left out stays."""

    name: Name | None = None
    is_archived: bool | None = None


class NewDraft(Body):
    """A draft to start, from a version or from the published one."""

    from_version: Number | None = None
    note: Reason | None = None


class Publication(Body):
    """A note on what is new."""

    note: Reason | None = None
    skip_tests: bool = Field(default=False, description="Publish it even if its cases were not run or did not pass.")


class CaseReport(Answer):
    """How a case came out."""

    name: str
    status: str = Field(description="passed, differs or failed.")
    differences: list[str] = Field(description="The first cells that differ.")
    difference_count: int
    failure: str | None


class CaseReports(Answer):
    """How the cases of the draft came out, for the files it has now."""

    status: str = Field(
        description="none: no cases. not_run: request a test. Otherwise the status of the build that runs them."
    )
    build_id: Id | None
    cases: list[CaseReport]
    failure: str | None

    @classmethod
    def of(cls, found: CaseTests) -> "CaseReports":
        """Return tests as they are answered."""
        cases = [CaseReport(**case) for case in found.cases]
        return cls(status=found.status, build_id=found.build_id, cases=cases, failure=found.failure)


class NewCase(Body):
    """A run whose document and output become a case of the draft."""

    run_id: Id
    name: Text | None = Field(
        default=None, max_length=80, description="Name of the case; by default that of the document."
    )


class SavedCase(Answer):
    """A case of the draft."""

    name: str
    paths: list[str]


class FileFacts(Answer):
    """A file of a version; its ETag is its sha256 in quotes."""

    path: str = Field(examples=["columns/member_id.py"])
    size_bytes: int
    sha256: str
    updated_at: datetime

    @classmethod
    def of(cls, row: configuration_files.FileFacts) -> "FileFacts":
        """Return the model of a row."""
        return cls.from_row(row)


class Files(Answer):
    """The files of a version, by path."""

    items: list[FileFacts]


class FileEdit(Body):
    """What a file of the draft shall contain."""

    path: Text = Field(max_length=LONGEST_PATH, examples=["columns/member_id.py"])
    content: Text | None = Field(description="The new text; null removes the file.")
    if_match: Text | None = Field(
        default=None,
        max_length=200,
        description="The ETag of your copy of the file; null: only if the file does not exist.",
    )


class FileEdits(Body):
    """Changes to several files; each path once."""

    files: list[FileEdit] = Field(default=[], max_length=MOST_FILES)

    @model_validator(mode="after")
    def _each_once(self) -> "FileEdits":
        if len({file.path for file in self.files}) < len(self.files):
            raise ValueError("each path may be named once")
        return self


class ConfigurationProblem(Answer):
    """What is wrong in a configuration, where, and what to do about it."""

    file: str
    line: int
    code: str
    message: str
    suggestion: str | None
    severity: Literal["error", "warning"]


class CheckResult(Answer):
    """What reading a configuration found; whether it also loads is found by its build."""

    is_valid: bool
    problems: list[ConfigurationProblem]


class FileDifference(Answer):
    """How a file differs between two versions; `diff` is null when it is no text."""

    path: str
    change: Literal["added", "removed", "changed"]
    diff: str | None


class Difference(Answer):
    """How two versions differ."""

    from_version: int
    to_version: int
    files: list[FileDifference]
