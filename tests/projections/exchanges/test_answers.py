"""The answers of a history: which messages are of one model response."""

from typing import Any

import pytest
from hypothesis import given

from agentlog.domain.events import Event
from agentlog.projections.exchanges.answers import answers_of
from tests.histories import histories, history

Draft = dict[str, Any]

ASKED: Draft = {"type": "input", "text": "go on"}
REQUEST: Draft = {"type": "llm_request"}
THOUGHT: Draft = {"type": "reasoning", "title": "", "summary": "so"}
REPLY: Draft = {"type": "reply", "text": "yes"}
CALLS: Draft = {"type": "tool_calls", "calls": [{"id": "c", "name": "f"}]}
RESULT: Draft = {"type": "tool_results", "results": [{"callId": "c", "output": 1}]}
FIGURES: Draft = {"type": "llm_response", "model": "m"}
LOG: Draft = {"type": "log", "text": "x"}
REFUSAL: Draft = {"type": "openai.message", "payload": {"role": "assistant", "refusal": "no"}}


def _of(response_id: str, draft: Draft) -> Draft:
    return {**draft, "metadata": {"responseId": response_id}}


def _versions(*drafts: Draft) -> list[list[int]]:
    answers = answers_of(history(*drafts))
    return [[event.version for event in answer.events] for answer in answers]


@pytest.mark.parametrize(
    ("drafts", "versions"),
    [
        ([ASKED, REQUEST, FIGURES, THOUGHT, REPLY, CALLS, RESULT, REPLY], [[3, 4, 5, 6], [8]]),
        ([REPLY, FIGURES, REPLY, FIGURES], [[1, 2], [3, 4]]),
        ([FIGURES, REPLY, FIGURES, REPLY], [[1, 2], [3, 4]]),
        ([REPLY, REPLY, CALLS, CALLS], [[1], [2, 3], [4]]),
        ([REPLY, LOG, CALLS], [[1, 3]]),
        ([_of("r", CALLS), RESULT, _of("r", CALLS), _of("s", CALLS)], [[1, 3], [4]]),
        ([_of("r", CALLS), _of("s", CALLS), ASKED, _of("r", FIGURES)], [[1, 4], [2]]),
        ([_of("import-0", REPLY), _of("import-0", CALLS), ASKED], [[1, 2]]),
        ([_of("import-0", REPLY), ASKED, _of("import-0", REPLY)], [[1], [3]]),
        ([FIGURES, _of("r", REPLY), _of("r", CALLS)], [[1, 2, 3]]),
        ([REFUSAL, ASKED], [[1]]),
        ([ASKED, RESULT, LOG], []),
    ],
)
def test_messages_of_one_response_are_one_answer(
    drafts: list[Draft], versions: list[list[int]]
) -> None:
    assert _versions(*drafts) == versions


@given(events=histories())
def test_no_message_is_of_two_answers_and_they_are_in_order(events: list[Event]) -> None:
    answers = answers_of(events)
    versions = [event.version for answer in answers for event in answer.events]
    assert len(set(versions)) == len(versions)
    firsts = [answer.first for answer in answers]
    assert firsts == sorted(firsts)


def test_a_recorded_answer_has_its_texts_calls_and_figures() -> None:
    figures = {**FIGURES, "finishReason": "stop", "costUsd": 0.5, "latencyMs": 3}
    (recorded,) = answers_of(history(figures, THOUGHT, REPLY, CALLS))
    answer = recorded.answer("other")
    assert (answer.model, answer.text, answer.finish_reason) == ("m", "yes", "stop")
    assert ([call.name for call in answer.calls], answer.cost.usd) == (["f"], 0.5)
    assert answers_of(history(REPLY))[0].answer("other").model == "other"
    assert answers_of(history(REFUSAL))[0].answer(None).text == "no"
