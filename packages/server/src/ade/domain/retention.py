"""How long things are kept."""

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionRules:
    """None keeps everything."""

    runs: timedelta | None = None  # the folder and the events of a run, counted from its end
    failed_runs: timedelta | None = None  # of those that failed or were cancelled; None: as the others
    run_bytes: int | None = None  # all run folders together; the oldest go first
    documents: timedelta | None = None  # an unused upload is deleted as if by a person
    deleted_documents: timedelta | None = None  # the bytes of a document that was deleted
    builds: timedelta | None = None  # a build no run has used
