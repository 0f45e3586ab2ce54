"""SWE-agent trajectories: answers by the history, with what the steps add to them."""

from pathlib import Path
from typing import Any

import pytest

from agentlog.domain.json.text import parse
from agentlog.extensions.formats.swe_agents.swe_agent import FORMAT
from agentlog.projections.outcomes.suspicion import suspicions
from agentlog.projections.readers.history import History
from tests.test_golden import GOLDEN


def _histories(name: str) -> list[History]:
    path = Path(GOLDEN / "readers" / "swe-agent" / name)
    return list(FORMAT.read(parse(path.read_bytes())))


def _of(history: History, kind: str) -> list[Any]:
    return [draft for draft in history.drafts if draft["type"] == kind]


def _item(role: str, content: Any, **fields: Any) -> dict[str, Any]:
    return {"role": role, "content": content, "agent": "main", **fields}


def test_each_call_of_the_model_is_an_answer_also_one_that_was_refused() -> None:
    (history,) = _histories("calls.traj")
    answers = _of(history, "llm_response")
    assert len(answers) == history.metadata["modelCalls"] == 4
    assert {answer["model"] for answer in answers} == {"gpt-4o"}
    assert (history.metadata["costUsd"], history.metadata["inputTokens"]) == (0.0195, 7141)
    assert [draft["text"] for draft in _of(history, "reply")] == [
        "I look for the file.",
        "edit it like that",
        "I submit.",
    ]


def test_results_are_those_of_the_calls_before() -> None:
    for name, called in (
        ("calls.traj", ["call_1", "call_2", "action-7-0"]),
        ("shell.traj", ["action-2", "action-4"]),
    ):
        (history,) = _histories(name)
        calls = [call for draft in _of(history, "tool_calls") for call in draft["calls"]]
        results = [result for draft in _of(history, "tool_results") for result in draft["results"]]
        assert [call["id"] for call in calls] == called
        assert [result["callId"] for result in results] == called
        assert not any("error" in result for result in results)


def test_an_action_in_text_is_a_call_of_the_shell() -> None:
    (history,) = _histories("shell.traj")
    first = _of(history, "tool_calls")[0]["calls"][0]
    assert (first["name"], first["args"]) == ("bash", {"command": "ls -la\n"})


@pytest.mark.parametrize(
    ("action", "observation", "tool", "ended"),
    [
        (
            "edit 1:2\nx=(",
            "Your proposed edit has introduced new syntax error(s).",
            "edit",
            "failed",
        ),
        ("open a.py", "[File: /a.py (1 lines total)]", "open", "succeeded"),
        ("create a.py", "Error: File a.py is there.", "create", "failed"),
        ("search_dir x", "OBSERVATION:\nNo matches found for x", "search_dir", "succeeded"),
        ("submit", "diff --git a b", "submit", "unstated"),
        ("python edit.py", "Error: no result of the shell is judged", "bash", "unstated"),
    ],
)
def test_a_command_of_its_own_says_in_its_result_how_it_ended(
    action: str, observation: str, tool: str, ended: str
) -> None:
    fields: dict[str, dict[str, Any]] = {
        "failed": {"output": None, "error": observation},
        "succeeded": {"output": observation, "error": None},
        "unstated": {"output": observation},
    }
    step = {"action": action, "observation": observation, "response": "I do.", "thought": ""}
    told = [_item("assistant", "I do.", action=action), _item("user", observation)]
    refused = {"history": [_item("user", "go")], "trajectory": [step]}
    for document in ({"history": told}, refused):
        (history,) = FORMAT.read(document)
        (call,) = _of(history, "tool_calls")[0]["calls"]
        (result,) = _of(history, "tool_results")[0]["results"]
        assert (call["name"], call["args"]) == (tool, {"command": action})
        del result["callId"]
        assert {**result, "name": tool} == {**fields[ended], "name": tool}


@pytest.mark.parametrize("head", ["", "OBSERVATION:\n"])
def test_an_edit_that_its_editor_refused_is_suspected_in_any_format(head: str) -> None:
    for text in (
        "Your proposed edit has introduced new syntax error(s).",
        "Your edit was not applied (syntax error introduced)",
    ):
        assert suspicions(f"{head}{text}")[0] == ("failure_text",)
    assert suspicions(f"{head}Your edit was applied")[0] == ()


def test_history_and_steps_are_of_one_moment() -> None:
    """As the program writes them: both have grown by a step, and what was read stays."""
    whole = parse((GOLDEN / "readers" / "swe-agent" / "calls.traj").read_bytes())
    texts = [step["response"] for step in whole["trajectory"]]
    (read,) = FORMAT.read(whole)
    for count, text in enumerate(texts, 1):
        ends = [n for n, item in enumerate(whole["history"]) if item["content"] == text]
        if not ends:
            continue
        earlier = {
            **whole,
            "history": whole["history"][: ends[0] + 2],
            "trajectory": whole["trajectory"][:count],
        }
        (part,) = FORMAT.read(earlier)
        kept = [draft for draft in part.drafts if "id" not in draft]
        assert kept == [draft for draft in read.drafts if "id" not in draft][: len(kept)]


def test_the_end_of_a_run_is_told_by_its_status() -> None:
    ends = [
        history.drafts[-1] for name in ("calls.traj", "shell.traj") for history in _histories(name)
    ]
    assert [end["reason"] for end in ends] == ["complete", "error"]  # of cost
    assert [draft["error"] for draft in _of(_histories("shell.traj")[0], "runtime_error")] == [
        "Exit due to cost limit"
    ]


def test_the_best_of_several_attempts_is_one_thread_and_the_others_too() -> None:
    best, other = _histories("attempts.traj")
    assert [draft["text"] for draft in _of(best, "reply")] == ["Nothing to do."]
    assert [draft["text"] for draft in _of(other, "reply")] == ["I look for the file."]
    assert _of(other, "llm_response") == []  # no model was asked


def test_what_is_not_known_is_named_by_its_place() -> None:
    call = {"id": "c", "function": {"arguments": "{}"}}
    (history,) = FORMAT.read(
        {
            "history": [
                _item("user", "hi", mood=1),
                _item("assistant", "yes", tool_calls=[call]),
                _item("robot", "beep"),
            ],
            "sky": "blue",
        }
    )
    assert [(aside.place, aside.what) for aside in history.unmapped] == [
        ("sky", "field 'sky'"),
        ("history[0].mood", "field 'mood'"),
        ("history[1].tool_calls[0].id", "field 'id'"),
        ("history[1].tool_calls[0].function", "field 'function'"),
        ("history[2]", "kind 'message'"),
    ]


@pytest.mark.parametrize(
    "value",
    [
        {"history": []},
        {"history": [{"role": "user", "content": "a chat"}]},
        {"messages": [_item("user", "hi")]},
    ],
)
def test_other_files_are_not_taken(value: Any) -> None:
    assert not FORMAT.is_document(value)
