"""Whether the process lives (healthz) and can take work (readyz)."""

from datetime import timedelta

from anyio import to_thread
from fastapi import APIRouter, Request

from ade import __version__
from ade.api.dependencies import SystemDependency
from ade.api.file_watch import FileWatch
from ade.api.schemas.health import Health, Readiness
from ade.errors import SchemaOutdated
from ade.operations.maintenance.health import look_at_database
from ade.operations.queue.free_disk import free_disk_reason
from ade.system import System

router = APIRouter(tags=["health"])


@router.get("/healthz")
async def healthz() -> Health:
    """Answer that the process lives, without asking anyone else."""
    return Health(version=__version__)


@router.get("/readyz")
async def readyz(request: Request, system: SystemDependency) -> Readiness:
    """Answer 200 once submissions are accepted, else 503 with the reason; a fault of the file store is a warning."""
    return await to_thread.run_sync(_readiness, request, system, limiter=request.app.state.probe_limiter)


def _readiness(request: Request, system: System) -> Readiness:
    health = look_at_database(system.database, silent_after=timedelta(seconds=2 * system.settings.lease_seconds))
    # A newer schema than ours only has more: we continue until we are replaced. Otherwise an upgrade is an outage.
    if health.revision is None or not (health.is_current or health.is_newer):
        raise SchemaOutdated("Run: ade db upgrade")
    watch: FileWatch = request.app.state.file_watch
    # No reason to be out of service: lists, queue and history are there without files.
    # An API whose database and files are elsewhere has no folder of its own.
    disk = free_disk_reason(system.settings) if system.settings.data_dir.is_dir() else None
    found = [watch.trouble(), disk]
    warnings = [*(trouble.found for trouble in health.troubles), *filter(None, found)]
    return Readiness(database=health.product, schema_revision=health.revision, warnings=warnings)
