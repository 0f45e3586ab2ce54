"""Messages that stand in attributes with numbers in their names, as `llm.input_messages.0…`."""

from collections.abc import Mapping, Sequence

from agentlog.domain.json.values import JsonValue, object_at, object_of
from agentlog.projections.readers.messages.calls import call_of
from agentlog.projections.view import Item

_MOST_DIGITS = 9


def indexed_messages(attributes: Mapping[str, JsonValue], *prefixes: str) -> Sequence[Item]:
    """Return the messages under one of the prefixes in the order of their numbers, in parts."""
    starts = tuple(f"{prefix}." for prefix in prefixes)
    keys = [key for key in attributes if key.startswith(starts)]
    start = next((start for start in starts if keys and keys[0].startswith(start)), "")
    return [_message(message) for message in _numbered(_tree(attributes, keys, start), "message")]


def _tree(attributes: Mapping[str, JsonValue], keys: Sequence[str], start: str) -> Item:
    """Return attributes whose names start so as objects within objects, by the dots after it.

    A value stands under `.`, which no part of a name is.
    """
    tree: Item = {}
    for key in keys:
        if key.startswith(start):
            inner = tree
            for part in key[len(start) :].split("."):
                branch = inner.setdefault(part, {})
                inner = object_of(branch)
            inner["."] = attributes[key]
    return tree


def _numbered(tree: Item, name: str) -> list[Item]:
    """Return the objects with numbers as keys, in order, each without the `name` around it."""
    numbers = (key for key in tree if key.isdecimal() and len(key) <= _MOST_DIGITS)
    objects = (object_at(tree, key) for key in sorted(numbers, key=int))
    return [object_at(inner, name) if name in inner else inner for inner in objects]


def _message(tree: Item) -> Item:
    parts = [
        _content(content) for content in _numbered(object_at(tree, "contents"), "message_content")
    ]
    content, role = _at(tree, "content"), _at(tree, "role")
    texts = [part["content"] for part in parts if part["type"] == "text"]
    joined = [sign.join(map(str, texts)) for sign in ("", "\n")]
    if content is not None and content not in (*texts, *joined):
        parts.insert(0, {"type": "text", "content": content})
    parts += [_call(call) for call in _numbered(object_at(tree, "tool_calls"), "tool_call")]
    if role == "tool":
        contents: list[JsonValue] = [part.get("content") for part in parts]
        response = contents[0] if len(contents) == 1 else contents
        result: Item = {"type": "tool_call_response", "id": _at(tree, "tool_call_id")}
        result["response"] = response
        if (name := _at(tree, "name")) is not None:
            result["name"] = name
        parts = [result]
    return {"role": role, "parts": [*parts]}


def _content(tree: Item) -> Item:
    kind, url = _at(tree, "type"), _at(object_at(tree, "image", "image"), "url")
    if isinstance(url, str):
        return {"type": "uri", "modality": "image", "uri": url}
    content = _at(tree, "text")
    if kind == "reasoning":
        return {"type": "reasoning", "content": content}
    return {"type": "text" if isinstance(content, str) else "unknown", "content": content}


def _call(tree: Item) -> Item:
    call = call_of({"arguments": None, **_plain(tree)})
    part: Item = {"type": "tool_call"}
    return (
        part
        if call is None
        else {**part, "id": call.id, "name": call.name, "arguments": call.arguments}
    )


def _plain(tree: Item) -> Item:
    """Return a tree as an object with its values under their names."""
    return {
        key: branch["."] if "." in branch else _plain(branch)
        for key in tree
        if (branch := object_at(tree, key))
    }


def _at(tree: Item, key: str) -> JsonValue:
    return object_at(tree, key).get(".")
