"""Content of Letta messages: a text, or parts with texts and images."""

import re

from agentlog.domain.errors import Flaw, InvalidMessage
from agentlog.domain.json.values import JsonValue, array_of, objects_of
from agentlog.projections.readers.draft import Draft
from agentlog.projections.view import Item

_BASE64 = re.compile(r"[A-Za-z0-9+/\r\n]*={0,2}\s*")


def parts_text(item: Item, key: str) -> str:
    """Return the text under `key`, its parts joined, or raise `InvalidMessage`."""
    match item.get(key):
        case str(text):
            return text
        case list(parts):
            return "".join(str(part["text"]) for part in objects_of(parts) if _is_text(part))
        case _:
            reason = "missing" if key not in item else "neither a string nor an array of parts"
            raise InvalidMessage([Flaw(key, reason)])


def input_draft(item: Item) -> Draft:
    """Return the input for a user's message; parts without bytes stay in the residue."""
    text, content = parts_text(item, "content"), item["content"]
    parts = array_of(content)
    files = [file for part in parts if (file := image_file(part)) is not None]
    if not files:
        return {"type": "input", "text": text}
    draft: Draft = {"type": "input", "files": [*files]}
    return {**draft, "text": text} if any(map(_is_text, parts)) else draft


def image_file(part: JsonValue) -> Item | None:
    """Return the image in a part; None where it is none, or has no bytes."""
    match part:
        case {"source": {"type": "base64", "media_type": str(mime_type), "data": str(data)}}:
            return {"data": data, "mimeType": mime_type} if _BASE64.fullmatch(data) else None
        case _:
            return None


def _is_text(part: JsonValue) -> bool:
    match part:
        case {"text": str()}:
            return True
        case _:
            return False
