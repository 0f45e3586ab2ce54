"""A model call: what was sent, what came back, and where it parts from the request before it."""

from typing import Any

import pytest

from agentlog.projections.exchanges.exchange import TYPE, Exchange, payload_of
from agentlog.projections.exchanges.model_call import RequestChange, model_call
from agentlog.projections.exchanges.reconstruction import NothingToAsk
from tests.histories import history

Draft = dict[str, Any]

ASKED: Draft = {"type": "input", "text": "Where is it?"}
CALLS: Draft = {"type": "tool_calls", "calls": [{"id": "a", "name": "track", "args": {}}],
                "metadata": {"responseId": "r1"}}  # fmt: skip
SAID: Draft = {"type": "reply", "text": "Let me look.", "metadata": {"responseId": "r1"}}
FIGURES: Draft = {
    "type": "llm_response",
    "model": "gpt-4o",
    "usage": {"inputTokens": 90, "cachedInputTokens": 64},
    "metadata": {"responseId": "r2"},
}
RESULT: Draft = {"type": "tool_results", "results": [{"callId": "a", "output": "Hamburg"}]}
LAST: Draft = {"type": "reply", "text": "In Hamburg.", "metadata": {"responseId": "r2"}}


def test_a_response_with_text_and_calls_has_one_request_that_has_neither() -> None:
    events = history(ASKED, SAID, CALLS, RESULT, LAST)
    for version in (2, 3):
        call = model_call(events, version)
        assert call.sent.after == 1
        assert call.sent.messages == [{"role": "user", "content": "Where is it?"}]
        assert call.versions == [2, 3]
        assert not call.sent.is_exact
        assert call.previous is None


def test_a_request_that_goes_on_from_the_one_before_breaks_no_cache() -> None:
    call = model_call(history(ASKED, SAID, CALLS, RESULT, FIGURES, LAST), 6)
    assert call.window == 128_000
    assert call.answer is not None
    assert call.answer.usage.cached_input_tokens == 64
    assert call.previous is not None
    previous = call.previous
    assert (previous.answered_at, previous.messages, previous.shared_messages) == (2, 1, 1)
    assert call.previous.changes == []


def test_a_message_before_the_first_answer_asks_for_that() -> None:
    assert model_call(history(ASKED, SAID), 1).versions == [2]
    with pytest.raises(NothingToAsk):
        model_call(history({"type": "log", "text": "x"}), 1)


def test_a_history_may_begin_with_an_answer() -> None:
    call = model_call(history(LAST, ASKED, SAID), 3)
    assert call.sent.after == 2
    assert call.previous is None


def test_an_unknown_model_has_no_window() -> None:
    assert model_call(history(ASKED, {**FIGURES, "model": "mine"}, LAST), 3).window is None
    assert model_call(history(ASKED, LAST), 2).window is None


def _exchange(body: bytes, path: str = "/v1/messages") -> Draft:
    exchange = Exchange(1, "POST", path, body, "complete", 0, status=200)
    return {"type": TYPE, "payload": payload_of(exchange, "run")}


def _sent(system: str, text: str, *more: str, tools: str = "[]") -> bytes:
    messages = ",".join([f'{{"role":"user","content":"{text}"}}', *more])
    return (
        f'{{"model":"claude-sonnet-4-5","max_tokens":9,"system":"{system}","tools":{tools},'
        f'"messages":[{messages}],"stream":true}}'
    ).encode()


def test_an_exchange_on_record_is_the_request_exactly() -> None:
    call = model_call(history(ASKED, _exchange(_sent("Be kind.", "Where is it?")), SAID), 3)
    sent = call.sent
    assert (sent.is_exact, sent.api, sent.model) == (True, "messages", "claude-sonnet-4-5")
    assert (sent.prompt, sent.tools, sent.parameters) == ("Be kind.", [], {"max_tokens": 9})
    assert sent.messages == [{"role": "user", "content": "Where is it?"}]
    assert (sent.after, sent.missing) == (2, [])


def test_where_a_cache_breaks_is_the_first_difference_of_each_part() -> None:
    old = _exchange(_sent("It is 9:00.", "Where is it?", '{"role":"assistant","content":"Wait."}'))
    new = _exchange(_sent("It is 9:01.", "Where is it?", '{"role":"user","content":"Well?"}',
                          tools='[{"name":"track"}]'))  # fmt: skip
    answer = {**LAST, "metadata": {"responseId": "r9"}}
    call = model_call(history(ASKED, old, SAID, {**ASKED, "text": "Well?"}, new, answer), 6)
    assert call.previous is not None
    previous = call.previous
    assert (previous.answered_at, previous.messages, previous.shared_messages) == (3, 2, 1)
    assert call.previous.changes == [
        RequestChange("tools", 0, None, {"name": "track"}),
        RequestChange("prompt", None, "It is 9:00.", "It is 9:01."),
        RequestChange(
            "messages",
            1,
            {"role": "assistant", "content": "Wait."},
            {"role": "user", "content": "Well?"},
        ),
    ]


def test_marks_of_the_cache_are_no_difference() -> None:
    marked = '[{"type":"text","text":"Where is it?","cache_control":{"type":"ephemeral"}}]'
    old = _exchange(_sent("", "Where is it?"))
    body = _sent("", "Where is it?").replace(b'"Where is it?"', marked.encode())
    call = model_call(history(ASKED, old, SAID, ASKED, _exchange(body), LAST), 6)
    assert call.previous is not None
    assert call.previous.changes == []


def test_a_request_that_cannot_be_what_the_provider_counted_is_doubtful() -> None:
    figures: Draft = {**FIGURES, "usage": {"inputTokens": 100}}
    picture = "iVBORw0KGgo" * 1000
    shot: Draft = {"type": "input", "files": [{"data": picture, "mimeType": "image/png"}]}
    for text, extra, ratio, is_doubtful in (
        ("word " * 74, [], 4.0, False),
        ("word " * 234, [], 12.0, True),
        ("word " * 4, [], 0.5, True),
        ("word " * 50, [shot], 4.0, False),
    ):
        asked: Draft = {"type": "input", "text": text}
        call = model_call(history(*extra, asked, figures, LAST), len(extra) + 3)
        assert call.characters_per_token == pytest.approx(ratio, abs=0.3)
        assert call.is_doubtful == is_doubtful


def test_without_a_report_of_tokens_there_is_nothing_to_doubt() -> None:
    call = model_call(history(ASKED, SAID), 2)
    assert call.characters_per_token is None
    assert not call.is_doubtful
