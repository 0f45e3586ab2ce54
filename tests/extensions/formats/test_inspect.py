"""inspect_ai logs: every sample, with the figures of its models and what ended it."""

from pathlib import Path
from typing import Any

import pytest

from agentlog.domain.errors import InvalidMessage
from agentlog.extensions.formats.inspect_ai.log import FORMAT
from agentlog.projections.readers.history import History
from tests.projections.readers.test_golden_readers import histories_of
from tests.test_golden import GOLDEN

FILES = GOLDEN / "readers" / "inspect"
LOG = {"version": 2, "status": "success", "eval": {"task": "bake", "model": "openai/m"}}


def _of(history: History, type_name: str) -> list[dict[str, Any]]:
    return [draft for draft in history.drafts if draft["type"] == type_name]


def _read(**sample: Any) -> History:
    whole = {"id": 1, "epoch": 1, "messages": [], **sample}
    return next(FORMAT.read({**LOG, "samples": [whole]}))


def _one(path: Path) -> History:
    (history,) = histories_of(path)
    return history


def test_usage_is_that_of_each_model_in_the_log() -> None:
    answers = _of(_one(FILES / "tools.json"), "llm_response")
    spent = [
        (answer["provider"], answer["usage"]["inputTokens"], answer["usage"]["outputTokens"])
        for answer in answers
        if "usage" in answer
    ]
    assert spent == [("openai", 150, 20), ("openai", 150, 9), ("anthropic", 60, 5)]
    assert answers[0]["usage"]["cachedInputTokens"] == 40
    assert answers[0]["usage"]["reasoningTokens"] == 7
    assert answers[0]["costUsd"] == 0.0012
    assert "costUsd" not in answers[1]
    assert [answer["latencyMs"] for answer in answers] == [1500] * 4


def test_an_answer_from_the_cache_has_no_usage() -> None:
    assert "usage" not in _of(_one(FILES / "tools.json"), "llm_response")[3]


def test_messages_stand_in_their_order_and_results_by_their_calls() -> None:
    history = _one(FILES / "tools.json")
    calls = [call["id"] for draft in _of(history, "tool_calls") for call in draft["calls"]]
    results = [draft["results"][0] for draft in _of(history, "tool_results")]
    assert calls == [result["callId"] for result in results] == ["call_price", "call_oven"]
    assert results[0]["error"] is None
    assert results[1]["error"]["message"] == "the oven is not yours"
    assert [draft["text"] for draft in _of(history, "reply")] == [
        "Let me look.",
        "It costs 3.20 euros.",
    ]


def test_only_a_person_s_decision_is_an_approval() -> None:
    history = _one(FILES / "tools.json")
    (response,) = _of(history, "approval_response")
    assert (response["callId"], response["approved"]) == ("call_oven", False)
    assert len(_of(history, "approval_request")) == len(_of(history, "inspect.approval")) == 1


def test_scores_are_facts_of_the_thread() -> None:
    facts = _one(FILES / "tools.json").metadata
    assert facts["score.match"] == "C"
    assert (facts["score.detail.price"], facts["score.detail.tone"]) == (1, 0.5)
    assert (facts["task"], facts["model"]) == ("bakery", "openai/gpt-5-mini")


def test_every_sample_of_an_archive_is_a_history_with_its_end() -> None:
    limited, failed = histories_of(FILES / "zipped.eval")
    assert (limited.id, failed.id) == ("counting-2-2-SampleCount2", "counting-3-2-SampleCount3")
    (ended,) = _of(limited, "exit")
    assert (ended["reason"], ended["message"]) == ("step_limit", "token")
    assert failed.drafts[-1]["reason"] == "error"
    assert _of(failed, "runtime_error")[0]["error"] == "RuntimeError: lost count"


def test_what_a_log_says_of_all_samples_stands_with_the_first() -> None:
    first, second = histories_of(FILES / "zipped.eval")
    (kept,) = _of(first, "log")
    assert first.drafts[-1] == kept
    assert kept["metadata"]["wire"]["inspect"][0]["set"]["results"]["completed_samples"] == 1
    assert _of(second, "log") == []


def test_a_log_that_has_ended_since_only_adds_to_its_threads() -> None:
    log = {**LOG, "stats": {"started_at": "now"}, "samples": [{"id": 1, "messages": []}]}
    (before,), (after,) = FORMAT.read(log), FORMAT.read({**log, "results": {"scores": []}})
    assert before.drafts[:-1] == after.drafts[:-1]
    assert before.drafts[-1]["id"] != after.drafts[-1]["id"]


def test_a_copy_of_a_message_is_kept_where_it_differs() -> None:
    said, other = {"role": "user", "content": "Yes"}, {"role": "user", "content": "Yes", "id": "m"}
    event = {"event": "model", "model": "m", "input": [{**said, "id": None}, other], "output": {}}
    history = _read(messages=[said], events=[event, event])
    inputs = [draft["payload"].get("input") for draft in _of(history, "inspect.model")]
    assert inputs == [[other], None]


def test_the_log_of_a_run_that_did_not_end_is_read_by_its_journal() -> None:
    assert _one(FILES / "unfinished.eval").metadata["task"] == "counting"


def test_what_is_not_known_is_noted_with_its_place() -> None:
    assert [(aside.place, aside.what) for aside in _one(FILES / "tools.json").unmapped] == [
        (".samples[0].events[8].mood", "field 'mood'"),
        (".samples[0].events[13]", "kind 'thunderstorm'"),
        (".samples[0].weather", "field 'weather'"),
    ]


@pytest.mark.parametrize(
    "kept", [{"attachments": {"a1": "data:image/png;base64,QUJD"}}, {"transcript": {}}]
)
def test_texts_that_are_kept_apart_are_put_back(kept: dict[str, Any]) -> None:
    uri, prefix = "data:image/png;base64,QUJD", "attachment"
    if "transcript" in kept:  # as old logs have them
        kept, prefix = {"transcript": {"content": {"a1": uri}, "events": []}}, "tc"
    parts = [{"type": "text", "text": "see"}, {"type": "image", "image": f"{prefix}://a1"}]
    history = _read(messages=[{"role": "user", "content": parts}], **kept)
    assert _of(history, "input") == [
        {"type": "input", "text": "see", "files": [{"data": "QUJD", "mimeType": "image/png"}]}
    ]
    assert "attachments" not in _of(history, "inspect.sample")[0]["payload"]


def test_a_message_is_the_answer_of_one_model_event_only() -> None:
    said = {"role": "assistant", "content": "Yes"}
    output = {"model": "m", "choices": [{"message": said, "stop_reason": "stop"}]}
    event = {"event": "model", "model": "m", "output": output}
    history = _read(messages=[said], events=[event, event])
    kinds = [draft["type"] for draft in history.drafts]
    assert kinds[:4] == ["inspect.eval", "llm_response", "reply", "llm_response"]
    assert "llm_response" not in kinds[4:]


def test_what_an_event_says_otherwise_than_its_message_is_kept() -> None:
    call = {"id": "c1", "function": "f", "arguments": {"n": 1}}
    result = {"role": "tool", "tool_call_id": "c1", "function": "f", "content": "cut"}
    event = {"event": "tool", **call, "arguments": {"n": 2}, "result": "cut short"}
    history = _read(messages=[{"role": "assistant", "tool_calls": [call]}, result], events=[event])
    (kept,) = _of(history, "tool_results")[0]["metadata"]["wire"]["inspect"][0]["set"]["parts"]
    assert kept == {"event": "tool", "arguments": {"n": 2}, "result": "cut short"}


def test_a_call_of_the_models_provider_has_its_result() -> None:
    part = {"type": "tool_use", "tool_type": "web_search", "id": "s1", "name": "search"}
    part = {**part, "arguments": '{"q": 1}', "result": "", "error": "no network"}
    history = _read(messages=[{"role": "assistant", "content": [part]}])
    assert _of(history, "tool_calls")[0]["calls"][0]["argumentsText"] == '{"q": 1}'
    assert _of(history, "tool_results")[0]["results"][0]["error"] == "no network"


def test_an_answer_is_counted_whatever_its_message_is() -> None:
    for role, kind in (("robot", "inspect.robot"), ("assistant", "inspect.assistant")):
        said = {"role": role, "content": ""}
        output = {"choices": [{"message": said}], "usage": {"input_tokens": 3}}
        history = _read(
            messages=[said], events=[{"event": "model", "model": "m", "output": output}]
        )
        answer, kept = history.drafts[1:3]
        assert (answer["usage"], kept["type"]) == ({"inputTokens": 3}, kind)


def test_a_log_without_samples_is_refused() -> None:
    logs: list[Any] = [{}, {"samples": []}, {"samples": "none"}]
    for samples in logs:
        with pytest.raises(InvalidMessage, match="no samples"):
            list(FORMAT.read({**LOG, **samples}))
