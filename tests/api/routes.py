"""All routes of the application, as they say themselves what they are."""

from collections.abc import Iterable, Mapping
from typing import Final

from agentlog.api.http.registry import ROUTERS
from agentlog.api.http.routing import Need, Route

ROUTES: Final[list[Route]] = [route for router in ROUTERS.values() for route in router.routes]

NEEDS: Final[Mapping[str, Need]] = {route.name: route.need for route in ROUTES}
"""The scope of each route, by method and template."""


def route_rows(routes: Iterable[Route]) -> str:
    """Return routes as rows of a Markdown table: what each takes, and how it names threads."""
    rows = [(route, ", ".join(f"`{name}`" for name in route.threads)) for route in routes]
    return "".join(f"| `{route.name}` | `{route.need}` | {names} |\n" for route, names in rows)
