"""What the kernels' own JSON writers make of a message, by the types that their documents declare.

JavaScript's `JSON.stringify`: https://tc39.es/ecma262/#sec-json.stringify (undefined is left out,
NaN is null, typed arrays and errors are their own enumerable properties). serde_json: a variant is
its name or an object of one key (https://serde.rs/enum-representations.html, externally tagged).
"""

from base64 import b64encode
from typing import Any

from hypothesis import strategies as st

Item = dict[str, Any]

UUID = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
MILLISECONDS = 1_767_323_045_000
SECONDS = 1_767_323_045

BYTES = b"\x00\x01\xfe\xff"
BASE64 = b64encode(BYTES).decode()


def numbered(data: bytes) -> Item:
    """Return what `JSON.stringify` makes of a Uint8Array."""
    return {str(place): byte for place, byte in enumerate(data)}


def buffer(data: bytes) -> Item:
    """Return what `JSON.stringify` makes of a Buffer of Node."""
    return {"type": "Buffer", "data": list(data)}


def base64_of(data: Any) -> str:
    """Return the base64 of bytes that one of the writers wrote."""
    match data:
        case {"type": "Buffer", "data": list(numbers)} | list(numbers):
            return b64encode(bytes(numbers)).decode()
        case dict():
            return b64encode(bytes(data.values())).decode()
        case _:
            return str(data)


TAKEN: dict[str, Item] = {
    # 000 and 001: MessageMetadata
    "id is a UUID": {"id": UUID, "type": "reply", "text": "x"},
    "id is a UUID in capitals": {"id": UUID.upper(), "type": "reply", "text": "x"},
    "id is a ULID in small letters": {
        "id": "01jd8z3q5n7v2m4k6h8g0f1e2d",
        "type": "reply",
        "text": "x",
    },
    "id is any string": {"id": "msg_1", "type": "reply", "text": "x"},
    "id is of nanoid": {"id": "V1StGXR8_Z5jdHi6B-myT", "type": "reply", "text": "x"},
    "timestamp is a float": {"timestamp": MILLISECONDS + 0.25, "type": "reply", "text": "x"},
    "a property of one's own": {"type": "reply", "text": "x", "channel": "voice", "seen": [1]},
    "a property of one's own that is null": {"type": "log", "text": "x", "threadRef": None},
    # InputMessage
    "an input of nothing": {"type": "input"},
    "an input without a text": {"type": "input", "text": None},
    "an input without files": {"type": "input", "files": []},
    "an input of nulls": {"type": "input", "text": None, "files": None},
    "an input with a property of its files' own": {
        "type": "input",
        "files": [{"data": BASE64, "size": 4, "lastModified": MILLISECONDS}],
    },
    # ToolCallsMessage
    "no calls": {"type": "tool_calls", "calls": []},
    "no calls, with hyphens": {"type": "tool-calls", "calls": []},
    "a call with a property of its own": {
        "type": "tool_calls",
        "calls": [{"id": "c", "name": "f", "args": {"a": 1}, "index": 0}],
    },
    "a call's number as its id": {
        "type": "tool_calls",
        "calls": [{"id": 7, "name": "f"}],
    },
    "a call as mylm has it": {
        "type": "tool_calls",
        "calls": [
            {"id": "c", "name": "f", "arguments": {"a": 1}, "working_dir": None, "timeout_secs": 5}
        ],
    },
    # ToolResultsMessage
    "no results": {"type": "tool_results", "results": []},
    "output is undefined": {"type": "tool_results", "results": [{"callId": "c"}]},
    "output is undefined, with an error": {
        "type": "tool_results",
        "results": [{"callId": "c", "error": "no"}],
    },
    "output is undefined, alone": {"type": "tool-results", "results": [{}]},
    "error is new Error()": {
        "type": "tool_results",
        "results": [{"callId": "c", "output": None, "error": {}}],
    },
    "error is Node's": {
        "type": "tool_results",
        "results": [
            {
                "callId": "c",
                "error": {"errno": -2, "code": "ENOENT", "syscall": "open", "path": "x"},
            }
        ],
    },
    "error has a code beside its message": {
        "type": "tool_results",
        "results": [
            {
                "callId": "c",
                "error": {
                    "name": "E",
                    "message": "no",
                    "stack": "at x",
                    "code": "ENOENT",
                    "code2": 1,
                },
            }
        ],
    },
    "error has a cause": {
        "type": "tool_results",
        "results": [{"error": {"message": "no", "cause": {"message": "why"}, "name": None}}],
    },
    "error is a ZodError": {
        "type": "tool_results",
        "results": [{"error": {"name": "ZodError", "issues": [{"path": ["a"]}]}}],
    },
    "error is a number": {"type": "tool_results", "results": [{"output": 1, "error": 5}]},
    "error is true": {"type": "tool_results", "results": [{"output": 1, "error": True}]},
    "error is a list": {"type": "tool_results", "results": [{"output": 1, "error": ["a", {}]}]},
    "error's message is no text": {
        "type": "tool_results",
        "results": [{"output": 1, "error": {"message": {"a": 1}}}],
    },
    "a result with a property of its own": {
        "type": "tool_results",
        "results": [{"callId": "c", "output": 1, "durationMs": 12.5}],
    },
    "a result in snake case": {
        "type": "tool_results",
        "results": [{"call_id": "c", "output": {"a": [1.10, None]}}],
    },
    # 002: mylm
    "a worker's number": {"type": "worker_spawned", "workerId": 7, "objective": "o"},
    "a worker's number beyond 2^53": {
        "type": "worker_spawned",
        "workerId": 2**64 - 1,
        "objective": "o",
    },
    "a worker in snake case": {
        "type": "worker_spawned",
        "worker_id": 0,
        "objective": "o",
        "context": "c",
        "max_iterations": 3,
        "can_delegate": False,
        "allowed_tools": ["f"],
        "model": None,
    },
    "a worker's result with a number": {"type": "worker_result", "workerId": 7, "output": "x"},
    "a worker's error as a text": {"type": "worker_result", "workerId": 7, "error": "no"},
    "a worker's error with a number": {
        "type": "worker_result",
        "workerId": 7,
        "error": {"message": "no", "code": 5},
    },
    "a worker's error that is new Error()": {
        "type": "worker_result",
        "workerId": "w",
        "error": {},
    },
    "a worker's Ok": {"type": "worker_result", "worker_id": 7, "Ok": "x"},
    "a worker's Err": {
        "type": "worker_result",
        "worker_id": 7,
        "Err": {"message": "no", "code": None},
    },
    "a worker's Result": {"type": "worker_result", "worker_id": 7, "result": {"Err": "no"}},
    "a worker's output and a null error": {
        "type": "worker_result",
        "workerId": "w",
        "output": "x",
        "error": None,
    },
    "a worker's error and a null output": {
        "type": "worker_result",
        "workerId": "w",
        "output": None,
        "error": {"message": "no"},
    },
    "a worker's output is undefined": {"type": "worker_result", "workerId": "w"},
    "exit is Complete": {"type": "exit", "reason": "Complete"},
    "exit is StepLimit": {"type": "exit", "reason": "StepLimit"},
    "exit is UserRequest": {"type": "exit", "reason": "UserRequest"},
    "exit is Error(x)": {"type": "exit", "reason": {"Error": "x"}},
    "exit is Error(x), flat": {"type": "exit", "Error": "x"},
    "exit is Completed": {"type": "exit", "reason": "Completed"},
    "exit is Failed": {"type": "exit", "reason": {"Failed": {"message": "x", "code": 1}}},
    "approval is Granted": {"type": "approval_response", "callId": "c", "outcome": "Granted"},
    "approval is Denied": {
        "type": "approval_response",
        "callId": "c",
        "outcome": {"Denied": {"reason": "no"}},
    },
    "approval is Denied, in its field": {
        "type": "approval_response",
        "callId": "c",
        "approved": {"Denied": {"reason": None}},
    },
    "a request as mylm has it": {
        "type": "llm_request",
        "context": "c",
        "max_tokens": 5,
        "temperature": None,
        "model": "m",
        "response_format": None,
        "stream": False,
    },
    "a response as mylm has it": {
        "type": "llm_response",
        "content": "x",
        "model": "m",
        "provider": "p",
        "usage": {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7},
        "finish_reason": "stop",
        "structured": None,
    },
    "a runtime error as mylm has it": {"type": "runtime_error", "intent_id": 3, "error": "x"},
    # soon extensible
    "a type of one's own with properties": {
        "type": "acme.widget",
        "size": 3,
        "parts": ["a", {"b": None}],
    },
    "a delta of kernel 0.5": {"type": "reply.delta", "delta": {"text": "x"}, "final": True},
}
"""Messages by what is odd of them: each is taken, and given back as it came."""

FORMS: dict[str, Any] = {
    "base64": BASE64,
    "Uint8Array": numbered(BYTES),
    "an array of numbers": list(BYTES),
    "Buffer": buffer(BYTES),
    "a data URI": f"data:text/plain;base64,{BASE64}",
}
"""The same bytes, as their writers have them."""

REFUSED: dict[str, tuple[Item, str]] = {
    "id is a number": ({"id": 5, "type": "reply", "text": "x"}, "id"),
    "id is empty": ({"id": "", "type": "reply", "text": "x"}, "id"),
    "timestamp is negative": ({"timestamp": -1, "type": "reply", "text": "x"}, "timestamp"),
    "timestamp is in microseconds": (
        {"timestamp": MILLISECONDS * 1000, "type": "reply", "text": "x"},
        "timestamp",
    ),
    "timestamp is a word": ({"timestamp": "now", "type": "reply", "text": "x"}, "timestamp"),
    "text is undefined": ({"type": "reply"}, "text"),
    "text is a number": ({"type": "system", "text": 5}, "text"),
    "a summary is undefined": ({"type": "reasoning", "title": "t"}, "summary"),
    "bytes beyond a byte": ({"type": "input", "files": [{"data": [256]}]}, "files[0].data"),
    "bytes with a gap": ({"type": "input", "files": [{"data": {"0": 1, "2": 2}}]}, "files[0].data"),
    "bytes that are none": ({"type": "input", "files": [{"data": {"a": 1}}]}, "files[0].data"),
    "a file without data": ({"type": "input", "files": [{"filename": "a"}]}, "files[0].data"),
    "a call without a name": ({"type": "tool_calls", "calls": [{"id": "c"}]}, "calls[0].name"),
    "calls are undefined": ({"type": "tool_calls"}, "calls"),
    "a worker's number below 0": (
        {"type": "worker_spawned", "workerId": -1, "objective": "o"},
        "workerId",
    ),
    "a reason that is none": ({"type": "exit", "reason": "Crashed"}, "reason"),
    "a variant that is none": ({"type": "exit", "reason": {"Crashed": "x"}}, "reason"),
    "an approval that is none": (
        {"type": "approval_response", "callId": "c", "outcome": "Later"},
        "approved",
    ),
    "a slip in a name": ({"type": "input", "text": "x", "flies": []}, "flies"),
    "a slip in a result": (
        {"type": "tool_results", "results": [{"callId": "c", "outptu": 1}]},
        "results[0].outptu",
    ),
    "a slip in case": (
        {"type": "tool_results", "results": [{"callID": "c", "output": 1}]},
        "results[0].callID",
    ),
    "an input that says what it has elsewhere": ({"type": "input", "content": "x"}, "content"),
    "a result that says what it has elsewhere": (
        {"type": "tool_results", "results": [{"callId": "c", "content": "x"}]},
        "results[0].content",
    ),
}
"""Messages that no document allows, each with the field that the refusal names."""

_texts = st.text(max_size=8)
_numbers = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none() | st.booleans() | _numbers | _texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_texts, inner, max_size=3),
    max_leaves=6,
)
"""Any JSON, as JavaScript writes it."""

_own = st.dictionaries(
    st.sampled_from(["kind", "source", "$meta", "x-trace", "0", "agentRef", "zażółć"]),
    values,
    max_size=2,
)


@st.composite
def _object(draw: st.DrawFn, needed: Item, optional: Item) -> Item:
    """Return an object of a type: what is optional may be undefined, and there may be more."""
    item = {key: draw(value) for key, value in needed.items()}
    for key, value in optional.items():
        if draw(st.booleans()):
            item[key] = draw(value)
    return {**draw(_own), **item}


_errors = (
    _texts
    | _object({}, {"name": _texts, "message": _texts, "stack": _texts, "code": values})
    | values.filter(lambda value: value is not None)
)
_files = _object(
    {
        "data": st.binary(max_size=6).flatmap(
            lambda data: st.sampled_from(
                [b64encode(data).decode(), numbered(data), list(data), buffer(data)]
            )
        )
    },
    {"filename": _texts, "mimeType": st.sampled_from(["text/plain", "image/png"])},
)
_calls = _object({"id": _texts.filter(bool), "name": _texts}, {"args": values})
_results = _object(
    {"output": values}, {"callId": _texts.filter(bool), "name": _texts, "error": _errors}
)
_undefined = _object({}, {"error": _errors.filter(lambda error: error is not None)}).map(
    lambda item: item if "error" in item else {}
)
_u64 = st.integers(0, 2**64 - 1)
_optional = {
    "id": _texts.filter(bool),
    "timestamp": st.integers(10**11, 4 * 10**12) | st.floats(10**11, 4 * 10**12),
}
_KINDS: dict[str, tuple[Item, Item]] = {
    "input": ({"text": _texts}, {"files": st.lists(_files, max_size=2)}),
    "reply": ({"text": _texts}, {}),
    "reasoning": ({"title": _texts, "summary": _texts}, {}),
    "tool-calls": ({"calls": st.lists(_calls, max_size=2)}, {}),
    "tool_results": ({"results": st.lists(_results | _undefined, max_size=2)}, {}),
    "system": ({"text": _texts}, {}),
    "log": ({"text": _texts}, {}),
    "worker_result": ({"worker_id": _u64}, {"error": _errors}),
    "worker_spawned": ({"worker_id": _u64, "objective": _texts}, {"max_iterations": _u64}),
    "exit": (
        {
            "reason": st.sampled_from(["Complete", "StepLimit", "UserRequest"])
            | st.fixed_dictionaries({"Error": _texts})
        },
        {},
    ),
    "runtime_error": ({"error": _texts}, {"intent_id": _u64}),
    "acme.widget": ({}, {"size": values}),
}
messages = st.sampled_from(sorted(_KINDS)).flatmap(
    lambda kind: _object(
        {"type": st.just(kind), **_KINDS[kind][0]}, {**_KINDS[kind][1], **_optional}
    )
)
"""Messages with all that their documents leave open."""
