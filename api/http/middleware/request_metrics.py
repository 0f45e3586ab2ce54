"""Requests, counted as their answers begin: by the template of their route, never by their path.

The event loop is the only one to count. What takes time is measured up to the answer's beginning: a
stream has no other moment that says something of the service.
"""

import time
from collections.abc import Callable
from typing import Any

from starlette.routing import Route, Router
from starlette.types import Message, Scope, Send

from infrastructure.appending.writer_metrics import SECONDS, Tally

ROUTE = "agentlog.route"
"""The key of a request's scope under which the template of its route stands once it is known."""

NO_ROUTE = "none"
"""The route of what no route takes."""
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class Traffic:
    """Counts of an application's requests."""

    def __init__(self) -> None:
        self.requests: dict[tuple[str, str, int], int] = {}
        """By route, method and status."""
        self.seconds: dict[tuple[str, str], Tally] = {}
        """By route and method."""
        self._templates: dict[Callable[..., Any], str] = {}

    def know(self, router: Router, *, prefix: str = "") -> None:
        """Learn the routes of a router that is included under a prefix."""
        for route in router.routes:
            if isinstance(route, Route):
                self._templates[route.endpoint] = prefix + route.path

    def watched(self, scope: Scope, send: Send) -> Send:
        """Return what sends the answer of a request, and counts it."""
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
        """Count one answer to a request that began at a time of `time.perf_counter`."""
        scope[ROUTE] = template
        method = scope["method"] if scope["method"] in _METHODS else "other"
        key = template, method, status
        self.requests[key] = self.requests.get(key, 0) + 1
        tally = self.seconds.get(key[:2])
        if tally is None:
            tally = self.seconds[key[:2]] = Tally(SECONDS)
        tally.note(time.perf_counter() - began)
