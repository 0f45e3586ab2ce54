"""Counts and times requests by route template, method and status.

Only the event loop counts. Time is measured up to the start of the response, since a stream's end
says nothing about the service.
"""

import time
from collections.abc import Callable
from typing import Any

from starlette.routing import Route, Router
from starlette.types import Message, Receive, Scope, Send

from api.http.codec.problems import headers_of, problem_of
from api.http.codec.responses import problem_answer
from domain.errors import AgentlogError
from infrastructure.appending.writer_metrics import SECONDS, Tally

ROUTE = "agentlog.route"
"""The key of the route template in a request's scope, set once it is known."""

NO_ROUTE = "none"
"""The label of requests without a route."""
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class Traffic:
    """Counters of an application's requests."""

    def __init__(self) -> None:
        self.requests: dict[tuple[str, str, int], int] = {}
        """By route, method and status."""
        self.seconds: dict[tuple[str, str], Tally] = {}
        """By route and method."""
        self._templates: dict[Callable[..., Any], str] = {}

    def know(self, router: Router, *, prefix: str = "") -> None:
        """Add the routes of a router that is included under a prefix."""
        for route in router.routes:
            if isinstance(route, Route):
                self._templates[route.endpoint] = prefix + route.path

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
        answer = problem_answer(problem_of(error), headers=headers_of(error))
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
        key = template, method, status
        self.requests[key] = self.requests.get(key, 0) + 1
        tally = self.seconds.get(key[:2])
        if tally is None:
            tally = self.seconds[key[:2]] = Tally(SECONDS)
        tally.note(time.perf_counter() - began)
