"""Request ids: in each response and in each log line of a request.

The outermost middleware: it also adds the headers of every response, and writes the access log
where configured: of a request's path only the template of its route, never its query, headers or
body.
"""

import re
import time
from random import Random

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from structlog.contextvars import bind_contextvars
from structlog.typing import FilteringBoundLogger

from api.http.codec.security_headers import Headers, secured
from api.http.middleware.request_metrics import NO_ROUTE, ROUTE
from api.http.request.scope import PRINCIPAL
from domain.access import Principal

_HEADER = b"x-request-id"
_SANE = re.compile(rb"[A-Za-z0-9._~:+=-]{1,128}")
"""No blank and no character that ends a line, a JSON string or a URN."""

_random_bits = Random().getrandbits  # noqa: S311 - an id is no secret
"""Not from the system: that would release the interpreter lock for each request."""


class Identified:
    """An application whose requests have ids: the client's own where valid, else a new one.

    Its responses have the id and the security headers.

    `access_log`: logger for a line at the end of each request.
    """

    def __init__(self, app: ASGIApp, *, access_log: FilteringBoundLogger | None) -> None:
        self._app = app
        self._access_log = access_log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward a request with its id."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = _id_of(scope["headers"])
        bind_contextvars(request_id=request_id.decode())  # lives as long as the request's task
        began = time.perf_counter()
        status = 0

        async def naming(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = secured(message.get("headers", ()))
                message["headers"] = [*headers, (_HEADER, request_id)]
            await send(message)

        try:
            await self._app(scope, receive, naming)
        finally:
            if self._access_log is not None:
                _log(self._access_log, scope, status, time.perf_counter() - began)


def _id_of(headers: Headers) -> bytes:
    for name, value in headers:
        if name == _HEADER:  # never repeat one of our keys
            if _SANE.fullmatch(value) and b"agentlog_" not in value:
                return value
            break
    return b"%032x" % _random_bits(128)


def _log(logger: FilteringBoundLogger, scope: Scope, status: int, seconds: float) -> None:
    principal: Principal | None = scope.get(PRINCIPAL)
    logger.info(
        "request",
        method=scope["method"],
        route=scope.get(ROUTE, NO_ROUTE),
        status=status,
        milliseconds=round(seconds * 1000, 3),
        tenant=None if principal is None else principal.tenant,
        key=None if principal is None else principal.key_id,
    )
