"""ATIF trajectories: each turn's figures once, sub-agents as threads, repeats kept apart."""

from pathlib import Path
from typing import Any

from agentlog.domain.json.text import parse
from agentlog.extensions.formats.atif.trajectory import FORMAT
from agentlog.projections.readers.history import History
from tests.test_golden import GOLDEN

AGENT = {"name": "a", "version": "1"}


def _histories(name: str) -> list[History]:
    return list(FORMAT.read(parse(Path(GOLDEN / "readers" / "atif" / name).read_bytes())))


def _read(*steps: Any, **fields: Any) -> History:
    document = {"schema_version": "ATIF-v1.8", "agent": AGENT, "steps": list(steps), **fields}
    return next(FORMAT.read(document))


def _of(history: History, kind: str) -> list[Any]:
    return [draft for draft in history.drafts if draft["type"] == kind]


def test_figures_calls_and_results_are_those_of_the_steps() -> None:
    (history,) = _histories("task.json")
    answers = _of(history, "llm_response")
    assert len(answers) == 3
    assert [answer.get("usage", {}).get("inputTokens") for answer in answers] == [1200, 1400, None]
    assert sum(answer.get("costUsd", 0) for answer in answers) == history.metadata["costUsd"]
    assert sum(len(draft["calls"]) for draft in _of(history, "tool_calls")) == 3
    results = [result for draft in _of(history, "tool_results") for result in draft["results"]]
    assert [result.get("error", "unknown") for result in results] == [
        None,
        "exit code 1: test_add failed",
        "unknown",
    ]
    assert [draft["text"] for draft in _of(history, "system")] == ["You fix bugs.", "terminal idle"]


def test_messages_of_a_turn_share_a_response_id_and_its_time() -> None:
    (history,) = _histories("task.json")
    turn = [d for d in history.drafts if d.get("metadata", {}).get("responseId") == "import-2"]
    assert [item["type"] for item in turn] == ["llm_response", "reasoning", "reply", "tool_calls"]
    assert {item["timestamp"] for item in turn} == {1_762_160_404_500}


def test_a_copied_step_is_no_second_turn() -> None:
    history, _ = _histories("handoff.json")
    assert len(_of(history, "atif.copied_context")) == 2
    assert [draft["calls"][0]["id"] for draft in _of(history, "tool_calls")] == ["call_1", "call_2"]


def test_a_step_without_a_model_has_no_answer() -> None:
    history, _ = _histories("handoff.json")
    assert [draft["metadata"]["responseId"] for draft in _of(history, "llm_response")] == [
        "import-3",
        "import-5",
    ]


def test_a_sub_agent_is_a_thread_that_its_parent_spawned() -> None:
    history, child = _histories("handoff.json")
    assert child.parent == history.id
    embedded, elsewhere = _of(history, "worker_spawned")
    assert embedded["threadId"] == child.id
    assert "threadId" not in elsewhere
    assert [draft["workerId"] for draft in _of(history, "worker_result")] == [
        "summary",
        "elsewhere",
    ]


def test_what_is_not_known_is_named_by_its_place() -> None:
    history = _read(
        {"step_id": 1, "source": "user", "message": "hi", "mood": 1},
        {"step_id": 2, "source": "robot", "message": "beep"},
        {"step_id": 3, "source": "agent", "message": "", "tool_calls": [{"function_name": "f"}]},
        {"step_id": 4, "source": "agent", "message": "ok", "metrics": {"prompt_tokens": "7"}},
        weather="fine",
    )
    assert [(aside.place, aside.what) for aside in history.unmapped] == [
        ("weather", "field 'weather'"),
        ("steps[0].mood", "field 'mood'"),
        ("steps[1]", "kind 'step'"),
        ("steps[2]", "kind 'step'"),
        ("steps[3].metrics.prompt_tokens", "field 'prompt_tokens'"),
    ]
    assert _of(history, "atif.trajectory")[0]["payload"] == {"weather": "fine"}
    assert "usage" not in _of(history, "llm_response")[0]


def test_arguments_that_are_text_stay_as_they_were() -> None:
    call = {"tool_call_id": "c", "function_name": "f", "arguments": '{"a": 1'}
    history = _read({"step_id": 1, "source": "agent", "message": "", "tool_calls": [call]})
    assert _of(history, "tool_calls")[0]["calls"][0]["argumentsText"] == '{"a": 1'
