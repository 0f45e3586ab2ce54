"""The application: routes, problems and the OpenAPI document."""

import logging
import re
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import Receive, Scope, Send
from typing_extensions import override

from api.http import blobs, health, log, messages, threads, views
from api.http.answers import problem_answer
from api.http.problems import flaw_list, headers_of, problem, problem_of
from api.http.shapes import components
from domain.errors import AgentlogError, Flaw
from domain.json_text import path
from infrastructure.database import Database
from infrastructure.store import Store

logger = logging.getLogger("agentlog")

VERSION = "0.1.0"


def create_app(
    store: Store, database: Database, *, max_body_bytes: int, max_blob_bytes: int
) -> FastAPI:
    """Return the application over an open store."""
    app = _Application(title="agentlog", version=VERSION, summary="A message store for AI agents.")
    app.state.store = store
    app.state.database = database
    app.state.max_body_bytes = max_body_bytes
    app.state.max_blob_bytes = max_blob_bytes
    for routes in (threads.router, messages.router, views.router, log.router, blobs.router):
        app.include_router(routes, prefix="/v1")
    app.include_router(health.router)
    app.add_exception_handler(AgentlogError, _refuse)
    app.add_exception_handler(RequestValidationError, _refuse_request)
    app.add_exception_handler(HTTPException, _refuse_route)
    app.add_exception_handler(Exception, _fail)
    app.openapi = lambda: _document(app)  # type: ignore[method-assign]
    return app


class _Application(FastAPI):
    """Appends go straight to their route: the framework's way there costs more than they do."""

    @override
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = _APPEND.fullmatch(scope["path"]) if scope.get("method") == "POST" else None
        if found is None:
            await super().__call__(scope, receive, send)
            return
        request = Request({**scope, "app": self, "path_params": found.groupdict()}, receive)
        try:
            answer = await messages.append_messages(request)
        except ClientDisconnect:
            return
        except AgentlogError as error:
            answer = await _refuse(request, error)
        except Exception as error:  # noqa: BLE001 - as the framework does
            answer = await _fail(request, error)
        await answer(scope, receive, send)


_APPEND = re.compile(r"/v1/threads/(?P<thread_id>[^/]+)/messages")


async def _refuse(_: Request, error: Exception) -> Response:
    if not isinstance(error, AgentlogError):
        raise error
    return problem_answer(problem_of(error), headers=headers_of(error))


async def _refuse_request(_: Request, error: Exception) -> Response:
    if not isinstance(error, RequestValidationError):
        raise error
    flaws = [Flaw(path(each["loc"]), each["msg"]) for each in error.errors()]
    detail = "; ".join(map(str, flaws))
    found = problem(422, name="invalid-request", title="A parameter is off", detail=detail)
    return problem_answer({**found, "errors": flaw_list(flaws)})


async def _refuse_route(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    detail = f"{request.method} {request.url.path}: {error.detail}; see /docs for what there is"
    name = "no-such-route" if error.status_code == 404 else "http"  # noqa: PLR2004 - the status
    found = problem(error.status_code, name=name, title=error.detail, detail=detail)
    return problem_answer(found, headers=dict(error.headers or {}))


async def _fail(request: Request, error: Exception) -> Response:
    logger.error("%s %s failed", request.method, request.url.path, exc_info=error)
    detail = "agentlog has a defect here; its log says more. Nothing of the request was kept."
    return problem_answer(
        problem(500, name="internal-error", title="Internal error", detail=detail)
    )


def _document(app: FastAPI) -> dict[str, Any]:
    if app.openapi_schema is None:
        found = get_openapi(
            title=app.title,
            version=app.version,
            summary=app.summary,
            description="Every message of an agent is an immutable event of one log; every view "
            "is folded from it, at any point in time.",
            routes=app.routes,
        )
        schemas = found.setdefault("components", {}).setdefault("schemas", {})
        schemas.update(components())
        app.openapi_schema = found
    return app.openapi_schema
