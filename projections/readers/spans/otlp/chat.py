"""What OpenAI's APIs have, as messages with parts: as Langfuse and old log events have it."""

from agentlog.domain.json.text import JsonValue
from agentlog.projections.view import Item


def chat_message(item: Item, *, role: JsonValue = None) -> Item:
    """Return the message with parts of a chat message; what is no text is a part as it is."""
    role = role or item.get("role")
    parts = _parts(item.get("content"))
    if role == "tool":
        content = item.get("content")
        call_id = item.get("tool_call_id", item.get("id"))
        response: Item = {"type": "tool_call_response", "id": call_id, "response": content}
        if item.get("name") is not None:
            response["name"] = item["name"]
        return {"role": role, "parts": [response]}
    calls = item.get("tool_calls")
    if isinstance(calls, list):
        parts += [_call(call) for call in calls]
    return {"role": role, "parts": parts}


def chat_messages(value: JsonValue) -> list[Item]:
    """Return the messages of a prompt or an answer: chat messages, one of them, or any value.

    Langfuse tells the definitions of LangChain's tools as messages of tools: they are none.
    """
    match value:
        case None | "" | []:
            return []
        case {"messages": list(items)} | list(items) if all(map(_is_message, items)):
            return [chat_message(item) for item in items if not _is_definition(item)]
        case dict() if _is_message(value):
            return [chat_message(value)]
        case _:
            return response_messages(value) or [{"parts": _parts(value)}]


def response_messages(value: JsonValue) -> list[Item]:
    """Return what an answer of the Responses API says; nothing if it is none."""
    match value:
        case {"object": "response", "output": list(items)} | [
            {"object": "response", "output": list(items)}
        ]:
            return [_response_item(item) for item in items]
        case _:
            return []


def _response_item(item: JsonValue) -> Item:
    """Return the message of an item that the Responses API answers."""
    match item:
        case {"type": "message"}:
            return chat_message(item)
        case {"type": "reasoning", "summary": list(summary)}:
            return {"parts": [{**_part(part), "type": "reasoning"} for part in summary]}
        case _:
            return {"parts": [_part(item)]}


def _is_definition(item: Item) -> bool:
    match item:
        case {"role": "tool", "content": {"type": "function", "function": dict()}}:
            return "tool_call_id" not in item
        case _:
            return False


def _is_message(value: JsonValue) -> bool:
    return isinstance(value, dict) and "role" in value


def _parts(content: JsonValue) -> list[Item]:
    match content:
        case None | "":
            return []
        case str():
            return [{"type": "text", "content": content}]
        case list():
            return [_part(part) for part in content]
        case _:
            return [{"type": "unknown", "content": content}]


def _part(value: JsonValue) -> Item:
    match value:
        case str():
            return {"type": "text", "content": value}
        case {"type": "text" | "input_text" | "output_text" | "summary_text", "text": str(text)}:
            return {"type": "text", "content": text}
        case {"type": "function_call", "call_id": call_id, "name": name, "arguments": arguments}:
            return {"type": "tool_call", "id": call_id, "name": name, "arguments": arguments}
        case {"type": str()}:
            return dict(value)
        case _:
            return {"type": "unknown", "content": value}


def _call(value: JsonValue) -> Item:
    match value:
        case {"function": {"name": str(name), **more}, **call}:
            args = more.get("arguments")
            return {"type": "tool_call", "id": call.get("id"), "name": name, "arguments": args}
        case {"type": "tool_call", "name": str(name), "args": arguments, **call}:  # LangChain's
            return {"type": "tool_call", "id": call.get("id"), "name": name, "arguments": arguments}
        case _:
            return {"type": "unknown", "content": value}
