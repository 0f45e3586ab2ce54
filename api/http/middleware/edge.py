"""The way of a request to its route: id, key, limits, parameters, wait; then the route itself.

Each response has its request's id and the security headers. The access log, where configured, has
of a request's path only the template of its route, never its query, headers or body.
"""

import re
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from difflib import get_close_matches
from random import Random
from urllib.parse import parse_qsl

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from structlog.contextvars import bind_contextvars
from structlog.typing import FilteringBoundLogger

from agentlog.api.http.codec.responses import Headers, error_answer, secured
from agentlog.api.http.codec.wait_for_position import PARAMETER
from agentlog.api.http.middleware.authentication import Authentication, BrokenOff
from agentlog.api.http.middleware.credentials import has_key_in_url
from agentlog.api.http.middleware.incoming import CONNECTION, Incoming, Receiving
from agentlog.api.http.middleware.permissions import MatchedRoute, Permissions
from agentlog.api.http.middleware.rate_limit import Caller, Limiter
from agentlog.api.http.middleware.request_metrics import NO_ROUTE, ROUTE, Traffic
from agentlog.api.http.request.scope import PRINCIPAL
from agentlog.api.http.routing import Route
from agentlog.api.old_spellings import kind_of, refuse_old
from agentlog.domain.access import Principal
from agentlog.domain.errors import AgentlogError, InvalidInput
from agentlog.infrastructure.runtime.request_work import RequestWork

_HEADER = b"x-request-id"
_SANE = re.compile(rb"[A-Za-z0-9._~:+=-]{1,128}")
"""No blank and no character that ends a line, a JSON string or a URN."""

_random_bits = Random().getrandbits  # noqa: S311 - an id is no secret
"""Not from the system: that would release the interpreter lock for each request."""


@dataclass(frozen=True, slots=True)
class Checks:
    """What a request has to pass."""

    permissions: Permissions
    authentication: Authentication
    limiter: Limiter
    work: Callable[[Callable[[], bool]], RequestWork]
    """Returns what counts the reads of a request, given whether its client has left."""
    wait: Callable[[Scope], Awaitable[None]]
    """Returns once the log is where a request waits for it."""


class Edge:
    """An application behind `checks`; `framework` serves the routes that are not `direct`.

    A direct endpoint takes a request and returns a response: the framework's routing costs more
    than an append does, and its frames stay in memory as long as a stream is open.
    """

    def __init__(
        self,
        framework: ASGIApp,
        checks: Checks,
        traffic: Traffic,
        *,
        access_log: FilteringBoundLogger | None,
    ) -> None:
        self._framework = framework
        self._checks = checks
        self._traffic = traffic
        self._access_log = access_log
        self._incoming = Incoming(self._enter, traffic.refuse)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._framework(scope, receive, send)
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
                if all(name != _HEADER for name, _ in headers):  # else a provider's own
                    headers = [*headers, (_HEADER, request_id)]
                message["headers"] = headers
            await send(message)

        enter = self._incoming if CONNECTION in scope.get("state", {}) else self._enter
        try:
            await enter(scope, receive, naming)
        finally:
            if self._access_log is not None:
                _log(self._access_log, scope, status, time.perf_counter() - began)

    async def _enter(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request to its route, or refuse it."""
        checks = self._checks
        matched = checks.permissions.find(scope["method"], scope["path"])
        stream: Caller | None = None
        try:
            if matched is None or matched.route.need != "nothing" or has_key_in_url(scope):
                receive, send = await checks.authentication.admit(scope, matched, receive, send)
            is_stream = matched is not None and matched.route.stream
            if is_stream or checks.limiter.counts:
                stream = checks.limiter.admit(scope, stream=is_stream)
            if matched is not None and scope["query_string"]:
                check_query(scope, matched.route)
                if matched.route.waits:
                    await checks.wait(scope)
        except AgentlogError as error:
            if stream is not None:
                checks.limiter.leave(stream)
            template = NO_ROUTE if matched is None else matched.route.template
            await self._traffic.refuse(error, scope, receive, send, template=template)
            return
        counting: AbstractContextManager[None] = nullcontext()
        if matched is not None and matched.route.audited and not matched.route.long:
            connection: Receiving | None = scope.get("state", {}).get(CONNECTION)
            work = checks.work(lambda: connection is not None and connection.is_lost)
            counting = work.counted()
        try:
            with counting:
                await self._dispatch(matched, scope, receive, send)
        except BrokenOff:
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            if stream is not None:
                checks.limiter.leave(stream)

    async def _dispatch(
        self, matched: MatchedRoute | None, scope: Scope, receive: Receive, send: Send
    ) -> None:
        # the framework refuses HEAD of what is direct
        if matched is None or not matched.route.direct or scope["method"] != matched.route.method:
            await self._framework(scope, receive, self._traffic.watched(scope, send))
            return
        began = time.perf_counter()
        scope["path_params"] = matched.parameters
        request = Request(scope, receive)
        try:
            answer: Response = await matched.route.endpoint(request)
        except ClientDisconnect:
            return
        except Exception as error:  # noqa: BLE001 - as the framework does
            answer = error_answer(error, scope)
        self._traffic.count(scope, matched.route.template, answer.status_code, began=began)
        del request
        await answer(scope, receive, send)


def _id_of(headers: Headers) -> bytes:
    """Return the client's own id where valid, else a new one."""
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
        user=None if principal is None else principal.user,
    )


class UnknownParameter(InvalidInput):
    """The route takes no such parameter in its query."""

    def __init__(self, name: str, *, takes: Sequence[str]) -> None:
        nearest = get_close_matches(name, takes, n=1, cutoff=0.0)
        ways = f"it takes {', '.join(takes)}; the nearest is {nearest[0]}" if nearest else "none is"
        super().__init__(f"{name[:64]!r} is no parameter of this route: {ways}")


def check_query(scope: Scope, route: Route) -> None:
    """Refuse parameters that the route does not take; those of facades take any.

    Raises:
        InvalidFilter: there are several filters.
        OldSpelling: it was a filter of its own, and is a term now.
        UnknownParameter: there is none like that.
    """
    if not route.in_document:
        return
    takes = [*route.query, PARAMETER] if route.waits else route.query
    pairs = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
    unknown = [name for name, _ in pairs if name not in takes]
    if "filter" in takes:
        refuse_old(pairs, takes, of=kind_of(route.template))
    for name in unknown:
        raise UnknownParameter(name, takes=takes)
