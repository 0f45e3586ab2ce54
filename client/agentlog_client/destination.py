"""Where requests go, and with which key."""

import os
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any, Self
from urllib.parse import urlsplit

from agentlog_client.operation import Request

_DEFAULT_URL = "http://127.0.0.1:8080"


@dataclass(frozen=True, slots=True)
class Destination:
    """A service, without a slash at the end, and a key of it."""

    url: str
    key: str | None = field(repr=False)
    agent: str

    @classmethod
    def of(cls, url: str | None, key: str | None) -> Self:
        """Return what is given, else what AGENTLOG_URL and AGENTLOG_KEY say; no key where it is "".

        Raises:
            ValueError: the address is no URL of HTTP.
        """
        url = (url or os.environ.get("AGENTLOG_URL") or _DEFAULT_URL).rstrip("/")
        if urlsplit(url).scheme not in {"http", "https"}:
            raise ValueError(f"{url!r} is no address: give one as {_DEFAULT_URL}")
        key = os.environ.get("AGENTLOG_KEY") if key is None else key
        return cls(url, key or None, f"agentlog-client/{version('agentlog-client')}")

    def arguments(self, request: Request) -> dict[str, Any]:
        """Return the arguments of httpx2 for a request."""
        headers = {"User-Agent": self.agent}
        if self.key is not None:
            headers["Authorization"] = f"Bearer {self.key}"
        return {
            "method": request.method,
            "url": self.url + request.target,
            "headers": {**headers, **request.headers},
            "content": request.body,
        }
