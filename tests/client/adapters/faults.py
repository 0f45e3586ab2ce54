"""A network that loses answers, and a service that is away for a while."""

from collections.abc import Iterator
from contextlib import contextmanager

import httpx2
from typing_extensions import override

from agentlog_client import Client, Retries
from tests.clients import TLS


class Network(httpx2.BaseTransport):
    """Passes requests on; those of an `away` service are refused, the next `lost` answers lost."""

    def __init__(self) -> None:
        self.away = False
        self.lost = 0
        self.sent = 0
        self._transport = httpx2.HTTPTransport(verify=TLS)

    @override
    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        if self.away:
            raise httpx2.ConnectError("connection refused")
        response = self._transport.handle_request(request)
        self.sent += 1
        if self.lost:
            self.lost -= 1
            response.read()
            raise httpx2.ReadError("connection reset")
        return response

    @override
    def close(self) -> None:
        self._transport.close()


@contextmanager
def client_through(network: Network, url: str, *, attempts: int = 1) -> Iterator[Client]:
    """Yield a client that sends through a network."""
    with httpx2.Client(transport=network, timeout=60) as http:
        yield Client(url, http=http, retries=Retries(attempts, first=0.01, longest=0.05))
