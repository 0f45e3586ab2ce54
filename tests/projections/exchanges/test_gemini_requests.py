"""Gemini's requests: what their paths say, and which results belong to which calls."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.json.values import JsonObject
from agentlog.projections.exchanges.gemini_requests import (
    closed,
    opened,
    plain_answer,
    plain_contents,
)
from agentlog.projections.exchanges.requests import api_of

PATH = "/v1beta/models/gemini-2.5-pro"


def call(name: str, call_id: str | None = None) -> JsonObject:
    made: JsonObject = {} if call_id is None else {"id": call_id}
    return {"functionCall": {"name": name, "args": {}, **made}}


def result(name: str, output: Any, call_id: str | None = None) -> JsonObject:
    made: JsonObject = {} if call_id is None else {"id": call_id}
    return {"functionResponse": {"name": name, "response": output, **made}}


def results_of(*parts: JsonObject) -> list[tuple[Any, Any]]:
    """Return the call and the output of each result of a conversation."""
    asked = {"role": "model", "parts": [part for part in parts if "functionCall" in part]}
    given = {"parts": [part for part in parts if "functionResponse" in part]}
    contents: Any = plain_contents([asked, given])
    assert contents[1]["role"] == "user"
    responses = [part["functionResponse"] for part in contents[1]["parts"]]
    return [(response.get("id"), response["response"]) for response in responses]


@pytest.mark.parametrize(
    ("path", "api"),
    [
        (f"{PATH}:generateContent", "gemini"),
        (f"{PATH}:streamGenerateContent", "gemini"),
        ("/v1/projects/p/locations/l/publishers/google/models/m:generateContent", "gemini"),
        ("/v1beta/tunedModels/t:generateContent", "gemini"),
        (f"{PATH}:countTokens", None),
        (f"{PATH}:embedContent", None),
        ("/v1internal:generateContent", None),  # has its request one level below
        ("/v1beta/interactions", None),
    ],
)
def test_the_path_says_whether_a_model_is_asked(path: str, api: str | None) -> None:
    assert api_of("POST", path) == api


@pytest.mark.parametrize(
    ("method", "stream"),
    [
        ("generateContent", None),
        ("streamGenerateContent", "array"),
        ("streamGenerateContent?alt=sse", True),
    ],
)
@given(model=st.text(min_size=1).filter(lambda text: text.isprintable()))
def test_model_and_stream_are_fields_that_go_back_into_the_path(
    method: str, stream: Any, model: str
) -> None:
    body: JsonObject = {"contents": [], "generationConfig": {"temperature": 0}}
    fields = opened(f"{PATH}:{method}", body)
    assert (fields["model"], fields.get("stream")) == ("gemini-2.5-pro", stream)
    path, same = closed(f"{PATH}:{method}", {**fields, "model": model})
    assert same == body
    assert path.endswith(f":{method}")
    assert api_of("POST", path.partition("?")[0]) == "gemini"
    assert opened(path, body)["model"] == model


def test_fields_in_snake_case_are_the_same_but_for_names_of_the_users() -> None:
    body: JsonObject = {
        "system_instruction": {"parts": [{"text": "a_b"}]},
        "contents": [{"parts": [{"function_call": {"name": "do_it", "args": {"in_dir": 1}}}]}],
        "tools": [{"function_declarations": [{"parameters_json_schema": {"a_b": 1}}]}],
    }
    assert opened(f"{PATH}:generateContent", body) == {
        "model": "gemini-2.5-pro",
        "systemInstruction": {"parts": [{"text": "a_b"}]},
        "contents": [{"parts": [{"functionCall": {"name": "do_it", "args": {"in_dir": 1}}}]}],
        "tools": [{"functionDeclarations": [{"parametersJsonSchema": {"a_b": 1}}]}],
    }


def test_results_without_ids_belong_to_the_open_calls_of_their_names() -> None:
    parts = [call("a"), call("b"), call("a"), result("b", 1), result("a", 2), result("a", 3)]
    assert results_of(*parts) == [("call-2", 1), ("call-1", 2), ("call-3", 3)]


def test_results_belong_to_the_calls_of_their_ids() -> None:
    parts = [call("a", "x"), call("a", "y"), result("a", 1, "y"), result("a", 2, "x")]
    assert results_of(*parts) == [("call-2", 1), ("call-1", 2)]


def test_results_with_ids_that_no_call_has_belong_to_the_calls_of_their_names() -> None:
    assert results_of(call("a"), result("a", 1, "made-up")) == [("call-1", 1)]
    assert results_of(call("a"), result("b", 1, "made-up")) == [("made-up", 1)]
    assert results_of(result("b", 1)) == [(None, 1)]


def test_of_a_wrapped_output_it_is_the_output_alone() -> None:
    outputs = [{"output": "o"}, {"result": [1]}, {"error": "e"}, {"output": 1, "more": 2}, {}]
    parts = [result("a", output) for output in outputs]
    assert [output for _, output in results_of(*parts)] == ["o", [1], *outputs[2:]]


def test_an_answer_has_the_ids_with_which_it_comes_back() -> None:
    contents: list[JsonObject] = [
        {"role": "user", "parts": [{"text": "do it"}]},
        {"role": "model", "parts": [call("a")]},
    ]
    content: JsonObject = {"parts": [call("a", "own"), call("b")]}
    answer: Any = plain_answer(contents, {"candidates": [{"content": content}, {"index": 1}]})
    named = answer["candidates"][0]["content"]
    assert named == {**plain_contents([*contents, content])[2], "role": "model"}
    assert [part["functionCall"]["id"] for part in named["parts"]] == ["call-2", "call-3"]


JSON = st.recursive(
    st.none() | st.text() | st.integers(),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(
            st.sampled_from("parts functionCall functionResponse id name response role".split()),
            inner,
        )
    ),
)


@given(contents=st.lists(st.dictionaries(st.sampled_from(["parts", "role"]), JSON)))
def test_any_contents_are_read(contents: list[JsonObject]) -> None:
    plain = plain_contents(contents)
    assert len(plain) == len(contents)
    assert plain_contents(plain) == plain
