"""What a run holds of erased messages: exchanges that sent them, messages that say the same.

A client sends its conversation again with each request, so the text of a message is in many
exchanges, spelled in many ways: as a text or a block, escaped, in JSON inside a text, in the pieces
of a stream. It is looked for in what they come to when they are read.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from agentlog.domain.events import Event
from agentlog.domain.json.text import parse_or, parse_stored, print_bytes, print_text
from agentlog.domain.json.values import (
    JsonObject,
    JsonValue,
    array_of,
    object_at,
    object_of,
    objects_of,
)
from agentlog.domain.messages import CustomMessage
from agentlog.domain.redaction import redacted_body
from agentlog.projections.exchanges.exchange import (
    REPLAY_TYPE,
    RUN_TYPE,
    TYPE,
    Exchange,
    exchange_of,
)
from agentlog.projections.exchanges.lanes import drafts_of
from agentlog.projections.residue import METADATA_KEY

MCP_TYPE = "agentlog.mcp"
"""The type of the messages that hold MCP exchanges."""
EXCHANGES = (TYPE, MCP_TYPE)
"""The types of messages that hold exchanges, with providers and with MCP servers."""
_OWN = "agentlog."


@dataclass(slots=True)
class ErasedTexts:
    """Texts of messages that are erased."""

    whole: set[str] = field(default_factory=set)
    """Texts, arguments and outputs, each as a whole; values as JSON with sorted keys."""
    parts: set[str] = field(default_factory=set)
    """Those, and every value in them."""

    def add(self, values: Iterable[JsonValue]) -> None:
        """Add values that are erased."""
        for value in values:
            parts = set(_parts(value))
            if parts or (isinstance(value, int | float) and not isinstance(value, bool)):
                self.whole.add(_whole(value))
                self.parts |= parts

    def add_message(self, event: Event) -> None:
        """Add what a redaction erases of a message; of the log's own facts and messages nothing."""
        if not event.type.startswith(("thread.", _OWN)):
            self.add(_contents(event))

    def are_held_by(self, event: Event) -> bool:
        """Return whether an exchange holds one of them, or a message says the same.

        Two messages say the same if the whole of one's text, arguments or output is in the other.
        """
        if event.type in EXCHANGES:
            return self.are_in_exchange(event)
        message = event.message
        payload = object_of(message.payload) if isinstance(message, CustomMessage) else {}
        if event.type == REPLAY_TYPE:  # parts of texts: where requests differ
            tools = object_at(payload, "tools")
            lists = (payload.get("unmatched"), tools.get("unmatched"), tools.get("unused"))
            differs = any(
                "place" in object_of(answer) for answer in array_of(payload.get("answers"))
            )
            return differs or any(map(array_of, lists))
        values = _contents(event)
        if event.type == RUN_TYPE:
            values = [object_at(payload, "changes")]
        elif event.type.startswith(("thread.", _OWN)):
            return False
        parts = {part for value in values for part in _parts(value)}
        parts |= set(_parts(event.metadata.get(METADATA_KEY)))
        return not (self.whole.isdisjoint(parts) and self.parts.isdisjoint(map(_whole, values)))

    def are_in_exchange(self, event: Event) -> bool:
        """Return whether an exchange holds one of them; what cannot be read may hold any."""
        message = event.message
        if not isinstance(message, CustomMessage) or not isinstance(message.payload, dict):
            return False  # it is erased
        payload = message.payload
        values = _values(exchange_of(payload)) if event.type == TYPE else _mcp_values(payload)
        if values is None:
            return True
        parts = {part for value in values for part in _parts(value)}
        if not self.parts.isdisjoint(parts):
            return True
        everything = "\0".join(parts)
        return any(text in everything for text in self.whole)


def _contents(event: Event) -> list[JsonValue]:
    """Return what a redaction erases of a message, without its metadata."""
    left = parse_stored(redacted_body(event.type, event.message_id, event.body))
    return [*_gone(event.raw, left)]


def _gone(value: JsonValue, left: JsonValue) -> Iterator[JsonValue]:
    """Yield the parts of a value that are not left."""
    match value, left:
        case dict(), dict():
            for key, inner in value.items():
                if key in left:
                    yield from _gone(inner, left[key])
                elif key == "files":
                    for file in objects_of(inner):
                        yield from (file.get("data"), file.get("filename"))
                else:
                    yield inner
        case list(), list():
            for inner, other in zip(value, left, strict=False):
                yield from _gone(inner, other)
        case _:
            if value != left:
                yield value


def _values(exchange: Exchange) -> list[JsonValue] | None:
    """Return what is in an exchange, as JSON and as messages; None where that cannot be known."""
    request = parse_or(exchange.request) if exchange.request else ""
    response: JsonValue = exchange.answer
    if response is None:
        response = parse_or(exchange.response) if exchange.response else ""
    if request is None or response is None:
        return None
    return [request, response, *drafts_of(exchange)]


def _mcp_values(payload: JsonObject) -> list[JsonValue] | None:
    """Return what is in an exchange with an MCP server; None where that cannot be known."""
    values = [payload.get(name) for name in ("params", "result", "error")]
    return None if any(isinstance(value, str) for value in values) else values


def _whole(value: JsonValue) -> str:
    """Return the one spelling of a value, whether it is JSON or a text that holds it."""
    inner = parse_or(value.encode()) if isinstance(value, str) else value
    if isinstance(inner, dict | list):
        return print_bytes(inner, sort_keys=True).decode()
    return value if isinstance(value, str) else print_text(value)


def _parts(value: JsonValue) -> Iterator[str]:
    """Yield every text, object and array in a value, and in the JSON that its texts hold."""
    todo = [value]
    while todo:
        match todo.pop():
            case str(text) if text.strip():
                yield text
                inner = parse_or(text.encode())
                if isinstance(inner, dict | list):
                    todo.append(inner)
            case dict(fields) if fields:
                yield _whole(fields)
                todo += fields.values()
            case list(items) if items:
                yield _whole(items)
                todo += items
            case _:
                pass
