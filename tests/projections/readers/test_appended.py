"""Items appended as they are: the view of the same name gives them back, whatever the batches."""

from collections.abc import Callable, Iterable, Sequence
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.errors import InvalidMessage, UnknownFormat
from agentlog.domain.events import Event
from agentlog.domain.identifiers import derived_message_id, is_message_id
from agentlog.domain.json.text import print_bytes
from agentlog.projections.readers.appended import APPENDABLE, begin_of, read_appended
from agentlog.projections.readers.draft import Draft
from agentlog.projections.registry import choose_view
from agentlog.projections.view import Item, render
from tests.histories import event, examples
from tests.projections import openai_items

OPTIONS = {
    "anthropic": {"repair": False},
    "openai": {"foreign": True, "repair": False},
    "responses": {"repair": False},
}
CALL = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
TURN = {"role": "assistant", "content": "I look.", "tool_calls": [CALL]}
ITEM = {"type": "function_call", "id": "fc_1", "call_id": "a", "name": "f", "arguments": "{}"}


def new_ids() -> Callable[[], str]:
    numbers = count()
    return lambda: derived_message_id("new", next(numbers))


def read(name: str, *batches: Sequence[Any], key: str | None = None) -> list[Draft]:
    new_id = new_ids()
    return [
        draft for batch in batches for draft in read_appended(name, batch, key=key, new_id=new_id)
    ]


def shown(name: str, drafts: Iterable[Draft]) -> list[Item]:
    events: list[Event] = [event(n + 1, draft) for n, draft in enumerate(drafts)]
    return [placed.item for placed in render(choose_view(name, OPTIONS[name]), events).items]


@given(st.lists(openai_items.items, max_size=4), st.data())
@examples(40)
def test_items_come_back_as_they_were_in_any_batches(
    items: list[Item], data: st.DataObject
) -> None:
    cut = data.draw(st.integers(0, len(items)))
    drafts = read("responses", items[:cut], items[cut:])
    assert print_bytes(shown("responses", drafts), sort_keys=True) == print_bytes(
        items, sort_keys=True
    )


def test_two_turns_of_two_requests_stay_two() -> None:
    other = {**TURN, "tool_calls": [{**CALL, "id": "b"}]}
    assert shown("openai", read("openai", [TURN], [other])) == [TURN, other]


def test_anthropics_messages_come_back_one_by_one() -> None:
    use = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
    said = {"type": "text", "text": "I look."}
    items: list[Any] = [
        {"role": "user", "content": "Where?"},
        {"role": "assistant", "content": [said, use]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a"}, said]},
        {"role": "assistant", "content": [said], "id": "msg_1", "usage": {"input_tokens": 5}},
    ]
    assert shown("anthropic", read("anthropic", *([item] for item in items))) == items
    assert shown("anthropic", read("anthropic", items)) == items


def test_the_id_of_an_item_makes_that_of_its_messages() -> None:
    (first,), (again,) = read("responses", [ITEM]), read("responses", [ITEM])
    assert first["id"] == again["id"] != read("responses", [{**ITEM, "id": "fc_2"}])[0]["id"]


def test_a_key_makes_the_ids_of_all_messages() -> None:
    texts = [{"type": "output_text", "text": text, "annotations": []} for text in "ab"]
    items = [ITEM, {"role": "user", "content": "Hello."}, {"role": "assistant", "content": texts}]
    ids = [draft["id"] for draft in read("responses", items, key="run 7, step 2")]
    assert ids == [draft["id"] for draft in read("responses", items, key="run 7, step 2")]
    assert len(set(ids)) == len(ids) == 4
    assert all(is_message_id(str(message_id)) for message_id in ids)
    assert not {*ids} & {draft["id"] for draft in read("responses", items, key="run 7, step 3")}


@pytest.mark.parametrize("name", [name for name in APPENDABLE if begin_of(name) is None])
@pytest.mark.parametrize("item", [5, {}, {"foo": 1}, {"content": "Hello."}, {"type": 5}])
def test_what_is_no_item_is_refused_with_its_place(name: str, item: Any) -> None:
    with pytest.raises(InvalidMessage) as refusal:
        read(name, [{"role": "user", "content": "Hello."}, item])
    assert refusal.value.flaws[0].place.startswith("messages[1]")


def test_a_place_within_an_item_is_named() -> None:
    with pytest.raises(InvalidMessage, match=r"messages\[1\]\.content: neither"):
        read("openai", [TURN, {"role": "user", "content": 5}])


def test_only_formats_of_single_items_are_taken() -> None:
    with pytest.raises(UnknownFormat, match="openai"):
        read("pydantic-ai", [{}])
