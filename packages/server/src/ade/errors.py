"""Every error the server raises on purpose. Each has a stable code and no HTTP; api/problems.py maps them.

AdeError
  InvalidSettings        the ADE_* variables are wrong; the message lists all of them
  NotFound               what was named does not exist, or is not yours to see
    FileMissing            the record is there, its file is not (not yet, or no longer)
      FileRemoved            retention removed the file; the record remains
  Invalid                the request makes no sense; says why
    UnreadableDocument     the file cannot be read as a spreadsheet
    KeyReused              an Idempotency-Key came again with another request
  TooLarge               more bytes than a request may have
    DocumentTooLarge       more bytes than a document may have, now or unpacked
  UnsupportedType        a file of a kind that is not read
  NotSignedIn            the caller is not known
  Forbidden              the caller is known and may not
  TooManyTries           too many failed tries to sign in
  TooManyRequests        one person has too many requests or streams under way
  PreconditionRequired   an edit must say which state it is based on
  Conflict               well formed, but the present state forbids it
    RunFinished            the run ended already
    RunNotFinished         the run has not left this yet
    NothingPublished       the configuration has no published version
    CasesNotPassed         the cases of the draft did not pass, or were not run
    NotEditable            only a draft can be edited
    Changed                it was changed since it was read
    RunNotQueued           only a queued run can be moved or given another priority
    OrderChanged           the queue was reordered since it was read
    QueueFull              no room; try again later
    SchemaOutdated         the database is older than this program
    SchemaTooNew           the database is newer than this program
    BackupRefused          a backup cannot be made or restored here; says what to do instead
  BackupDamaged          a backup is not what was written; says where
  ServerRefused          the server a client talks to refused; carries its problem
  LeaseLost              another worker may own the run: stop and discard
  Unavailable            a part we need does not answer; try again later
    DatabaseBusy           contention outlasted every try
    DatabaseUnreachable    no connection
      DriverMissing          what talks to the database is not installed; says what installs it
    OutcomeUnknown         the connection was lost while committing
    FilesUnreachable       the file store does not answer
    BackupRunning          a backup is being made, which needs every file
    ProviderUnreachable    the OpenID provider does not answer
    ServerUnreachable      the server a client talks to does not answer
"""

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType


# Base of all errors raised on purpose. People read the docstring of a class as the title of its error.
class AdeError(Exception):
    """The server had an internal error."""

    code = "internal_error"


class InvalidSettings(AdeError):
    """Some settings are wrong."""

    code = "invalid_settings"


class NotFound(AdeError):
    """There is no such thing."""

    code = "not_found"


class FileMissing(NotFound):
    """The file is not there."""

    code = "file_missing"


class FileRemoved(FileMissing):
    """Retention removed the file."""

    code = "file_removed"


def removed_by_retention(subject: str, at: datetime, then: str) -> str:
    """Return the explanation of a file that is gone as planned."""
    return f"{subject} removed by retention on {at:%Y-%m-%d}; the records remain. {then}"


class Invalid(AdeError):
    """The request makes no sense."""

    code = "invalid_request"


class UnreadableDocument(Invalid):
    """The document cannot be read."""

    code = "unreadable_document"


class KeyReused(Invalid):
    """The Idempotency-Key belongs to another request."""

    code = "idempotency_key_reused"


class TooLarge(AdeError):
    """The request is too large."""

    code = "too_large"


class DocumentTooLarge(TooLarge):
    """The document is too large."""

    code = "document_too_large"


class UnsupportedType(AdeError):
    """Files of this kind are not read."""

    code = "unsupported_type"


class NotSignedIn(AdeError):
    """You are not signed in."""

    code = "not_signed_in"


class Forbidden(AdeError):
    """You may not do this."""

    code = "forbidden"


class TooManyTries(AdeError):
    """There were too many tries to sign in."""

    code = "too_many_tries"


class TooManyRequests(AdeError):
    """There are too many requests under way."""

    code = "too_many_requests"


class PreconditionRequired(AdeError):
    """The request must say which state it changes."""

    code = "precondition_required"


class Conflict(AdeError):
    """The present state forbids this."""

    code = "conflict"


class RunFinished(Conflict):
    """The run has finished."""

    code = "run_finished"


class RunNotFinished(Conflict):
    """The run has not finished."""

    code = "run_not_finished"


class NothingPublished(Conflict):
    """The configuration has no published version."""

    code = "nothing_published"


class CasesNotPassed(Conflict):
    """The cases of the draft did not pass, or were not run."""

    code = "cases_not_passed"


class NotEditable(Conflict):
    """Only a draft can be edited."""

    code = "not_editable"


class Changed(Conflict):
    """It was changed since you read it."""

    code = "changed"


class RunNotQueued(Conflict):
    """The run is no longer queued."""

    code = "run_not_queued"


class OrderChanged(Conflict):
    """The queue was reordered since it was read."""

    code = "order_changed"


class QueueFull(Conflict):
    """The queue is full."""

    code = "run_queue_full"


class SchemaOutdated(Conflict):
    """The database schema is older than this program."""

    code = "schema_outdated"


class SchemaTooNew(Conflict):
    """The database schema is newer than this program."""

    code = "schema_too_new"


class BackupRefused(Conflict):
    """The backup cannot be made or restored here."""

    code = "backup_refused"


class BackupDamaged(AdeError):
    """The backup is damaged."""

    code = "backup_damaged"


class LeaseLost(AdeError):
    """The lease is gone; another worker may own this."""

    code = "lease_lost"


class ServerRefused(AdeError):
    """The server refused."""

    code = "server_refused"
    status = 0
    problem: Mapping[str, object] = MappingProxyType({})


class Unavailable(AdeError):
    """A part this needs does not answer."""

    code = "unavailable"


class DatabaseBusy(Unavailable):
    """The database is busy."""

    code = "database_busy"


class DatabaseUnreachable(Unavailable):
    """The database cannot be reached."""

    code = "database_unreachable"


class DriverMissing(DatabaseUnreachable):
    """The driver of the database is not installed."""

    code = "database_driver_missing"


class OutcomeUnknown(Unavailable):
    """The connection was lost while saving; it may or may not have been saved."""

    code = "outcome_unknown"


class FilesUnreachable(Unavailable):
    """The file store cannot be reached."""

    code = "files_unreachable"


class BackupRunning(Unavailable):
    """A backup is being made."""

    code = "backup_running"


class ProviderUnreachable(Unavailable):
    """The OpenID provider cannot be reached."""

    code = "provider_unreachable"


class ServerUnreachable(Unavailable):
    """The server cannot be reached."""

    code = "server_unreachable"
