"""Calls and results among the items of OpenAI's Responses and Conversations."""

from agentlog.domain.json.values import JsonValue
from agentlog.projections.call_texts import call_fields
from agentlog.projections.readers.fields import Fields
from agentlog.projections.readers.messages.calls import UNNAMED
from agentlog.projections.readers.reading import Entry
from agentlog.projections.view import Item

CALLS = {
    "apply_patch_call": ("apply_patch", "operation"),
    "computer_call": ("computer", "action"),
    "local_shell_call": ("local_shell", "action"),
    "program": ("program", "code"),
    "shell_call": ("shell", "action"),
    "tool_search_call": ("tool_search", "arguments"),
}
"""The tool of a kind of call that names none, and where its arguments are."""
OUTPUTS = {
    "apply_patch_call_output": "output",
    "computer_call_output": "output",
    "custom_tool_call_output": "output",
    "function_call_output": "output",
    "local_shell_call_output": "output",
    "program_output": "result",
    "shell_call_output": "output",
    "tool_search_output": "tools",
}
HOSTED = {
    "code_interpreter_call": ("code_interpreter", "code", "outputs"),
    "file_search_call": ("file_search", "queries", "results"),
    "web_search_call": ("web_search", "action", "results"),
}
"""Calls that the provider runs: the tool, and where the arguments and the output are."""


def read_call(entry: Entry, item: Fields, kind: str, error: Item) -> None:
    """Add the messages of a call, a result or an approval; nothing if the item is none.

    `error` has the `error` of a result, known from elsewhere.
    """
    call_id = item.item.get("call_id") or item.item.get("id")
    if not isinstance(call_id, str) or not call_id:
        if kind not in HOSTED:
            return
        call_id = UNNAMED + item.place  # rollouts leave it out: its result is in the item itself
    if kind in HOSTED:
        _read_hosted(entry, item, kind, call_id)
    elif kind in CALLS:
        _read_named(entry, item, kind, call_id)
    elif OUTPUTS.get(kind) in item.item:
        item.take("call_id")
        result = {"callId": call_id, **_result(item, OUTPUTS[kind], error)}
        entry.add({"type": "tool_results", "results": [result]})
    elif kind.startswith("mcp_approval"):
        _read_approval(entry, item, call_id)
    else:
        _read_function(entry, item, call_id)


def _read_function(entry: Entry, item: Fields, call_id: str) -> None:
    match item.item:
        case {"type": "custom_tool_call", "name": str(name), "input": str(text)}:
            item.drop("call_id", "name", "input")
            _add_call(entry, call_id, {"name": name, "argumentsText": text})
        case {"type": "function_call", "name": str(name), "arguments": arguments}:
            item.drop("type", "call_id", "name", "arguments")
            _add_call(entry, call_id, call_fields(name, arguments))
        case {"type": "mcp_call", "name": str(name), "arguments": arguments, **rest}:
            item.drop("name", "arguments")
            output, error = item.take("output"), _why(rest.get("error"))
            if error is None:
                item.drop("error")
            _add_call(entry, call_id, call_fields(name, arguments))
            if output is not None or error is not None:
                result = {"callId": call_id, "output": output, "error": error}
                entry.add({"type": "tool_results", "results": [result]})
        case _:
            pass


def _read_approval(entry: Entry, item: Fields, call_id: str) -> None:
    match item.item:
        case {"type": "mcp_approval_request", "name": str(name), "arguments": arguments}:
            item.drop("type", "id", "name")
            call = call_fields(name, arguments)
            if "argumentsText" not in call:
                item.drop("arguments")
            args = call.get("args", arguments)
            entry.add({"type": "approval_request", "callId": call_id, "tool": name, "args": args})
        case {
            "type": "mcp_approval_response",
            "approval_request_id": str(asked),
            "approve": bool(approved),
        } if asked:
            item.drop("type", "approval_request_id", "approve")
            answered: Item = {"callId": asked, "approved": approved}
            if (reason := item.text("reason")) is not None:
                answered["reason"] = reason
            entry.add({"type": "approval_response", **answered})
        case _:
            pass


def _read_named(entry: Entry, item: Fields, kind: str, call_id: str) -> None:
    """Add a call whose kind is its tool."""
    name, key = CALLS[kind]
    key = key if key in item.item else f"{key}s"
    if key in item.item:
        item.take("call_id")
        args = item.take(key)
        given: Item = args if isinstance(args, dict) else {key: args}
        _add_call(entry, call_id, {"name": name, "args": given})


def _read_hosted(entry: Entry, item: Fields, kind: str, call_id: str) -> None:
    """Add a call that the provider ran, and its result if the item says how it ended."""
    name, key, output = HOSTED[kind]
    args, answer = item.take(key), item.take(output)
    given: Item = args if isinstance(args, dict) else {key: args}
    _add_call(entry, call_id, {"name": name, "args": given})
    result: Item = {"callId": call_id, "name": name, "output": answer}
    match item.item.get("status"):
        case "completed":
            result["error"] = None
        case "failed":
            result["error"] = "failed"
        case _:
            if answer is None:
                return
    entry.add({"type": "tool_results", "results": [result]})


def _add_call(entry: Entry, call_id: str, call: Item) -> None:
    entry.add({"type": "tool_calls", "calls": [{"id": call_id, **call}]})


def _result(item: Fields, key: str, error: Item) -> Item:
    result = {**_output(item, key), **error}
    if error.get("error") and isinstance(result["output"], str) and result["output"]:
        result["error"] = result["output"]  # says more than an exit code
    return result


def _output(item: Fields, key: str) -> Item:
    output = item.take(key)
    match output:
        case [{"type": "input_text" | "output_text", "text": str(text), **rest}] if not rest:
            output = text
        case _:
            pass
    match item.item, output:
        case {"type": "apply_patch_call_output", "status": "failed"}, _:
            return {"output": output, "error": output if isinstance(output, str) else "failed"}
        case {"type": "apply_patch_call_output", "status": "completed"}, _:
            return {"output": output, "error": None}
        case _, {"content": content, "success": bool(well), **rest} if not rest:  # early Codex
            return {"output": content, "error": None if well else str(content)}
        case _:
            return {"output": output}


def _why(error: JsonValue) -> str | None:
    match error:
        case None | str():
            return error
        case {"message": str(text)}:
            return text
        case _:
            return "failed"
