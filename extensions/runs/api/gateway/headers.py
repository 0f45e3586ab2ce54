"""Headers of requests and answers that are put on record."""

from collections.abc import Iterable
from urllib.parse import parse_qsl, urlencode

from agentlog.api.http.relay.headers import Pairs

_RECORDED_OF_REQUESTS = frozenset(
    "anthropic-beta anthropic-version content-type openai-beta user-agent".split()
)
_RECORDED_OF_ANSWERS = frozenset(
    "content-encoding content-type openai-processing-ms openai-version request-id retry-after "
    "retry-after-ms x-request-id x-should-retry".split()
)
_LIMITS = ("x-ratelimit-", "anthropic-ratelimit-")
_RECORDED_OF_QUERIES = frozenset({"alt", "api-version", "beta"})
_SESSIONS = ("x-agentlog-thread", "x-claude-code-session-id", "thread-id", "x-session-id")
_AGENTS = ("x-claude-code-agent-id",)


def recorded_of_request(headers: Pairs) -> dict[str, str]:
    """Return what of a request's headers is put on record: by name, so that no secret is."""
    return {name: value for name, value in _texts(headers) if name in _RECORDED_OF_REQUESTS}


def recorded_of_answer(headers: Pairs) -> dict[str, str]:
    """Return what of an answer's headers is put on record."""
    return {
        name: value
        for name, value in _texts(headers)
        if name in _RECORDED_OF_ANSWERS or name.startswith(_LIMITS)
    }


def recorded_path(path: str, query: str) -> str:
    """Return a path with what of its query is put on record."""
    fields = [(name, value) for name, value in parse_qsl(query) if name in _RECORDED_OF_QUERIES]
    return f"{path}?{urlencode(fields)}" if fields else path


def session_of(headers: Pairs) -> str | None:
    """Return what a client names its conversation by."""
    return _first(headers, _SESSIONS)


def agent_of(headers: Pairs) -> str | None:
    """Return what a client names its sub-agent by."""
    return _first(headers, _AGENTS)


def _first(headers: Pairs, names: Iterable[str]) -> str | None:
    given = dict(_texts(headers))
    return next((given[name] for name in names if given.get(name)), None)


def _texts(headers: Pairs) -> Iterable[tuple[str, str]]:
    return ((name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in headers)
