"""Recordings: from the exchanges of a run to the messages of its threads.

A client sends its whole conversation with each request. Only what is new in it becomes messages:
what follows the longest prefix that the request before had too, without the model's own answers
that come back. Exchanges belong to one conversation, a lane, by the client's names for session and
sub-agent, else by the first message of a user. Each lane is a thread.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import NamedTuple

from agentlog.domain.identifiers import derived_message_id
from agentlog.domain.json.values import JsonObject, array_of, object_at, text_at
from agentlog.extensions.runs.projections.mcp_exchange import McpExchange, mcp_payload
from agentlog.projections.exchanges.exchange import RUN_TYPE, TYPE, Exchange, payload_of
from agentlog.projections.exchanges.held_texts import MCP_TYPE
from agentlog.projections.exchanges.lanes import Lane, answer_drafts, asked_drafts
from agentlog.projections.exchanges.requests import item_key, request_of
from agentlog.projections.outcomes.pairs import MADE_ID
from agentlog.projections.readers.draft import Draft

_MOST_ID = 100
"""Characters of a thread's id in the ids of its sub-threads."""


class ThreadAppend(NamedTuple):
    """Messages for a thread, which starts below `parent` if it is not there.

    `author` is who appends, as `appendedBy` has it.
    """

    thread_id: str
    parent: str | None
    drafts: Sequence[Draft]
    author: str | None = None


class Resumed(NamedTuple):
    """What a log has of a run: its exchanges, and the last of each thread, its own first."""

    run: str
    exchanges: int
    last: Sequence[tuple[str, Exchange]]


class _LaneKey(NamedTuple):
    """What names a conversation: the client's names for it, or its first message of a user."""

    name: Hashable
    has_tools: bool


_NO_MODEL = _LaneKey(None, has_tools=False)
"""The lane of a run that asks no model."""
_THREAD = _LaneKey("thread", has_tools=True)
"""The lane of a run whose requests say what the thread has already."""


class Recording:
    """The threads of one run; exchanges are added in the order in which they ended.

    The first lane whose requests offer tools is the run's own thread, or the first that goes on;
    calls before it, for a title say, wait until that is known. `values` are of the machine: texts
    such as the current folder, which are others when the same command runs again. A replay that is
    kept says in `fork` where it comes from; what was answered from its tape stands there already.
    With `waits` off the first lane is the run's own thread at once.
    """

    def __init__(
        self,
        run: str,
        thread_id: str,
        values: Mapping[str, str],
        *,
        fork: JsonObject | None = None,
        waits: bool = True,
    ) -> None:
        self.run = run
        self.values = values
        self._fork = fork or {}
        self._waits = waits
        self.thread_id = thread_id
        self.exchanges = 0
        self.mcp_exchanges = 0
        self._is_begun = False
        self._main: _LaneKey | None = None
        self._held: list[tuple[_LaneKey | None, Exchange | McpExchange]] = []
        self._held_lanes: set[_LaneKey | None] = set()
        self._lanes: dict[_LaneKey, Lane] = {}
        self._sub_threads = 0
        self._by_answer: dict[str, _LaneKey] = {}

    def resume(self, resumed: Resumed) -> None:
        """Go on with a run that the log has, before anything is added."""
        self.run, self.exchanges, self._is_begun = resumed.run, resumed.exchanges, True
        for thread_id, exchange in resumed.last:
            name = self._lane_of(exchange) or _NO_MODEL
            if self._main is None and thread_id == self.thread_id:
                self._main = name
            self._sub_threads += thread_id != self.thread_id
            lane = self._lanes.setdefault(name, Lane(thread_id))
            self._messages(name, lane, exchange)

    @property
    def is_waiting(self) -> bool:
        """Whether exchanges wait until it is known which lane is the run's own thread."""
        return self._main is None and bool(self._held)

    @property
    def threads(self) -> int:
        """How many threads there are."""
        return len(self._lanes)

    def add(self, exchange: Exchange | McpExchange) -> Iterator[ThreadAppend]:
        """Yield what an exchange adds to threads; one with an MCP server to the run's own."""
        if isinstance(exchange, McpExchange):
            self.mcp_exchanges += 1
            if self._main is None:
                self._held.append((None, exchange))
            else:
                yield self._mcp_append(exchange)
            return
        self.exchanges += 1
        if self._main is None:
            lane = self._lane_of(exchange)
            goes_on = lane in self._held_lanes
            self._held.append((lane, exchange))
            self._held_lanes.add(lane)
            is_main = lane is not None and (
                goes_on or exchange.known is not None or (exchange.agent is None and lane.has_tools)
            )
            if is_main or not self._waits:
                yield from self._release(lane or _NO_MODEL)
        else:
            yield from self._append(exchange)

    def finish(self) -> Iterator[ThreadAppend]:
        """Yield what was waiting: there are no more exchanges."""
        if self._main is None and self._held:
            lanes = (lane for lane, _ in self._held if lane is not None)
            yield from self._release(next(lanes, _NO_MODEL))

    def _release(self, main: _LaneKey) -> Iterator[ThreadAppend]:
        self._main = main
        held, self._held = self._held, []
        self._lanes[main] = Lane(self.thread_id)
        if not self._is_begun:
            first = held[0][1]
            begun = self._begun(first.started_at)
            author = first.author if isinstance(first, Exchange) else None
            yield ThreadAppend(self.thread_id, None, [begun], author)
        for _, exchange in held:
            if isinstance(exchange, McpExchange):
                yield self._mcp_append(exchange)
            else:
                yield from self._append(exchange)

    def _mcp_append(self, exchange: McpExchange) -> ThreadAppend:
        draft: Draft = {
            "type": MCP_TYPE,
            "id": derived_message_id(self.run, "mcp", exchange.name),
            "timestamp": exchange.started_at + round(exchange.duration_ms or 0),
            "payload": mcp_payload(exchange, self.run),
        }
        return ThreadAppend(self.thread_id, None, [draft])

    def _lane_of(self, exchange: Exchange) -> _LaneKey | None:
        """Return what names the lane of an exchange; None where no known request asks a model."""
        if exchange.api is None or "request" in exchange.left_out:
            return None
        if exchange.known is not None:  # the thread itself goes on
            return self._main or _THREAD
        request = request_of(exchange.api, exchange.body)
        if request.previous in self._by_answer:
            return self._by_answer[request.previous]
        has_tools = array_of(request.beside.get("tools")) != []
        if exchange.session is not None or exchange.agent is not None:
            return _LaneKey((exchange.session, exchange.agent), has_tools=has_tools)
        users = (item for item in request.items if item.get("role") == "user")
        return _LaneKey(item_key(exchange.api, next(users, None)), has_tools=has_tools)

    def _append(self, exchange: Exchange) -> Iterator[ThreadAppend]:
        name = self._lane_of(exchange) or self._main or _NO_MODEL
        lane = self._lanes.get(name)
        if lane is None:
            self._sub_threads += 1
            lane = Lane(f"{self.thread_id[:_MOST_ID]}-{self._sub_threads + 1}")
            self._lanes[name] = lane
            if exchange.agent is not None and exchange.replayed is None:
                spawned = self._spawned(exchange, lane.thread_id)
                yield ThreadAppend(self.thread_id, None, [spawned], exchange.author)
        parent = None if name == self._main else self.thread_id
        asked, answered = self._messages(name, lane, exchange)
        if exchange.replayed is not None:
            return
        record: Draft = {"type": TYPE, "payload": payload_of(exchange, self.run)}
        drafts = [*asked, record, *answered]
        ended_at = exchange.started_at + round(exchange.duration_ms or 0)
        yield ThreadAppend(
            lane.thread_id,
            parent,
            [
                {
                    **draft,
                    "id": derived_message_id(self.run, exchange.attempt, number),
                    "timestamp": exchange.started_at if number < len(asked) else ended_at,
                }
                for number, draft in enumerate(drafts)
            ],
            exchange.author,
        )

    def _messages(
        self, name: _LaneKey, lane: Lane, exchange: Exchange
    ) -> tuple[list[Draft], list[Draft]]:
        """Return what is new in a request, and its answer; it is the last one of its lane then."""
        if exchange.api is None or "request" in exchange.left_out:
            return [], []
        asked = asked_drafts(lane, exchange, exchange.api)
        answer = exchange.answer
        lane.is_answered = answer is not None
        if answer is not None and isinstance(answer.get("id"), str):
            self._by_answer[str(answer["id"])] = name
        answer_id = text_at(answer or {}, "responseId")  # Gemini's
        answer_id = answer_id or derived_message_id(self.run, exchange.attempt)
        return asked, [_with_answer_id(draft, answer_id) for draft in answer_drafts(exchange)]

    def _begun(self, at: int) -> Draft:
        return {
            "type": RUN_TYPE,
            "id": derived_message_id(self.run, "run"),
            "timestamp": at,
            "payload": {"run": self.run, "values": {**self.values}, **self._fork},
        }

    def _spawned(self, exchange: Exchange, thread_id: str) -> Draft:
        return {
            "type": "worker_spawned",
            "id": derived_message_id(self.run, exchange.attempt, "worker"),
            "timestamp": exchange.started_at,
            "workerId": exchange.agent or thread_id,
            "objective": thread_id,
            "threadId": thread_id,
        }


def _with_answer_id(draft: Draft, answer_id: str) -> Draft:
    """Return a message of an answer with its id in place of one that the reader made up."""
    metadata = object_at(draft, "metadata")
    if not (text_at(metadata, "responseId") or "").startswith(MADE_ID):
        return draft
    return {**draft, "metadata": {**metadata, "responseId": answer_id}}
