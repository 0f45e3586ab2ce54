"""Lists of things to do, memory, and the state of graphs and sessions."""

from typing import Any

import pytest

from tests.extensions.formats.run_state.run import asked, gave, noted, state_of

BLOCKS = """<memory_blocks>
<human>
<description>
About the person
</description>
<value>
Name: Ada
</value>
</human>
</memory_blocks>"""


@pytest.mark.parametrize(
    ("call", "items"),
    [
        (
            asked("TodoWrite", {"todos": [{"content": "look", "status": "completed",
                                           "activeForm": "looking"}]}),
            [{"text": "look", "status": "completed"}],
        ),
        (
            asked("update_plan", {"plan": [{"step": "look", "status": "in_progress"}]}),
            [{"text": "look", "status": "in_progress"}],
        ),
        (
            asked("manage_todo_list", {"todoList": [{"id": 1, "title": "look"}]}),
            [{"text": "look", "status": None, "id": 1}],
        ),
        (asked("write_todos", {"todos": ["look", 7]}), [{"text": "look", "status": None}, 7]),
    ],
)  # fmt: skip
def test_lists_have_one_shape(call: dict[str, Any], items: list[Any]) -> None:
    assert state_of(call, gave()) == {"todos": items}


def test_tasks_of_claude_code_are_created_and_updated_by_their_ids() -> None:
    drafts = [
        asked("TaskCreate", {"subject": "look"}),
        gave("Task #1 created successfully: look"),
        asked("TaskCreate", {"subject": "book"}, "b"),
        gave("…", "b", metadata=noted("claude-code", toolUseResult={"task": {"id": "2"}})),
        asked("TaskUpdate", {"taskId": "1", "status": "completed"}, "c"),
        gave(call_id="c"),
    ]
    assert state_of(*drafts)["todos"] == [
        {"text": "look", "status": "completed", "id": "1"},
        {"text": "book", "status": "pending", "id": "2"},
    ]
    gone = asked("TaskUpdate", {"taskId": "1", "status": "deleted"}, "d")
    assert state_of(*drafts, gone, gave(call_id="d"))["todos"] == [
        {"text": "book", "status": "pending", "id": "2"}
    ]


def test_memory_is_what_the_prompt_shows_and_then_what_calls_make_of_it() -> None:
    drafts = [
        {"type": "system", "text": BLOCKS},
        asked("core_memory_append", {"label": "human", "content": "Likes tea"}),
        gave(),
        asked("memory_replace", {"label": "human", "old_str": "tea", "new_str": "coffee"}, "b"),
        gave(call_id="b"),
        asked("memory_insert", {"label": "human", "new_str": "# Notes", "insert_line": 0}, "c"),
        gave(call_id="c"),
    ]
    assert state_of(*drafts[:1])["memory"] == {"human": "Name: Ada"}
    assert state_of(*drafts)["memory"] == {"human": "# Notes\nName: Ada\nLikes coffee"}


def test_prompts_of_older_agents_show_memory_too() -> None:
    prompt = 'Core memory:\n<persona characters="3/9">\nCat\n</persona>\n<human characters="0/9">\n'
    assert state_of({"type": "system", "text": prompt}) == {"memory": {"persona": "Cat"}}


def test_a_block_that_is_changed_unseen_is_null_and_told() -> None:
    call = asked("memory_replace", {"label": "human", "old_str": "a", "new_str": "b"})
    state = state_of(call, gave())
    assert state["memory"] == {"human": None}
    assert isinstance(state["notApplied"], dict)
    assert state["notApplied"]["count"] == 1


def test_blocks_of_an_agent_file_stand_under_their_labels() -> None:
    draft = {"type": "scratchpad", "text": "Grace", "mode": "replace"}
    labelled = {**draft, "metadata": noted("letta-agent", label="human")}
    assert state_of(labelled, {**draft, "text": "a note"}) == {"memory": {"human": "Grace"}}


def test_channels_of_a_graph_are_as_its_checkpoints_say() -> None:
    def checkpoint(values: Any, versions: Any) -> dict[str, Any]:
        payload = {"id": "1", "values": values, "channelVersions": versions}
        return {"type": "langgraph.checkpoint", "payload": payload}

    first = checkpoint(
        {
            "count": {"json": 1},
            "pair": {"tuple": [{"json": 1}, {"typed": ["msgpack", "gA=="]}]},
            "gone": {"json": True},
            "messages": {"messages": ["m1"]},
        },
        {"count": "1", "gone": "1"},
    )
    second = checkpoint({"count": {"json": 2}}, {"count": "2", "gone": None})
    assert state_of(first, second)["graph"] == {
        "count": 2,
        "pair": [1, {"serialized": "msgpack"}],
        "messages": {"messages": ["m1"]},
    }


def test_sessions_of_adk_take_the_deltas_of_their_events() -> None:
    said = {
        "type": "reply",
        "text": "x",
        "metadata": noted("adk", actions={"state_delta": {"last": 1}}),
    }
    only = {"type": "adk.event", "payload": {"actions": {"stateDelta": {"last": 2, "n": None}}}}
    assert state_of(said)["session"] == {"last": 1}
    assert state_of(said, only)["session"] == {"last": 2, "n": None}
