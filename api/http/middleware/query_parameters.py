"""Refuses query parameters that a route does not take."""

from collections.abc import Sequence
from difflib import get_close_matches
from urllib.parse import parse_qsl

from starlette.types import Scope

from agentlog.api.http.codec.wait_for_position import PARAMETER
from agentlog.api.http.routing import Route
from agentlog.api.old_spellings import refuse_old
from agentlog.domain.errors import InvalidInput


class UnknownParameter(InvalidInput):
    """The route takes no such parameter in its query."""

    def __init__(self, name: str, *, takes: Sequence[str]) -> None:
        nearest = get_close_matches(name, takes, n=1, cutoff=0.0)
        ways = f"it takes {', '.join(takes)}; the nearest is {nearest[0]}" if nearest else "none is"
        super().__init__(f"{name[:64]!r} is no parameter of this route: {ways}")
        self.name = name


def check_query(scope: Scope, route: Route) -> None:
    """Refuse parameters that the route does not take; those of facades take any.

    Raises:
        OldSpelling: it was a filter of its own, and is a term now.
        UnknownParameter: there is none like that.
    """
    if not route.in_document:
        return
    takes = [*route.query, PARAMETER] if route.waits else route.query
    prefixes = tuple(name.removesuffix("KEY") for name in takes if name.endswith(".KEY"))
    pairs = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
    unknown = [
        (name, value)
        for name, value in pairs
        if name not in takes and not (prefixes and name.startswith(prefixes))
    ]
    if unknown and "filter" in takes:
        refuse_old(unknown)
    for name, _ in unknown:
        raise UnknownParameter(name, takes=takes)
