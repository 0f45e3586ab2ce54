"""Refuses query parameters that the OpenAPI document does not name for the route."""

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any
from urllib.parse import parse_qsl

from starlette.concurrency import run_in_threadpool
from starlette.types import Scope

from agentlog.api.http.middleware.permissions import MatchedRoute
from agentlog.domain.errors import InvalidInput

_Names = Mapping[tuple[str, str], Sequence[str]]


class UnknownParameter(InvalidInput):
    """The route takes no such parameter in its query."""

    def __init__(self, name: str, *, takes: Sequence[str]) -> None:
        nearest = get_close_matches(name, takes, n=1, cutoff=0.0)
        ways = f"it takes {', '.join(takes)}; the nearest is {nearest[0]}" if nearest else "none is"
        super().__init__(f"{name[:64]!r} is no parameter of this route: {ways}")
        self.name = name


class KnownQueries:
    """The parameters that a document names; it is slow to make, so only for the first query."""

    def __init__(self, document: Callable[[], Mapping[str, Any]]) -> None:
        self._document = document
        self._names: _Names = {}

    async def check(self, scope: Scope, matched: MatchedRoute) -> None:
        """Raise `UnknownParameter` for one that the document does not name for the route."""
        if not self._names:
            self._names = await run_in_threadpool(lambda: _names_in(self._document()))
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        takes = self._names.get((method, matched.route.template))
        if takes is None:  # a page that shows the document
            return
        prefixes = tuple(name.removesuffix("KEY") for name in takes if name.endswith(".KEY"))
        for name, _ in parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True):
            if name not in takes and not (prefixes and name.startswith(prefixes)):
                raise UnknownParameter(name, takes=takes)


def _names_in(document: Mapping[str, Any]) -> _Names:
    """Return the parameters of each operation."""
    return {
        (method.upper(), path): [
            parameter["name"]
            for parameter in operation.get("parameters", ())
            if parameter["in"] == "query"
        ]
        for path, item in document["paths"].items()
        for method, operation in item.items()
    }
