"""All routes of the application, as they say themselves what they are."""

from collections.abc import Mapping
from typing import Final

from agentlog.api.http.registry import ROUTERS
from agentlog.api.http.routing import Need, Route

ROUTES: Final[list[Route]] = [route for router in ROUTERS.values() for route in router.routes]

NEEDS: Final[Mapping[str, Need]] = {route.name: route.need for route in ROUTES}
"""The scope of each route, by method and template."""
