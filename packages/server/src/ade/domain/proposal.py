"""Corrections that an operator made for one document, and that an author may apply from now on."""

from enum import StrEnum


class ProposalState(StrEnum):
    """What became of a proposal."""

    WAITING = "waiting"
    ACCEPTED = "accepted"
    DECLINED = "declined"
