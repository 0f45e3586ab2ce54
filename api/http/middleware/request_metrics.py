"""Counts and times requests by route template, method and status.

Time is measured up to the start of the response, since a stream's end
says nothing about the service.
"""

import time
from collections.abc import Callable
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Histogram
from starlette.types import Message, Receive, Scope, Send

from agentlog.api.http.codec.problems import headers_of, problem_of
from agentlog.api.http.codec.responses import problem_answer
from agentlog.api.http.routing import Router
from agentlog.domain.errors import AgentlogError
from agentlog.infrastructure.appending.writer_metrics import SECONDS

ROUTE = "agentlog.route"
"""The key of the route template in a request's scope, set once it is known."""

NO_ROUTE = "none"
"""The label of requests without a route."""
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class Traffic:
    """Counters of an application's requests."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "agentlog_http_requests",
            "Requests that were answered; what no route takes has the route `none`.",
            ["route", "method", "status"],
            registry=self.registry,
        )
        self._seconds = Histogram(
            "agentlog_http_request_seconds",
            "From a request's arrival to the beginning of its answer.",
            ["route", "method"],
            buckets=SECONDS,
            registry=self.registry,
        )
        self._templates: dict[Callable[..., Any], str] = {}

    def know(self, router: Router) -> None:
        """Add the routes of a router."""
        self._templates |= {route.endpoint: route.template for route in router.routes}

    async def refuse(
        self,
        error: AgentlogError,
        scope: Scope,
        receive: Receive,
        send: Send,
        *,
        template: str = NO_ROUTE,
    ) -> None:
        """Answer a request with a problem, and count it."""
        answer = problem_answer(problem_of(error), scope, headers=headers_of(error))
        self.count(scope, template, answer.status_code, began=time.perf_counter())
        await answer(scope, receive, send)

    def watched(self, scope: Scope, send: Send) -> Send:
        """Return a `send` that counts the response of a request."""
        if scope["type"] != "http":
            return send
        began = time.perf_counter()

        async def counting(message: Message) -> None:
            if message["type"] == "http.response.start":
                template = self._templates.get(scope.get("endpoint", send), NO_ROUTE)
                self.count(scope, template, message["status"], began=began)
            await send(message)

        return counting

    def count(self, scope: Scope, template: str, status: int, *, began: float) -> None:
        """Count a response; `began` is the request's start by `time.perf_counter`."""
        scope[ROUTE] = template
        method = scope["method"] if scope["method"] in _METHODS else "other"
        self._requests.labels(template, method, status).inc()
        self._seconds.labels(template, method).observe(time.perf_counter() - began)
