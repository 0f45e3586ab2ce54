"""Written answers, read by the providers' own clients and by our readers."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import httpx2
import pytest
from google import genai
from google.genai import types
from hypothesis import given
from hypothesis import strategies as st
from openai import OpenAI

from agentlog.domain.json.text import parse
from agentlog.domain.messages import TokenUsage, ToolCall
from agentlog.domain.usage import Parts, parts_of
from agentlog.extensions.runs.projections.provider_answers import read_answer
from agentlog.extensions.runs.projections.written.answers import OtherApi, written_exchange
from agentlog.projections.call_texts import arguments_text, call_fields
from agentlog.projections.exchanges.answers import Answer
from agentlog.projections.exchanges.exchange import Exchange
from agentlog.projections.exchanges.requests import Api
from agentlog.projections.token_words import ANTHROPIC, CHAT, GEMINI, RESPONSES
from tests.domain.test_usage import PARTS, usage_of
from tests.providers.agent import PATHS, path_of
from tests.providers.dialects import dialect_of
from tests.providers.script import Answer as ScriptedAnswer
from tests.providers.script import Call, turn_of

NO_KEY = "none"
CUSTOM: Mapping[Api, Any] = {
    "chat": [{"type": "custom", "custom": {"name": "patch"}}],
    "responses": [{"type": "custom", "name": "patch"}],
}


def asked(api: Api, *, stream: bool = False, **fields: Any) -> Exchange:
    body = {"model": "model-1", "stream": stream, **fields}
    return Exchange(
        attempt=3,
        method="POST",
        path=path_of(api, stream=stream),
        request=json.dumps(body).encode(),
        end="recorder_died",
        started_at=1_700_000_000_000,
    )


def streamed(api: Api) -> Exchange:
    return asked(api, stream=True, stream_options={"include_usage": True})


def call(name: str, arguments: Any, call_id: str) -> ToolCall:
    return ToolCall.model_validate({**call_fields(name, arguments), "id": call_id})


ARGUMENTS = st.dictionaries(st.text(), st.text() | st.integers()).map(json.dumps)
CALLS = st.builds(call, st.text(min_size=1), ARGUMENTS | st.text(), st.text(min_size=1))
USAGES = (
    st.just(TokenUsage())
    | st.builds(TokenUsage, input_tokens=st.integers(0, 9), output_tokens=st.integers(0, 9))
    | PARTS.map(usage_of)
)
USAGE_OF_APIS = {
    "chat": ("usage", CHAT),
    "responses": ("usage", RESPONSES),
    "messages": ("usage", ANTHROPIC),
    "gemini": ("usageMetadata", GEMINI),
}
ANSWERS = st.builds(
    Answer,
    text=st.none() | st.text(min_size=1),
    calls=st.lists(CALLS, max_size=3),
    finish_reason=st.sampled_from([None, "stop", "length"]),
    usage=USAGES,
)


@pytest.mark.parametrize("api", PATHS)
@given(answer=ANSWERS)
def test_a_stream_comes_to_the_whole_answer(api: Api, answer: Answer) -> None:
    whole = written_exchange(asked(api), answer, answer_id="answer-1")
    stream = written_exchange(streamed(api), answer, answer_id="answer-1")
    assert whole.headers["content-type"] == "application/json"
    assert stream.headers["content-type"].startswith("text/event-stream")
    assert _without_made_ids(stream.answer) == _without_made_ids(whole.answer)


def _without_made_ids(answer: Any) -> Any:
    """Return an answer without the ids of its items: they are another request's."""
    for item in answer.get("output", ()):
        del item["id"]
    return answer


@pytest.mark.parametrize("api", PATHS)
@given(text=st.text(min_size=1), words=st.lists(st.text(min_size=1), max_size=3))
def test_an_answer_of_an_api_is_passed_on_as_it_is(api: Api, text: str, words: list[str]) -> None:
    given = ScriptedAnswer(text, [Call(word, {word: text}) for word in words])
    turn = turn_of({"model": "m", "messages": [], "thinking": {"type": "enabled"}}, None)
    document: Any = parse(json.dumps(dialect_of(PATHS[api]).whole(turn, given)))
    assert written_exchange(asked(api), document).answer == document
    assert written_exchange(streamed(api), document).answer == document


@given(answer=ANSWERS)
def test_our_reader_reads_what_was_written(answer: Answer) -> None:
    whole = written_exchange(asked("chat"), answer)
    read = read_answer(whole.answer, "openai", model="m", now=0)
    assert (read.text, read.usage.input_tokens) == (answer.text, answer.usage.input_tokens)
    assert _calls(read) == _calls(answer)


@pytest.mark.parametrize("api", PATHS)
@given(parts=PARTS)
def test_the_parts_of_a_usage_come_back_in_the_words_of_an_api(api: Api, parts: Parts) -> None:
    parts = parts._replace(audio=0, output_audio=0, written_1h=0)
    if api == "gemini":  # has no words for writes
        parts = parts._replace(written=0)
    document: Any = written_exchange(asked(api), Answer(text="yes", usage=usage_of(parts))).answer
    field, words = USAGE_OF_APIS[api]
    usage = TokenUsage.model_validate(words.figures(document[field]))
    assert parts_of(usage) == parts


def _calls(answer: Answer) -> list[tuple[str, str, str]]:
    return [(asked.id, asked.name, arguments_text(asked)) for asked in answer.calls]


@pytest.mark.parametrize(("api", "given"), [("chat", "messages"), ("messages", "responses")])
def test_an_answer_of_another_api_is_refused(api: Api, given: Api) -> None:
    document = written_exchange(asked(given), Answer(text="yes")).answer
    assert document is not None
    with pytest.raises(OtherApi, match="the answer is one of"):
        written_exchange(asked(api), document)


def test_a_stream_of_gemini_is_an_array_unless_events_are_asked_for() -> None:
    sent = replace(asked("gemini"), path="/v1beta/models/model-1:streamGenerateContent")
    written = written_exchange(sent, ANSWER)
    assert written.headers["content-type"] == "application/json"
    assert isinstance(json.loads(written.response), list)
    assert written.answer == written_exchange(asked("gemini"), ANSWER).answer


def test_unknown_usage_is_not_zero() -> None:
    chat = written_exchange(asked("chat"), Answer(text="yes")).answer
    responses = written_exchange(asked("responses"), Answer(text="yes")).answer
    assert chat is not None
    assert responses is not None
    assert "usage" not in chat
    assert b"usage" not in written_exchange(asked("gemini"), Answer(text="yes")).response
    assert responses["usage"] is None
    assert b'"usage"' not in written_exchange(streamed("chat"), Answer(text="yes")).response


@pytest.mark.parametrize("api", ["chat", "responses"])
def test_a_tool_that_takes_a_text_is_given_one(api: Api) -> None:
    patch = Answer(calls=[call("patch", "*** Begin", "call-1")])
    written = written_exchange(asked(api, tools=CUSTOM[api]), patch).response
    assert b'"input":"*** Begin"' in written


ANSWER = Answer(
    text="Take a coat.",
    calls=[call("weather", '{"city": "Porto"}', "call-1"), call("time", "{}", "call-2")],
    usage=TokenUsage(input_tokens=10, output_tokens=5),
)
CALLED = [("weather", '{"city": "Porto"}'), ("time", "{}")]


def answer(request: Any) -> Any:
    path = request.url.raw_path.decode()
    sent = Exchange(1, "POST", path, request.content, "recorder_died", 1)
    written = written_exchange(sent, ANSWER)
    return httpx2.Response(200, headers=dict(written.headers), content=written.response)


@pytest.fixture
def client() -> OpenAI:
    """OpenAI's client, every request of which is answered."""

    transport = httpx2.MockTransport(answer)
    http = httpx2.Client(transport=transport)
    return OpenAI(api_key=NO_KEY, base_url="http://test/v1", http_client=http)


USER: Any = [{"role": "user", "content": "Porto?"}]


def test_openai_reads_a_chat_answer(client: OpenAI) -> None:
    answer = client.chat.completions.create(model="m", messages=USER)
    _expect_chat(answer)


def test_openai_reads_the_stream_of_a_chat_answer(client: OpenAI) -> None:
    options: Any = {"include_usage": True}
    with client.chat.completions.stream(model="m", messages=USER, stream_options=options) as stream:
        assert stream.get_final_completion().choices[0].finish_reason == "tool_calls"
        _expect_chat(stream.get_final_completion())


def _expect_chat(answer: Any) -> None:
    message = answer.choices[0].message
    calls = [(made.function.name, made.function.arguments) for made in message.tool_calls]
    assert (message.content, calls, answer.usage.total_tokens) == (ANSWER.text, CALLED, 15)
    assert [made.id for made in message.tool_calls] == ["call-1", "call-2"]


def test_openai_reads_an_answer_of_responses(client: OpenAI) -> None:
    _expect_response(client.responses.create(model="m", input="Porto?"))


def test_openai_reads_the_stream_of_an_answer_of_responses(client: OpenAI) -> None:
    with client.responses.stream(model="m", input="Porto?") as stream:
        texts = [event.delta for event in stream if event.type == "response.output_text.delta"]
        assert "".join(texts) == ANSWER.text
        _expect_response(stream.get_final_response())


def _expect_response(answer: Any) -> None:
    calls = [item for item in answer.output if item.type == "function_call"]
    assert [(made.name, made.arguments) for made in calls] == CALLED
    assert [made.call_id for made in calls] == ["call-1", "call-2"]
    assert (answer.output_text, answer.usage.total_tokens) == (ANSWER.text, 15)


@pytest.fixture
def google() -> Iterator[genai.Client]:
    """Google's client, every request of which is answered."""
    http: Any = httpx2.Client(transport=httpx2.MockTransport(answer))
    options = types.HttpOptions(base_url="http://test", httpx_client=http)
    with genai.Client(api_key=NO_KEY, http_options=options) as client:
        yield client


def test_google_reads_an_answer_of_gemini(google: genai.Client) -> None:
    _expect_contents([google.models.generate_content(model="m", contents="Porto?")])


def test_google_reads_the_stream_of_an_answer_of_gemini(google: genai.Client) -> None:
    _expect_contents(list(google.models.generate_content_stream(model="m", contents="Porto?")))


def _expect_contents(answers: list[types.GenerateContentResponse]) -> None:
    parts = [part for answer in answers for part in answer.parts or ()]
    calls = [part.function_call for part in parts if part.function_call is not None]
    assert [(made.name, json.dumps(made.args)) for made in calls] == CALLED
    assert [made.id for made in calls] == ["call-1", "call-2"]
    assert "".join(part.text or "" for part in parts) == ANSWER.text
    usage = answers[-1].usage_metadata
    assert usage is not None
    assert usage.total_token_count == 15
