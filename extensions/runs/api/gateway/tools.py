"""Answers questions about the calls of an agent's tools, from a tool tape."""

import time
from itertools import count

from starlette.types import Send

from agentlog.domain.errors import InvalidJson
from agentlog.domain.json.text import parse, print_bytes
from agentlog.domain.json.values import JsonObject, JsonValue
from agentlog.extensions.runs.api.gateway.door import refuse
from agentlog.extensions.runs.infrastructure.exchanges.mcp_spool import SpoolAppender
from agentlog.extensions.runs.projections.mcp_exchange import McpExchange
from agentlog.extensions.runs.projections.tapes.recorded_tools import CallNotRecorded
from agentlog.extensions.runs.projections.tapes.tool_tape import CallRefused, ToolTape


class ToolReplay:
    """Answers what `ToolCalls` asks; what MCP servers are asked is kept in a fork's spool.

    A question names a `server`, its `method` and `params`; or a `tool` of the agent and its
    `arguments`, without which the names of the arguments are asked that the record has of it.
    """

    def __init__(self, tape: ToolTape, spool: SpoolAppender | None) -> None:
        self._tape = tape
        self._spool = spool
        self._numbers = count(1)

    async def respond(self, body: bytes, send: Send) -> None:
        """Answer a request."""
        try:
            answer = self._answer(parse(body))
        except InvalidJson as error:
            await refuse(send, 400, "invalid_request_error", f"agentlog replay: {error}")
            return
        headers = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": print_bytes(answer)})

    def _answer(self, question: JsonValue) -> JsonObject:
        match question:
            case {"server": str(server), "method": str(method), "params": params}:
                return self._of_server(server, method, params)
            case {"tool": str(name), "arguments": arguments}:
                try:
                    call = self._tape.answer(name, arguments)
                except CallRefused:
                    return {"refused": True}
                except CallNotRecorded as missed:
                    nearest = missed.difference
                    return {"nearest": [] if nearest is None else [nearest.nearest.arguments]}
                return {"output": call.output, "error": call.error}
            case {"tool": str(name)}:
                self._tape.own.expect(name)
                fields = self._tape.own.fields(name)
                return {"fields": None if fields is None else [*fields]}
            case _:
                return {}

    def _of_server(self, server: str, method: str, params: JsonValue) -> JsonObject:
        began = time.time_ns()
        answer = self._tape.answer_mcp(server, method, params)
        if self._spool is not None:
            exchange = McpExchange(
                name=f"replayed-{next(self._numbers)}",
                server=server,
                method=method,
                params=params,
                started_at=began // 1_000_000,
                end="complete",
                duration_ms=(time.time_ns() - began) / 1_000_000,
                answer=answer,
            )
            self._spool.keep_mcp(exchange)
        return answer
