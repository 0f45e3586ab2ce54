"""Requests to the HTTP API: over the network, or in this process over the application itself."""

from dataclasses import dataclass
from typing import Any

import httpx2
from mcp.server.mcpserver.exceptions import ToolError
from starlette.types import ASGIApp

from agentlog.domain.json.text import parse_stored
from agentlog.domain.json.values import JsonValue
from agentlog_client.async_client import AsyncClient
from agentlog_client.errors import Problem, ServiceAway, UnexpectedAnswer
from agentlog_client.exchange import Retries
from agentlog_client.operation import Answer, Operation, T, request

_SECONDS = 60
_ONCE = Retries(attempts=1)
_IN_PROCESS = "http://127.0.0.1"


@dataclass(frozen=True, slots=True)
class HttpApi:
    """The API at `url`; `app` answers in this process where it is given.

    `key` is sent with each request. Where a request came over HTTP, `client` is its sender and the
    key is its own: so keys, tenants, limits and audits hold as for any other request.
    """

    url: str = _IN_PROCESS
    key: str | None = None
    app: ASGIApp | None = None
    client: tuple[str, int] = ("127.0.0.1", 0)

    async def get(
        self, path: str, /, *names: str, **parameters: str | int | list[str] | None
    ) -> dict[str, Any]:
        """Return the answer to a GET; each `{}` of the path is one of `names`."""
        return await self.send(
            Operation(request("GET", path, *names, query=parameters), _object_in)
        )

    async def post(self, path: str, /, *, body: JsonValue) -> dict[str, Any]:
        """Return the answer to a POST."""
        return await self.send(Operation(request("POST", path, body=body), _object_in))

    async def send(self, operation: Operation[T]) -> T:
        """Return what an operation answers.

        Raises:
            ToolError: the API refuses the request, or cannot be reached; with the way out.
        """
        transport = self.app and httpx2.ASGITransport(app=self.app, client=self.client)
        http = httpx2.AsyncClient(transport=transport, timeout=_SECONDS)
        # without a key it sends none, whatever the environment has
        client = AsyncClient(self.url, key=self.key or "", retries=_ONCE, http=http)
        async with client:
            try:
                return await client.send(operation)
            except Problem as error:
                raise ToolError(error.detail or error.title or str(error.status)) from error
            except ServiceAway as error:
                raise ToolError(
                    f"agentlog at {self.url} does not answer: "
                    "start it by `agentlog serve`, or name its address by --url"
                ) from error
            except UnexpectedAnswer as error:
                raise ToolError(f"{self.url} answered something else: is it agentlog?") from error


def _object_in(answer: Answer) -> dict[str, Any]:
    value: Any = parse_stored(answer.body)
    if not isinstance(value, dict):
        raise TypeError("no object")
    return value
