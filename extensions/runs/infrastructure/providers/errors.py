"""Errors of requests to model providers.

ProviderError
├── InvalidUpstream      no address of an API
├── InvalidKey           no header can have it
├── ProviderUnreachable  no connection, or no whole answer
├── ProviderRefused      an answer of another status than 200
└── UnreadableAnswer     an answer that no reader knows
"""

from agentlog.domain.errors import AgentlogError

_WAYS = {
    400: "change the request, or leave a field out (--set NAME=null)",
    401: "check {key}",
    403: "check {key}",
    404: "check the model's name and --upstream",
    413: "the history is too long: ask at an earlier version",
    429: "ask again later: there is no second attempt by itself",
}
_REDIRECTS = range(300, 400)
_OF_PROVIDER = 500


class ProviderError(AgentlogError):
    """A provider gave no answer."""


class InvalidUpstream(ProviderError):
    """An address that no API can have."""

    def __init__(self, url: str) -> None:
        super().__init__(f"{url} is no address of an API: give http:// or https:// and a host")


class InvalidKey(ProviderError):
    """A key that no header can have; it is not repeated."""

    def __init__(self, variable: str) -> None:
        super().__init__(f"{variable} is no key: it has characters other than letters and signs")


class ProviderUnreachable(ProviderError):
    """No connection, or no whole answer."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(f"{url}: {reason}: check --upstream and the network, and ask again")


class ProviderRefused(ProviderError):
    """The provider answered with another status than 200."""

    def __init__(self, status: int, message: str, *, key: str) -> None:
        if status in _REDIRECTS:
            way = "redirects are not followed: name the final address by --upstream"
        elif status >= _OF_PROVIDER:
            way = "the provider failed: ask again later"
        else:
            way = _WAYS.get(status, _WAYS[400]).format(key=key)
        super().__init__(f"status {status}: {message} ({way})")
        self.status = status


class UnreadableAnswer(ProviderError):
    """The provider's answer is not what its API answers."""

    def __init__(self, reason: str, *, dialect: str) -> None:
        super().__init__(f"the answer cannot be read: {reason}: check --upstream ({dialect})")
