"""What streams come to, beside the whole answers of the same provider."""

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.json.text import parse, print_bytes
from agentlog.projections.exchanges.exchange import Exchange
from agentlog.projections.exchanges.requests import Api
from agentlog.projections.exchanges.streams import answer_of, elements_in, events_in
from tests.providers.agent import PATHS
from tests.providers.dialects import dialect_of, sse
from tests.providers.script import Answer, Call, turn_of

ARGUMENTS = st.dictionaries(st.text(), st.text() | st.integers() | st.lists(st.booleans()))
CALLS = st.lists(st.builds(Call, st.text(min_size=1), ARGUMENTS), max_size=3)
ANSWERS = st.builds(Answer, st.text(min_size=1), CALLS)
BODY = {"model": "m", "messages": [], "stream_options": {"include_usage": True}}


def streamed(api: Api, answer: Answer) -> tuple[dict[str, Any], bytes]:
    """Return an answer whole and as a stream."""
    dialect, turn = dialect_of(PATHS[api]), turn_of(BODY, None)
    whole = dialect.whole(turn, answer)
    return whole, b"".join(map(sse, dialect.events(turn, whole)))


@pytest.mark.parametrize("api", PATHS)
@given(answer=ANSWERS)
def test_a_stream_comes_to_the_whole_answer(api: Api, answer: Answer) -> None:
    whole, stream = streamed(api, answer)
    for choice in whole.get("choices", ()):
        del choice["logprobs"]  # the provider's stream has none
    assert answer_of(events_in(stream), api) == parse(print_bytes(whole))


@pytest.mark.parametrize("api", PATHS)
@given(answer=ANSWERS, share=st.floats(0, 1))
def test_half_a_stream_comes_to_what_came(api: Api, answer: Answer, share: float) -> None:
    whole, stream = streamed(api, answer)
    half = answer_of(events_in(stream[: int(len(stream) * share)]), api)
    key = "responseId" if api == "gemini" else "id"
    assert half is None or half[key] == whole[key]


@pytest.mark.parametrize("api", get_args(Api))
@given(
    events=st.lists(
        st.dictionaries(
            st.sampled_from(
                "type choices index delta response item message usage content candidates".split()
            ),
            st.recursive(
                st.none()
                | st.sampled_from(["message_start", "content_block_delta", "message_delta"])
                | st.integers(-3, 10**12)
                | st.text(),
                lambda inner: (
                    st.lists(inner)
                    | st.dictionaries(
                        st.sampled_from(
                            ["index", "delta", "tool_calls", "content", "parts", "text"]
                        ),
                        inner,
                    )
                ),
            ),
        )
    )
)
def test_any_events_come_to_something(api: Api, events: list[dict[str, Any]]) -> None:
    answer_of(events, api)


def test_what_is_no_event_of_the_api_is_left_out() -> None:
    stream = b": comment\n\nevent: ping\ndata: {}\r\n\r\ndata: [DONE]\n\n"
    assert list(events_in(stream + b'data: {"a":\ndata: 1}\n\ndata: {')) == [{}, {"a": 1}]


@given(answer=ANSWERS, share=st.floats(0, 1))
def test_a_stream_of_gemini_may_be_an_array(answer: Answer, share: float) -> None:
    whole, stream = streamed("gemini", answer)
    events = list(events_in(stream))
    array = b"[" + b"\n,\r\n".join(map(print_bytes, events)) + b"]\n"
    assert list(elements_in(array)) == events
    half = list(elements_in(array[: int(len(array) * share)]))
    assert half == events[: len(half)]
    exchange = Exchange(
        *(1, "POST", "/v1beta/models/m:streamGenerateContent", b"{}", "complete", 0),
        status=200,
        response=array,
    )
    assert exchange.answer == parse(print_bytes(whole))


def test_a_signature_ends_a_text_of_gemini() -> None:
    def chunk(*parts: Any) -> dict[str, Any]:
        return {"candidates": [{"content": {"role": "model", "parts": [*parts]}}]}

    thought = {"text": "I ", "thought": True}
    signed = {"text": "", "thoughtSignature": "c2ln"}
    call = {"functionCall": {"name": "a", "args": {}}}
    chunks = [
        *(chunk(thought), chunk({**thought, "text": "think."}), chunk({"text": "On"})),
        *(chunk({"text": "e"}), chunk(signed), chunk({"text": "Two"}, call), chunk({"text": ""})),
    ]
    answer: Any = answer_of(chunks, "gemini")
    assert answer["candidates"][0]["content"]["parts"] == [
        {"text": "I think.", "thought": True},
        {"text": "One", "thoughtSignature": "c2ln"},
        {"text": "Two"},
        call,
    ]


def test_an_answer_of_gemini_may_have_no_content() -> None:
    ended = {"candidates": [{"index": 0, "finishReason": "SAFETY"}], "usageMetadata": {}}
    assert answer_of([{"error": {"code": 503}}, ended], "gemini") == ended
    blocked = {"promptFeedback": {"blockReason": "SAFETY"}}
    assert answer_of([blocked], "gemini") == {**blocked, "candidates": []}
    assert answer_of([{"error": {"code": 503}}], "gemini") is None
