"""mini-swe-agent's trajectories: chats and Responses, with the figures noted beside."""

from pathlib import Path
from typing import Any

import pytest

from agentlog.domain.json.text import parse, print_bytes
from agentlog.extensions.formats.swe_agents.mini_swe_agent import FORMAT
from agentlog.projections.readers.history import History
from tests.test_golden import GOLDEN


def _read(name: str) -> History:
    path = Path(GOLDEN / "readers" / "mini-swe-agent" / f"{name}.traj.json")
    (history,) = FORMAT.read(parse(path.read_bytes()))
    return history


def _of(history: History, kind: str) -> list[Any]:
    return [draft for draft in history.drafts if draft["type"] == kind]


def _results(history: History) -> list[Any]:
    return [result for draft in _of(history, "tool_results") for result in draft["results"]]


def test_figures_are_those_of_each_answer_also_of_one_that_was_refused() -> None:
    history = _read("chat")
    answers = _of(history, "llm_response")
    assert len(answers) == history.metadata["modelCalls"] == 4
    assert [answer["usage"]["inputTokens"] for answer in answers] == [1689, 1800, 1900, 2000]
    assert round(sum(answer["costUsd"] for answer in answers), 8) == history.metadata["costUsd"]
    assert answers[0]["usage"]["cachedInputTokens"] == 1664
    assert answers[1]["finishReason"] == "stop"


def test_results_are_errors_where_the_command_failed() -> None:
    assert [(result["callId"], result["error"] is None) for result in _results(_read("chat"))] == [
        ("call_00", True),
        ("call_01", False),
        ("call_02", False),
    ]


def test_a_rejection_by_a_person_is_a_denied_approval() -> None:
    (response,) = _of(_read("chat"), "approval_response")
    assert (response["callId"], response["approved"]) == ("call_02", False)


def test_items_of_a_response_are_messages_of_one_answer() -> None:
    history = _read("responses")
    (answer,) = _of(history, "llm_response")
    assert answer["usage"] == {
        "inputTokens": 100,
        "outputTokens": 40,
        "totalTokens": 140,
        "cachedInputTokens": 25,
        "reasoningTokens": 30,
    }
    assert "costUsd" not in answer  # 0 is not known
    of_it = [d for d in history.drafts if d.get("metadata", {}).get("responseId") == "resp_1"]
    assert [draft["type"] for draft in of_it] == [
        "llm_response",
        "reasoning",
        "reply",
        "tool_calls",
        "mini-swe-agent.web_search_call",
    ]
    assert [result["callId"] for result in _results(history)] == ["call_a", "call_b"]


def test_an_action_in_text_is_a_call_with_the_result_after_it() -> None:
    history = _read("text")
    calls, last = _of(history, "tool_calls")
    result, submitted = _results(history)
    assert submitted["callId"] == last["calls"][0]["id"]
    assert calls["calls"][0]["args"] == {"command": "echo hello"}
    assert (result["callId"], result["error"]) == (calls["calls"][0]["id"], None)


def test_the_end_of_a_run_is_told_by_its_last_message_or_its_status() -> None:
    ends = {name: _read(name).drafts[-1]["reason"] for name in ("chat", "responses", "text")}
    assert ends == {"chat": "complete", "responses": "error", "text": "step_limit"}
    assert [draft["error"] for draft in _of(_read("responses"), "runtime_error")] == [
        "connection lost"
    ]


def test_what_is_not_known_is_named_by_its_place() -> None:
    assert [(aside.place, aside.what) for aside in _read("chat").unmapped] == [
        ("messages[9].mood", "field 'mood'")
    ]
    assert [(aside.place, aside.what) for aside in _read("responses").unmapped] == [
        ("messages[2].output[4]", "kind 'web_search_call'")
    ]


@pytest.mark.parametrize(
    ("status", "limits", "calls", "reason"),
    [
        ("LimitsExceeded", {"step_limit": 0, "cost_limit": 3.0}, 12, "error"),
        ("LimitsExceeded", {"step_limit": 250, "cost_limit": 3.0}, 12, "error"),
        ("LimitsExceeded", {"step_limit": 12, "cost_limit": 0}, 12, "step_limit"),
        ("LimitsExceeded", {}, 12, "step_limit"),
        ("TimeExceeded", {"step_limit": 12}, 3, "error"),
    ],
)
def test_a_limit_of_cost_or_time_is_none_of_steps(
    status: str, limits: dict[str, Any], calls: int, reason: str
) -> None:
    """As `DefaultAgent.query` raises them."""
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120, "cost": 3.01}
    answer = {"role": "assistant", "content": "x", "extra": {"response": {"usage": usage}}}
    run = {
        "trajectory_format": "mini-swe-agent-1",
        "info": {
            "exit_status": status,
            "model_stats": {"instance_cost": 3.01, "api_calls": calls},
            "config": {"agent": limits},
        },
        "messages": [answer],
    }
    (history,) = FORMAT.read(run)
    assert history.drafts[-1]["reason"] == reason
    (response,) = _of(history, "llm_response")
    assert response["costUsd"] == 3.01  # which the provider states


def test_blocks_of_version_1_are_calls_whose_observations_state_how_they_ended() -> None:
    said = ["ls", "false", "sleep 99", "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"]
    observations = [
        "<returncode>0</returncode>\n<output>\na.py\n</output>",
        "<returncode>1</returncode>\n<output>\n</output>",
        "The last command <command>sleep 99</command> timed out and has been killed.",
        "diff --git a/a.py b/a.py",
    ]
    messages = [{"role": "system", "content": "Use bash."}, {"role": "user", "content": "Go."}]
    for command, observation in zip(said, observations, strict=True):
        messages.append({"role": "assistant", "content": f"THOUGHT: x\n\n```bash\n{command}\n```"})
        messages.append({"role": "user", "content": observation})
    two = "```bash\nls\n```\n```bash\npwd\n```"
    messages[2:2] = [
        {"role": "assistant", "content": two},
        {"role": "user", "content": "Please always provide EXACTLY ONE action, found 2 actions."},
    ]
    info = {"exit_status": "Submitted", "submission": observations[-1]}
    document = {"info": info, "messages": messages, "trajectory_format": "mini-swe-agent-1"}
    (history,) = FORMAT.read(parse(print_bytes(document)))
    calls = [call for draft in _of(history, "tool_calls") for call in draft["calls"]]
    assert [call["args"]["command"] for call in calls] == said
    results = _results(history)
    assert [result["callId"] for result in results] == [call["id"] for call in calls]
    outcomes = [result.get("error", ...) for result in results]
    assert outcomes == [None, observations[1], observations[2], ...]
    assert history.drafts[-1]["reason"] == "complete"
