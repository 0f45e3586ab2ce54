"""A thread as spans."""

from typing import Any

from agentlog.extensions.traces.projections.export.spans import spans_of
from agentlog.projections.readers.draft import sample_event
from tests.infrastructure.appends import STORY, given


def _spans(*messages: dict[str, Any]) -> list[dict[str, Any]]:
    events = [
        sample_event({"id": given(n), "timestamp": 1000 * n, **message}, n)
        for n, message in enumerate(messages, 1)
    ]
    return spans_of("t", events)


def test_a_thread_without_messages_has_no_span() -> None:
    assert _spans() == []


def test_each_answer_and_each_result_is_a_span_within_the_whole() -> None:
    whole, *others = _spans(*STORY)
    assert whole["name"] == "invoke_agent t"
    assert "parentSpanId" not in whole
    assert {other["parentSpanId"] for other in others} == {whole["spanId"]}
    assert [other["name"] for other in others] == [
        "chat m",
        "execute_tool f",
        "execute_tool f",
        "chat",
        "execute_tool f",
        "chat",
    ]
    assert len({other["spanId"] for other in (whole, *others)}) == len(others) + 1
    assert {len(other["spanId"]) for other in others} == {16}
    assert len(whole["traceId"]) == 32


def test_figures_times_and_errors_stand_where_the_conventions_have_them() -> None:
    whole, chat, tool = _spans(
        {"type": "llm_request", "model": "m", "temperature": 0.5},
        {
            "type": "llm_response",
            "model": "m-1",
            "provider": "acme",
            "finishReason": "tool_calls",
            "usage": {"inputTokens": 5, "outputTokens": 0},
            "latencyMs": 250,
        },
        {"type": "tool_calls", "calls": [{"id": "a", "name": "f", "args": {"x": 1}}]},
        {"type": "tool_results", "results": [{"callId": "a", "output": None, "error": "late"}]},
        {"type": "runtime_error", "error": "gone"},
    )
    assert chat["attributes"] == {
        "gen_ai.provider.name": "acme",
        "gen_ai.conversation.id": "t",
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "m",
        "gen_ai.input.messages": "[]",
        "gen_ai.request.temperature": 0.5,
        "gen_ai.response.model": "m-1",
        "gen_ai.response.finish_reasons": ["tool_calls"],
        "gen_ai.usage.input_tokens": 5,
        "gen_ai.usage.output_tokens": 0,
        "gen_ai.output.messages": '[{"role":"assistant","parts":[{"type":"tool_call","id":"a",'
        '"name":"f","arguments":{"x":1}}]}]',
    }
    begin, end = chat["startTimeUnixNano"], chat["endTimeUnixNano"]
    assert (begin, end) == (1_000_000_000, 2_000_000_000)
    assert tool["status"] == {"code": 2, "message": "late"}
    begin, end = tool["startTimeUnixNano"], tool["endTimeUnixNano"]
    assert (begin, end) == (3_000_000_000, 4_000_000_000)
    assert whole["status"] == {"code": 2, "message": "gone"}
    assert [event["name"] for event in whole["events"]] == ["agentlog.runtime_error"]
