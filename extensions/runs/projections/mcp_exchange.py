"""MCP exchanges: what an MCP client asked a server of tools, and what that answered."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from agentlog.domain.json.values import JsonObject, JsonValue, integer_at, object_of, text_at

CALL = "tools/call"

End = Literal["complete", "cancelled", "client_left", "server_ended", "recorder_died"]
"""How a request ended; `recorder_died`: before the proxy knew."""


@dataclass(frozen=True, slots=True)
class McpExchange:
    """One request of a client, and its answer.

    `name` is unique in the run. `answer` has `result` or `error`, as JSON-RPC has them; it is empty
    where none came. Times are in ms, `started_at` since the epoch.
    """

    name: str
    server: str
    method: str
    params: JsonValue
    started_at: int
    end: End = "recorder_died"
    duration_ms: float | None = None
    answer: Mapping[str, JsonValue] = field(default_factory=dict)

    @property
    def tool(self) -> str | None:
        """The tool that is called; None for all other requests."""
        return text_at(object_of(self.params), "name") if self.method == CALL else None

    @property
    def arguments(self) -> JsonValue:
        """The arguments of a call; without any an empty object."""
        return arguments_of(self.params)


def arguments_of(params: JsonValue) -> JsonValue:
    """Return the arguments that a call has in its parameters."""
    arguments = object_of(params).get("arguments")
    return {} if arguments is None else arguments


def mcp_payload(exchange: McpExchange, run: str) -> JsonObject:
    """Return the payload of an exchange's message; `run` names the recording."""
    return {
        "run": run,
        "name": exchange.name,
        "server": exchange.server,
        "method": exchange.method,
        "params": exchange.params,
        **exchange.answer,
        "end": exchange.end,
        "startedAt": exchange.started_at,
        "durationMs": exchange.duration_ms,
    }


def mcp_exchange_of(payload: JsonObject) -> McpExchange:
    """Return the exchange of a message's payload."""
    end, duration = payload.get("end"), payload.get("durationMs")
    return McpExchange(
        name=text_at(payload, "name") or "",
        server=text_at(payload, "server") or "",
        method=text_at(payload, "method") or "",
        params=payload.get("params"),
        started_at=integer_at(payload, "startedAt") or 0,
        end=end if end in _ENDS else "recorder_died",  # type: ignore[arg-type] # one of them
        duration_ms=float(duration) if isinstance(duration, int | float) else None,
        answer={key: payload[key] for key in ("result", "error") if key in payload},
    )


_ENDS = frozenset(End.__args__)  # type: ignore[attr-defined] # a Literal's
