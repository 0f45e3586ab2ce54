"""Texts of messages with their places, for search: contents, without files and metadata.

Read from the stored JSON, so that no type is unknown.
"""

from collections.abc import Iterator

from agentlog.domain.events import Event
from agentlog.domain.json.places import Parts, walk
from agentlog.domain.json.text import print_text
from agentlog.domain.json.values import JsonObject, JsonValue, objects_of
from agentlog.domain.redaction import redacted_body

MOST_CHARACTERS = 1_000_000
"""Characters of a message that are searched; texts beyond are not."""

_ROLES = {
    "system": "system",
    "input": "user",
    "reply": "assistant",
    "reasoning": "assistant",
    "tool_calls": "assistant",
    "tool_results": "tool",
}

_ANY_JSON = frozenset({"args", "output", "payload", "responseFormat"})
"""Fields with JSON of the producer's own: its keys and numbers are contents too."""

_RECORDS = frozenset(
    """
    agentlog.exchange agentlog.mcp agentlog.request agentlog.run langfuse.generation
    langfuse.tool langsmith.llm langsmith.tool otel.log otel.span
    """.split()
)
"""Records of traces and exchanges repeat what came before: their contents are found in the messages
they gave."""

_OF_FACTS = frozenset({"goal", "reason"})
_APART = frozenset({"id", "timestamp", "type"})


def types_of_role(role: str) -> list[str]:
    """Return the types of messages of a role."""
    return [role_name for role_name, of in _ROLES.items() if of == role]


def role_of(type_name: str) -> str | None:
    """Return the role of messages of a type, None where they have none."""
    return _ROLES.get(type_name)


def content_of(event: Event) -> dict[str, JsonValue]:
    """Return a message as JSON; empty if its content was erased, or cannot be read."""
    erased = event.redacted is not None and event.body == redacted_body(
        event.type, event.message_id, event.body
    )
    return event.raw if isinstance(event.raw, dict) and not erased else {}


def parts_in(content: JsonObject) -> list[JsonObject]:
    """Return the calls and results of a message."""
    return [item for key in ("calls", "results") for item in objects_of(content.get(key))]


def tools_of(content: JsonObject) -> list[str]:
    """Return the tools that a message names."""
    named = [item.get("name") for item in parts_in(content)]
    return [name for name in [*named, content.get("tool")] if isinstance(name, str)]


def texts_of(content: dict[str, JsonValue]) -> Iterator[tuple[Parts, str]]:
    """Yield place and text of each text of a message, in order, up to `MOST_CHARACTERS` in all."""
    left = MOST_CHARACTERS
    for place, text in _all_texts(content):
        if text:
            yield place, text[:left]
            left -= len(text)
        if left <= 0:
            return


def _all_texts(content: dict[str, JsonValue]) -> Iterator[tuple[Parts, str]]:
    if content.get("type") in _RECORDS:
        return
    is_fact = str(content.get("type")).startswith("thread.")
    fields = {
        key: value
        for key, value in content.items()
        if (key in _OF_FACTS if is_fact else key not in _APART)
    }
    for here, value in walk(fields, but=frozenset()):
        if here[:1] == ["files"] and here[-1] == "data":
            continue
        if isinstance(here[-1] if here else None, str) and _is_any_json(here[:-1]):
            yield tuple(here), str(here[-1])
        if isinstance(value, str):
            yield tuple(here), value
        elif isinstance(value, int | float) and not isinstance(value, bool) and _is_any_json(here):
            yield tuple(here), print_text(value)


def _is_any_json(place: Parts) -> bool:
    return not _ANY_JSON.isdisjoint(place[:3])
