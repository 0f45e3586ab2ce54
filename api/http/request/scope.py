"""What is known of a request beside its ASGI scope: who asks, and its id."""

from structlog.contextvars import get_contextvars

PRINCIPAL = "agentlog.principal"
"""The key of a request's scope under which stands who asks, a `Principal`, once that is known."""


def request_id() -> str | None:
    """Return the id of the request that is being answered, None outside of one."""
    found: str | None = get_contextvars().get("request_id")
    return found
