"""The principal and the id of a request, and what it read."""

from starlette.types import Scope
from structlog.contextvars import get_contextvars

PRINCIPAL = "agentlog.principal"
"""The key of the `Principal` in a request's scope, set once it is known."""

READ_THREADS = "agentlog.read_threads"
"""The key of the threads that a route read and its parameters do not name."""


def note_read(scope: Scope, thread_id: str) -> None:
    """Note that a request read a thread that its parameters do not name, for the audit."""
    scope.setdefault(READ_THREADS, {})[thread_id] = None


def request_id() -> str | None:
    """Return the id of the current request, None outside of one."""
    request_id_here: str | None = get_contextvars().get("request_id")
    return request_id_here
