"""The gateway that asks models for clients of this service, and records what they ask."""

import httpx2

from agentlog.api.http.relay.headers import Pairs

_CONNECT_SECONDS = 10


class Gateway:
    """Where requests go: a base URL, which names the provider.

    Each has a connection of its own: one that is kept could be of a gateway that is gone.
    """

    def __init__(self, url: str) -> None:
        self._url = url.rstrip("/")
        self.client = httpx2.AsyncClient(
            timeout=httpx2.Timeout(None, connect=_CONNECT_SECONDS),
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=0),
            follow_redirects=False,
        )

    def request(self, path: str, headers: Pairs, body: bytes) -> httpx2.Request:
        """Return a POST to a path, with its query, of the provider's API."""
        return self.client.build_request("POST", self._url + path, headers=headers, content=body)
