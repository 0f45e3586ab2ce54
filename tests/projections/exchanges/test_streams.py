"""What streams come to, beside the whole answers of the same provider."""

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.json.text import parse, print_bytes
from agentlog.projections.exchanges.requests import Api
from agentlog.projections.exchanges.streams import answer_of, events_in
from tests.providers.dialects import DIALECTS, sse
from tests.providers.script import Answer, Call, turn_of

PATHS: dict[Api, str] = {
    "chat": "/chat/completions",
    "responses": "/responses",
    "messages": "/messages",
}
ARGUMENTS = st.dictionaries(st.text(), st.text() | st.integers() | st.lists(st.booleans()))
CALLS = st.lists(st.builds(Call, st.text(min_size=1), ARGUMENTS), max_size=3)
ANSWERS = st.builds(Answer, st.text(min_size=1), CALLS)
BODY = {"model": "m", "messages": [], "stream_options": {"include_usage": True}}


def streamed(api: Api, answer: Answer) -> tuple[dict[str, Any], bytes]:
    """Return an answer whole and as a stream."""
    dialect, turn = DIALECTS[PATHS[api]], turn_of(BODY, None)
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
    assert half is None or half["id"] == whole["id"]


@pytest.mark.parametrize("api", get_args(Api))
@given(
    events=st.lists(
        st.dictionaries(
            st.sampled_from("type choices index delta response item message usage content".split()),
            st.recursive(
                st.none()
                | st.sampled_from(["message_start", "content_block_delta", "message_delta"])
                | st.integers(-3, 10**12)
                | st.text(),
                lambda inner: (
                    st.lists(inner)
                    | st.dictionaries(st.sampled_from(["index", "delta", "tool_calls", "x"]), inner)
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
