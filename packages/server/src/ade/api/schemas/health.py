"""Health, over the wire."""

from typing import Literal

from pydantic import BaseModel, Field


class Health(BaseModel):
    """The process answers."""

    status: Literal["ok"] = "ok"
    version: str


class Readiness(BaseModel):
    """The process can take work."""

    status: Literal["ready"] = "ready"
    database: str
    schema_revision: str
    warnings: list[str] = Field(description="Faults in the set-up that do not stop the server from working.")
