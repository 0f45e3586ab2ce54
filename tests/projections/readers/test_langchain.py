"""LangChain's messages in three forms: the same messages, figures, and arguments as written."""

import json

import pytest

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.values import JsonValue
from agentlog.projections.readers.registry import FORMATS
from tests.projections.readers.of_format import noted, of_type, read, types
from tests.test_golden import GOLDEN

SOURCES = GOLDEN / "readers" / "langchain"
DICTS = json.loads((SOURCES / "dicts.json").read_bytes())


def plain() -> list[JsonValue]:
    return [{"additional_kwargs": {}, **message["data"]} for message in DICTS]


def dumped() -> list[JsonValue]:
    names = {"human": "HumanMessage", "ai": "AIMessage"}
    return [
        {
            "lc": 1,
            "type": "constructor",
            "id": ["langchain", names.get(message["type"], f"{message['type'].title()}Message")],
            "kwargs": message["data"],
        }
        for message in DICTS
    ]


def test_calls_results_and_tokens_are_those_of_the_source() -> None:
    history = read("langchain", DICTS)
    assert types(history) == {
        "system": 1,
        "input": 1,
        "langchain.image_url": 1,
        "llm_response": 2,
        "tool_calls": 3,
        "tool_results": 3,
        "reasoning": 1,
        "reply": 3,
        "langchain.chat": 1,
        "langchain.remove": 1,
    }
    first, second = of_type(history, "llm_response")
    assert first == {
        "model": "gpt-4o-2024-08-06",
        "provider": "openai",
        "finishReason": "tool_calls",
        "usage": {
            "inputTokens": 60,
            "outputTokens": 15,
            "totalTokens": 75,
            "cachedInputTokens": 32,
            "reasoningTokens": 5,
        },
    }
    assert "usage" not in second


@pytest.mark.parametrize("form", [plain(), dumped()], ids=["plain", "dumped"])
def test_each_form_has_the_same_messages(form: JsonValue) -> None:
    mine, theirs = read("langchain", DICTS), read("langchain", form)
    for name in ("input", "reply", "reasoning", "tool_calls", "tool_results", "llm_response"):
        assert of_type(mine, name) == of_type(theirs, name)


def test_arguments_stay_as_the_model_wrote_them_also_where_they_do_not_parse() -> None:
    calls = [draft["calls"][0] for draft in of_type(read("langchain", DICTS), "tool_calls")]
    assert calls == [
        {
            "id": "call_1",
            "name": "track",
            "args": {"parcel": 4711},
            "argumentsText": '{ "parcel": 4711 }',
        },
        {"id": "call_2", "name": "track", "argumentsText": '{"parcel": 47'},
        {"id": "toolu_3", "name": "note", "args": {"text": "one found"}},
    ]


def test_a_status_says_whether_a_tool_failed() -> None:
    results = [draft["results"][0] for draft in of_type(read("langchain", DICTS), "tool_results")]
    assert [result.get("error", "unsaid") for result in results] == [
        None,
        "arguments are no JSON",
        "unsaid",
    ]


def test_unknown_fields_are_noted_with_their_place() -> None:
    assert noted(read("langchain", DICTS)) == ["[9].checkpoint", "[9].data.mood"]


def test_a_data_uri_becomes_a_file() -> None:
    url = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}
    (message,) = of_type(
        read("langchain", [{"type": "human", "data": {"content": [url]}}]), "input"
    )
    assert message == {"files": [{"data": "aGk=", "mimeType": "image/png"}]}


def test_an_item_that_is_no_message_is_refused_or_kept() -> None:
    with pytest.raises(InvalidMessage, match=r"\[1\]: not a JSON object"):
        read("langchain", [DICTS[0], 3])
    assert types(read("langchain", [{"lc": 1, "type": "secret"}])) == {"langchain.message": 1}


@pytest.mark.parametrize(
    "other",
    [
        {"type": "human", "content": "of another"},
        {"type": "tool", "data": {"name": "x"}},
        {"lc": 1, "type": "constructor", "id": ["langchain", "OpenAI"], "kwargs": {}},
    ],
)
def test_other_objects_are_not_taken(other: JsonValue) -> None:
    assert not FORMATS["langchain"].is_item(other)


def test_the_result_of_a_function_finds_the_call_without_an_id() -> None:
    history = read("langchain", json.loads((SOURCES / "dumped.json").read_bytes()))
    (call,), (result,) = of_type(history, "tool_calls"), of_type(history, "tool_results")
    assert call["calls"][0]["id"] == result["results"][0]["callId"]
