"""Requests to models: their API, their conversation, and what stands beside it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal, NamedTuple

from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonObject, JsonValue, object_of, text_at
from agentlog.projections.readers.history import Format
from agentlog.projections.readers.messages import anthropic, chat, responses
from agentlog.projections.readers.wires import chat_completions

Api = Literal["chat", "responses", "messages"]
"""OpenAI's chat completions, OpenAI's Responses, Anthropic's Messages."""


class Shape(NamedTuple):
    """How an API writes its requests and answers.

    `end` is that of its path, `items` the field of the conversation, `prompt` that of the system
    prompt, empty where it is an item. `identities` are fields that say who asks. `requests` and
    `answers` read what the names say.
    """

    title: str
    end: str
    items: str
    prompt: str
    identities: frozenset[str]
    requests: Format
    answers: Format


SHAPES: Mapping[Api, Shape] = {
    "chat": Shape(
        "OpenAI's chat completions",
        end="/chat/completions",
        items="messages",
        prompt="",
        identities=frozenset({"user", "safety_identifier"}),
        requests=chat.FORMAT,
        answers=chat_completions.FORMAT,
    ),
    "responses": Shape(
        "OpenAI's Responses",
        end="/responses",
        items="input",
        prompt="instructions",
        identities=frozenset({"user", "safety_identifier", "client_metadata"}),
        requests=responses.FORMAT,
        answers=responses.FORMAT,
    ),
    "messages": Shape(
        "Anthropic's Messages",
        end="/messages",
        items="messages",
        prompt="system",
        identities=frozenset({"metadata"}),  # its one field is the user's id
        requests=anthropic.FORMAT,
        answers=anthropic.FORMAT,
    ),
}
_SYSTEM = frozenset({"system", "developer"})
_ASSISTANTS = frozenset(
    "reasoning function_call custom_tool_call local_shell_call web_search_call computer_call "
    "file_search_call code_interpreter_call mcp_call image_generation_call".split()
)
"""Items of Responses that a model made, beside its messages."""


def api_of(method: str, path: str) -> Api | None:
    """Return the API that a model is asked by at a path; None for all other requests."""
    if method != "POST":
        return None
    return next((api for api, shape in SHAPES.items() if path.endswith(shape.end)), None)


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """A request to a model: its items, as the API writes them, and its other fields.

    `prompt` is the system prompt where the API has it beside the items.
    """

    items: Sequence[JsonObject]
    prompt: JsonValue
    beside: JsonObject

    @property
    def previous(self) -> str | None:
        """The id of the answer whose conversation goes on without being sent again."""
        return text_at(self.beside, "previous_response_id")


def request_of(api: Api, body: JsonObject) -> ModelRequest:
    """Return a request's parts; a text in place of items is a user's message."""
    key, prompt = SHAPES[api].items, SHAPES[api].prompt
    items = body.get(key)
    if isinstance(items, str):
        items = [{"role": "user", "content": items}]
    return ModelRequest(
        [object_of(item) for item in items] if isinstance(items, list) else [],
        body.get(prompt),
        {name: value for name, value in body.items() if name not in {key, prompt}},
    )


def is_assistants(item: JsonObject) -> bool:
    """Return whether a model made an item: the client sends it back."""
    return item.get("role") == "assistant" or item.get("type") in _ASSISTANTS


def is_system(item: JsonObject) -> bool:
    """Return whether an item is a system prompt."""
    return item.get("role") in _SYSTEM


def item_key(api: Api, item: JsonValue) -> bytes:
    """Return a digest that is equal for an item of two requests that mean the same."""
    return sha256(print_bytes(canonical_item(api, item), sort_keys=True)).digest()


def canonical_item(api: Api, item: JsonValue) -> JsonObject:
    """Return an item without what differs between two requests that mean the same.

    Clients move `cache_control` to the last message, give items of Responses new ids with each
    request, and write a text as a text or as a block.
    """
    fields = object_of(item)
    if api == "responses":
        fields = {key: value for key, value in fields.items() if key != "id"}
    content = fields.get("content")
    if isinstance(content, str):
        fields = {**fields, "content": [{"type": "text", "text": content}]}
    return object_of(_without_cache_marks(fields))


def _without_cache_marks(value: JsonValue) -> JsonValue:
    match value:
        case dict():
            return {
                key: _without_cache_marks(inner)
                for key, inner in value.items()
                if key != "cache_control"
            }
        case list():
            return [_without_cache_marks(inner) for inner in value]
        case _:
            return value
