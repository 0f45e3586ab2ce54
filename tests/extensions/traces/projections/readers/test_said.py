"""What spans were given and gave back, in the forms that producers use."""

import json

import pytest

from agentlog.domain.json.values import JsonValue
from tests.extensions.traces.projections.readers.spans_of import (
    asked,
    lines,
    model,
    run,
    said,
    thread,
)
from tests.projections.readers.of_format import of_type

USER = said("user", "hello")


def told(*given: JsonValue) -> list[str]:
    """Return the lines of a thread of one request, before the request itself."""
    drafts = lines(thread(model("a", 1, list(given), "well")))
    return drafts[: drafts.index("llm_request")]


def test_blocks_of_chat_messages_become_messages() -> None:
    blocks = [
        {"type": "thinking", "thinking": "a wall?"},
        {"type": "text", "text": "let me see"},
        {"type": "tool_use", "id": "c", "name": "look", "input": {}},
        {"type": "citation_card", "title": "walls"},
    ]
    result = {"type": "tool_result", "tool_use_id": "c", "content": "dark", "is_error": True}
    assert told(said("assistant", blocks), said("user", [result])) == [
        "reasoning a wall?",
        "reply let me see",
        "tool_calls c look",
        "langsmith.citation_card",
        "tool_results c dark",
    ]
    history = thread(model("a", 1, [said("user", [result])], "well"))
    assert of_type(history, "tool_results")[0]["results"][0]["error"] == "dark"


@pytest.mark.parametrize(
    "block",
    [
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}},
        {"type": "image_url", "image_url": "data:image/png;base64,aGk="},
        {"type": "image", "base64": "aGk=", "mime_type": "image/png"},
        {"type": "image", "source_type": "base64", "data": "aGk=", "mime_type": "image/png"},
        {"type": "image", "source": {"type": "base64", "data": "aGk=", "media_type": "image/png"}},
    ],
)
def test_files_in_base64_stand_with_the_text_beside_them(block: JsonValue) -> None:
    content = [{"type": "text", "text": "see"}, block]
    history = thread(model("a", 1, [said("user", content)], "well"))
    file = {"data": "aGk=", "mimeType": "image/png"}
    assert of_type(history, "input") == [{"text": "see", "files": [file]}]


def test_links_to_files_are_kept_whole() -> None:
    link = {"type": "image_url", "image_url": {"url": "https://images.example/a.png"}}
    assert told(said("user", [link, "see"])) == ["input see", "langsmith.image_url"]


@pytest.mark.parametrize(
    "gave",
    [
        "hi",
        {"output": "hi"},
        said("assistant", "hi"),
        [said("ai", "hi")],
        json.dumps(said("assistant", "hi")),
        {"messages": [said("assistant", "hi")]},
        {"choices": [{"index": 0, "message": said("assistant", "hi"), "finish_reason": "stop"}]},
        {"generations": [[{"text": "hi", "generation_info": {}}]]},
        {"output": [{"role": "assistant", "parts": [{"type": "text", "content": "hi"}]}]},
        {"message": {"type": "ai", "data": {"content": "hi"}}},
        {"role": "assistant", "content": None, "refusal": "hi"},
    ],
)
def test_an_answer_is_found_in_each_form(gave: JsonValue) -> None:
    assert lines(thread(model("a", 1, [USER], gave)))[3:] == ["reply hi"]


def test_a_finish_reason_and_usage_of_the_answer_are_told_of_it() -> None:
    usage = {"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4}
    gave = {"choices": [{"message": said("assistant", "hi", finish_reason="stop")}], "usage": usage}
    (response,) = of_type(thread(model("a", 1, [USER], gave)), "llm_response")
    assert response == {
        "finishReason": "stop",
        "usage": {"inputTokens": 3, "outputTokens": 1, "totalTokens": 4},
        "latencyMs": 1000,
    }


def test_calls_stand_in_several_places() -> None:
    function = {"name": "look", "arguments": {"at": 1}}
    assert told(
        USER,
        asked("a", "look"),
        said("assistant", "", additional_kwargs={"tool_calls": asked("b", "look")["tool_calls"]}),
        said("assistant", None, tool_calls=[{"id": "c", "name": "look", "args": {}}]),
        said("tool", [{"id": "d", "type": "function", "function": function}]),
        said("assistant", None, tool_calls=[{"id": "e"}]),
    ) == [
        "input hello",
        "tool_calls a look b look c look d look",
        "langsmith.call",
    ]


def test_the_definition_of_a_tool_is_no_message_and_an_empty_answer_is_kept() -> None:
    definition = said("tool", {"type": "function", "function": {"name": "look"}})
    assert told(definition, said("assistant", ""), said("critic", "no")) == ["langsmith.block"]
    assert told(definition, said("assistant", "")) == ["langsmith.message"]


def test_a_tool_in_a_tool_is_kept_whole() -> None:
    asking = model("a", 1, [USER], asked("c", "look"))
    inner = {"extra": {"tool_call_id": "c"}, "outputs": {"output": "wall"}}
    history = thread(asking, run("b", "tool", 3, **inner), run("d", "tool", 4, **inner))
    assert lines(history)[4:] == ["tool_results c wall"]
    assert [draft["type"] for draft in history.drafts].count("langsmith.tool") == 2


def test_what_a_tool_message_has_more_stays_in_the_record() -> None:
    gave = {"type": "tool", "content": "wall", "tool_call_id": "c", "additional_kwargs": {"x": 1}}
    history = thread(run("b", "tool", 3, name="look", outputs={"output": gave}))
    (record,) = [draft for draft in history.drafts if draft["type"] == "langsmith.tool"]
    assert record["payload"]["outputs"]["output"] == gave
    assert lines(history) == ["tool_calls c look", "tool_results c wall"]


def test_a_call_without_an_id_is_named_by_its_span_and_its_result_finds_it() -> None:
    call = {"role": "assistant", "parts": [{"type": "tool_call", "name": "look", "arguments": {}}]}
    result = {"role": "tool", "parts": [{"type": "tool_call_response", "response": "wall"}]}
    rows = [model("a", 1, [USER], [call]), model("b", 3, [USER, call, result], "well")]
    history = thread(*rows)
    assert lines(history)[3:5] == ["tool_calls at:a-4-0 look", "tool_results at:a-4-0 wall"]
    assert thread(*reversed(rows)).drafts == history.drafts
