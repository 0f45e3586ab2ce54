"""Errors in the shapes that the clients of facades know; everywhere else they are problems."""

from collections.abc import Callable

from agentlog.api.http.codec.problems import Problem
from agentlog.domain.json.values import JsonObject
from agentlog.extension import Registry

ERRORS: Registry[Callable[[Problem], JsonObject]] = Registry("errors", {})
"""How problems are printed below a prefix of paths."""

_WORTH_A_RETRY = frozenset({408, 429, 500, 503})


def client_error(path: str, content: Problem) -> JsonObject | None:
    """Return a problem as the client of the facade at `path` knows it; None outside of facades."""
    prefix = next(filter(path.startswith, ERRORS), None)
    return None if prefix is None else ERRORS[prefix](content)


def retry_headers(status: int) -> dict[str, str]:
    """Return what stops clients that retry each 409 and 501, as those of OpenAI and Letta do."""
    return {} if status in _WORTH_A_RETRY else {"x-should-retry": "false"}
