"""Lanes: conversations within a run, and the messages that each of their exchanges adds."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import dropwhile, takewhile

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonObject, JsonValue, objects_of, text_at
from agentlog.projections.exchanges.exchange import Exchange
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
from agentlog.projections.views.request import REQUEST_TYPE

REWRITTEN_TYPE = "agentlog.rewritten"
"""The type of messages that say that a client left out what it had sent before."""
BESIDE = "besideItems"
"""The metadata key of a system prompt that is no item of a conversation: the field it was in."""

_OF_REQUEST = frozenset({"instructions", "tools"})
"""Fields of the request that an answer of Responses repeats."""


@dataclass(slots=True)
class Lane:
    """A conversation: its thread, and digests of its last request.

    A gateway has a thousand of them, and a request 100 KB of prompt and tools.
    """

    thread_id: str
    head: list[bytes] = field(default_factory=list)
    keys: list[bytes] = field(default_factory=list)
    prompt: bytes | None = None
    beside: bytes | None = None
    is_answered: bool = False

    def new_items(
        self, api: Api, request: ModelRequest, known: int | None = None
    ) -> tuple[list[JsonValue], Draft | None]:
        """Return what a request adds, and what it left out if it did; it is the last one then.

        System prompts before the conversation are added when they change. Of a request whose first
        items are `known` the others are added.
        """
        keys = [item_key(api, item) for item in request.items]
        if request.previous is not None:
            self.keys += keys
            return [*request.items], None
        prompts = sum(1 for _ in takewhile(is_system, request.items))
        head, keys = keys[:prompts], keys[prompts:]
        if known is not None:
            self.head, self.keys = head, keys
            return [*request.items[known:]], None
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


def asked_drafts(lane: Lane, exchange: Exchange, api: Api) -> list[Draft]:
    """Return what is new in a request, and that the model was asked."""
    request = request_of(api, exchange.body)
    shape = SHAPES[api]
    document: JsonObject = {}
    prompt = _digest(request.prompt)
    if request.prompt and prompt != lane.prompt:
        document[shape.prompt], lane.prompt = request.prompt, prompt
    document[shape.items], rewritten = lane.new_items(api, request, exchange.known)
    drafts: list[Draft] = [] if rewritten is None else [rewritten]
    beside = {key: value for key, value in request.beside.items() if key not in _NOT_SENT_AGAIN}
    before, lane.beside = lane.beside, _digest(beside)
    if lane.beside != before and (beside or before is not None):
        drafts.append({"type": REQUEST_TYPE, "payload": beside})
    if document != {shape.items: []}:
        new = _read(shape.requests, document)
        if new and "instructions" in document:
            new[0] = {**new[0], "metadata": {BESIDE: "instructions"}}
        drafts += new
    call: Draft = {"type": "llm_request"}
    if (model := text_at(request.beside, "model")) is not None:
        call["model"] = model
    return [*drafts, call]


def request_drafts(exchange: Exchange, api: Api) -> list[Draft]:
    """Return the messages of a whole request; none if it goes on from what the provider keeps."""
    request, shape = request_of(api, exchange.body), SHAPES[api]
    if request.previous is not None or request.beside.get("conversation") is not None:
        return []
    document: JsonObject = {shape.items: [*request.items]}
    if request.prompt:
        document[shape.prompt] = request.prompt
    return _read(shape.requests, document)


def _digest(value: JsonValue) -> bytes:
    return sha256(print_bytes(value, sort_keys=True)).digest()


_NOT_SENT_AGAIN = frozenset(
    "previous_response_id metadata client_metadata user safety_identifier prompt_cache_key".split()
)
"""Fields of a request that say nothing of what a model is asked, or who asks."""


def drafts_of(exchange: Exchange) -> list[Draft]:
    """Return all that an exchange comes to, as if nothing had been sent before it."""
    if exchange.api is None:
        return []
    return [*asked_drafts(Lane(""), exchange, exchange.api), *answer_drafts(exchange)]


def answer_drafts(exchange: Exchange) -> list[Draft]:
    """Return what a model answered, or what went wrong."""
    answer, error = exchange.answer, exchange.error
    if exchange.api is None:
        return []
    if answer is None:
        return [] if error is None else [{"type": "runtime_error", "error": error}]
    shape = SHAPES[exchange.api]
    own = {key: value for key, value in answer.items() if key not in _OF_REQUEST}
    items = request_of(exchange.api, exchange.body).items
    return _read(shape.answers, shape.plain_answer(items, own))


def _read(form: Format, document: JsonObject) -> list[Draft]:
    """Return the messages of a document; none where it is off: the exchange has it whole."""
    try:
        return [draft for history in form.read(document) for draft in history.drafts]
    except InvalidMessage:
        return []


def answer_key(drafts: Iterable[Draft]) -> bytes:
    """Return a digest of what a model said and called, equal where a client sends it back."""
    texts = [draft["text"] for draft in drafts if draft["type"] == "reply"]
    calls: list[JsonValue] = [
        call.get("id")
        for draft in drafts
        if draft["type"] == "tool_calls"
        for call in objects_of(draft["calls"])
    ]
    return print_bytes([texts, calls])


def answered_key(api: Api, items: Sequence[JsonObject]) -> bytes:
    """Return the same of what a model made of a request's items, up to the first by others."""
    own: list[JsonValue] = [*takewhile(is_assistants, items)]
    return answer_key(_read(SHAPES[api].requests, {SHAPES[api].items: own}))
