"""The routes of the service, each with the scope that it needs."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from starlette.routing import compile_path

from agentlog.api.http.codec.wait_for_position import PARAMETER, WAIT_SECONDS
from agentlog.api.http.openapi.answers import content, parameter
from agentlog.api.http.routing import Route, Router
from agentlog.domain.points_in_time import BIGGEST


class MatchedRoute(NamedTuple):
    """The route of a request, with its path parameters."""

    route: Route
    parameters: dict[str, str]


_Place = tuple[str, int, str | None]


class Permissions:
    """The routes of an application, matched by the framework's own patterns."""

    def __init__(self) -> None:
        # by method, number of slashes and last part if fixed: no parameter has a slash
        self._routes: dict[_Place, list[tuple[re.Pattern[str], Route]]] = {}

    def know(self, router: Router) -> None:
        """Add the routes of a router.

        Raises:
            LookupError: it has a route without a scope: the framework would serve it unseen.
        """
        if len(router.framework.routes) != len(router.routes):
            raise LookupError("a route without a scope: add it by Router.add")
        for route in router.routes:
            pattern = compile_path(route.template)[0]
            last = route.template.rpartition("/")[2]
            slashes = route.template.count("/")
            place = route.method, slashes, None if last.endswith("}") else last
            self._routes.setdefault(place, []).append((pattern, route))

    def find(self, method: str, path: str) -> MatchedRoute | None:
        """Return the route of a request, or None."""
        if method == "HEAD":
            method = "GET"
        slashes = path.count("/")
        for last in (path.rpartition("/")[2], None):
            for pattern, route in self._routes.get((method, slashes, last), ()):
                match = pattern.match(path)
                if match is not None:
                    return MatchedRoute(route, match.groupdict())
        return None


_WAIT = parameter(
    PARAMETER,
    "A position, as an append answers it: the answer comes once the log, and the read models that "
    f"it is from, have come there, or as a problem: 503 where that takes longer than "
    f"{WAIT_SECONDS:g} s, 404 where no append has come there.",
    {"type": "integer", "minimum": 0, "maximum": BIGGEST},
    example=345,
)

SCHEME = "key"
_REFUSALS = {
    "401": "There is no valid key.",
    "403": "The key has not the scope that this takes.",
}


def describe_checks(document: dict[str, Any], routes: Iterable[Route]) -> None:
    """Add each operation's scope and refusals, and its `wait`, to the OpenAPI document."""
    document["components"].setdefault("securitySchemes", {})[SCHEME] = {
        "type": "http",
        "scheme": "bearer",
        "description": "A key of `agentlog keys create`. None is needed until the first is made.",
    }
    for route in routes:
        operation = document["paths"][route.template][route.method.lower()]
        if route.waits:
            operation.setdefault("parameters", []).append(_WAIT)
        if route.need == "nothing":
            operation["security"] = []
            continue
        operation["security"] = [{SCHEME: []}]
        needs: Sequence[str] = route.scopes or (route.need,)
        operation["description"] += f"\n\nScope: {', '.join(f'`{need}`' for need in needs)}."
        for status, description in _REFUSALS.items():
            problem = {
                "description": description,
                "content": content("Problem", "application/problem+json"),
            }
            operation["responses"].setdefault(status, problem)
