"""Refuses query parameters that the OpenAPI document does not name for the route."""

import time
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any
from urllib.parse import parse_qsl

from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Receive, Scope, Send

from api.http.codec.problems import problem_of
from api.http.codec.responses import problem_answer
from api.http.middleware.permissions import FOUND, FoundRoute
from api.http.middleware.request_metrics import Traffic
from domain.errors import InvalidInput

_Names = Mapping[tuple[str, str], Sequence[str]]


class UnknownParameter(InvalidInput):
    """The route takes no such parameter in its query."""

    def __init__(self, name: str, *, takes: Sequence[str]) -> None:
        nearest = get_close_matches(name, takes, n=1, cutoff=0.0)
        ways = f"it takes {', '.join(takes)}; the nearest is {nearest[0]}" if nearest else "none is"
        super().__init__(f"{name[:64]!r} is no parameter of this route: {ways}")
        self.name = name


class KnownQueries:
    """An application that refuses parameters which its document does not name.

    `document` is slow, so it is called at the first request with a query.
    """

    def __init__(
        self, app: ASGIApp, document: Callable[[], Mapping[str, Any]], traffic: Traffic
    ) -> None:
        self._app = app
        self._document = document
        self._traffic = traffic
        self._names: _Names = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward a request, or refuse it."""
        found: FoundRoute | None = scope.get(FOUND)
        if found is not None and scope["query_string"]:
            try:
                await self._check(scope, found)
            except UnknownParameter as error:
                answer = problem_answer(problem_of(error))
                template = found.route.template
                self._traffic.count(scope, template, answer.status_code, began=time.perf_counter())
                await answer(scope, receive, send)
                return
        await self._app(scope, receive, send)

    async def _check(self, scope: Scope, found: FoundRoute) -> None:
        if not self._names:
            self._names = await run_in_threadpool(lambda: _names_in(self._document()))
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        takes = self._names.get((method, found.route.template))
        if takes is None:  # a page that shows the document
            return
        prefixes = tuple(each.removesuffix("KEY") for each in takes if each.endswith(".KEY"))
        for name, _ in parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True):
            if name not in takes and not (prefixes and name.startswith(prefixes)):
                raise UnknownParameter(name, takes=takes)


def _names_in(document: Mapping[str, Any]) -> _Names:
    """Return the parameters of each operation; those of an object are written `name.KEY`."""
    return {
        (method.upper(), path): [
            f"{each['name']}.KEY" if each["schema"].get("type") == "object" else each["name"]
            for each in operation.get("parameters", ())
            if each["in"] == "query"
        ]
        for path, item in document["paths"].items()
        for method, operation in item.items()
    }
