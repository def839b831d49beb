"""Whether the process lives (healthz) and can take work (readyz)."""

from datetime import timedelta

from fastapi import APIRouter, Request

from ade import __version__
from ade.api.dependencies import SystemDependency
from ade.api.file_watch import FileWatch
from ade.api.schemas.health import Health, Readiness
from ade.errors import SchemaOutdated
from ade.operations.health import look_at_database

router = APIRouter(tags=["health"])


@router.get("/healthz")
def healthz() -> Health:
    """Answer that the process lives, without asking anyone else."""
    return Health(version=__version__)


@router.get("/readyz")
def readyz(request: Request, system: SystemDependency) -> Readiness:
    """Answer 200 once submissions are accepted, else 503 with the reason; a fault of the file store is a warning."""
    health = look_at_database(system.database, silent_after=timedelta(seconds=2 * system.settings.lease_seconds))
    # A newer schema than ours only has more: we go on until we are replaced, or an upgrade would be an outage.
    if health.revision is None or not (health.is_current or health.is_newer):
        raise SchemaOutdated("Run: ade db upgrade")
    watch: FileWatch = request.app.state.file_watch
    # No reason to be out of service: lists, queue and history are there without files.
    warnings = [*(trouble.found for trouble in health.troubles), *filter(None, [watch.trouble()])]
    return Readiness(database=health.product, schema_revision=health.revision, warnings=warnings)
