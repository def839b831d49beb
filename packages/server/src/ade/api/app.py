"""The application: middleware, problems and routes put together."""

from fastapi import FastAPI

from ade import __version__
from ade.api.problems import install_problems
from ade.api.routes import health
from ade.api.tracing import Tracing
from ade.system import System


def create_app(system: System) -> FastAPI:
    """Return the application for a system."""
    app = FastAPI(
        title="ADE", version=__version__, openapi_url="/api/v1/openapi.json", docs_url="/api/v1/docs", redoc_url=None
    )
    app.state.system = system
    install_problems(app)
    app.include_router(health.router)
    app.add_middleware(Tracing)
    return app
