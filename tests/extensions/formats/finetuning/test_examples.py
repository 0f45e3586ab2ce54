"""Lines for fine-tuning are what OpenAI documents: its types, its order, its weights."""

from typing import Any

import pytest
from hypothesis import given

from agentlog.domain.events import Event
from agentlog.domain.json.text import print_bytes
from agentlog.extensions.formats.finetuning.examples import VIEW, LeftOut, example_of
from agentlog.projections.view import Item, render
from tests.histories import histories, history
from tests.infrastructure.appends import STORY, calls, reply, results
from tests.projections.chat_api import check_types, why_unsafe

SYSTEM = {"type": "system", "text": "You help."}
ASKED = {"type": "input", "text": "Where is it?"}


def example(*messages: dict[str, Any], **metadata: Any) -> Item | LeftOut:
    items = [placed.item for placed in render(VIEW, history(*messages)).items]
    return example_of(items, metadata)


def lines(*messages: dict[str, Any]) -> list[Item]:
    result = example(*messages)
    assert isinstance(result, dict), result
    return list(result["messages"])


def test_an_example_is_the_history_to_the_assistants_last_word() -> None:
    result = example(SYSTEM, ASKED, reply("Here."), {"type": "input", "text": "Thanks, bye"})
    assert result == {
        "messages": [
            {"role": "system", "content": "You help."},
            {"role": "user", "content": "Where is it?"},
            {"role": "assistant", "content": "Here."},
        ]
    }


def test_it_may_end_with_calls_and_every_message_is_of_the_packages_types() -> None:
    for messages in (STORY[:1] + STORY[2:], [ASKED, calls("a"), results("a")]):
        asked = [message for message in messages if "files" not in message]
        turns = lines(*asked)
        assert turns[-1]["role"] == "assistant"
        assert why_unsafe(turns) is None
        for message in turns:
            check_types({key: value for key, value in message.items() if key != "weight"})
    assert "tool_calls" in turns[-1]


def test_what_the_view_made_up_is_shown_but_not_learnt() -> None:
    messages = lines(ASKED, results("nobody-asked"), reply("Found it."))
    assert [message.get("weight") for message in messages] == [None, 0, None, None]
    assert b"agentlog" not in print_bytes(messages)
    assert example(ASKED, results("nobody-asked")) is LeftOut.NOTHING_TO_LEARN


def test_a_system_message_between_a_call_and_its_result_invents_nothing() -> None:
    messages = lines(ASKED, calls("a"), SYSTEM, results("a"), reply("Here."))
    assert [message["role"] for message in messages] == [
        "user",
        "assistant",
        "tool",
        "system",
        "assistant",
    ]
    assert b"pending" not in print_bytes(messages)


def test_tools_come_from_the_threads_metadata_and_are_never_guessed() -> None:
    tools = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]
    turn = (ASKED, calls("a"))
    assert set(example(*turn)) == {"messages"}
    result = example(*turn, tools=tools, parallel_tool_calls=False)
    assert isinstance(result, dict)
    assert (result["tools"], result["parallel_tool_calls"]) == (tools, False)
    for odd in ("f", [], [{"name": "f"}], {"f": 1}):
        assert "tools" not in example(*turn, tools=odd)


@pytest.mark.parametrize(
    ("messages", "reason"),
    [
        ([], LeftOut.NOTHING_TO_LEARN),
        ([SYSTEM, ASKED], LeftOut.NOTHING_TO_LEARN),
        ([ASKED, reply("")], LeftOut.EMPTY_MESSAGE),
        ([{"type": "input", "text": ""}, reply("a")], LeftOut.EMPTY_MESSAGE),
        (
            [{"type": "input", "files": [{"data": "QQ==", "mimeType": "audio/wav"}]}, reply("a")],
            LeftOut.OTHER_MEDIA,
        ),
        (
            [ASKED, {"type": "tool_calls", "calls": [{"id": "a", "name": "look up"}]}],
            LeftOut.ODD_CALL,
        ),
    ],
)
def test_a_thread_that_cannot_train_is_left_out(
    messages: list[dict[str, Any]], reason: LeftOut
) -> None:
    assert example(*messages) is reason


def test_images_of_users_and_empty_results_are_trained_on() -> None:
    image = {"type": "input", "files": [{"data": "QQ==", "mimeType": "image/png"}]}
    silent = {"type": "tool_results", "results": [{"callId": "a", "output": ""}]}
    messages = lines(image, calls("a"), silent, reply("An A."))
    assert [message["role"] for message in messages] == ["user", "assistant", "tool", "assistant"]


def test_keys_that_are_not_trained_on_are_left_out() -> None:
    extra = {"set": {"audio": {"id": "x"}, "weight": 0, "name": "ann"}}
    told = reply("a", metadata={"wire": {"openai": [extra]}})
    assert lines(ASKED, told, reply("b"))[1] == {
        "role": "assistant",
        "content": "a",
        "name": "ann",
        "weight": 0,
    }


@given(histories())
def test_whatever_is_an_example_is_safe_to_send(events: list[Event]) -> None:
    result = example_of([placed.item for placed in render(VIEW, events).items], {})
    if isinstance(result, LeftOut):
        return
    assert result["messages"][-1]["role"] == "assistant"
    assert result["messages"][-1].get("weight") != 0
    assert why_unsafe(result["messages"]) is None
    for message in result["messages"]:
        check_types({key: value for key, value in message.items() if key != "weight"})
