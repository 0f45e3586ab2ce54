"""Requests to the HTTP API: over the network, or in this process over the application itself."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import quote

import httpx2
from mcp.server.mcpserver.exceptions import ToolError
from starlette.types import ASGIApp

from agentlog.domain.json.text import parse_stored, print_bytes
from agentlog.domain.json.values import JsonValue

_SECONDS = 60
_IN_PROCESS = "http://127.0.0.1"

Parameters = Mapping[str, str | int | list[str] | None]


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

    async def get(self, path: str, /, **parameters: str | int | list[str] | None) -> dict[str, Any]:
        """Return the answer to a GET; parameters that are None are left out."""
        return await self._asked("GET", path, parameters)

    async def post(self, path: str, body: JsonValue) -> dict[str, Any]:
        """Return the answer to a POST."""
        return await self._asked("POST", path, {}, print_bytes(body))

    async def _asked(
        self,
        method: Literal["GET", "POST"],
        path: str,
        parameters: Parameters,
        body: bytes | None = None,
    ) -> dict[str, Any]:
        """Return the answer.

        Raises:
            ToolError: the API refuses the request, or cannot be reached; with the way out.
        """
        headers = {} if self.key is None else {"Authorization": f"Bearer {self.key}"}
        given = {name: value for name, value in parameters.items() if value is not None}
        transport = (
            None if self.app is None else httpx2.ASGITransport(app=self.app, client=self.client)
        )
        try:
            async with httpx2.AsyncClient(
                base_url=self.url, headers=headers, transport=transport, timeout=_SECONDS
            ) as client:
                answer = await client.request(method, path, params=given, content=body)
        except httpx2.HTTPError as error:
            raise ToolError(
                f"agentlog at {self.url} does not answer ({type(error).__name__}): "
                "start it by `agentlog serve`, or name its address by --url"
            ) from error
        try:
            parsed = parse_stored(answer.content)
        except ValueError as error:
            raise ToolError(f"agentlog at {self.url} answered no JSON: is it agentlog?") from error
        if not isinstance(parsed, dict):
            raise ToolError(f"agentlog at {self.url} answered something else: is it agentlog?")
        if answer.is_error:
            raise ToolError(str(parsed.get("detail") or parsed.get("title") or answer.status_code))
        return parsed


def path_of(*parts: str) -> str:
    """Return a path below `/v1`, each of its parts encoded."""
    return "/".join(["/v1", *(quote(part, safe="") for part in parts)])
