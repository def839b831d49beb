"""Every error the server raises on purpose. Each has a stable code and no HTTP; api/problems.py maps them.

AdeError
  InvalidSettings        the ADE_* variables are wrong; the message lists all of them
  NotFound               what was named does not exist, or is not yours to see
  Invalid                the request makes no sense; says why
  Conflict               well formed, but the present state forbids it
    InvalidTransition      a status cannot follow the present one
    RunFinished            the run ended already
    RunNotQueued           only a queued run can be moved or given another priority
    OrderChanged           the queue was reordered since it was read
    QueueFull              no room; try again later
    SchemaOutdated         the database is older than this program
    SchemaTooNew           the database is newer than this program
  LeaseLost              another worker may own the run: stop and discard
  Unavailable            a part we need does not answer; try again later
    DatabaseBusy           contention outlasted every try
    DatabaseUnreachable    no connection
    OutcomeUnknown         the connection was lost while committing
"""


class AdeError(Exception):
    """Base of all errors raised on purpose. The docstring of a class is its title."""

    code = "internal_error"


class InvalidSettings(AdeError):
    """Some settings are wrong."""

    code = "invalid_settings"


class NotFound(AdeError):
    """There is no such thing."""

    code = "not_found"


class Invalid(AdeError):
    """The request makes no sense."""

    code = "invalid_request"


class Conflict(AdeError):
    """The present state forbids this."""

    code = "conflict"


class InvalidTransition(Conflict):
    """The status cannot change that way."""

    code = "invalid_transition"


class RunFinished(Conflict):
    """The run has finished."""

    code = "run_finished"


class RunNotQueued(Conflict):
    """The run is not waiting any more."""

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


class LeaseLost(AdeError):
    """The lease is gone; another worker may own this."""

    code = "lease_lost"


class Unavailable(AdeError):
    """A part this needs does not answer."""

    code = "unavailable"


class DatabaseBusy(Unavailable):
    """The database is busy."""

    code = "database_busy"


class DatabaseUnreachable(Unavailable):
    """The database cannot be reached."""

    code = "database_unreachable"


class OutcomeUnknown(Unavailable):
    """The connection was lost while saving; it may or may not have been saved."""

    code = "outcome_unknown"
