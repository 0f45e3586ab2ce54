"""Exports of chat services: branches, calls and results, what the user attached."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.json.text import parse
from agentlog.domain.json.values import texts_of
from agentlog.extensions.formats.exports.branches import branches
from agentlog.projections.readers.history import History
from agentlog.projections.readers.registry import FORMATS
from tests.projections.readers.of_format import noted, of_type, read
from tests.test_golden import GOLDEN

ROOT = "5f0c8c1e-3a52-4f4e-9c55-0d4bb4a1f001"


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


def test_a_conversation_of_claude_ai_is_the_branch_that_was_left_open() -> None:
    path = GOLDEN / "readers" / "claude-ai" / "branches.json"
    conversation = json.loads(path.read_bytes())[0]
    current, other = FORMATS["claude-ai"].read(conversation)
    assert _texts(current) == ["How long does rye rest?", "Twelve hours.", "Thank you.", "500 g"]
    assert _texts(other) == ["Six hours.", "Are you sure?", "Quite."]
    assert (other.parent, other.metadata["branchOf"]) == (current.id, ROOT)
    del conversation["current_leaf_message_uuid"]
    assert _texts(next(iter(FORMATS["claude-ai"].read(conversation))))[-1] == "Quite."


def test_what_was_spoken_to_chatgpt_is_an_input_and_its_recaps_are_no_calls() -> None:
    path = GOLDEN / "readers" / "chatgpt" / "voice.json"
    (history,) = FORMATS["chatgpt"].read(json.loads(path.read_bytes())[0])
    assert _texts(history) == ["How high is the dyke?", "8.5 metres."]
    errors = [
        result.get("error") for draft in history.drafts for result in draft.get("results", ())
    ]
    assert errors == [None, "tool_error"]
    assert len(of_type(history, "llm_response")) == 3
    assert noted(history) == []


def test_an_answer_of_open_webui_is_its_items_or_the_elements_of_its_text() -> None:
    path = GOLDEN / "readers" / "open-webui" / "chats.json"
    current, other = FORMATS["open-webui"].read(json.loads(path.read_bytes())[0])
    thoughts = [draft["summary"] for draft in of_type(current, "reasoning")]
    assert thoughts == ["A table is\nneeded.", "Ask again."]
    calls = [call for draft in of_type(current, "tool_calls") for call in draft["calls"]]
    assert [call["args"] for call in calls] == [{"place": "quay <3>"}, {"place": "quay"}]
    results = [result for draft in of_type(current, "tool_results") for result in draft["results"]]
    assert [result["callId"] for result in results] == ["call_1", "call_2"]
    assert [result["output"] for result in results] == ['{"high": "14:20"}', "20:35"]
    figures = [
        draft.get("usage", {}).get("inputTokens") for draft in of_type(current, "llm_response")
    ]
    assert figures == [120, 200, None]
    assert _texts(other) == ["I cannot know."]


@given(st.lists(st.integers(0, 9), max_size=9), st.integers(0, 9))
def test_each_message_of_a_tree_is_in_one_branch(before: list[int], current: int) -> None:
    parents = {str(n): None if parent == n else str(parent) for n, parent in enumerate(before)}
    listed = list(branches(parents, str(current)))
    assert sorted(key for branch in listed for key in branch) == sorted(parents)
    for branch in listed:
        assert [parents[key] for key in branch[1:]] == branch[:-1]
    if str(current) in parents:
        assert listed[0][-1] == str(current)
