"""Reader of OpenAI chat messages, as stored in agents' trajectories."""

import re
from collections.abc import Sequence

from domain.errors import Flaw, InvalidMessage
from domain.json.text import JsonValue
from projections.readers.draft import Draft, Reader, text_field
from projections.readers.history import format_of_items
from projections.text_format import call_fields
from projections.view import Item
from projections.views.openai import OpenAIOptions, OpenAIView

_DATA_URI = re.compile(r"data:(?P<mime>[^;,]*);base64,(?P<data>[A-Za-z0-9+/\r\n]*={0,2}[\r\n]*)\Z")


def _read(item: Item, index: int) -> Sequence[Draft]:
    match item.get("role"):
        case "system" | "developer":
            return [{"type": "system", "text": _text(item)}]
        case "user":
            return [_input(item)]
        case "assistant":
            return _assistant(item, index)
        case "tool":
            result: Item = {"callId": _call_id(item), "output": _text(item)}
            if isinstance(item.get("name"), str):
                result["name"] = item["name"]
            return [{"type": "tool_results", "results": [result]}]
        case role:
            known = "system, developer, user, assistant or tool"
            raise InvalidMessage([Flaw("role", f"{role!r} is none: use {known}")])


def _assistant(item: Item, index: int) -> Sequence[Draft]:
    calls = item.get("tool_calls") or []
    if not isinstance(calls, list):
        raise InvalidMessage([Flaw("tool_calls", "not an array")])
    drafts: list[Draft] = []
    if item.get("content") is not None or not calls:
        drafts.append({"type": "reply", "text": _text(item)})
    if calls:
        read = [_call(call, f"tool_calls[{n}]") for n, call in enumerate(calls)]
        drafts.append({"type": "tool_calls", "calls": read})
    if len(drafts) > 1:  # one model response: the view joins what shares its id
        metadata = {"responseId": f"import-{index}"}
        return [{**draft, "metadata": metadata} for draft in drafts]
    return drafts


def _call(call: JsonValue, place: str) -> Item:
    match call:
        case {
            "id": str(call_id),
            "function": {"name": str(name), "arguments": str(arguments)},
        } if call_id:
            return {"id": call_id, **call_fields(name, arguments)}
        case {"id": str(call_id), "custom": {"name": str(name), "input": str(text)}} if call_id:
            return {"id": call_id, "name": name, "argumentsText": text}
        case _:
            reason = "not a call: it needs an id, and a function with name and arguments (strings)"
            raise InvalidMessage([Flaw(place, reason)])


def _input(item: Item) -> Draft:
    content = item.get("content")
    if not isinstance(content, list):
        return {"type": "input", "text": _text(item)}
    texts = [part["text"] for part in content if _is_text(part)]
    files = [file for part in content if (file := _file(part)) is not None]
    draft: Draft = {"type": "input"}
    if texts or not files:
        draft["text"] = "".join(texts)
    if files:
        draft["files"] = files
    return draft


def _file(part: JsonValue) -> Item | None:
    match part:
        case {"type": "image_url", "image_url": {"url": str(uri)}}:
            filename = None
        case {"type": "file", "file": {"file_data": str(uri)} as file}:
            filename = file.get("filename")
        case _:  # references and parts without bytes stay in the residue
            return None
    found = _DATA_URI.match(uri)
    if found is None:
        return None
    read: Item = {"data": found["data"], "mimeType": found["mime"]}
    if isinstance(filename, str):
        read["filename"] = filename
    return read


def _text(item: Item) -> str:
    match item.get("content"):
        case str(text):
            return text
        case None:
            refusal = item.get("refusal")
            return refusal if isinstance(refusal, str) else ""
        case list(parts):
            return "".join(part["text"] for part in parts if _is_text(part)) or _refusal(parts)
        case _:
            raise InvalidMessage([Flaw("content", "neither a string nor an array of parts")])


def _refusal(parts: Sequence[JsonValue]) -> str:
    return "".join(
        part["refusal"]
        for part in parts
        if isinstance(part, dict) and isinstance(part.get("refusal"), str)
    )


def _call_id(item: Item) -> str:
    call_id = text_field(item, "tool_call_id")
    if not call_id:
        raise InvalidMessage([Flaw("tool_call_id", "empty")])
    return call_id


def _is_text(part: JsonValue) -> bool:
    match part:
        case {"type": "text", "text": str()}:
            return True
        case _:
            return False


def _is_plain(item: Item) -> bool:
    """Return whether an item has only the fields and types that the view writes."""
    # runs for every item: `match` patterns take 3x as long
    keys, role, content = item.keys(), item.get("role"), item.get("content")
    if keys == _OF_TEXT:
        return type(content) is str and role in _WITH_TEXT
    if keys == _OF_CALLS:
        calls = item["tool_calls"]
        known = role == "assistant" and (content is None or type(content) is str)
        return known and type(calls) is list and calls != [] and all(map(_is_plain_call, calls))
    if keys in _OF_RESULTS:
        call_id, name = item["tool_call_id"], item.get("name", "")
        texts = type(call_id) is type(content) is type(name) is str
        return texts and role == "tool" and call_id != ""
    return False


def _is_plain_call(call: JsonValue) -> bool:
    if type(call) is not dict or call.keys() != _OF_CALL or call["type"] != "function":
        return False
    call_id, function = call["id"], call["function"]
    if type(function) is not dict or function.keys() != _OF_FUNCTION:
        return False
    name, arguments = function["name"], function["arguments"]
    return call_id != "" and type(call_id) is type(name) is type(arguments) is str


_OF_TEXT = {"role", "content"}
_OF_CALLS = _OF_TEXT | {"tool_calls"}
_OF_RESULTS = (_OF_TEXT | {"tool_call_id", "name"}, _OF_TEXT | {"tool_call_id"})
_OF_CALL = {"id", "type", "function"}
_OF_FUNCTION = {"name", "arguments"}
_WITH_TEXT = ("system", "user", "assistant")  # not a set: a role may be unhashable

READER = Reader("openai", _read, OpenAIView(OpenAIOptions(foreign=True, repair=False)), _is_plain)


def _is_message(value: JsonValue) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("role"), str)
        and ("content" in value or "tool_calls" in value)
    )


_FACTS = ("tools", "parallel_tool_calls")
"""Of a line of fine-tuning data, or of a request to the API."""

FORMAT = format_of_items(READER, "OpenAI chat messages", _is_message, is_general=True, facts=_FACTS)
