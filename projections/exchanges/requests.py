"""Requests to models: their API, their conversation, and what stands beside it."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal, NamedTuple

from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonObject, JsonValue, array_of, object_of, text_at
from agentlog.projections.exchanges import gemini_requests
from agentlog.projections.readers.history import Format
from agentlog.projections.readers.messages import anthropic, chat, gemini, responses
from agentlog.projections.readers.wires import chat_completions

Api = Literal["chat", "responses", "messages", "gemini"]
"""OpenAI's chat completions, OpenAI's Responses, Anthropic's Messages, Gemini's contents."""


def _as_it_is(_: object, value: JsonObject) -> JsonObject:
    return value


class Shape(NamedTuple):
    """How an API writes its requests and answers.

    `path` is found at the end of its paths, `items` is the field of the conversation, `prompt` that
    of the system prompt, empty where it is an item. `identities` are fields that say who asks.
    `requests` and `answers` read what the names say.

    `opened` returns a body with what the path says of the request, `closed` the path and the body
    again. `plain` returns the items, and `plain_answer` the answer to them, with ids of calls.
    """

    title: str
    path: re.Pattern[str]
    items: str
    prompt: str
    identities: frozenset[str]
    requests: Format
    answers: Format
    opened: Callable[[str, JsonObject], JsonObject] = _as_it_is
    closed: Callable[[str, JsonObject], tuple[str, JsonObject]] = lambda path, body: (path, body)
    plain: Callable[[Sequence[JsonObject]], Sequence[JsonObject]] = lambda items: items
    plain_answer: Callable[[Sequence[JsonObject], JsonObject], JsonObject] = _as_it_is


SHAPES: Mapping[Api, Shape] = {
    "chat": Shape(
        "OpenAI's chat completions",
        path=re.compile(r"/chat/completions\Z"),
        items="messages",
        prompt="",
        identities=frozenset({"user", "safety_identifier"}),
        requests=chat.FORMAT,
        answers=chat_completions.FORMAT,
    ),
    "responses": Shape(
        "OpenAI's Responses",
        path=re.compile(r"/responses\Z"),
        items="input",
        prompt="instructions",
        identities=frozenset({"user", "safety_identifier", "client_metadata"}),
        requests=responses.FORMAT,
        answers=responses.FORMAT,
    ),
    "messages": Shape(
        "Anthropic's Messages",
        path=re.compile(r"/messages\Z"),
        items="messages",
        prompt="system",
        identities=frozenset({"metadata"}),  # its one field is the user's id
        requests=anthropic.FORMAT,
        answers=anthropic.FORMAT,
    ),
    "gemini": Shape(
        "Gemini",
        path=gemini_requests.PATH,
        items="contents",
        prompt="systemInstruction",
        identities=frozenset(),
        requests=gemini.FORMAT,
        answers=gemini.FORMAT,
        opened=gemini_requests.opened,
        closed=gemini_requests.closed,
        plain=gemini_requests.plain_contents,
        plain_answer=gemini_requests.plain_answer,
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
    return next((api for api, shape in SHAPES.items() if shape.path.search(path)), None)


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
    """Return an opened request's parts; a text in place of items is a user's message."""
    shape = SHAPES[api]
    items = body.get(shape.items)
    if isinstance(items, str):
        items = [{"role": "user", "content": items}]
    beside = {shape.items, shape.prompt}
    return ModelRequest(
        shape.plain([object_of(item) for item in array_of(items)]),
        body.get(shape.prompt),
        {name: value for name, value in body.items() if name not in beside},
    )


def declared_tools(tools: JsonValue) -> Iterator[JsonValue]:
    """Yield the tools of a request one by one: Gemini declares many functions in one."""
    for tool in array_of(tools):
        declared = object_of(tool).get("functionDeclarations")
        if not isinstance(declared, list):
            yield tool
            continue
        yield from declared
        others = {key: value for key, value in object_of(tool).items() if value is not declared}
        if others:
            yield others


def is_assistants(item: JsonObject) -> bool:
    """Return whether a model made an item: the client sends it back."""
    role, kind = text_at(item, "role"), text_at(item, "type")
    return role in {"assistant", "model"} or kind in _ASSISTANTS


def is_system(item: JsonObject) -> bool:
    """Return whether an item is a system prompt."""
    return text_at(item, "role") in _SYSTEM


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
