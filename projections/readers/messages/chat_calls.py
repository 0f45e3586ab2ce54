"""Calls of OpenAI chat messages: as the API has them, and as programs that follow it write them.

Other shapes seen: `{id, name, arguments: {…}}` (tau2-bench, `src/tau2/data_model/message.py`), a
function with an object of arguments (Ollama), calls and results without ids (mistral-vibe,
`vibe/core/types.py`). The API of the functions that tools replaced took a result right after its
call.
"""

from collections.abc import MutableMapping

from agentlog.domain.errors import Flaw, InvalidMessage
from agentlog.domain.json.values import JsonValue, object_at, object_of
from agentlog.projections.call_texts import call_fields
from agentlog.projections.view import Item

OpenCalls = MutableMapping[str, str]
"""Names of calls without a result, by id, in their order."""

CALL_FIELDS = frozenset({"id", "type", "function", "custom"})
_FLAT = frozenset({"name", "arguments"})


def calls_in(item: Item, index: int) -> list[Item]:
    """Return the calls of the item at an index; those without an id are named by their place.

    Raises:
        InvalidMessage: one is no call.
    """
    calls = item.get("tool_calls") or []
    if not isinstance(calls, list):
        raise InvalidMessage([Flaw("tool_calls", "not an array")])
    if calls or item.get("function_call") is None:
        return [
            _call(call, f"tool_calls[{n}]", f"call-{index}-{n}") for n, call in enumerate(calls)
        ]
    match item["function_call"]:
        case {"name": str(name), "arguments": str(arguments)}:
            return [{"id": call_of_function(index), **call_fields(name, arguments)}]
        case _:
            reason = "not a call: it needs name and arguments (strings)"
            raise InvalidMessage([Flaw("function_call", reason)])


def call_of_function(index: int) -> str:
    """Return the id of a function's call at an index."""
    return f"function-{index}"


def _call(value: JsonValue, place: str, unnamed: str) -> Item:
    call = object_of(value)
    match call:
        case {"custom": {"name": str(name), "input": str(text)}}:
            fields: Item = {"name": name, "argumentsText": text}
        case {"function": {"name": str(name)}}:
            fields = named_call(name, object_at(call, "function").get("arguments"))
        case {"name": str(name), "arguments": arguments}:
            fields = named_call(name, arguments)
        case _:
            reason = (
                "not a call: it needs a function with name and arguments, or a name and arguments"
            )
            raise InvalidMessage([Flaw(place, reason)])
    given = call.get("id")
    if not isinstance(given, str | None):
        raise InvalidMessage([Flaw(f"{place}.id", "not a string")])
    return {"id": given or unnamed, **fields}


def named_call(name: str, arguments: JsonValue) -> Item:
    """Return name and arguments of a call; a text of arguments is kept as it is spelled."""
    match arguments:
        case str(text):
            return call_fields(name, text)
        case None:
            return {"name": name}
        case value:
            return {"name": name, "args": value}


def answered(item: Item, calls: OpenCalls) -> str | None:
    """Return the id of the call that a tool's item answers, and close it; None where none is open.

    Without a `tool_call_id` it is the call of the item's `id`, as in tau2-bench, else the first
    open one, of the tool that the item names.
    """
    given = item.get("tool_call_id")
    if not isinstance(given, str | None):
        raise InvalidMessage([Flaw("tool_call_id", "not a string")])
    call_id = given or _of_order(item, calls)
    if call_id is not None:
        calls.pop(call_id, None)
    return call_id


def _of_order(item: Item, calls: OpenCalls) -> str | None:
    own, tool = item.get("id"), tool_of(item)
    if isinstance(own, str) and own in calls:
        return own
    return next((key for key, name in calls.items() if tool in (None, name)), None)


def tool_of(item: Item) -> str | None:
    """Return the tool that an item names; `tool_name` is Ollama's."""
    names = (item.get("name"), item.get("tool_name"))
    return next((name for name in names if isinstance(name, str)), None)


def unknown_fields(call: Item) -> list[str]:
    """Return the fields of a call that are read from none of its shapes."""
    known = CALL_FIELDS if "function" in call or "custom" in call else CALL_FIELDS | _FLAT
    return [key for key, value in call.items() if key not in known and value is not None]
