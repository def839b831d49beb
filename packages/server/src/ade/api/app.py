"""The application: middleware, problems and routes put together."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from typing import Any

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Depends, FastAPI, Request, Response
from fastapi.openapi.utils import get_openapi
from starlette.routing import BaseRoute

from ade import __version__
from ade.api.admission import THREADS, Admission
from ade.api.combining import Combining
from ade.api.dependencies import require_disk
from ade.api.examples import add_examples
from ade.api.feeds import Feeds
from ade.api.file_watch import FileWatch
from ade.api.guard import Guard
from ade.api.http_figures import HttpFigures
from ade.api.problems import install_problems
from ade.api.responses import PROBLEMS, problem_schema
from ade.api.routes import (
    builds,
    configuration_files,
    configurations,
    documents,
    events,
    health,
    metrics,
    operation,
    people,
    plans,
    proposals,
    queue,
    run_files,
    runs,
    sign_on,
    webhooks,
    workspaces,
)
from ade.api.tracing import Tracing
from ade.api.ui import install_ui
from ade.api.upload_gate import UploadGate
from ade.system import System

BASE = "/api/v1"
DESCRIPTION = """\
Turn messy spreadsheets into one clean workbook, with an explanation.

Lists come in parts: `next_cursor` leads to the next. Errors are `application/problem+json` with a stable `code`.
Creating calls take an `Idempotency-Key`; edits take `If-Match`. In local mode there is no sign-in; in team mode send a
session's cookie with `X-CSRF-Token`, or `Authorization: Bearer ade_...`.
"""


def create_app(system: System) -> FastAPI:
    """Return the application for a system."""
    app = FastAPI(
        title="ADE",
        version=__version__,
        description=DESCRIPTION,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        lifespan=_lifespan,
    )
    app.state.system = system
    app.state.feeds = Feeds(system)
    app.state.submissions = Combining()
    app.state.upload_gate = UploadGate()
    app.state.file_watch = FileWatch(system.settings)
    app.state.probe_limiter = CapacityLimiter(2)  # a probe never waits for the threads of others
    app.state.owners = {}  # the workspaces of configurations, by id
    app.state.provider = None  # of OpenID, once somebody wants to sign in there
    install_problems(app)
    app.router.routes.extend(_routes())
    app.add_route(f"{BASE}/openapi.json", _OpenApi(app).answer, include_in_schema=False)
    install_ui(app)
    app.state.admission = Admission()
    app.add_middleware(Guard, settings=system.settings, admission=app.state.admission)
    app.state.http_figures = HttpFigures(app.routes)
    app.add_middleware(Tracing, figures=app.state.http_figures)
    app.openapi = lambda: openapi_of(app)  # type: ignore[method-assign]
    return app


@cache
def _routes() -> list[BaseRoute]:
    """Return all routes, the same for every system: reading their signatures takes a quarter of a second."""
    whole = APIRouter()
    whole.include_router(health.router, responses=PROBLEMS)
    whole.include_router(metrics.router, responses=PROBLEMS)
    whole.include_router(_api())
    return whole.routes


def _api() -> APIRouter:
    api = APIRouter(prefix=BASE, responses=PROBLEMS, dependencies=[Depends(require_disk)])
    for module in (
        workspaces,
        documents,
        configurations,
        configuration_files,
        runs,
        run_files,
        events,
        builds,
        plans,
        proposals,
        queue,
        operation,
        people,
        sign_on,
        webhooks,
    ):
        api.include_router(module.router)
    return api


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    to_thread.current_default_thread_limiter().total_tokens = THREADS
    yield
    await app.state.feeds.close()
    if app.state.provider is not None:
        app.state.provider.close()


class _OpenApi:
    """The OpenAPI document as it is sent, written once: anyone may ask for it, and to write it holds everybody up."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app
        self._written = b""

    async def answer(self, _request: Request) -> Response:
        """Send the document."""
        if not self._written:
            self._written = json.dumps(self._app.openapi(), ensure_ascii=False, separators=(",", ":")).encode()
        return Response(self._written, media_type="application/json")


def openapi_of(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI document, with the schema of problems and how to sign in."""
    if app.openapi_schema is None:
        document = get_openapi(
            title=app.title,
            version=app.version,
            description=app.description,
            routes=app.routes,
            openapi_version="3.1.0",
        )
        components = document.setdefault("components", {})
        schema = problem_schema()
        schemas = components.setdefault("schemas", {})
        schemas.update(schema.pop("$defs", {}))
        schemas["Problem"] = schema
        components["securitySchemes"] = {
            "key": {"type": "http", "scheme": "bearer", "description": "An API key (team mode)."},
            "session": {
                "type": "apiKey",
                "in": "cookie",
                "name": "ade_session",
                "description": "A session (team mode).",
            },
        }
        document["security"] = [{}, {"key": []}, {"session": []}]
        add_examples(document)
        app.openapi_schema = document
    return app.openapi_schema
