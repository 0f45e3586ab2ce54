"""A tool tape: the recorded calls of a run's tools, which answer those of another run of it."""

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from agentlog.domain.errors import AgentlogError
from agentlog.domain.json.text import print_bytes, print_text
from agentlog.domain.json.values import JsonObject, JsonValue, object_of, text_at
from agentlog.extensions.runs.projections.mcp_exchange import CALL, McpExchange, arguments_of
from agentlog.extensions.runs.projections.tapes.cassette import RecordedRun, masks_of
from agentlog.extensions.runs.projections.tapes.recorded_tools import (
    CallNotRecorded,
    RecordedCall,
    RecordedTools,
    ToolMode,
    calls_of_run,
)
from agentlog.projections.masking.mask import Mask

Tools = Literal["live", "recorded", "refuse"]
"""What becomes of calls in a replay: the tools run, the record answers, or none is answered."""

_METHOD_NOT_FOUND, _NO_ANSWER = -32601, -32000
_OF_CONNECTIONS = frozenset({"initialize", "server/discover"})
"""Requests that say who the client is: another version of it gets the same answer."""


class CallRefused(AgentlogError):
    """A replay refuses all calls of tools."""

    def __init__(self, name: str, arguments: JsonValue) -> None:
        super().__init__(f"tools are refused in this replay: {name} {print_text(arguments)}")
        self.name, self.arguments = name, arguments


class ToolTape:
    """Answers an agent's own tools, and those of its MCP servers, as recorded, or refuses them.

    Servers are found by their names in the run. Of MCP's other requests, equal ones get their
    answers in the recorded order, and then the last one again. In a fork, where `is_whole` is
    false, not all that is recorded has to be called.
    What was masked on record is masked here before calls are compared.
    """

    def __init__(  # noqa: PLR0913 - what it consists of
        self,
        mode: Tools,
        calls: Iterable[RecordedCall] = (),
        exchanges: Iterable[McpExchange] = (),
        *,
        matching: ToolMode = "strict",
        is_whole: bool = True,
        masks: Sequence[Mask] = (),
    ) -> None:
        self._masks = masks
        self.mode = mode
        self.answered = 0
        self.refused = 0
        self.own = RecordedTools(
            [call._replace(arguments=self._masked(call.arguments)) for call in calls], mode=matching
        )
        self._is_whole = is_whole
        self._others: dict[tuple[str, bytes], deque[JsonObject]] = defaultdict(deque)
        by_server: dict[str, list[RecordedCall]] = defaultdict(list)
        for exchange in exchanges:
            known, answer = by_server[exchange.server], {**exchange.answer}
            if exchange.tool is not None:
                unanswered = None if answer else exchange.end
                answer = answer or _error(_NO_ANSWER, f"not answered when recorded: {exchange.end}")
                arguments = self._masked(exchange.arguments)
                known.append(RecordedCall(exchange.tool, arguments, answer, unanswered))
            elif answer:
                key = _key(exchange.method, self._masked(exchange.params))
                self._others[exchange.server, key].append(answer)
        self._servers = {
            server: RecordedTools(known, mode=matching) for server, known in by_server.items()
        }
        for server, known in by_server.items():
            for call in known:
                self._servers[server].expect(call.name)

    @classmethod
    def of_run(
        cls, run: RecordedRun, mode: Tools, *, matching: ToolMode = "strict", is_whole: bool = True
    ) -> "ToolTape":
        """Return the tape of a run; for live tools an empty one."""
        if mode == "live":
            return cls(mode)
        calls = calls_of_run(run)
        masks = masks_of(stage.payloads for stage in run.stages)
        return cls(
            mode, calls, run.mcp_exchanges, matching=matching, is_whole=is_whole, masks=masks
        )

    def answer(self, name: str, arguments: JsonValue) -> RecordedCall:
        """Return the recorded call that answers one of the agent's own tools.

        Raises:
            CallNotRecorded: there is none.
            CallRefused: none is to be answered.
        """
        return self._answer(self.own, name, arguments)

    def answer_mcp(self, server: str, method: str, params: JsonValue) -> JsonObject:
        """Return the answer of an MCP server: an object with `result` or `error`."""
        tools = self._servers.get(server)
        if tools is None:
            tools = self._servers[server] = RecordedTools([])
            tools.missed.append(CallNotRecorded(method, {}, []))
        if method == CALL:
            name = text_at(object_of(params), "name") or ""
            try:
                return object_of(self._answer(tools, name, arguments_of(params)).output)
            except (CallNotRecorded, CallRefused) as error:
                content: list[JsonValue] = [{"type": "text", "text": f"agentlog replay: {error}"}]
                # `resultType` is of the protocol from 2026-07-28 on; older clients do not read it
                return {"result": {"content": content, "isError": True, "resultType": "complete"}}
        if method == "ping":
            return {"result": {}}
        answers = self._others[server, _key(method, self._masked(params))]
        if not answers:
            return _error(_METHOD_NOT_FOUND, f"not recorded of the server {server!r}: {method}")
        return answers.popleft() if len(answers) > 1 else answers[0]

    @property
    def missed(self) -> Iterator[tuple[str | None, CallNotRecorded]]:
        """The calls that nothing answered, with their servers; None is the agent itself."""
        for server, tools in self._tools:
            yield from ((server, missed) for missed in tools.missed)

    @property
    def unused(self) -> Iterator[tuple[str | None, RecordedCall]]:
        """The recorded calls that were not made, with their servers."""
        if self.mode != "recorded" or not self._is_whole:
            return
        for server, tools in self._tools:
            yield from ((server, call) for call in tools.unused if server is None or not call.error)

    @property
    def is_equal(self) -> bool:
        """Whether calls are as recorded, as far as the record answers them."""
        return not any(self.missed) and not any(self.unused)

    @property
    def _tools(self) -> Iterator[tuple[str | None, RecordedTools]]:
        yield None, self.own
        yield from self._servers.items()

    def _masked(self, value: JsonValue) -> JsonValue:
        """Return a value as the record would have it."""
        for mask in self._masks:
            value = mask.value(value, Counter())
        return value

    def _answer(self, tools: RecordedTools, name: str, arguments: JsonValue) -> RecordedCall:
        if self.mode == "refuse":
            self.refused += 1
            raise CallRefused(name, arguments)
        call = tools.answer(name, self._masked(arguments))
        self.answered += 1
        return call


def _key(method: str, params: JsonValue) -> bytes:
    """Return what a request is found by, without what says how its client waits."""
    asked = {name: value for name, value in object_of(params).items() if name != "_meta"}
    return print_bytes([method, None if method in _OF_CONNECTIONS else asked], sort_keys=True)


def _error(code: int, message: str) -> JsonObject:
    return {"error": {"code": code, "message": f"agentlog replay: {message}"}}
