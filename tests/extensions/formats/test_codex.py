"""Codex's rollouts of all versions: counted once, whole, and the sub-agent with its parent."""

from typing import Any

import pytest

from agentlog.domain.json.text import parse
from agentlog.extensions.formats.codex.rollout import FORMAT
from agentlog.projections.readers.history import History
from tests.test_golden import GOLDEN

ROLLOUTS = GOLDEN / "readers" / "codex"


def lines_of(name: str) -> list[Any]:
    return [parse(line) for line in (ROLLOUTS / name).read_bytes().splitlines()]


def read(*lines: Any) -> History:
    return next(FORMAT.read(list(lines)))


def of_type(history: History, name: str) -> list[dict[str, Any]]:
    return [draft for draft in history.drafts if draft["type"] == name]


def usage_of(history: History) -> list[tuple[int, int, int]]:
    return [
        (used["inputTokens"], used["cachedInputTokens"], used["outputTokens"])
        for used in (draft["usage"] for draft in of_type(history, "llm_response"))
    ]


def errors_of(history: History) -> dict[str, Any]:
    results = [result for draft in of_type(history, "tool_results") for result in draft["results"]]
    return {
        result["callId"]: "output" if error and error == result["output"] else error
        for result in results
        for error in [result.get("error", "unsaid")]
    }


def test_records_of_usage_count_and_token_counts_beside_them_do_not() -> None:
    history = read(*lines_of("new.jsonl"))
    assert usage_of(history) == [(1100, 300, 70), (1300, 1100, 9)]
    assert {(draft["model"], draft["provider"]) for draft in of_type(history, "llm_response")} == {
        ("gpt-x", "openai")
    }


def test_a_token_count_that_comes_again_is_not_counted() -> None:
    # the second has no figures of its own: they are what the total grew by
    assert usage_of(read(*lines_of("counts.jsonl"))) == [
        (900, 0, 40),
        (1200, 800, 15),
        (1300, 1200, 8),
    ]


@pytest.mark.parametrize(
    ("name", "errors"),
    [
        ("new.jsonl", {"call_1": "output", "call_2": None, "at:[17].payload": None}),
        ("counts.jsonl", {"call_1": None, "call_2": "output"}),
        ("oldest.jsonl", {"call_9": None, "call_8": "output"}),
        ("with-agent/rollout-parent.jsonl", {"call_s": "unsaid"}),
    ],
)
def test_a_result_fails_where_the_source_says_so(name: str, errors: dict[str, Any]) -> None:
    assert errors_of(read(*lines_of(name))) == errors


def test_messages_of_one_answer_share_an_id() -> None:
    history = read(*lines_of("counts.jsonl"))
    ids = [draft.get("metadata", {}).get("responseId") for draft in history.drafts]
    assert [own_id.rpartition(":")[2] for own_id in ids if own_id] == [*"111", *"22", *"33"]


def test_texts_that_codex_wrote_are_not_the_users() -> None:
    for name, said in (
        ("new.jsonl", "Count the late parcels."),
        ("counts.jsonl", "Where is 7?"),
        ("oldest.jsonl", "Say hello."),
    ):
        history = read(*lines_of(name))
        assert [draft["text"] for draft in of_type(history, "input")] == [said]


def test_what_is_not_known_is_kept_with_its_place() -> None:
    assert [(aside.place, aside.what) for aside in read(*lines_of("new.jsonl")).unmapped] == [
        ("[18].payload.shade", "field 'shade'"),
        ("[24]", "kind 'moon_phase'"),
        ("[25]", "kind 'tomorrow'"),
    ]


def test_a_sub_agent_has_its_parent_and_does_not_count_what_it_was_given() -> None:
    parent = read(*lines_of("with-agent/rollout-parent.jsonl"))
    child = read(*lines_of("with-agent/rollout-child.jsonl"))
    (sent,) = of_type(parent, "worker_spawned")
    assert (sent["threadId"], child.parent) == (child.id, parent.id)
    assert usage_of(child) == [(450, 400, 12)]


def test_a_sub_agent_comes_back_once_with_what_it_said() -> None:
    *parent, end = lines_of("with-agent/rollout-parent.jsonl")
    (came,) = of_type(read(*parent, end), "worker_result")
    assert came["output"] == "East has 4 parcels."
    assert of_type(read(*parent), "worker_result") == []
    (sent,) = of_type(read(*parent), "worker_spawned")
    thread = sent["workerId"]
    waits = {"type": "collab_waiting_end", "statuses": {thread: "running", "other": "not_found"}}
    for status, expected in (
        ({"completed": "East has 4 parcels."}, {"output": "East has 4 parcels.", "error": None}),
        ({"completed": None}, {"output": None, "error": None}),
        ({"errored": "No disk."}, {"output": None, "error": NO_DISK}),
    ):
        ((kind, said),) = status.items()
        item = {"type": "CollabAgentToolCall", "tool": "wait"}
        state = {"status": kind, "message": said}
        for ends in (
            {"type": "collab_waiting_end", "statuses": {thread: status}},
            {"type": "collab_close_end", "receiver_thread_id": thread, "status": status},
            {"type": "item_completed", "item": {**item, "agents_states": {thread: state}}},
        ):
            events = [event(waits), event(ends), event(ends)]
            (result,) = of_type(read(*parent, *events), "worker_result")
            assert result["workerId"] == thread
            assert {key: result.get(key) for key in ("output", "error")} == expected


NO_DISK = {"message": "No disk.", "code": "errored"}


def event(payload: dict[str, Any]) -> dict[str, Any]:
    return {"timestamp": "2026-07-20T10:01:00.000Z", "type": "event_msg", "payload": payload}


def test_an_item_id_that_comes_again_names_the_first_only() -> None:
    lines = lines_of("new.jsonl")
    ids = [draft["id"] for draft in read(*lines, *lines).drafts if "id" in draft]
    assert len(ids) == len(set(ids))
