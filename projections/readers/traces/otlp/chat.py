"""OpenAI's chat messages as messages with parts, as Langfuse and old log events have them."""

from domain.json.text import JsonValue
from projections.view import Item


def chat_message(item: Item, *, role: str | None = None) -> Item:
    """Return the message with parts of a chat message; what is no text is a part as it is."""
    given = item.get("role")
    role = role or (given if isinstance(given, str) else "user")
    parts = _parts(item.get("content"))
    if role == "tool":
        said = item.get("content")
        call_id = item.get("tool_call_id", item.get("id"))
        response: Item = {"type": "tool_call_response", "id": call_id, "response": said}
        if item.get("name") is not None:
            response["name"] = item["name"]
        return {"role": role, "parts": [response]}
    calls = item.get("tool_calls")
    if isinstance(calls, list):
        parts += [_call(each) for each in calls]
    return {"role": role, "parts": parts}


def chat_messages(value: JsonValue, *, role: str) -> list[Item]:
    """Return the messages of a prompt or an answer: chat messages, one of them, or any value."""
    match value:
        case None | "" | []:
            return []
        case {"messages": list(items)} | list(items) if all(map(_is_message, items)):
            return [chat_message(each) for each in items]
        case dict() if _is_message(value):
            return [chat_message(value)]
        case _:
            return [{"role": role, "parts": _parts(value)}]


def _is_message(value: JsonValue) -> bool:
    return isinstance(value, dict) and "role" in value


def _parts(content: JsonValue) -> list[Item]:
    match content:
        case None | "":
            return []
        case str():
            return [{"type": "text", "content": content}]
        case list():
            return [_part(each) for each in content]
        case _:
            return [{"type": "unknown", "content": content}]


def _part(value: JsonValue) -> Item:
    match value:
        case str():
            return {"type": "text", "content": value}
        case {"type": "text" | "input_text" | "output_text", "text": str(said)}:
            return {"type": "text", "content": said}
        case {"type": str()}:
            return dict(value)
        case _:
            return {"type": "unknown", "content": value}


def _call(value: JsonValue) -> Item:
    match value:
        case {"function": {"name": str(name), **more}, **call}:
            found = more.get("arguments")
            return {"type": "tool_call", "id": call.get("id"), "name": name, "arguments": found}
        case _:
            return {"type": "unknown", "content": value}
