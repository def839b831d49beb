"""Plans, over the wire."""

from datetime import datetime
from typing import Literal

from pydantic import Field, model_validator

from ade.api.schemas.base import Answer, Body, Id, Number, Priority, Reason
from ade.api.schemas.runs import NetworkWish, Run
from ade.domain.plan import PlanStatus
from ade.operations.views.run_views import PlanView


class NewPhase(Body):
    """A phase: its document, or the output of the phase before."""

    configuration_id: Id
    input_document_id: Id | None = None
    input: Literal["previous_output"] | None = None
    version: Number | None = None
    runtime_network_access: NetworkWish = None

    @model_validator(mode="after")
    def _has_one_input(self) -> "NewPhase":
        if (self.input_document_id is None) == (self.input is None):
            raise ValueError('give input_document_id, or input: "previous_output"; just one of them')
        return self


class NewPlan(Body):
    """Runs that depend on each other, in order."""

    priority: Priority = "normal"
    phases: list[NewPhase] = Field(min_length=1, max_length=20)


class Plan(Answer):
    """Runs in phases; each is ready when the one before it succeeded."""

    id: Id
    workspace_id: Id
    status: PlanStatus
    priority: int
    created_by: str | None
    created_at: datetime
    finished_at: datetime | None
    runs: list[Run]

    @classmethod
    def of(cls, view: PlanView) -> "Plan":
        """Return the model of a plan."""
        return cls.from_row(view.row, runs=[Run.of(run) for run in view.runs])


class PlanChange(Body):
    """Another priority for a plan and its waiting phases, and why."""

    priority: Priority
    reason: Reason | None = None
