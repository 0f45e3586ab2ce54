"""Images and files in the contents of any API, read by their shape; and words in their place.

Shapes: blocks of Anthropic, parts of OpenAI's chat and Responses, contents of MCP, parts of Gemini.
"""

from collections.abc import Sequence
from typing import NamedTuple

from agentlog.domain.errors import InvalidJson
from agentlog.domain.json.text import parse, print_text
from agentlog.domain.json.values import JsonValue, object_at, text_at
from agentlog.projections.view import Item

_KEYS = ('"type"', '"inlineData"')
"""Texts one of which has any JSON text with media: first these, as most results have neither."""
_SIGNS = ('"image', '"input_', '"document', '"inlineData', '"audio')
"""Texts one of which a JSON text with media has."""
_WORDS = ("text", "input_text", "output_text")
"""Types of parts that are words alone."""
_BESIDE = frozenset({"content", "isError", "is_error", "structuredContent", "_meta"})
"""The keys of a result of MCP."""


class Media(NamedTuple):
    """An image or file: its data in base64, or the URL where it is; None where unknown."""

    media_type: str
    data: str | None
    url: str | None = None
    name: str | None = None

    @property
    def uri(self) -> str:
        """Its URL, or its data as one."""
        return self.url or f"data:{self.media_type};base64,{self.data or ''}"

    @property
    def words(self) -> str:
        """Words that stand for it where it cannot stand."""
        named = f" {self.name}" if self.name else ""
        size = "" if self.data is None else f", {(len(self.data.rstrip('=')) * 3) // 4} bytes"
        return f"[{self.media_type or 'a file'}{named}{size}]"


def media_of_uri(uri: str, name: str | None = None, kind: str = "image") -> Media:
    """Return the media of a URL, which may be a data URL."""
    head, comma, data = uri.partition(",")
    if not uri.startswith("data:") or not comma:
        return Media(kind, None, uri, name)
    return Media(head.removeprefix("data:").partition(";")[0].lower(), data, None, name)


def media_in(part: Item) -> Media | None:
    """Return what a content part has beside words; None where it has none."""
    if part.get("type") in _WORDS:  # most parts
        return None
    match part:
        case {"type": "image" | "document" as kind, "source": dict()}:
            source = object_at(part, "source")
            name = text_at(part, "title")
            if source.get("type") == "base64":
                return Media(
                    text_at(source, "media_type") or "", text_at(source, "data"), None, name
                )
            url = text_at(source, "url")
            return None if url is None else Media(str(kind), None, url, name)
        case {"type": "image" | "audio", "data": str(data), **rest}:
            return Media(text_at(rest, "mimeType", "mime_type") or "", data)
        case {"type": "image_url", "image_url": {"url": str(uri)} | str(uri)}:
            return media_of_uri(uri)
        case {"type": "input_image", "image_url": str(uri)}:
            return media_of_uri(uri)
        case {"type": "file", "file": {"file_data": str(uri)}}:
            return media_of_uri(uri, text_at(object_at(part, "file"), "filename"), "file")
        case {"type": "input_file", "file_data": str(uri)}:
            return media_of_uri(uri, text_at(part, "filename"), "file")
        case {"inlineData": {"data": str(data)}}:
            return Media(text_at(object_at(part, "inlineData"), "mimeType") or "", data)
        case _:
            return None


def parts_in(content: JsonValue) -> Sequence[str | Media] | None:
    """Return the texts and media of a result: parts, or their JSON; None where it has no media."""
    value = _value_of(content) if isinstance(content, str) else content
    if isinstance(value, dict):
        value = value["content"] if value.keys() <= _BESIDE and "content" in value else [value]
    if not isinstance(value, list):
        return None
    parts = [*map(_part, value)]
    return parts if any(isinstance(part, Media) for part in parts) else None


def _value_of(text: str) -> JsonValue:
    has = text.__contains__
    if text[:1] not in {"[", "{"} or not (any(map(has, _KEYS)) and any(map(has, _SIGNS))):
        return None
    try:
        return parse(text)
    except InvalidJson:
        return None


def _part(value: JsonValue) -> str | Media:
    match value:
        case {"type": "text" | "input_text" | "output_text", "text": str(text)}:
            return text
        case {"text": str(text), **rest} if not rest:
            return text
        case dict():
            media = media_in(value)
            return print_text(value) if media is None else media
        case str():
            return value
        case _:
            return print_text(value)
