"""The routes of the service, each with the scope that it needs."""

import re
from dataclasses import dataclass
from typing import Any, NamedTuple

from starlette.routing import Route, Router, compile_path

from agentlog.api.http.codec.wait_for_position import PARAMETER, WAIT_SECONDS
from agentlog.api.http.middleware import scopes
from agentlog.api.http.openapi.answers import parameter
from agentlog.domain.access import Scope
from agentlog.domain.points_in_time import BIGGEST

_AUDITED = frozenset({"GET /v1/accesses", "GET /v1/keys"})
"""Reads to record where reads are audited, beside all with the scope `read`."""


@dataclass(frozen=True, slots=True)
class KnownRoute:
    """A route and its permission: `free` needs no key; without a scope any key will do.

    `long`: its response may be endless, and the key is checked again for each piece; `stream`: it
    follows the log; `waits`: it takes a position to wait for.
    """

    target: Route
    template: str
    free: bool
    scope: Scope | None
    long: bool
    stream: bool
    audited: bool
    waits: bool


class MatchedRoute(NamedTuple):
    """The route of a request, with its path parameters."""

    route: KnownRoute
    parameters: dict[str, str]


_Place = tuple[str, int, str | None]


class Permissions:
    """The routes of an application, matched by the framework's own patterns."""

    def __init__(self) -> None:
        # by method, number of slashes and last part if fixed: no parameter has a slash
        self._routes: dict[_Place, list[tuple[re.Pattern[str], KnownRoute]]] = {}

    def know(self, router: Router, *, prefix: str = "") -> None:
        """Add the routes of a router that is included under a prefix.

        Raises:
            LookupError: a route has no entry in the table, or is a router: the framework would
                serve its routes unseen.
        """
        routes = [route for route in router.routes if isinstance(route, Route)]
        if len(routes) < len(router.routes):
            raise LookupError("a router in a router: include it in the application itself")
        for route in routes:
            template = prefix + route.path
            for method in (route.methods or set()) - {"HEAD"}:
                pattern = compile_path(template)[0]
                last = template.rpartition("/")[2]
                place = method, template.count("/"), None if last.endswith("}") else last
                known = pattern, _known(method, template, route)
                self._routes.setdefault(place, []).append(known)

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


def _known(method: str, template: str, target: Route) -> KnownRoute:
    name = f"{method} {template}"
    if name not in scopes.NEEDS:
        raise LookupError(f"{name}: say in {scopes.__name__} which scope it takes")
    scope: Scope | None = None
    match scopes.NEEDS[name]:
        case "nothing" | "any key":
            pass
        case need:
            scope = need
    stream = template.endswith(("/events", "/stream"))
    return KnownRoute(
        target,
        template,
        free=scopes.NEEDS[name] == "nothing",
        scope=scope,
        long=stream or name == "POST /v1/log",
        stream=stream,
        audited=scope == "read" or name in _AUDITED,
        waits=_waits(name),
    )


def _waits(name: str) -> bool:
    """Return whether a route, by method and template, waits for a position: if it reads the log."""
    is_read = name.startswith("GET ") and scopes.NEEDS[name] in {"read", "admin"}
    return is_read or name == "POST /v1/analytics/sql"


def describe_waits(document: dict[str, Any]) -> None:
    """Add the parameter `wait` to the operations that have it."""
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if _waits(f"{method.upper()} {path}"):
                operation.setdefault("parameters", []).append(_WAIT)


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


def describe_permissions(document: dict[str, Any]) -> None:
    """Add each operation's scope and refusals to the OpenAPI document."""
    document["components"].setdefault("securitySchemes", {})[SCHEME] = {
        "type": "http",
        "scheme": "bearer",
        "description": "A key of `agentlog keys create`. None is needed until the first is made.",
    }
    for path, item in document["paths"].items():
        for method, operation in item.items():
            need = scopes.NEEDS[f"{method.upper()} {path}"]
            if need == "nothing":
                operation["security"] = []
                continue
            operation["security"] = [{SCHEME: []}]
            operation["description"] += f"\n\nScope: `{need}`."
            for status, description in _REFUSALS.items():
                operation["responses"].setdefault(
                    status,
                    {
                        "description": description,
                        "content": {
                            "application/problem+json": {
                                "schema": {"$ref": "#/components/schemas/Problem"}
                            }
                        },
                    },
                )
