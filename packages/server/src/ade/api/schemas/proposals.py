"""Proposals, over the wire."""

from typing import Literal

from pydantic import Field

from ade.api.schemas.base import Answer, Body, Id, Reason
from ade.api.schemas.runs import Run, verdict_of
from ade.domain.verdict import Verdict
from ade.operations.views.proposals import ProposalView


class EarlierResult(Answer):
    """The result that was corrected."""

    run_id: Id
    verdict: Verdict | None
    verdict_reason: str | None


class ProposedRun(Answer):
    """A run with corrections that an operator made for its document, and the result before them."""

    run: Run
    before: EarlierResult | None = Field(description="null if that run was removed.")

    @classmethod
    def of(cls, view: ProposalView) -> "ProposedRun":
        """Return the model of a proposal."""
        found = None if view.before is None else verdict_of(view.before)
        before = None if view.before is None or found is None else EarlierResult(
            run_id=view.before.id, verdict=found["verdict"], verdict_reason=found["verdict_reason"]
        )  # fmt: skip
        return cls(run=Run.of(view.run), before=before)


class ProposalDecision(Body):
    """What an author decides on the corrections of a run."""

    decision: Literal["accepted", "declined"] = Field(
        description="accepted: they apply from now on, in a published version; declined: they apply only to this "
        "document."
    )
    note: Reason | None = Field(None, description="For the operator who proposed them.")
