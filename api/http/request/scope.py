"""The principal and the id of a request."""

from structlog.contextvars import get_contextvars

PRINCIPAL = "agentlog.principal"
"""The key of the `Principal` in a request's scope, set once it is known."""


def request_id() -> str | None:
    """Return the id of the current request, None outside of one."""
    request_id_here: str | None = get_contextvars().get("request_id")
    return request_id_here
