"""The FastAPI application: routes, middleware, problems and the OpenAPI document."""

import threading
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from http import HTTPStatus
from importlib.metadata import version
from typing import Any

from anyio import CapacityLimiter
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.telemetry import TelemetryConfig
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from structlog.typing import FilteringBoundLogger

from agentlog.api.http.codec.problems import flaw_list, problem
from agentlog.api.http.codec.responses import error_answer, problem_answer
from agentlog.api.http.codec.wait_for_position import until_logged
from agentlog.api.http.middleware.authentication import Authentication, Entrance
from agentlog.api.http.middleware.edge import Checks, Edge
from agentlog.api.http.middleware.metrics_exposition import Gauges
from agentlog.api.http.middleware.permissions import Permissions, describe_checks
from agentlog.api.http.middleware.rate_limit import Limiter, describe_limits
from agentlog.api.http.middleware.request_metrics import Traffic
from agentlog.api.http.registry import ROUTERS
from agentlog.api.http.relay.gateway import Gateway
from agentlog.api.http.request.limits import USUAL, RequestLimits
from agentlog.api.http.routes.service import monitoring, pages
from agentlog.api.http.routes.service.monitoring import Metrics
from agentlog.api.http.streaming.subscribers import Followers
from agentlog.domain.errors import AgentlogError, Flaw
from agentlog.domain.json.places import path
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.readmodels.projection_status import ProjectionStatus
from agentlog.infrastructure.tenants import Tenants
from agentlog.infrastructure.webhooks.addresses import PUBLIC, Addresses
from agentlog.lazy import lazy_imports

with lazy_imports():
    from agentlog.api.http.openapi import components

VERSION = version("agentlog")
_NO_TELEMETRY = TelemetryConfig(tracing=False, metrics=False, logs=False)
"""The framework's telemetry is off: it would miss requests passed directly to their routes."""


def create_app(  # noqa: PLR0913 - what the service consists of
    tenants: Tenants,
    database: Database,
    *,
    own: str,
    entrance: Entrance,
    projection_status: ProjectionStatus,
    writer: Writer,
    max_body_bytes: int,
    max_blob_bytes: int,
    limits: RequestLimits = USUAL,
    addresses: Addresses = PUBLIC,
    gateway_url: str | None = None,
    access_log: FilteringBoundLogger | None = None,
) -> FastAPI:
    """Return the application for these tenants; `own` is the default tenant."""
    traffic, permissions = Traffic(), Permissions()
    app = FastAPI(
        version=VERSION,
        telemetry=_NO_TELEMETRY,
        openapi_url=None,  # its documentation loads scripts from another host: see pages.py
        redirect_slashes=False,  # to the client's own Host
        lifespan=_lifespan,
    )
    app.state.tenants = tenants
    app.state.keys = entrance.keys
    app.state.accesses = entrance.accesses
    app.state.database = database
    app.state.writer = writer
    app.state.projection_status = projection_status
    app.state.followings = followings = Followers(tenants)
    gauges = Gauges(
        followers=lambda: followings.count,
        recent_bytes=lambda: tenants[own].views.recent.size,  # all tenants share it
    )
    app.state.metrics = Metrics(writer, database, traffic, gauges, projection_status.lags)
    app.state.readiness = monitoring.readiness_of(database, writer)
    app.state.max_body_bytes = max_body_bytes
    app.state.max_blob_bytes = max_blob_bytes
    app.state.limits = limits
    app.state.addresses = addresses
    app.state.gateway = None if gateway_url is None else Gateway(gateway_url)
    app.state.exports = CapacityLimiter(_EXPORTS)
    for router in ROUTERS.values():
        app.router.routes.extend(router.framework.routes)  # included, they were made once more
        traffic.know(router)
        permissions.know(router)
    app.add_exception_handler(AgentlogError, _refuse)
    app.add_exception_handler(RequestValidationError, _refuse_request)
    app.add_exception_handler(ClientDisconnect, _leave)
    app.add_exception_handler(HTTPException, _refuse_route)
    app.add_exception_handler(Exception, _refuse)
    documenting = threading.Lock()  # the framework silences warnings meanwhile, for all threads

    def document() -> dict[str, Any]:
        with documenting:
            if app.openapi_schema is None:
                app.openapi_schema = openapi_document()
            return app.openapi_schema

    app.openapi = document  # type: ignore[method-assign]
    app.middleware_stack = Edge(
        app.build_middleware_stack(),
        Checks(
            permissions,
            Authentication(entrance, own=own),
            Limiter(limits),
            limits.work,
            partial(until_logged, database=database, listener=projection_status.listener),
        ),
        traffic,
        access_log=access_log,
    )
    return app


_EXPORTS = 1
"""OTLP requests read at once: a second one gains nothing, and other requests wait for both."""


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    async with AsyncExitStack() as opened:
        for router in ROUTERS.values():
            if router.lifespan is not None:
                await opened.enter_async_context(router.lifespan(app))
        yield


async def _leave(_: Request, error: Exception) -> Response:
    """Answer a client that disconnected while sending its body; not logged as a failure."""
    del error
    return Response(status_code=HTTPStatus.BAD_REQUEST)


async def _refuse_request(request: Request, error: Exception) -> Response:
    if not isinstance(error, RequestValidationError):
        raise error
    flaws = [Flaw(path(flaw["loc"]), flaw["msg"]) for flaw in error.errors()]
    detail = "; ".join(map(str, flaws))
    content = problem(422, name="invalid-request", title="Invalid parameter", detail=detail)
    return problem_answer({**content, "errors": flaw_list(flaws)}, request.scope)


async def _refuse_route(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    is_unknown = error.status_code == 404  # noqa: PLR2004 - the status
    if is_unknown and pages.names_html(request) and not request.url.path.startswith("/v1/"):
        return pages.page(404)
    detail = f"{request.method} {request.url.path}: {error.detail}; see /docs for what there is"
    name = "no-such-route" if is_unknown else "http"
    content = problem(error.status_code, name=name, title=error.detail, detail=detail)
    return problem_answer(content, request.scope, headers=dict(error.headers or {}))


async def _refuse(request: Request, error: Exception) -> Response:
    return error_answer(error, request.scope)


def openapi_document() -> dict[str, Any]:
    """Return the OpenAPI document of every service of this version."""
    document = get_openapi(
        title="agentlog",
        version=VERSION,
        summary=pages.SUMMARY,
        description="Every message of an agent is an immutable event of one log; every view "
        "is folded from it, at any point in time.",
        routes=[route for router in ROUTERS.values() for route in router.documented()],
    )
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    schemas.update(components.components())
    for name, schema in schemas.items():
        schema["title"] = name  # pydantic gives all pages one title, and generators one class
    describe_limits(document)
    routes = (route for router in ROUTERS.values() for route in router.routes)
    describe_checks(document, [route for route in routes if route.in_document])
    return document
