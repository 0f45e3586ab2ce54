"""The view `responses`: what was read as items is shown as it was; clients delete from sessions."""

from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.events import Event
from agentlog.domain.json.text import parse, print_bytes
from agentlog.domain.json.values import JsonValue
from agentlog.projections.readers.messages.responses import FORMAT
from agentlog.projections.view import Item, render
from agentlog.projections.views.responses.view import ResponsesOptions, ResponsesView
from tests.histories import event, examples, histories, history, json_values
from tests.projections import openai_items
from tests.projections.views.test_redacted import blank
from tests.test_golden import GOLDEN

USER = {"role": "user", "content": "Where is it?"}
CALL = {"type": "function_call", "id": "fc_1", "call_id": "a", "name": "track", "arguments": "{}"}
OUTPUT = {"type": "function_call_output", "call_id": "a", "output": "en route"}
TEXTS: list[Any] = [
    {"type": "output_text", "text": text, "annotations": []} for text in ("One.", "Two.")
]
ANSWER = {
    "type": "message",
    "id": "msg_1",
    "role": "assistant",
    "status": "completed",
    "content": TEXTS,
}
STARTED = {"type": "session.started"}
CLEARED = {"type": "session.cleared"}
POPPED = {"type": "session.item_deleted"}


def deleted(item_id: str) -> dict[str, Any]:
    return {"type": "session.item_deleted", "payload": {"item_id": item_id}}


def drafts(items: Iterable[JsonValue]) -> list[dict[str, Any]]:
    return [draft for item in items for draft in next(FORMAT.read([item])).drafts]


def events_of(*items: JsonValue) -> list[Event]:
    return history(*drafts(items))


def shown(events: Sequence[Event], **options: bool) -> list[Item]:
    view = ResponsesView(ResponsesOptions(**{"repair": False, **options}))
    return [placed.item for placed in render(view, events).items]


def same(one: object, other: object) -> bool:
    return print_bytes(one, sort_keys=True) == print_bytes(other, sort_keys=True)


@given(st.lists(openai_items.items, max_size=3))
@examples(200)
def test_items_of_every_kind_come_back_as_they_were(items: list[Item]) -> None:
    assert same(shown(events_of(*items)), items)


@pytest.mark.parametrize("kind", sorted(openai_items.KINDS))
@given(data=st.data())
@examples(5)
def test_each_kind_comes_back_as_it_was(kind: str, data: st.DataObject) -> None:
    item = data.draw(openai_items.drawn(openai_items.KINDS[kind]))
    assert same(shown(events_of(item)), [item])


@given(json_values)
def test_an_object_of_any_shape_comes_back_as_it_was(value: JsonValue) -> None:
    for kind in ("message", "reasoning", "function_call", "mcp_call", "hologram", None):
        for role in ("user", "assistant", None):
            item: Item = {"content": value, "output": value, "summary": value, "arguments": value}
            item |= {} if kind is None else {"type": kind, "call_id": "a", "name": "f"}
            item |= {} if role is None else {"role": role}
            assert same(shown(events_of(item)), [item])


def test_a_conversation_that_was_imported_comes_back_as_it_was() -> None:
    document: Any = parse((GOLDEN / "readers" / "responses" / "conversation.json").read_bytes())
    (read,) = FORMAT.read(document)
    assert same(shown(history(*read.drafts)), document["data"])


def test_messages_of_no_items_are_shown_as_items_without_ids() -> None:
    events = history(
        {"type": "system", "text": "Be kind."},
        {"type": "input", "text": "Look.", "files": [{"data": "QUJD", "mimeType": "image/png"}]},
        {"type": "reasoning", "title": "Plan", "summary": "I look."},
        {"type": "tool_calls", "calls": [{"id": "a", "name": "f", "args": {"n": 1}}, CALL_B]},
        {"type": "tool_results", "results": [{"callId": "a", "output": {"n": 2}}]},
        {"type": "reply", "text": "Done."},
        {"type": "log", "text": "nothing to see"},
    )
    image = {
        "type": "input_image",
        "detail": "auto",
        "image_url": "data:image/png;base64,QUJD",
    }
    of_user = [{"type": "input_text", "text": "Look."}, image]
    asked = {"type": "function_call", "call_id": "a", "name": "f", "arguments": '{"n":1}'}
    answer = [{"type": "output_text", "text": "Done.", "annotations": []}]
    assert shown(events) == [
        message("system", [{"type": "input_text", "text": "Be kind."}]),
        message("user", of_user),
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Plan\n\nI look."}]},
        asked,
        {**asked, "call_id": "b", "arguments": "{oops"},
        {"type": "function_call_output", "call_id": "a", "output": '{"n":2}'},
        message("assistant", answer),
    ]


CALL_B = {"id": "b", "name": "f", "argumentsText": "{oops"}


def message(role: str, content: list[JsonValue]) -> Item:
    return {"type": "message", "role": role, "content": content}


def test_complete_items_have_what_the_api_returns() -> None:
    events = events_of(USER, CALL, OUTPUT)
    first, _, third = (event.message_id for event in events)
    assert shown(events, complete=True) == [
        {
            "type": "message",
            "id": f"msg_{first}",
            "status": "completed",
            "role": "user",
            "content": [{"type": "input_text", "text": "Where is it?"}],
        },
        {**CALL, "status": "completed"},
        {**OUTPUT, "id": f"fco_{third}", "status": "completed"},
    ]


def test_an_item_of_several_messages_is_in_pieces_until_all_are_there() -> None:
    events = events_of(USER, ANSWER, OUTPUT)
    assert shown(events[:2])[1:] == [message("assistant", TEXTS[:1])]
    assert shown(events[:3])[1:] == [ANSWER]
    assert shown([*events[:2], *events[3:]])[1:] == [message("assistant", TEXTS[:1]), OUTPUT]


@given(st.sets(st.integers(0, 5)))
def test_what_was_erased_of_an_item_is_not_shown(which: set[int]) -> None:
    """Whatever an item says of a content alone goes with that."""
    secrets = [f"secret-{number}" for number in range(6)]
    parts: list[Any] = [
        {"type": "output_text", "text": text, "annotations": [{"quote": f"of {text}"}]}
        for text in secrets[:4]
    ]
    summary: list[Any] = [{"type": "summary_text", "text": text} for text in secrets[4:]]
    events = events_of({**ANSWER, "content": parts}, {"type": "reasoning", "summary": summary})
    left = [blank(given, 99) if n in which else given for n, given in enumerate(events)]
    printed = print_bytes([shown(left), shown(left, complete=True)]).decode()
    assert [n for n, text in enumerate(secrets) if text in printed] == sorted({*range(6)} - which)


def test_a_deleted_item_is_shown_until_then() -> None:
    events = history(STARTED, *drafts([USER, CALL, OUTPUT]), deleted("fc_1"), *drafts([USER]))
    assert shown(events[:4]) == [USER, CALL, OUTPUT]
    assert shown(events) == [USER, OUTPUT, USER]


def test_the_latest_item_is_deleted_where_none_is_named() -> None:
    events = history(STARTED, *drafts([USER, ANSWER]), POPPED, *drafts([OUTPUT]), POPPED, POPPED)
    assert shown(events[:-2]) == [USER, OUTPUT]
    assert shown(events) == []


def test_an_item_without_id_is_deleted_by_the_one_it_is_shown_with() -> None:
    events = history(STARTED, *drafts([USER, USER]))
    (first, second) = shown(events, complete=True)
    assert first["id"] != second["id"]
    gone = event(4, deleted(str(first["id"])))
    assert shown([*events, gone], complete=True) == [second]


def test_the_latest_of_items_with_one_id_is_deleted() -> None:
    other = {**CALL, "name": "other"}
    assert shown(history(STARTED, *drafts([CALL, other]), deleted("fc_1"))) == [CALL]


def test_a_cleared_session_begins_anew() -> None:
    events = history(STARTED, *drafts([USER, CALL]), CLEARED, *drafts([OUTPUT]))
    assert shown(events) == [OUTPUT]


def test_nothing_is_held_back_or_deleted_outside_of_sessions() -> None:
    events = history(*drafts([USER, CALL]), deleted("fc_1"), CLEARED)
    rendering = render(ResponsesView(ResponsesOptions(repair=False)), events)
    assert rendering.rest == []
    assert [placed.item for placed in rendering.settled] == [USER, CALL]


@given(histories())
@examples(20)
def test_a_session_shows_what_any_thread_shows(events: list[Event]) -> None:
    begun = event(1, STARTED)
    others = [given for given in events if not given.type.startswith("session.")]
    later = [moved(given, given.version + 1) for given in others]
    assert shown([begun, *later], complete=True) == shown(later, complete=True)


def moved(given: Event, version: int) -> Event:
    return Event(
        given.originator_id,
        version,
        given.type,
        given.body,
        given.message_id,
        version,
        given.recorded_at,
        given.metadata,
    )
