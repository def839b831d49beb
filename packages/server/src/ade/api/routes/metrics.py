"""Numbers for Prometheus: of the whole deployment, from the database, and of the requests this process answered."""

from collections.abc import Iterable
from typing import Annotated

from fastapi import APIRouter, Request, Response
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from ade.api.access import Access, requires
from ade.api.dependencies import RulesDependency, SystemDependency
from ade.api.families import families
from ade.api.http_figures import HttpFigures
from ade.domain.access import Role

router = APIRouter(tags=["health"])
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"description": "Prometheus text.", "content": {"text/plain": {"schema": {"type": "string"}}}}},
)
def get_metrics(
    request: Request,
    system: SystemDependency,
    rules: RulesDependency,
    access: Annotated[Access, requires(Role.VIEWER, "metrics")],
) -> Response:
    """Return the deployment's numbers as Prometheus reads them."""
    figures: HttpFigures = request.app.state.http_figures
    registry = CollectorRegistry()
    registry.register(_Collected([*system.database.read(lambda tx: list(families(tx, rules))), *figures.families()]))
    return Response(generate_latest(registry), media_type=CONTENT_TYPE)


class _Collected(Collector):
    """Metrics that were read already."""

    def __init__(self, families: list[Metric]) -> None:
        self._families = families

    def collect(self) -> Iterable[Metric]:
        return self._families
