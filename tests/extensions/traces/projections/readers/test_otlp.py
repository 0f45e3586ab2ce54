"""The same run as each instrumentation sends it: the messages are the same.

Attributes are those that OpenTelemetry's genai-openai 1.3b0, OpenLLMetry 0.62.4 (and one before
0.50), Logfire 5.2.0, Pydantic AI 2.68, OpenInference 0.1.66 and Langfuse 5.0.4 were seen to send.
"""

from typing import Any

import pytest

from agentlog.domain.catalogue import validate_message
from agentlog.domain.json.text import print_text
from agentlog.extensions.traces.projections.readers.placement import placed
from agentlog.extensions.traces.projections.readers.recorder import recorded
from agentlog.extensions.traces.projections.readers.thread import SpanThread, folded
from agentlog.projections.readers.draft import sample_event
from tests.extensions.traces.spans import ANSWER, CALL, RESULT, SYSTEM, USER, Item, chat, span, tool

FUNCTION = {"name": "track", "arguments": '{"parcel": 4711}'}
OPENAI: list[Item] = [
    {"role": "system", "content": "be brief"},
    {"role": "user", "content": "Where is 4711?"},
    {"role": "assistant", "tool_calls": [{"id": "call_1", "function": FUNCTION}]},
    {"role": "tool", "tool_call_id": "call_1", "content": "Hamburg"},
    {"role": "assistant", "content": "It is in Hamburg."},
]


def _dotted(name: str, value: Any) -> Item:
    """Return attributes with the places of a value in their names."""
    if isinstance(value, dict):
        return {
            k: v for key, inner in value.items() for k, v in _dotted(f"{name}.{key}", inner).items()
        }
    return {name: value}


def _openinference(number: int, until: int) -> Item:
    attributes: Item = {
        "openinference.span.kind": "LLM",
        "llm.system": "openai",
        "llm.model_name": "gpt-x-2026",
        "llm.finish_reason": "stop",
        "llm.invocation_parameters": '{"model": "gpt-x", "temperature": 0.5}',
        "llm.token_count.prompt": 11,
        "llm.token_count.completion": 7,
        "llm.token_count.prompt_details.cache_read": 3,
        "llm.token_count.completion_details.reasoning": 2,
    }
    for n, message_of in enumerate(OPENAI[: until + 1]):
        place = f"input_messages.{n}" if n < until else "output_messages.0"
        calls = {
            str(m): {"tool_call": call} for m, call in enumerate(message_of.get("tool_calls", ()))
        }
        message = {**message_of, **({"tool_calls": calls} if calls else {})}
        attributes |= _dotted(f"llm.{place}.message", message)
    return span(number, "ChatCompletion", **attributes)


def _langfuse(number: int, until: int) -> Item:
    used = {
        "prompt_tokens": 11,
        "completion_tokens": 7,
        "prompt_tokens_details": {"cached_tokens": 3},
        "completion_tokens_details": {"reasoning_tokens": 2},
    }
    attributes: Item = {
        "type": "generation",
        "model.name": "gpt-x-2026",
        "model.parameters": '{"temperature": 0.5, "max_tokens": "Infinity"}',
        "input": print_text({"tools": [], "messages": OPENAI[:until]}),
        "output": print_text(OPENAI[until]),
        "usage_details": print_text(used),
    }
    return span(number, "llm", **{f"langfuse.observation.{k}": v for k, v in attributes.items()})


def _indexed(number: int, until: int) -> Item:
    attributes: Item = {
        "llm.request.type": "chat",
        "gen_ai.system": "OpenAI",
        "gen_ai.request.model": "gpt-x",
        "gen_ai.response.model": "gpt-x-2026",
        "gen_ai.usage.prompt_tokens": 11,
        "gen_ai.usage.completion_tokens": 7,
        "gen_ai.usage.cache_read.input_tokens": 3,
        "gen_ai.usage.reasoning_tokens": 2,
    }
    for n, message_of in enumerate(OPENAI[: until + 1]):
        place = f"prompt.{n}" if n < until else "completion.0"
        calls = {
            str(m): {"id": call["id"], **call["function"]}
            for m, call in enumerate(message_of.get("tool_calls", ()))
        }
        message = {**message_of, **({"tool_calls": calls} if calls else {})}
        attributes |= _dotted(f"gen_ai.{place}", message)
    return span(number, "openai.chat", **attributes)


_FIGURES: Item = {
    "gen_ai__response__model": "gpt-x-2026",
    "gen_ai__usage__cache_read__input_tokens": 3,
    "gen_ai__usage__reasoning__output_tokens": 2,
}
_BY_PARTS = [SYSTEM, USER, CALL, RESULT, ANSWER]


def _semconv(number: int, until: int, **more: Any) -> Item:
    return chat(number, _BY_PARTS[:until], _BY_PARTS[until], **{**_FIGURES, **more})


def _openllmetry(number: int, until: int) -> Item:
    more: Item = {
        "gen_ai__usage__reasoning__output_tokens": None,
        "gen_ai__usage__reasoning_tokens": 2,
        "gen_ai__usage__total_tokens": 18,
        "gen_ai__response__finish_reasons": ["tool_call"],
    }
    return _semconv(number, until, **more)


def _pydantic_ai(number: int, until: int) -> Item:
    result = {"type": "tool_call_response", "id": "call_1", "name": "track", "result": "Hamburg"}
    inputs = [USER, CALL, {"role": "user", "parts": [result]}]
    system = [{"type": "text", "content": "be brief"}]
    more: Item = {**_FIGURES, "gen_ai__system_instructions": print_text(system)}
    return chat(number, inputs[: until - 1], _BY_PARTS[until], **more)


def _logfire(number: int, until: int) -> list[Item]:
    """Return the span of a stream that has begun, and the one that has its answer."""
    common: Item = {
        "logfire.msg_template": "x",
        "gen_ai.response.finish_reasons": '["stop"]',
    }
    begun = chat(number, _BY_PARTS[:until], **common)
    for key in [
        attribute
        for attribute in begun["attributes"]
        if "usage" in attribute or "output" in attribute
    ]:
        del begun["attributes"][key]
    begun["attributes"]["logfire.span_type"] = "span"
    ended = _semconv(number + 10, until, **common)
    ended["attributes"] |= {"logfire.span_type": "log", "duration": 0.25}
    ended["startTimeUnixNano"] = ended["endTimeUnixNano"]
    return [begun, ended]


RUNS: dict[str, list[Item]] = {
    "genai": [_semconv(1, 2), _semconv(2, 4)],
    "with a tool's span": [_semconv(1, 2), tool(2), _semconv(3, 4)],
    "openllmetry": [_openllmetry(1, 2), _openllmetry(2, 4)],
    "openllmetry before 0.50": [_indexed(1, 2), _indexed(2, 4)],
    "logfire": [*_logfire(1, 2), *_logfire(2, 4)],
    "pydantic-ai": [_pydantic_ai(1, 2), _pydantic_ai(2, 4)],
    "openinference": [_openinference(1, 2), _openinference(2, 4)],
    "langfuse": [_langfuse(1, 2), _langfuse(2, 4)],
}


def _drafts(spans: list[Item]) -> list[Item]:
    thread = SpanThread()
    drafts = recorded(thread, [row.span for row in placed(spans, lambda _: False)])
    for draft in drafts:
        validate_message({key: value for key, value in draft.items() if key != "metadata"})
    return [draft for draft in drafts if draft["type"] != "otel.span"]


def _told(draft: Item) -> Any:
    match draft:
        case {"text": text}:
            return draft["type"], text
        case {"calls": [call]}:
            return "call", call["id"], call["name"], call["args"]
        case {"results": [result]}:
            return "result", result["callId"], result["output"]
        case _:
            return None


@pytest.mark.parametrize("name", RUNS)
def test_the_messages_are_the_same(name: str) -> None:
    assert [told for draft in _drafts(RUNS[name]) if (told := _told(draft)) is not None] == [
        ("system", "be brief"),
        ("input", "Where is 4711?"),
        ("call", "call_1", "track", {"parcel": 4711}),
        ("result", "call_1", "Hamburg"),
        ("reply", "It is in Hamburg."),
    ]


@pytest.mark.parametrize("name", RUNS)
def test_the_figures_are_the_same(name: str) -> None:
    responses = [draft for draft in _drafts(RUNS[name]) if draft["type"] == "llm_response"]
    usage = {
        "inputTokens": 11,
        "outputTokens": 7,
        "cachedInputTokens": 3,
        "reasoningTokens": 2,
    }
    assert [{**response["usage"], "totalTokens": 18} for response in responses] == [
        {**usage, "totalTokens": 18}
    ] * 2
    assert [response["model"] for response in responses] == ["gpt-x-2026"] * 2
    assert [response["latencyMs"] for response in responses] == [
        250 if name == "logfire" else 500
    ] * 2


def test_openinference_keeps_arguments_as_they_were_spelled() -> None:
    (calls,) = [draft for draft in _drafts(RUNS["openinference"]) if draft["type"] == "tool_calls"]
    assert calls["calls"][0]["argumentsText"] == '{"parcel": 4711}'


def test_a_model_call_within_a_model_call_counts_once() -> None:
    inner = _semconv(2, 2)
    inner["parentSpanId"] = f"{1:016x}"
    kinds = [draft["type"] for draft in _drafts([inner, _semconv(1, 2)])]
    assert kinds.count("llm_response") == 1


def test_a_model_call_of_a_tool_in_a_model_call_is_told() -> None:
    inner = chat(3, [{"role": "user", "parts": [{"type": "text", "content": "Sum"}]}], ANSWER)
    inner["parentSpanId"] = f"{2:016x}"
    kinds = [draft["type"] for draft in _drafts([_semconv(1, 2), tool(2, parent=1), inner])]
    assert kinds.count("llm_response") == 2


def test_parallel_agents_of_one_conversation_are_told_once_each() -> None:
    other = {"role": "user", "parts": [{"type": "text", "content": "Sum it up."}]}
    told = {"role": "assistant", "parts": [{"type": "text", "content": "Parcel, Hamburg."}]}
    spans = [
        chat(1, [USER], CALL),
        chat(2, [other], told),
        chat(3, [USER, CALL, RESULT], ANSWER),
        chat(4, [other, told, USER], ANSWER),
    ]
    kinds = [draft["type"] for draft in _drafts(spans) if not draft["type"].startswith("llm_")]
    assert kinds == [
        *["input", "tool_calls"],
        *["otel.context_rewritten", "input", "reply"],
        *["tool_results", "reply"],
        *["input", "reply"],
    ]


def test_what_no_message_has_is_kept_and_nothing_is_blank() -> None:
    odd = {"role": "assistant", "parts": [{"type": "server_tool_call", "name": "search"}, 7]}
    blob = {"type": "blob", "mime_type": "image/png", "modality": "image", "content": "QQ=="}
    uri = {"type": "uri", "uri": "https://example.org/x.png"}
    given = {"role": "user", "parts": [blob, uri]}
    drafts = _drafts([chat(1, [given], odd)])
    assert [draft["type"] for draft in drafts if not draft["type"].startswith("llm_")] == [
        *["input", "otel.uri"],
        *["otel.server_tool_call", "otel.part"],
    ]
    assert drafts[0]["files"] == [{"data": "QQ==", "mimeType": "image/png"}]
    assert drafts[1]["payload"] == uri


def test_a_failed_call_and_a_failed_tool_say_why() -> None:
    failed = {"status": {"code": 2, "message": "late"}}
    raised = {
        "name": "exception",
        "timeUnixNano": 1,
        "attributes": {"exception.type": "Timeout", "exception.message": "30 s"},
    }
    model = {**chat(1, [USER]), **failed, "events": [raised]}
    drafts = _drafts([model, {**tool(2), **failed}])
    (error,) = [draft["error"] for draft in drafts if draft["type"] == "runtime_error"]
    assert error == "Timeout: 30 s"
    (results,) = [draft["results"] for draft in drafts if draft["type"] == "tool_results"]
    assert results[0]["error"] == "late"


def test_without_contents_figures_and_tools_are_there() -> None:
    model = span(1, "chat", gen_ai__operation__name="chat", gen_ai__usage__input_tokens=3)
    run = span(2, "run", gen_ai__operation__name="execute_tool", gen_ai__tool__name="track")
    drafts = _drafts([model, run])
    assert [draft["type"] for draft in drafts] == [
        *["llm_request", "llm_response"],
        *["tool_calls", "tool_results"],
    ]
    assert drafts[2]["calls"] == [{"id": f"{2:016x}", "name": "track"}]


def _in_batches(spans: list[Item], *, folds: bool) -> list[Item]:
    """Return the drafts of spans that come one by one; each batch to a thread folded anew."""
    thread = SpanThread()
    drafts: list[Item] = []
    for item in spans:
        if folds:
            thread = folded(sample_event(draft, n) for n, draft in enumerate(drafts, 1))
        drafts += recorded(thread, [row.span for row in placed([item], lambda _: True)])
    return drafts


def _call(call_id: str, name: str) -> Item:
    part = {"type": "tool_call", "id": call_id, "name": name, "arguments": {}}
    return {"role": "assistant", "parts": [part]}


def _result(call_id: str | None, output: str) -> Item:
    named = {} if call_id is None else {"id": call_id}
    part = {"type": "tool_call_response", "response": output, **named}
    return {"role": "tool", "parts": [part]}


@pytest.mark.parametrize("folds", [False, True], ids=["remembered", "read again"])
def test_the_same_request_in_another_trace_is_asked_again(folds: bool) -> None:  # noqa: FBT001 - a parameter
    other = "b" * 32
    spans = [chat(1, [SYSTEM, USER], ANSWER), chat(2, [SYSTEM, USER], ANSWER)]
    spans += [chat(3, [SYSTEM, USER], ANSWER, trace=other)]
    spans += [chat(4, [SYSTEM, USER, ANSWER, USER], ANSWER, trace=other)]
    kinds = [draft["type"] for draft in _in_batches(spans, folds=folds)]
    assert [kind for kind in kinds if kind in {"system", "input", "reply"}] == [
        *["system", "input", "reply"],
        *["input", "reply"],
        *["input", "reply"],
    ]


@pytest.mark.parametrize("folds", [False, True], ids=["remembered", "read again"])
def test_a_call_id_that_a_model_uses_again_is_another_call(folds: bool) -> None:  # noqa: FBT001 - a parameter
    look, listen = _call("call_0", "look"), _call("call_0", "listen")
    wall, hum = _result("call_0", "wall"), _result("call_0", "hum")
    spans = [
        chat(1, [USER], look),
        chat(2, [USER, look, wall], listen),
        chat(3, [USER, look, wall, listen, hum], ANSWER),
    ]
    assert [told for draft in _in_batches(spans, folds=folds) if (told := _told(draft))] == [
        ("input", "Where is 4711?"),
        ("call", "call_0", "look", {}),
        ("result", "call_0", "wall"),
        ("call", "call_0", "listen", {}),
        ("result", "call_0", "hum"),
        ("reply", "It is in Hamburg."),
    ]


def test_a_result_without_an_id_answers_the_first_open_call_without_one() -> None:
    look = _call("", "look")
    spans = [chat(1, [USER], look), chat(2, [USER, look, _result(None, "wall")], ANSWER)]
    calls, results = (
        draft
        for draft in _in_batches(spans, folds=False)
        if draft["type"] in {"tool_calls", "tool_results"}
    )
    assert results["results"][0]["callId"] == calls["calls"][0]["id"]
