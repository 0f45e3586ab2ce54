"""Scopes that routes need, in one table; a route that is not in it cannot be registered.

`GET` answers for `HEAD` too.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from starlette.routing import Route, Router, compile_path

from agentlog.domain.access import Scope

Need = Scope | Literal["nothing", "any key"]

NEEDS: Mapping[str, Need] = {
    "GET /": "nothing",
    "GET /healthz": "nothing",
    "GET /readyz": "nothing",
    # the page and the documentation are the same everywhere; what they show asks for a key
    "GET /threads/{thread_id}": "nothing",
    "GET /compare": "nothing",
    "GET /reports": "nothing",
    "GET /reports/{name}": "nothing",
    "GET /sql": "nothing",
    "GET /audit": "nothing",
    "GET /keys": "nothing",
    "GET /assets/{name}": "nothing",
    "GET /openapi.json": "nothing",
    "GET /docs": "nothing",
    "GET /docs/{name}": "nothing",
    "GET /v1/keys/self": "any key",
    "POST /mcp": "read",
    "GET /v1/threads": "read",
    "GET /v1/summaries": "read",
    "GET /v1/threads/{thread_id}": "read",
    "GET /v1/threads/{thread_id}/messages": "read",
    "GET /v1/threads/{thread_id}/messages/{message_id}": "read",
    "GET /v1/threads/{thread_id}/messages/{message_id}/proof": "read",
    "GET /v1/threads/{thread_id}/views/{view}": "read",
    "GET /v1/threads/{thread_id}/diff": "read",
    "GET /v1/threads/{thread_id}/changes": "read",
    "GET /v1/threads/{thread_id}/outline": "read",
    "GET /v1/threads/{thread_id}/events": "read",
    "GET /v1/threads/{thread_id}/forks": "read",
    "GET /v1/threads/{thread_id}/hazards": "read",
    "GET /v1/threads/{thread_id}/audit": "read",
    "GET /v1/threads/{thread_id}/chain": "read",
    "GET /v1/threads/{thread_id}/evidence": "read",
    "GET /v1/compare": "read",
    "GET /v1/compare/sets": "read",
    "GET /v1/log": "read",
    "GET /v1/log/events": "read",
    "GET /v1/blobs/{digest}": "read",
    "GET /v1/search": "read",
    "GET /v1/analytics": "read",
    "GET /v1/analytics/{name}": "read",
    "GET /v1/analytics/sql/tables": "read",
    "POST /v1/analytics/sql": "read",
    "GET /v1/checkpoints": "read",
    "GET /v1/checkpoints/latest": "read",
    "GET /v1/checkpoints/consistency": "read",
    "POST /v1/threads": "append",
    "POST /v1/threads/{thread_id}/messages": "append",
    "POST /v1/threads/{thread_id}/close": "append",
    "POST /v1/threads/{thread_id}/fork": "append",
    "POST /v1/threads/{thread_id}/annotate": "append",
    "POST /v1/log": "append",
    "POST /otlp/v1/traces": "append",
    "POST /otlp/v1/logs": "append",
    "GET /api/public/projects": "any key",
    "POST /api/public/otel/v1/traces": "append",
    "POST /agui/{thread_id}": "read",
    "GET /langsmith/info": "any key",
    "POST /langsmith/runs": "append",
    "POST /langsmith/runs/batch": "append",
    "POST /langsmith/runs/multipart": "append",
    "PATCH /langsmith/runs/{run_id}": "append",
    "GET /letta/v1/agents/": "read",
    "GET /letta/v1/agents/{thread_id}": "read",
    "GET /letta/v1/agents/{thread_id}/core-memory/blocks": "read",
    "GET /letta/v1/agents/{thread_id}/export": "read",
    "GET /letta/v1/agents/{thread_id}/messages": "read",
    "GET /letta/v1/conversations/": "read",
    "GET /letta/v1/conversations/{thread_id}": "read",
    "GET /letta/v1/conversations/{thread_id}/messages": "read",
    "POST /letta/v1/conversations/{thread_id}/stream": "read",
    "GET /letta/v1/messages/{message_id}": "read",
    "GET /letta/v1/runs/": "read",
    "GET /letta/v1/runs/{run_id}": "read",
    "GET /letta/v1/runs/{run_id}/messages": "read",
    "GET /letta/v1/runs/{run_id}/steps": "read",
    "GET /letta/v1/runs/{run_id}/usage": "read",
    "POST /letta/v1/runs/{run_id}/stream": "read",
    "GET /letta/v1/steps/": "read",
    "GET /letta/v1/steps/{step_id}": "read",
    "GET /letta/v1/steps/{step_id}/messages": "read",
    "POST /letta/v1/agents/import": "append",
    "POST /letta/v1/agents/{thread_id}/messages": "append",
    "GET /letta/v1/health/": "any key",
    "POST /letta/v1/agents/": "any key",
    "PATCH /letta/v1/agents/{thread_id}": "any key",
    "DELETE /letta/v1/agents/{thread_id}": "any key",
    "POST /letta/v1/agents/{thread_id}/messages/stream": "any key",
    "POST /letta/v1/agents/{thread_id}/messages/async": "any key",
    "POST /letta/v1/agents/{thread_id}/messages/cancel": "any key",
    "POST /letta/v1/agents/{thread_id}/summarize": "any key",
    "PATCH /letta/v1/agents/{thread_id}/reset-messages": "any key",
    "POST /letta/v1/conversations/": "any key",
    "PATCH /letta/v1/conversations/{thread_id}": "any key",
    "DELETE /letta/v1/conversations/{thread_id}": "any key",
    "POST /letta/v1/conversations/{thread_id}/messages": "any key",
    "POST /letta/v1/conversations/{thread_id}/compact": "any key",
    "POST /letta/v1/conversations/{thread_id}/cancel": "any key",
    "POST /letta/v1/conversations/{thread_id}/fork": "any key",
    "GET /openai/v1/conversations/{thread_id}": "read",
    "GET /openai/v1/conversations/{thread_id}/items": "read",
    "GET /openai/v1/conversations/{thread_id}/items/{item_id}": "read",
    "GET /openai/v1/chat/completions": "read",
    "GET /openai/v1/chat/completions/{answer_id}": "read",
    "GET /openai/v1/chat/completions/{answer_id}/messages": "read",
    "GET /openai/v1/responses/{answer_id}": "read",
    "GET /openai/v1/responses/{answer_id}/input_items": "read",
    "POST /openai/v1/conversations": "append",
    "POST /openai/v1/conversations/{thread_id}": "append",
    "DELETE /openai/v1/conversations/{thread_id}": "append",
    "POST /openai/v1/conversations/{thread_id}/items": "append",
    "DELETE /openai/v1/conversations/{thread_id}/items/{item_id}": "append",
    "POST /openai/v1/chat/completions": "any key",
    "POST /openai/v1/chat/completions/{answer_id}": "append",
    "DELETE /openai/v1/chat/completions/{answer_id}": "append",
    "POST /openai/v1/responses": "any key",
    "POST /openai/v1/responses/compact": "any key",
    "POST /openai/v1/responses/input_tokens": "any key",
    "POST /openai/v1/responses/{answer_id}/cancel": "read",
    "DELETE /openai/v1/responses/{answer_id}": "append",
    "GET /maria/v1/tasks": "read",
    "GET /maria/v1/task/{thread_id}": "read",
    "GET /maria/v1/task/{thread_id}/queued_messages": "read",
    "GET /maria/v1/task/{thread_id}/queued-messages": "read",
    "GET /maria/v1/task/{thread_id}/events": "read",
    "GET /maria/v1/events": "read",
    "POST /maria/v1/task/{thread_id}/message": "append",
    "GET /maria/v1/queued_messages": "any key",
    "GET /maria/v1/queued-messages": "any key",
    "POST /maria/v1/task": "any key",
    "POST /maria/v1/task/{thread_id}/cancel": "any key",
    "PUT /v1/blobs/{digest}": "append",
    "GET /v1/imports": "read",
    "POST /v1/imports": "append",
    "GET /v1/imports/{import_id}": "append",
    "DELETE /v1/imports/{import_id}": "append",
    "GET /v1/imports/{import_id}/files": "append",
    "PUT /v1/imports/{import_id}/files": "append",
    "PATCH /v1/imports/{import_id}/files": "append",
    "POST /v1/imports/{import_id}/run": "append",
    "GET /v1/imports/{import_id}/findings": "append",
    # of imports by another key, `admin` too
    "POST /v1/imports/{import_id}/undo": "append",
    "POST /v1/imports/{import_id}/redo": "append",
    "POST /v1/threads/{thread_id}/redact": "redact",
    "POST /v1/threads/{thread_id}/messages/{message_id}/redact": "redact",
    "POST /v1/blobs/{digest}/redact": "redact",
    "GET /metrics": "metrics",
    "GET /v1/projections": "admin",
    "GET /v1/projections/{name}": "admin",
    "POST /v1/projections/{name}/rebuild": "admin",
    "POST /v1/projections/{name}/pause": "admin",
    "POST /v1/projections/{name}/resume": "admin",
    "GET /v1/keys": "admin",
    "POST /v1/keys": "admin",
    "DELETE /v1/keys/{key_id}": "admin",
    "GET /v1/accesses": "admin",
    "POST /v1/subscriptions": "admin",
    "GET /v1/subscriptions": "admin",
    "GET /v1/subscriptions/{name}": "admin",
    "DELETE /v1/subscriptions/{name}": "admin",
    "POST /v1/subscriptions/{name}/pause": "admin",
    "POST /v1/subscriptions/{name}/resume": "admin",
    "POST /v1/subscriptions/{name}/pull": "read",
    "POST /v1/subscriptions/{name}/ack": "read",
    "POST /v1/subscriptions/{name}/nack": "read",
    "GET /v1/subscriptions/{name}/parked": "admin",
    "POST /v1/subscriptions/{name}/parked/retry": "admin",
    "POST /v1/subscriptions/{name}/parked/discard": "admin",
}

LONG = frozenset(
    {
        "GET /v1/threads/{thread_id}/events",
        "GET /v1/log/events",
        "POST /v1/log",
        "GET /maria/v1/events",
        "GET /maria/v1/task/{thread_id}/events",
        "POST /letta/v1/runs/{run_id}/stream",
        "POST /letta/v1/conversations/{thread_id}/stream",
    },
)
"""Routes with endless responses: the key is checked again for each piece."""

_AUDITED = frozenset({"GET /v1/accesses", "GET /v1/keys"})
"""Reads to record where reads are audited, beside all with the scope `read`."""


@dataclass(frozen=True, slots=True)
class KnownRoute:
    """A route and its permission: `free` needs no key; without a scope any key will do.

    `long`: its response may be endless; `stream`: it follows the log.
    """

    target: Route
    template: str
    free: bool
    scope: Scope | None
    long: bool
    stream: bool
    audited: bool


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
    if name not in NEEDS:
        raise LookupError(f"{name}: say in {__name__} which scope it takes")
    scope: Scope | None = None
    match NEEDS[name]:
        case "nothing" | "any key":
            pass
        case need:
            scope = need
    return KnownRoute(
        target,
        template,
        free=NEEDS[name] == "nothing",
        scope=scope,
        long=name in LONG,
        stream=template.endswith(("/events", "/stream")),
        audited=scope == "read" or name in _AUDITED,
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
            need = NEEDS[f"{method.upper()} {path}"]
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
