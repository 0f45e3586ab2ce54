"""Residues on the OpenAI wire: what an item shows of them, and what OpenAI's API takes of that.

The keys, content parts and calls are those of `ChatCompletionMessageParam` in openai 3.54.
"""

from collections.abc import Collection, Mapping
from typing import Annotated, Any, Literal, NotRequired

from pydantic import Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from agentlog.domain.json.values import JsonValue, array_of, object_of
from agentlog.projections.residue import apply_residue
from agentlog.projections.view import Item
from agentlog.projections.views.chat import call_ids


class _Text(TypedDict):
    type: Literal["text"]
    text: str


class _Refusal(TypedDict):
    type: Literal["refusal"]
    refusal: str


class _ImageUrl(TypedDict):
    url: str
    detail: NotRequired[Literal["auto", "low", "high", "original"]]


class _Image(TypedDict):
    type: Literal["image_url"]
    image_url: _ImageUrl


class _AudioData(TypedDict):
    data: str
    format: Literal["wav", "mp3"]


class _Audio(TypedDict):
    type: Literal["input_audio"]
    input_audio: _AudioData


class _FileData(TypedDict, total=False):
    file_data: str
    file_id: str
    filename: str


class _File(TypedDict):
    type: Literal["file"]
    file: _FileData


class _Function(TypedDict):
    name: str
    arguments: str


class _FunctionCall(TypedDict):
    id: str
    type: Literal["function"]
    function: _Function


class _Custom(TypedDict):
    name: str
    input: str


class _CustomCall(TypedDict):
    id: str
    type: Literal["custom"]
    custom: _Custom


class _AudioReply(TypedDict):
    id: str


Types = Mapping[str, TypeAdapter[Any]]

_PARTS: Types = {
    "user": TypeAdapter(_Text | _Image | _Audio | _File),
    "assistant": TypeAdapter(_Text | _Refusal),
}
_TEXT: TypeAdapter[Any] = TypeAdapter(_Text)

_NAMED: Types = {"role": TypeAdapter(str), "name": TypeAdapter(str)}
_KEYS: Mapping[str, Types] = {
    "system": _NAMED,
    "developer": _NAMED,
    "user": _NAMED,
    "assistant": {
        **_NAMED,
        "refusal": TypeAdapter(str | None),
        "audio": TypeAdapter(_AudioReply | None),
        "function_call": TypeAdapter(_Function | None),
        "tool_calls": TypeAdapter(
            Annotated[list[_FunctionCall | _CustomCall], Field(min_length=1)]
        ),
    },
    "tool": {"role": TypeAdapter(str), "tool_call_id": TypeAdapter(str)},
}
_IN_PLACE_OF_CONTENT = ("tool_calls", "refusal", "audio", "function_call")


def restored(
    item: Item, residue: JsonValue, *, foreign: bool, also: Collection[str], repair: bool = False
) -> Item:
    """Return `item` with its residue: all of it if `foreign`, else what the API takes, and `also`.

    Who speaks, and who answers whom, stays. For `repair`, a result keeps parts that only a user's
    message may have.
    """
    if residue is None:  # most messages have none
        return item
    if foreign and _is_looser(item, residue):
        return apply_residue(item, residue, _may_change_loosely)
    whole = apply_residue(item, residue, _may_change)
    return whole if foreign else _accept(whole, item, also, repair=repair)


def shown_whole(item: JsonValue, *, foreign: bool) -> Item | None:
    """Return an item that a message has as its payload: all of it, or what the API takes.

    None where nothing would be shown, or where the item has calls or is a result.
    """
    match item:
        case {"role": "system" | "developer" | "user" | "assistant" as role, **fields}:
            if fields.get("tool_calls") or fields.get("function_call"):
                return None
        case _:
            return None
    whole = object_of(item)
    if foreign:
        return dict(whole)
    accepted = _accept(whole, {"role": role, "content": ""}, ())
    return accepted if any(map(accepted.get, ("content", "refusal", "audio"))) else None


def _is_looser(item: Item, residue: JsonValue) -> bool:
    """Return whether a residue says the same as an item, with functions or without ids."""
    match item, residue:
        case (
            {"role": "assistant", "tool_calls": [{"function": called}]},
            {"set": {"function_call": call}, "unset": list(gone)},
        ):
            return "tool_calls" in gone and bool(called == call)
        case {"role": "assistant", "tool_calls": list(calls)}, {"set": {"tool_calls": list(call)}}:
            pairs = zip(call_ids(calls), call_ids(call), strict=False)
            return len(calls) == len(call) and all(own in (None, "", given) for given, own in pairs)
        case {"role": "assistant", "tool_calls": _}, {"set": {"tool_calls": str()}}:
            return True
        case {"role": "tool"}, {"set": {"role": "function"} | {"tool_call_id": None | ""}}:
            return True
        case {"role": "tool"}, {"unset": list(gone)}:
            return "tool_call_id" in gone
        case {"role": role}, {"set": {"role": other}}:
            return _is_speaker(role, other)
        case _:
            return False


def _is_speaker(role: JsonValue, other: JsonValue) -> bool:
    """Return whether a role that the API does not have stands for one that it has."""
    return role in ("user", "assistant") and isinstance(other, str) and other not in _KEYS


def _may_change_loosely(item: Item, key: str, value: JsonValue) -> bool:
    """Permit what `_may_change` does, and functions in the place of tools, or no ids."""
    if key == "role" and item["role"] == "tool":
        return bool(value == "function")
    if key == "role" and _is_speaker(item["role"], value):
        return True
    if key == "tool_calls":
        return value is None or isinstance(value, list | str)
    return (key == "tool_call_id" and value in (None, "")) or _may_change(item, key, value)


def _accept(item: Item, plain: Item, also: Collection[str], *, repair: bool = False) -> Item:
    """Return `item` with what the API takes; the rest of its keys as in `plain`, if there."""
    role, accepted = str(item["role"]), Item()
    for key, value in item.items():
        if key in also:
            accepted[key] = value
        elif key == "content":
            parts = _parts("user" if repair and role == "tool" else role, value)
            accepted[key] = parts or plain[key] if isinstance(value, list) else value
        elif key == "function_call" and "tool_calls" in plain:  # the API takes one of them
            continue
        elif key in _KEYS[role]:
            try:
                accepted[key] = _KEYS[role][key].validate_python(value, strict=True)
            except ValidationError:
                continue
    accepted = {**{key: value for key, value in plain.items() if key in item}, **accepted}
    if accepted.get("content") is None and not any(map(accepted.get, _IN_PLACE_OF_CONTENT)):
        accepted["content"] = plain["content"]
    return accepted


def _parts(role: str, parts: JsonValue) -> list[JsonValue]:
    accepted: list[JsonValue] = []
    for part in array_of(parts):
        try:
            accepted.append(_PARTS.get(role, _TEXT).validate_python(part, strict=True))
        except ValidationError:
            continue
    return accepted


def _may_change(item: Item, key: str, value: JsonValue) -> bool:
    """Permit any change except of ids and roles (`developer` may replace `system`)."""
    match key:
        case "role":
            return bool(item["role"] == "system" and value == "developer")
        case "tool_call_id":
            return bool(item["role"] != "tool")
        case "agentlog":  # marks only what this view did
            return False
        case "tool_calls":
            same = call_ids(value) == call_ids(item.get("tool_calls"))
            return same and (value is None or isinstance(value, list))
        case "content":
            return _is_content(value) or value is None
        case _:
            return True


def _is_content(value: JsonValue) -> bool:
    if isinstance(value, list):
        kinds = (object_of(part).get("type", object_of(part).get("text")) for part in value)
        return all(isinstance(kind, str) for kind in kinds)
    return isinstance(value, str)
