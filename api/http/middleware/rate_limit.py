"""Limits requests per second and open streams, before bodies are read."""

import time
from collections import Counter
from collections.abc import Callable
from ipaddress import IPv6Network
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

from api.http.codec.problems import headers_of, problem_of
from api.http.codec.responses import problem_answer
from api.http.middleware.request_metrics import NO_ROUTE, Traffic
from api.http.middleware.token_bucket import Rate
from api.http.request.limits import Limits, StreamsExhausted, TooManyRequests, TooManyStreams
from api.http.request.scope import PRINCIPAL
from domain.access import Principal
from domain.errors import AgentlogError

Caller = tuple[str, ...]

_FREE = frozenset({"/healthz", "/readyz", "/metrics"})
"""Paths exempt from limits."""

_TOO_OFTEN = "Asked too often, or too many streams are open: Retry-After says when to ask again."
_STALLED = "The body broke off, or came too slowly."

_NETWORK_BITS = 64
"""Prefix length of the IPv6 network of one customer of a provider (RFC 6177)."""


class Limited:
    """An application behind limits of requests and streams.

    A caller is a key, or without one the address that the request came from.
    """

    def __init__(
        self,
        app: ASGIApp,
        limits: Limits,
        traffic: Traffic,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._app = app
        self._limits = limits
        self._traffic = traffic
        self._clock = clock
        self._rate = (
            Rate(limits.rate_per_second, burst=limits.burst) if limits.rate_per_second else None
        )
        self._streams: Counter[Caller] = Counter()
        self._open = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward a request, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            if self._rate is not None and scope["path"] not in _FREE:
                self._count(self._rate, caller_of(scope))
            if not _is_stream(scope):
                caller = None
            else:
                caller = caller_of(scope)
                self._enter(caller)
        except AgentlogError as error:
            answer = problem_answer(problem_of(error), headers=headers_of(error))
            self._traffic.count(scope, NO_ROUTE, answer.status_code, began=time.perf_counter())
            await answer(scope, receive, send)
            return
        try:
            await self._app(scope, receive, send)
        finally:
            if caller is not None:
                self._leave(caller)

    def _count(self, rate: Rate, caller: Caller) -> None:
        seconds = rate.wait(caller, self._clock())
        if seconds > 0:
            raise TooManyRequests(seconds, per_second=self._limits.rate_per_second)

    def _enter(self, caller: Caller) -> None:
        if self._streams[caller] >= self._limits.max_streams_per_key:
            raise TooManyStreams(self._limits.max_streams_per_key)
        if self._open >= self._limits.max_streams:
            raise StreamsExhausted(self._limits.max_streams)
        self._streams[caller] += 1
        self._open += 1

    def _leave(self, caller: Caller) -> None:
        self._open -= 1
        self._streams[caller] -= 1
        if not self._streams[caller]:
            del self._streams[caller]


def describe_limits(document: dict[str, Any]) -> None:
    """Add the refusals by these limits to the OpenAPI document."""
    problem = {"schema": {"$ref": "#/components/schemas/Problem"}}
    content = {"application/problem+json": problem}
    for path, item in document["paths"].items():
        for operation in item.values():
            answers = operation["responses"]
            if path not in _FREE:
                answers.setdefault("429", {"description": _TOO_OFTEN, "content": content})
            if "413" in answers:
                answers.setdefault("408", {"description": _STALLED, "content": content})


def caller_of(scope: Scope) -> Caller:
    """Return the caller: a tenant's key, or a network."""
    principal: Principal | None = scope.get(PRINCIPAL)
    if principal is not None and principal.key_id is not None:
        return principal.tenant, principal.key_id
    host = (scope.get("client") or ("", 0))[0]
    if ":" in host:
        try:
            return (str(IPv6Network((host.partition("%")[0], _NETWORK_BITS), strict=False)),)
        except ValueError:  # the header of a proxy may be anything
            pass
    return (host,)


def _is_stream(scope: Scope) -> bool:
    path: str = scope["path"]
    return path.endswith("/events") and path.startswith("/v1/") and scope["method"] == "GET"
