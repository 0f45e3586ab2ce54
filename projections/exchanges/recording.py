"""Recordings: from the exchanges of a run to the messages of its threads.

A client sends its whole conversation with each request. Only what is new in it becomes messages:
what follows the longest prefix that the request before had too, without the model's own answers
that come back. Exchanges belong to one conversation, a lane, by the client's names for session and
sub-agent, else by the first message of a user. Each lane is a thread.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import dropwhile, takewhile
from typing import NamedTuple

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.identifiers import derived_message_id
from agentlog.domain.json.values import JsonObject, JsonValue, array_of, text_at
from agentlog.projections.exchanges.exchange import TYPE, Exchange, payload_of
from agentlog.projections.exchanges.requests import (
    SHAPES,
    Api,
    ModelRequest,
    is_assistants,
    is_system,
    item_key,
    request_of,
)
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.history import Format

RUN_TYPE = "agentlog.run"
"""The type of messages that a run begins with: its name, and the values that differ by machine."""
REQUEST_TYPE = "agentlog.request"
"""The type of messages that hold what stands beside the conversation of a request."""
REWRITTEN_TYPE = "agentlog.rewritten"
"""The type of messages that say that a client left out what it had sent before."""

_OF_REQUEST = frozenset({"instructions", "tools"})
"""Fields of the request that an answer of Responses repeats."""
_MOST_ID = 100
"""Characters of a thread's id in the ids of its sub-threads."""


class ThreadAppend(NamedTuple):
    """Messages for a thread, which starts below `parent` if it is not there."""

    thread_id: str
    parent: str | None
    drafts: Sequence[Draft]


class _LaneKey(NamedTuple):
    """What names a conversation: the client's names for it, or its first message of a user."""

    name: Hashable
    has_tools: bool


_NO_MODEL = _LaneKey(None, has_tools=False)
"""The lane of a run that asks no model."""


@dataclass(slots=True)
class _Lane:
    """A conversation: its thread, and its last request."""

    thread_id: str
    head: list[bytes] = field(default_factory=list)
    keys: list[bytes] = field(default_factory=list)
    prompt: JsonValue = None
    beside: JsonObject = field(default_factory=dict)
    is_answered: bool = False

    def new_items(self, api: Api, request: ModelRequest) -> tuple[list[JsonValue], Draft | None]:
        """Return what a request adds, and what it left out if it did; it is the last one then.

        System prompts before the conversation are added when they change.
        """
        keys = [item_key(api, item) for item in request.items]
        if request.previous is not None:
            self.keys += keys
            return [*request.items], None
        prompts = sum(1 for _ in takewhile(is_system, request.items))
        head, keys = keys[:prompts], keys[prompts:]
        added = [] if head == self.head else request.items[:prompts]
        equal = zip(self.keys, keys, strict=False)
        common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], equal))
        left_out = len(self.keys) - common
        items = request.items[prompts + common :]
        self.head, self.keys = head, keys
        if left_out:
            payload: JsonObject = {"kept": prompts - len(added) + common, "leftOut": left_out}
            return [*added, *items], {"type": REWRITTEN_TYPE, "payload": payload}
        return [*added, *(dropwhile(is_assistants, items) if self.is_answered else items)], None


class Recording:
    """The threads of one run; exchanges are added in the order in which they ended.

    The first lane whose requests offer tools is the run's own thread, or the first that goes on;
    calls before it, for a title say, wait until that is known. `values` are of the machine: texts
    such as the current folder, which are others when the same command runs again. A replay that is
    kept says in `fork` where it comes from; what was answered from its tape stands there already.
    """

    def __init__(
        self,
        run: str,
        thread_id: str,
        values: Mapping[str, str],
        *,
        fork: JsonObject | None = None,
    ) -> None:
        self.run = run
        self.values = values
        self._fork = fork or {}
        self.thread_id = thread_id
        self.exchanges = 0
        self._main: _LaneKey | None = None
        self._held: list[tuple[_LaneKey | None, Exchange]] = []
        self._held_lanes: set[_LaneKey | None] = set()
        self._lanes: dict[_LaneKey, _Lane] = {}
        self._by_answer: dict[str, _LaneKey] = {}

    @property
    def threads(self) -> int:
        """How many threads there are."""
        return len(self._lanes)

    def add(self, exchange: Exchange) -> Iterator[ThreadAppend]:
        """Yield what an exchange adds to threads."""
        self.exchanges += 1
        if self._main is None:
            lane = self._lane_of(exchange)
            goes_on = lane in self._held_lanes
            self._held.append((lane, exchange))
            self._held_lanes.add(lane)
            if lane is None or not (goes_on or (exchange.agent is None and lane.has_tools)):
                return
            yield from self._release(lane)
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
        self._lanes[main] = _Lane(self.thread_id)
        yield ThreadAppend(self.thread_id, None, [self._begun(held[0][1].started_at)])
        for _, exchange in held:
            yield from self._append(exchange)

    def _lane_of(self, exchange: Exchange) -> _LaneKey | None:
        """Return what names the lane of an exchange; None where no model was asked."""
        if exchange.api is None:
            return None
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
            lane = _Lane(f"{self.thread_id[:_MOST_ID]}-{len(self._lanes) + 1}")
            self._lanes[name] = lane
            if exchange.agent is not None and exchange.replayed is None:
                yield ThreadAppend(self.thread_id, None, [self._spawned(exchange, lane.thread_id)])
        parent = None if name == self._main else self.thread_id
        asked: list[Draft] = []
        answered: list[Draft] = []
        if exchange.api is not None:
            asked = _asked(lane, exchange, exchange.api)
            answered, answer = answer_drafts(exchange), exchange.answer
            lane.is_answered = answer is not None
            if answer is not None and isinstance(answer.get("id"), str):
                self._by_answer[str(answer["id"])] = name
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
        )

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


def _asked(lane: _Lane, exchange: Exchange, api: Api) -> list[Draft]:
    """Return what is new in a request, and that the model was asked."""
    request = request_of(api, exchange.body)
    shape = SHAPES[api]
    document: JsonObject = {}
    if request.prompt and request.prompt != lane.prompt:
        document[shape.prompt] = lane.prompt = request.prompt
    document[shape.items], rewritten = lane.new_items(api, request)
    drafts: list[Draft] = [] if rewritten is None else [rewritten]
    beside = {key: value for key, value in request.beside.items() if key not in _NOT_SENT_AGAIN}
    if beside != lane.beside:
        lane.beside = beside
        drafts.append({"type": REQUEST_TYPE, "payload": beside})
    if document != {shape.items: []}:
        drafts += _read(shape.requests, document)
    call: Draft = {"type": "llm_request"}
    if (model := text_at(request.beside, "model")) is not None:
        call["model"] = model
    return [*drafts, call]


_NOT_SENT_AGAIN = frozenset(
    "previous_response_id metadata client_metadata user safety_identifier prompt_cache_key".split()
)
"""Fields of a request that say nothing of what a model is asked, or who asks."""


def answer_drafts(exchange: Exchange) -> list[Draft]:
    """Return what a model answered, or what went wrong."""
    answer, error = exchange.answer, exchange.error
    if exchange.api is None:
        return []
    if answer is None:
        return [] if error is None else [{"type": "runtime_error", "error": error}]
    own = {key: value for key, value in answer.items() if key not in _OF_REQUEST}
    return _read(SHAPES[exchange.api].answers, own)


def _read(form: Format, document: JsonObject) -> list[Draft]:
    """Return the messages of a document; none where it is off: the exchange has it whole."""
    try:
        return [draft for history in form.read(document) for draft in history.drafts]
    except InvalidMessage:
        return []
