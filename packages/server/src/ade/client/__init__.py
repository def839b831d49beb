"""A typed client of the API: `from ade.client import Client`."""

from ade.client.api import Client
from ade.client.models import Configuration, Document, Event, QueuedRun, Run, Worker, Workspace

__all__ = ["Client", "Configuration", "Document", "Event", "QueuedRun", "Run", "Worker", "Workspace"]
