"""Messages that stand in attributes with numbers in their names, as `llm.input_messages.0…`."""

from collections.abc import Mapping, Sequence

from agentlog.domain.json.text import JsonValue
from agentlog.projections.view import Item

_MOST_DIGITS = 9


def indexed_messages(attributes: Mapping[str, JsonValue], prefix: str) -> Sequence[Item]:
    """Return the messages under a prefix in the order of their numbers, in parts."""
    return [_message(message) for message in _numbered(nested(attributes, prefix))]


def nested(attributes: Mapping[str, JsonValue], prefix: str) -> Item:
    """Return the attributes under a prefix as objects within objects, by the dots of their names.

    A value stands under `.`, which no part of a name is.
    """
    message: Item = {}
    for key, value in attributes.items():
        if key.startswith(f"{prefix}."):
            inner = message
            for part in key[len(prefix) + 1 :].split("."):
                inner = inner.setdefault(part, {})
            inner["."] = value
    return message


def _numbered(tree: Item) -> list[Item]:
    numbers = (key for key in tree if key.isdecimal() and len(key) <= _MOST_DIGITS)
    return [tree[key] for key in sorted(numbers, key=int)]


def _message(tree: Item) -> Item:
    tree = tree.get("message", tree)
    parts: list[Item] = []
    content = _at(tree, "content")
    contents, calls = (_numbered(tree.get(key, {})) for key in ("contents", "tool_calls"))
    parts += [_content(content.get("message_content", content)) for content in contents]
    texts = [part["content"] for part in parts if part["type"] == "text"]
    if content is not None and content not in (*texts, "".join(texts), "\n".join(texts)):
        parts.insert(0, {"type": "text", "content": content})
    parts += [_call(call.get("tool_call", call)) for call in calls]
    role = _at(tree, "role")
    call_id = _at(tree, "tool_call_id")
    if role == "tool":
        parts_content = [part.get("content") for part in parts]
        response = parts_content[0] if len(parts_content) == 1 else parts_content
        parts = [{"type": "tool_call_response", "id": call_id, "response": response}]
        if (name := _at(tree, "name")) is not None:
            parts[0]["name"] = name
    return {"role": role, "parts": parts}


def _content(tree: Item) -> Item:
    kind, url = _at(tree, "type"), _at(tree.get("image", {}).get("image", {}), "url")
    if isinstance(url, str):
        return {"type": "uri", "modality": "image", "uri": url}
    content = _at(tree, "text")
    if kind == "reasoning":
        return {"type": "reasoning", "content": content}
    return {"type": "text" if isinstance(content, str) else "unknown", "content": content}


def _call(tree: Item) -> Item:
    function = tree.get("function", tree)
    return {
        "type": "tool_call",
        "id": _at(tree, "id"),
        "name": _at(function, "name"),
        "arguments": _at(function, "arguments"),
    }


def _at(tree: Item, key: str) -> JsonValue:
    branch = tree.get(key)
    return branch.get(".") if isinstance(branch, dict) else None
