"""Letta's agent files: every message of every agent, with approvals and what failed."""

from pathlib import Path
from typing import Any

from tests.projections.readers.test_golden_readers import histories_of
from tests.test_golden import GOLDEN

FILES = GOLDEN / "readers" / "letta-agent"


def _drafts(path: Path, type_name: str, agent: int = 0) -> list[dict[str, Any]]:
    return [draft for draft in histories_of(path)[agent].drafts if draft["type"] == type_name]


def test_every_agent_is_a_history() -> None:
    histories = histories_of(FILES / "second-version.af")
    assert [history.metadata["agent"] for history in histories] == [
        "librarian",
        "librarian-sleeptime",
    ]
    assert histories[0].metadata["model"] == "claude-sonnet-4-5"


def test_calls_and_results_are_those_of_the_file() -> None:
    path = FILES / "second-version.af"
    calls = [call["id"] for draft in _drafts(path, "tool_calls") for call in draft["calls"]]
    results = [r for draft in _drafts(path, "tool_results") for r in draft["results"]]
    assert calls == ["toolu_a", "toolu_b", "toolu_c"]
    assert [result["callId"] for result in results] == calls
    assert [result["error"] is None for result in results] == [False, True, True]


def test_an_approval_is_asked_for_and_given_by_its_call() -> None:
    path = FILES / "second-version.af"
    asked = [draft["callId"] for draft in _drafts(path, "approval_request")]
    given = [(draft["callId"], draft["approved"]) for draft in _drafts(path, "approval_response")]
    assert asked == ["toolu_a", "toolu_b", "toolu_c"]
    assert given == [("toolu_a", False), ("toolu_b", True), ("toolu_c", True)]
    assert _drafts(path, "approval_response")[0]["reason"] == "not in this folder"


def test_an_answer_tells_its_model_once_and_shares_its_id() -> None:
    answers = _drafts(FILES / "second-version.af", "llm_response")
    assert [answer["model"] for answer in answers] == ["claude-sonnet-4-5"] * 4
    assert len({answer["metadata"]["responseId"] for answer in answers}) == 4


def test_text_beside_a_call_is_a_thought_of_agents_that_speak_by_a_tool() -> None:
    path = FILES / "first-version.af"
    thoughts = [draft["summary"] for draft in _drafts(path, "reasoning")]
    assert thoughts == ["Bootup sequence complete.", "They want the time."]
    assert [draft["text"] for draft in _drafts(path, "reply")] == ["It is late."]


def test_a_result_without_a_status_has_that_of_its_text() -> None:
    results = [
        r for draft in _drafts(FILES / "first-version.af", "tool_results") for r in draft["results"]
    ]
    assert [result["callId"] for result in results] == ["7877-90f6", "c7c4-37bb"]
    assert results[0]["error"] is None
    assert "no clock" in results[1]["error"]


def test_what_is_not_known_is_noted_with_its_place() -> None:
    first, second = histories_of(FILES / "second-version.af")
    assert [(aside.place, aside.what) for aside in first.unmapped] == [
        (".agents[0].messages[1].content[2]", "kind 'image'"),
        (".agents[0].messages[6].shelf_mark", "field 'shelf_mark'"),
        (".agents[0].messages[9].content[1]", "kind 'hologram'"),
        (".agents[0].messages[12]", "kind 'observer'"),
    ]
    assert second.unmapped == []
