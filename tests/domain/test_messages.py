"""The catalogue: what is a message, what is none, and how a refusal reads."""

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.catalogue import (
    FACT_TYPES,
    MESSAGE_TYPES,
    read_stored,
    stored_type,
    validate_fact,
    validate_message,
)
from agentlog.domain.errors import InvalidMessage
from agentlog.domain.facts import Fact, ThreadStarted
from agentlog.domain.fields import Model
from agentlog.domain.json.numbers import WrittenFloat
from agentlog.domain.json.text import parse, print_bytes
from agentlog.domain.json.values import JsonValue
from agentlog.domain.messages import (
    ApprovalRequestMessage,
    CustomMessage,
    LlmResponseMessage,
    Message,
    ReplyMessage,
    ToolCall,
    ToolResultsMessage,
    says_nothing,
)
from tests.histories import drafts, event, texts, timestamps

ID = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
HEAD: dict[str, Any] = {"id": ID, "timestamp": 1}

FULL = [
    '"type":"input","text":"\\u0000é","files":[{"data":"QQ==","filename":"a","mimeType":"b/c"}]',
    '"type":"reply","text":""',
    '"type":"reasoning","title":"t","summary":"s"',
    (
        '"type":"tool_calls","calls":[{"id":"a","name":"b","args":{"n":12345678901234567890123},'
        '"argumentsText":"{"},{"id":"c","name":""}]'
    ),
    (
        '"type":"tool_results","results":[{"callId":"a","name":"b","output":null,"error":'
        '{"name":"E","message":"m","stack":"s"}},{"output":[1.5],"error":"text"}]'
    ),
    '"type":"system","text":"x"',
    '"type":"log","text":"x"',
    '"type":"approval_request","callId":"a","tool":"t","args":[],"reason":"r"',
    '"type":"approval_response","callId":"a","approved":false,"reason":"r"',
    (
        '"type":"worker_spawned","workerId":"w","objective":"o","context":"c","maxIterations":3,'
        '"canDelegate":true,"allowedTools":["t"],"model":"m","threadId":"w-1"'
    ),
    '"type":"worker_result","workerId":"w","output":{}',
    '"type":"worker_result","workerId":"w","error":{"message":"m","code":"c"}',
    (
        '"type":"llm_request","model":"m","maxTokens":1,"temperature":0.7,"responseFormat":{},'
        '"stream":false'
    ),
    (
        '"type":"llm_response","model":"m","provider":"p","finishReason":"stop","usage":'
        '{"inputTokens":1,"outputTokens":2,"totalTokens":3,"cachedInputTokens":0,'
        '"reasoningTokens":18446744073709551616},"costUsd":0.25,"latencyMs":12.5'
    ),
    '"type":"scratchpad","text":"x","mode":"append"',
    '"type":"runtime_error","error":"e"',
    '"type":"tick"',
    '"type":"shutdown","reason":"r"',
    '"type":"exit","reason":"step_limit","message":"m"',
    '"type":"vendor.thing","payload":[{}]',
]


def _body(fields: str) -> bytes:
    return f'{{"id":"{ID}","timestamp":1,{fields}}}'.encode()


def _printed(message: Model) -> bytes:
    return print_bytes(message.model_dump(exclude_unset=True))


@pytest.mark.parametrize("fields", FULL, ids=lambda fields: fields[:30])
def test_every_type_with_every_field_prints_back_the_same_bytes(fields: str) -> None:
    assert _printed(validate_message(parse(_body(fields)))) == _body(fields)


def test_the_examples_above_have_every_type_and_every_field() -> None:
    seen: dict[str, set[str]] = {}
    for fields in FULL:
        raw = parse(_body(fields))
        seen.setdefault(raw["type"], set()).update(raw)
    wanted = {name: _aliases(model) for name, model in MESSAGE_TYPES.items()}
    assert seen == {**wanted, "vendor.thing": _aliases(CustomMessage)}


def _aliases(model: type[Model]) -> set[str]:
    return {field.alias or name for name, field in model.model_fields.items()}


@given(draft=drafts, timestamp=timestamps)
def test_whatever_is_printed_is_read_back(draft: dict[str, Any], timestamp: int) -> None:
    raw = {"id": ID, "timestamp": timestamp, **draft}
    message = validate_message(raw)
    assert print_bytes(parse(_printed(message)), sort_keys=True) == print_bytes(raw, sort_keys=True)
    assert validate_message(parse(_printed(message))) == message
    assert read_stored(draft["type"], parse(_printed(message))) == message


def test_the_catalogue_holds_each_message_and_each_fact_by_its_word() -> None:
    assert set(MESSAGE_TYPES.values()) | {CustomMessage} == set(get_args(Message))
    assert set(FACT_TYPES.values()) == set(get_args(Fact))
    assert not set(MESSAGE_TYPES) & set(FACT_TYPES)
    assert all(name.startswith("thread.") for name in FACT_TYPES)


@pytest.mark.parametrize(
    ("spelling", "word"),
    [
        ("tool-calls", "tool_calls"),
        ("tool-results", "tool_results"),
        ("tool_calls", "tool_calls"),
        ("reply", "reply"),
        ("approval-request", "approval-request"),
    ],
)
def test_hyphens_are_a_spelling_of_two_types(spelling: str, word: str) -> None:
    assert stored_type(spelling) == word


def test_python_takes_both_spellings_of_a_field_and_prints_the_alias() -> None:
    by_name = ApprovalRequestMessage(id=ID, timestamp=1, call_id="a", tool="t")
    by_alias = ApprovalRequestMessage.model_validate({**HEAD, "callId": "a", "tool": "t"})
    assert by_name == by_alias
    assert by_name.model_dump(exclude_unset=True) == {**HEAD, "callId": "a", "tool": "t"}
    assert ToolCall(id="a", name="b", arguments_text="{").model_dump(exclude_unset=True) == {
        "id": "a",
        "name": "b",
        "argumentsText": "{",
    }


def test_messages_are_frozen() -> None:
    reply = ReplyMessage(id=ID, timestamp=1, text="x")
    with pytest.raises(ValueError, match="frozen"):
        reply.text = "y"  # type: ignore[misc]  # the very thing refused


def test_an_error_is_a_text_or_an_object() -> None:
    results: list[JsonValue] = [
        {"output": 1, "error": "e"},
        {"output": 1, "error": {"message": "m"}},
    ]
    message = validate_message({**HEAD, "type": "tool_results", "results": results})
    assert isinstance(message, ToolResultsMessage)
    first, second = message.results
    assert first.error == "e"
    assert not isinstance(second.error, str | None)
    assert second.error.message == "m"


def test_a_usage_figure_that_was_not_reported_is_none() -> None:
    message = validate_message({**HEAD, "type": "llm_response", "usage": {"inputTokens": 0}})
    assert isinstance(message, LlmResponseMessage)
    assert message.usage is not None
    assert (message.usage.input_tokens, message.usage.output_tokens) == (0, None)


THREAD_ID = "not a thread id: use 1 to 128 of the characters A-Z a-z 0-9 . _ : ~ -"
ULID = "not a ULID: 26 characters of Crockford's base 32, in capitals"
TYPE = "not a type: a vendor in small letters, a dot and a name, as in 'vendor.name'"


def _reply(**changes: Any) -> dict[str, Any]:
    return {"type": "reply", "text": "x", **changes}


def _calls(*calls: Any) -> dict[str, Any]:
    return {"type": "tool_calls", "calls": list(calls)}


def _results(**result: Any) -> dict[str, Any]:
    return {"type": "tool_results", "results": [{"output": 1}, result]}


@pytest.mark.parametrize(
    ("draft", "flaws"),
    [
        ({}, [("type", "missing: every message names its type")]),
        ({"type": None}, [("type", "missing: every message names its type")]),
        ({"type": "vendor."}, [("type", TYPE)]),
        ({"type": "Vendor.thing"}, [("type", TYPE)]),
        ({"type": "vendor.thing\n"}, [("type", TYPE)]),
        ({"type": "a." + "b" * 127}, [("type", "string should have at most 128 characters")]),
        (
            {"type": "thread.started"},
            [
                (
                    "type",
                    "types that begin with 'thread.' are the log's own: choose another vendor",
                )
            ],
        ),
        (_reply(id="x"), [("id", ULID)]),
        (_reply(id=ID.lower()), [("id", ULID)]),
        (_reply(id="8" + ID[1:]), [("id", ULID)]),
        (_reply(id=ID + "\n"), [("id", ULID)]),
        (_reply(timestamp=-1), [("timestamp", "input should be greater than or equal to 0")]),
        (
            _reply(timestamp=253_402_300_800_000),
            [("timestamp", "input should be less than or equal to 253402300799999")],
        ),
        (_reply(timestamp=WrittenFloat("1.0")), [("timestamp", "input should be a valid integer")]),
        (_reply(timestamp=True), [("timestamp", "input should be a valid integer")]),
        (_reply(timestamp="1"), [("timestamp", "input should be a valid integer")]),
        ({"type": "reply"}, [("text", "missing")]),
        (
            _reply(str=1),
            [("str", "no such field: ReplyMessage has id, timestamp, type, text")],
        ),
        (
            {"type": "reply", "text": 5, "a": 1},
            [
                ("text", "input should be a valid string"),
                ("a", "no such field: ReplyMessage has id, timestamp, type, text"),
            ],
        ),
        ({"type": "input", "files": [{"data": "é"}]}, [("files[0].data", "not base64")]),
        ({"type": "input", "files": {}}, [("files", "not an array")]),
        (
            {"type": "input", "files": [{"data": "", "mime_type": "x"}]},
            [
                (
                    "files[0].mime_type",
                    "no such field: FileAttachment has data, filename, mimeType",
                )
            ],
        ),
        ({"type": "tool_calls"}, [("calls", "missing")]),
        (_calls("x"), [("calls[0]", "not an object")]),
        (_calls({"id": "a", "name": "b"}, {"id": "c"}), [("calls[1].name", "missing")]),
        (
            _calls({"id": "", "name": "b"}),
            [("calls[0].id", "string should have at least 1 character")],
        ),
        (
            _calls({"id": "a", "name": "b", "arguments_text": "{"}),
            [
                (
                    "calls[0].arguments_text",
                    "no such field: ToolCall has id, name, args, argumentsText",
                )
            ],
        ),
        ({"type": "tool_results"}, [("results", "missing")]),
        (
            _results(output=1, call_id="a"),
            [
                (
                    "results[1].call_id",
                    "no such field: ToolResult has callId, name, output, error",
                )
            ],
        ),
        (
            _results(output=1, error=5),
            [("results[1].error", "neither a string nor an object")],
        ),
        (_results(output=1, error={"name": "E"}), [("results[1].error.message", "missing")]),
        (
            _results(output=1, error={"message": "m", "str": 1}),
            [("results[1].error.str", "no such field: ToolError has name, message, stack")],
        ),
        (
            {"type": "approval_response", "callId": "a", "approved": 1},
            [("approved", "input should be a valid boolean")],
        ),
        (
            {"type": "approval_request", "call_id": "a", "tool": "t"},
            [
                ("callId", "missing"),
                (
                    "call_id",
                    (
                        "no such field: ApprovalRequestMessage has "
                        "id, timestamp, type, callId, tool, args, reason"
                    ),
                ),
            ],
        ),
        (
            {"type": "worker_spawned", "workerId": "w", "objective": "o", "threadId": "a b"},
            [("threadId", THREAD_ID)],
        ),
        (
            {"type": "worker_spawned", "workerId": "w", "objective": "o", "threadId": ".."},
            [("threadId", "'.' and '..' are no thread ids: a URL path would swallow them")],
        ),
        (
            {"type": "worker_result", "workerId": "w"},
            [("", "a worker result has either output or error")],
        ),
        (
            {"type": "worker_result", "workerId": "w", "output": 1, "error": {"message": "m"}},
            [("", "a worker result has either output or error")],
        ),
        (
            {"type": "worker_result", "workerId": "w", "error": {"message": "m", "str": 1}},
            [("error.str", "no such field: WorkerError has message, code")],
        ),
        (
            {"type": "llm_request", "temperature": "0.7"},
            [("temperature", "input should be a valid number")],
        ),
        (
            {"type": "llm_request", "maxTokens": -1},
            [("maxTokens", "input should be greater than or equal to 0")],
        ),
        (
            {"type": "llm_response", "usage": {"input_tokens": 1}},
            [
                (
                    "usage.input_tokens",
                    (
                        "no such field: TokenUsage has inputTokens, outputTokens, totalTokens, "
                        "cachedInputTokens, cacheWriteTokens, cacheWrite1hTokens, "
                        "inputAudioTokens, reasoningTokens, outputAudioTokens, webSearches, "
                        "serviceTier"
                    ),
                )
            ],
        ),
        ({"type": "scratchpad", "text": "x"}, [("mode", "missing")]),
        (
            {"type": "exit", "reason": "done"},
            [
                (
                    "reason",
                    "input should be 'complete', 'step_limit', 'user_request' or 'error'",
                )
            ],
        ),
    ],
)
def test_a_refusal_names_each_flaw_and_the_way_out(
    draft: dict[str, Any], flaws: list[tuple[str, str]]
) -> None:
    with pytest.raises(InvalidMessage) as caught:
        validate_message({**HEAD, **draft})
    assert [(flaw.place, flaw.reason) for flaw in caught.value.flaws] == flaws
    assert all(reason in str(caught.value) for _, reason in flaws)


@pytest.mark.parametrize(
    "draft",
    [
        {"type": "input"},
        {"type": "input", "files": []},
        _calls(),
        {"type": "tool_results", "results": []},
    ],
)
def test_a_message_that_says_nothing_is_taken_and_no_view_has_it(draft: dict[str, Any]) -> None:
    message = validate_message({**HEAD, **draft})
    assert says_nothing(message)
    assert event(1, draft).message is None


def test_an_output_may_be_undefined() -> None:
    message = validate_message({**HEAD, **_results(callId="a")})
    assert isinstance(message, ToolResultsMessage)
    assert not says_nothing(message)
    assert message.results[1].output is None


@pytest.mark.parametrize("name", ["nope", "tool-calls", "x" * 1000, ""])
def test_an_unknown_type_is_refused_with_the_catalogue(name: str) -> None:
    with pytest.raises(InvalidMessage) as caught:
        validate_message({**HEAD, "type": name})
    (flaw,) = caught.value.flaws
    assert flaw.place == "type"
    assert all(known in flaw.reason for known in MESSAGE_TYPES)
    assert "'vendor.name'" in flaw.reason
    assert len(flaw.reason) < 500


def test_every_snake_case_field_is_refused_in_json() -> None:
    refused = 0
    for fields in FULL:
        raw = parse(_body(fields))
        model = MESSAGE_TYPES.get(raw["type"], CustomMessage)
        for name, field in model.model_fields.items():
            if field.alias in raw and field.alias != name:
                renamed = {name if key == field.alias else key: raw[key] for key in raw}
                with pytest.raises(InvalidMessage, match=f"{name}: no such field"):
                    validate_message(renamed)
                refused += 1
    assert refused > 10


@pytest.mark.parametrize(
    ("fact", "place", "reason"),
    [
        (
            {"type": "thread.started", "limits": {"max_steps": 1}},
            "limits.max_steps",
            "no such field: Limits has maxSteps, maxDelegations, maxRejections",
        ),
        (
            {"type": "thread.started", "policy": "lax"},
            "policy",
            "input should be 'strict' or 'record'",
        ),
        ({"type": "thread.started", "parent": "a b"}, "parent", THREAD_ID),
        ({"type": "thread.started", "metadata": []}, "metadata", "not an object"),
        ({"type": "thread.annotated", "metadata": {}}, "metadata", "needs at least one item"),
        (
            {"type": "thread.closed", "why": "x"},
            "why",
            "no such field: ThreadClosed has id, timestamp, type, reason",
        ),
    ],
)
def test_a_fact_is_held_to_its_model(fact: dict[str, Any], place: str, reason: str) -> None:
    with pytest.raises(InvalidMessage) as caught:
        validate_fact({**HEAD, **fact})
    assert [(flaw.place, flaw.reason) for flaw in caught.value.flaws] == [(place, reason)]


def test_a_fact_is_read_like_a_message() -> None:
    raw = {**HEAD, "type": "thread.started", "goal": "g", "limits": {"maxSteps": 3}}
    fact = validate_fact(raw)
    assert isinstance(fact, ThreadStarted)
    assert fact.policy == "strict"
    assert fact.limits is not None
    assert fact.limits.max_steps == 3
    assert print_bytes(fact.model_dump(exclude_unset=True)) == print_bytes(raw)
    assert read_stored("thread.started", raw) == fact


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("reply", {**HEAD, "type": "reply", "text": 5}),
        ("reply", {**HEAD, "type": "log", "text": "x"}),
        ("later", {**HEAD, "type": "later", "text": "x"}),
        ("thread.later", {**HEAD, "type": "thread.later"}),
    ],
)
def test_what_todays_catalogue_cannot_read_is_none(name: str, raw: dict[str, Any]) -> None:
    assert read_stored(name, raw) is None


@given(place=st.sampled_from(["", "messages[1]"]), text=texts)
def test_a_refusal_seen_from_outside_stands_under_its_place(place: str, text: str) -> None:
    with pytest.raises(InvalidMessage) as caught:
        validate_message({**HEAD, "type": "reply", "text": [text]})
    assert str(caught.value.within("messages[2]")) == (
        "messages[2].text: input should be a valid string"
    )
    with pytest.raises(InvalidMessage) as caught:
        validate_message({**HEAD, "type": "worker_result", "workerId": "w"})
    assert caught.value.within(place).flaws[0].place == place
