"""Calls of OpenAI's chat and their results: the only place that knows their shapes.

Beside the API's own, `{id, type, function: {name, arguments}}` and `{id, type, custom: {name,
input}}`, programs write `{id, name, arguments}` (tau2-bench, `src/tau2/data_model/message.py`;
items of Responses), arguments that are an object (Ollama), and calls and results without ids
(mistral-vibe, `vibe/core/types.py`). The API of the functions that tools replaced took a result
right after its call.
"""

from collections.abc import Iterable, Iterator, MutableMapping
from typing import NamedTuple

from agentlog.domain.errors import Flaw, InvalidMessage
from agentlog.domain.json.values import JsonValue, array_of, object_at, object_of
from agentlog.projections.call_texts import call_fields
from agentlog.projections.readers.draft import Draft, text_field
from agentlog.projections.readers.fields import Fields, text_of_id, unpacked
from agentlog.projections.readers.reading import Entry
from agentlog.projections.view import Item

OpenCalls = MutableMapping[str, str]
"""Names of calls without a result, by id, in their order."""

RESULT_ROLES = frozenset({"tool", "function"})
"""Roles of messages with a result."""
UNNAMED = "at:"
"""How the ids begin that calls get which have none: the place of the call follows."""

_CALL = {"id", "type", "function"}
_FUNCTION = {"name", "arguments"}
_NESTED = frozenset({*_CALL, "custom"})
_FLAT = _NESTED | _FUNCTION


class Call(NamedTuple):
    """A call of any of the shapes.

    `arguments` is a text as the model wrote it, a value that a program parsed, or None for none.
    """

    id: JsonValue
    name: str
    arguments: JsonValue
    is_custom: bool = False

    @property
    def fields(self) -> Item:
        """Name and arguments as a call of ours has them."""
        if self.is_custom:  # a text in no format, even if it looks like JSON
            return {"name": self.name, "argumentsText": self.arguments}
        return call_fields(self.name, self.arguments)


def call_of(value: JsonValue) -> Call | None:
    """Return the call that a value is, None if it is none."""
    match call := object_of(value):
        case {"custom": {"name": str(name), "input": str(text)}}:
            return Call(call.get("id"), name, text, is_custom=True)
        case {"function": {"name": str(name)}}:
            return Call(call.get("id"), name, object_at(call, "function").get("arguments"))
        case {"name": str(name), "arguments": arguments}:
            return Call(call.get("id"), name, arguments)
        case _:
            return None


def is_nested(call: Item) -> bool:
    """Return whether an object has the name of a call in an object within it, as the API has."""
    return "function" in call or "custom" in call


def is_definition(tool: JsonValue) -> bool:
    """Return whether a value is the definition of a tool, as requests have it."""
    match tool:
        case {"type": "function", "function": dict()}:
            return True
        case _:
            return False


def take_call(call: Fields, key: str = "id") -> Item | None:
    """Take the call that an object is, with its id under `key`; None if it is none.

    A call without an id gets one of its place.
    """
    read = call_of(call.item)
    if read is None:
        return None
    call.take_equal({"type": "function"})
    inner = call.inner("custom" if read.is_custom else "function")
    (inner or call).drop("name", "input" if read.is_custom else "arguments")
    return {"id": _taken_id(call, key), **read.fields}


def take_calls(calls: Iterable[Fields]) -> list[Item]:
    """Take the calls among objects."""
    return [asked for call in calls if (asked := take_call(call)) is not None]


def read_call(entry: Entry, call: Fields, key: str = "id") -> None:
    """Add the call that an object is; what is none is kept."""
    asked = take_call(call, key)
    if asked is None:
        entry.keep(call, "call")
    else:
        entry.add({"type": "tool_calls", "calls": [asked]}, call)


def add_call(
    entry: Entry, call: Fields, name: str, args: JsonValue, *beside: Fields, key: str = "id"
) -> None:
    """Add a call of another shape, its id under `key`; a string of arguments is kept as it is.

    What is left of the objects `beside` is kept with it.
    """
    asked: Item = {"id": _taken_id(call, key), **call_fields(name, args)}
    entry.add({"type": "tool_calls", "calls": [asked]}, call, *beside)


def _taken_id(call: Fields, key: str) -> str:
    return text_of_id(call.take(key)) or UNNAMED + call.place


def add_result(entry: Entry, part: Fields, result: Item, **of_draft: JsonValue) -> None:
    """Add the result of a call; an empty call id is none."""
    fields = {key: value for key, value in result.items() if key != "callId" or value}
    entry.add({"type": "tool_results", **of_draft, "results": [fields]}, part)


def answer_unnamed(drafts: Iterable[Draft]) -> None:
    """Give results without a call id that of the first open call without one, of the same name."""
    waiting: dict[str, str] = {}
    for draft in drafts:
        match draft:
            case {"type": "tool_calls", "calls": [{"id": str(call_id), "name": str(name)}]} if (
                call_id.startswith(UNNAMED)
            ):
                waiting[call_id] = name
            case {"type": "tool_results", "results": [dict(result)]} if "callId" not in result:
                fitting = (k for k, name in waiting.items() if result.get("name", name) == name)
                if (asked := next(fitting, None)) is not None:
                    result["callId"] = asked
                    del waiting[asked]
            case _:
                pass


def calls_in(item: Item, index: int) -> list[Item]:
    """Return the calls of a chat message at an index; those without an id are named by their place.

    Raises:
        InvalidMessage: one is no call.
    """
    calls = unpacked(item.get("tool_calls") or [])  # an archive may have them as a text
    if not isinstance(calls, list):
        raise InvalidMessage([Flaw("tool_calls", "not an array")])
    if calls or item.get("function_call") is None:
        return [
            _call(call, f"tool_calls[{n}]", f"call-{index}-{n}") for n, call in enumerate(calls)
        ]
    match item["function_call"]:
        case {"name": str(name), "arguments": str(arguments)}:
            return [{"id": _id_of_function(index), **call_fields(name, arguments)}]
        case _:
            reason = "not a call: it needs name and arguments (strings)"
            raise InvalidMessage([Flaw("function_call", reason)])


def _call(value: JsonValue, place: str, unnamed: str) -> Item:
    call = call_of(value)
    if call is None:
        reason = "not a call: it needs a function with name and arguments, or a name and arguments"
        raise InvalidMessage([Flaw(place, reason)])
    if not isinstance(call.id, str | None):
        raise InvalidMessage([Flaw(f"{place}.id", "not a string")])
    return {"id": call.id or unnamed, **call.fields}


def result_of(item: Item, index: int, output: JsonValue, calls: OpenCalls) -> Item:
    """Return the result in a chat message at an index, and close its call.

    Without a `tool_call_id` it answers the call before, if it is a function's; else the call of the
    item's `id`, as in tau2-bench, or the first open one, of the tool that the item names.
    """
    given = item.get("tool_call_id")
    if not isinstance(given, str | None):
        raise InvalidMessage([Flaw("tool_call_id", "not a string")])
    if item["role"] == "function":
        if given == "":
            raise InvalidMessage([Flaw("tool_call_id", "empty")])
        call_id = given or _id_of_function(index - 1)
        return {"callId": call_id, "name": text_field(item, "name"), "output": output}
    tool = _tool_of(item)
    answered = given or _of_order(item, tool, calls)
    result: Item = {} if answered is None else {"callId": answered}
    if answered is not None:
        calls.pop(answered, None)
    return {**result, "output": output, **({} if tool is None else {"name": tool})}


def _id_of_function(index: int) -> str:
    return f"function-{index}"


def _of_order(item: Item, tool: str | None, calls: OpenCalls) -> str | None:
    own = item.get("id")
    if isinstance(own, str) and own in calls:
        return own
    return next((key for key, name in calls.items() if tool in (None, name)), None)


def _tool_of(item: Item) -> str | None:
    """Return the tool that an item names; `tool_name` is Ollama's."""
    names = (item.get("name"), item.get("tool_name"))
    return next((name for name in names if isinstance(name, str)), None)


def unknown_fields(item: Item) -> Iterator[tuple[str, str]]:
    """Yield the place and name of each field of calls that is read from none of their shapes."""
    for n, call in enumerate(map(object_of, array_of(unpacked(item.get("tool_calls"))))):
        known = _NESTED if is_nested(call) else _FLAT
        for key, value in call.items():
            if key not in known and value is not None:
                yield f"tool_calls[{n}].{key}", f"field {key!r}"


def is_plain_call(call: JsonValue) -> bool:
    """Return whether a value is a call as the API prints it, with nothing beside."""
    # runs for every call: `match` patterns take 3x as long
    if type(call) is not dict or call.keys() != _CALL or call["type"] != "function":
        return False
    call_id, function = call["id"], call["function"]
    if type(function) is not dict or function.keys() != _FUNCTION:
        return False
    name, arguments = function["name"], function["arguments"]
    return call_id != "" and type(call_id) is type(name) is type(arguments) is str
