"""Hazards: recorded calls of tools that may have effects, which a replayed agent runs again."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonValue, array_of, object_at, object_of, text_at
from agentlog.domain.messages import ToolCallsMessage
from agentlog.extensions.runs.projections.mcp_exchange import McpExchange
from agentlog.extensions.runs.projections.tapes.cassette import RecordedRun
from agentlog.extensions.runs.projections.tapes.tool_tape import Tools
from agentlog.projections.call_texts import arguments_value
from agentlog.projections.exchanges.lanes import answer_drafts
from agentlog.projections.readers.draft import sample_event

_READ_ONLY = frozenset(
    "Glob Grep LS NotebookRead Read TodoRead TodoWrite "  # Claude Code
    "update_plan view_image "  # Codex
    "glob grep_search list_background_processes list_directory read_background_output read_file "
    "read_many_files search_file_content update_topic write_todos "  # Gemini CLI
    "grep list read todoread todowrite".split()  # opencode
)
"""Tools of coding agents that only read, or write a list of their own."""


def hazards(run: RecordedRun, tools: Tools = "live") -> Counter[str]:
    """Return how often each tool was called that is not known to only read, and may run again.

    Calls that went through an MCP proxy may where tools are live, but for those of tools that their
    server says to only read.
    """
    read_only = _read_only(run)
    of_servers = _CallsOfServers(run)
    counts: Counter[str] = Counter()

    def count(name: str, call: McpExchange | None) -> None:
        if call is None:
            is_hazard = name not in _READ_ONLY
        else:
            is_hazard = tools == "live" and (call.server, call.tool) not in read_only
        counts[name] += is_hazard

    for name, arguments in _asked_calls(run):
        count(name, of_servers.take(name, arguments))
    for call in of_servers.left:
        count(call.tool or "", call)
    return +counts


class _CallsOfServers:
    """The calls of MCP servers, by what a model asked for; each is taken once."""

    def __init__(self, run: RecordedRun) -> None:
        self._calls: dict[bytes, list[McpExchange]] = defaultdict(list)
        for call in run.mcp_exchanges:
            if call.tool is not None:
                self._calls[_key(call.arguments)].append(call)

    def take(self, name: str, arguments: JsonValue) -> McpExchange | None:
        """Return the call of a tool that a model knows by a name; None where there is none.

        Clients put the server's name before that of the tool: `mcp__weather__forecast`.
        """
        calls = self._calls[_key(arguments)]
        for call in calls:
            before = name.removesuffix(call.tool or "")
            if before != name and not before[-1:].isalnum():
                calls.remove(call)
                return call
        return None

    @property
    def left(self) -> Iterator[McpExchange]:
        for calls in self._calls.values():
            yield from calls


def _asked_calls(run: RecordedRun) -> Iterator[tuple[str, JsonValue]]:
    """Yield the names and arguments of the calls that models asked for."""
    for stage in run.stages:
        for exchange in stage.exchanges:
            for draft in answer_drafts(exchange):
                message = sample_event(draft, 1).message
                if isinstance(message, ToolCallsMessage):
                    yield from ((call.name, arguments_value(call)) for call in message.calls)


def _read_only(run: RecordedRun) -> set[tuple[str, str | None]]:
    """Return the tools, with their servers, that say of themselves that they only read."""
    return {
        (exchange.server, text_at(object_of(tool), "name"))
        for exchange in run.mcp_exchanges
        if exchange.method == "tools/list"
        for tool in array_of(object_of(exchange.answer.get("result")).get("tools"))
        if object_at(object_of(tool), "annotations").get("readOnlyHint") is True
    }


def _key(arguments: JsonValue) -> bytes:
    return print_bytes(arguments, sort_keys=True)
