"""Exports of chat services: branches, calls and results, what the user attached."""

from typing import Any

from agentlog.domain.json.text import parse
from agentlog.domain.json.values import texts_of
from agentlog.projections.readers.history import History
from agentlog.projections.readers.registry import FORMATS
from tests.projections.readers.of_format import noted, of_type, read
from tests.test_golden import GOLDEN


def _conversation(name: str) -> Any:
    path = GOLDEN / "readers" / name / "conversations.json"
    return parse(path.read_bytes())[0]


def _texts(history: History) -> list[str]:
    return texts_of([draft["text"] for draft in history.drafts if "text" in draft])


def test_the_current_branch_is_the_thread_and_others_have_what_they_add() -> None:
    current, other = FORMATS["chatgpt"].read(_conversation("chatgpt"))
    assert _texts(current) == ["When is high water here?", "At 14:20."]
    assert _texts(other) == ["I cannot tell from a picture."]
    assert other.parent == current.id
    assert other.metadata["branchOf"] == "67c5a000-1111-8000-9000-000000000003"


def test_nodes_in_a_ring_are_read_once() -> None:
    ring = {key: {"id": key, "message": None, "parent": to} for key, to in ("ab", "ba")}
    assert list(FORMATS["chatgpt"].read({"mapping": ring, "current_node": "b"}))


def test_what_an_assistant_sends_to_a_tool_is_a_call() -> None:
    current, _ = FORMATS["chatgpt"].read(_conversation("chatgpt"))
    calls = [call for draft in of_type(current, "tool_calls") for call in draft["calls"]]
    results = [result for draft in of_type(current, "tool_results") for result in draft["results"]]
    assert [call["name"] for call in calls] == ["web.run", "python"]
    assert [result["callId"] for result in results] == [call["id"] for call in calls]
    assert [draft.get("model") for draft in of_type(current, "llm_response")] == ["o3"] * 3


def test_calls_without_ids_are_answered_in_their_order() -> None:
    history = read("claude-ai", _conversation("claude-ai"))
    calls = [call for draft in of_type(history, "tool_calls") for call in draft["calls"]]
    results = [result for draft in of_type(history, "tool_results") for result in draft["results"]]
    assert [call["id"] for call in calls] == ["at:chat_messages[1].content[2]", "toolu_02"]
    assert [(result["callId"], result["error"]) for result in results] == [
        ("at:chat_messages[1].content[2]", None),
        ("toolu_02", "no engine"),
    ]
    assert "500 g rye, 400 g water" in _texts(history)
    assert noted(history) == ["chat_messages[1].content[7]", "chat_messages[4]"]
