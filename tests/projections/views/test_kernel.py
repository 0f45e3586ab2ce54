"""The kernel view: what was recorded, as it was recorded."""

from dataclasses import replace

import pytest
from hypothesis import given

from agentlog.domain.catalogue import FACT_TYPES
from agentlog.domain.errors import InvalidViewOption
from agentlog.domain.events import Event
from agentlog.domain.json.text import parse, print_bytes
from agentlog.projections.registry import choose_view
from agentlog.projections.view import Item, render
from agentlog.projections.views.kernel import KernelOptions, KernelView
from tests.histories import event, histories, history


def _items(events: list[Event], options: KernelOptions | None = None) -> list[Item]:
    return [placed.item for placed in render(KernelView(options), events).items]


CALLED = history(
    {"type": "tool_calls", "calls": [{"id": "a", "name": "f", "args": {}}]},
    {"type": "tool_results", "results": [{"callId": "a", "output": 1}]},
    {"type": "reply", "text": "done"},
)


def test_every_message_is_shown_with_its_id_time_and_fields() -> None:
    (item,) = _items(history({"type": "reasoning", "title": "Plan", "summary": "Look first"}))
    assert item == {
        "id": event(1, {"type": "tick"}).message_id,
        "timestamp": 1_767_323_045_001,
        "type": "reasoning",
        "title": "Plan",
        "summary": "Look first",
    }


def test_types_are_spelled_with_underscores_unless_asked_otherwise() -> None:
    assert [item["type"] for item in _items(CALLED)] == ["tool_calls", "tool_results", "reply"]


def test_hyphens_are_the_spelling_of_later_kernels_and_change_nothing_else() -> None:
    hyphened = _items(CALLED, KernelOptions(spelling="hyphen"))
    assert [item["type"] for item in hyphened] == ["tool-calls", "tool-results", "reply"]
    kept = [{k: v for k, v in item.items() if k != "type"} for item in _items(CALLED)]
    assert [{k: v for k, v in item.items() if k != "type"} for item in hyphened] == kept


def test_only_the_two_spellings_are_taken() -> None:
    with pytest.raises(InvalidViewOption, match=r"underscore\|hyphen"):
        choose_view("kernel", {"spelling": "camel"})


def test_metadata_is_shown_when_asked_for_and_there_is_some() -> None:
    events = history(
        {"type": "reply", "text": "a", "metadata": {"actor": "bot"}}, {"type": "reply", "text": "b"}
    )
    assert all("metadata" not in item for item in _items(events))
    shown = _items(events, KernelOptions(metadata=True))
    assert shown[0]["metadata"] == {"actor": "bot"}
    assert "metadata" not in shown[1]


def test_facts_of_the_thread_are_left_out() -> None:
    facts = [
        event(1, {"type": "thread.started", "goal": "tidy"}),
        event(3, {"type": "thread.annotated", "metadata": {"k": 1}}),
        event(4, {"type": "thread.closed"}),
        event(5, {"type": "thread.redacted", "all": True, "reason": "asked to"}),
        event(6, {"type": "thread.hidden"}),
        event(7, {"type": "thread.shown"}),
        event(9, {"type": "thread.noted", "text": "odd"}),
        event(10, {"type": "thread.labelled", "add": ["odd"]}),
        event(11, {"type": "thread.judged", "verdict": "fail"}),
        event(
            8,
            {
                "type": "thread.forked",
                "forkedFrom": {"thread": "t", "version": 1, "link": "0" * 64},
            },
        ),
    ]
    assert {fact.type for fact in facts} == set(FACT_TYPES)
    events = [facts[0], event(2, {"type": "reply", "text": "hi"}), *facts[1:]]
    assert [item["type"] for item in _items(events)] == ["reply"]


def test_a_body_that_is_not_json_is_shown_as_bytes() -> None:
    stray = replace(event(1, {"type": "reply", "text": ""}), body=b"not json")
    (item,) = _items([stray])
    assert item == {"id": stray.message_id, "type": "reply", "unreadable": "6e6f74206a736f6e"}
    assert bytes.fromhex(item["unreadable"]) == b"not json"


def test_a_body_of_another_catalogue_is_shown_as_it_was_stored() -> None:
    body = b'{"id":"x","type":"tool_calls","calls":"later"}'
    stray = replace(event(1, {"type": "tick"}), type="tool_calls", body=body)
    assert stray.message is None
    assert _items([stray]) == [{"id": "x", "type": "tool_calls", "calls": "later"}]
    assert _items([stray], KernelOptions(spelling="hyphen"))[0]["type"] == "tool-calls"


def test_numbers_and_characters_are_printed_as_they_were_written() -> None:
    written = b'{"a":1.10,"b":1' + b"0" * 30 + b',"c":1e400,"d":-0,"e":"\\u0000","f":0.1e-7}'
    events = history({"type": "vendor.odd", "payload": parse(written)})
    assert written in print_bytes(_items(events))


@given(histories())
def test_each_item_prints_the_bytes_that_were_stored(events: list[Event]) -> None:
    shown = {
        placed.version: print_bytes(placed.item) for placed in render(KernelView(), events).items
    }
    assert list(shown) == [recorded.version for recorded in events]
    for recorded in events:
        if isinstance(recorded.raw, dict):
            assert shown[recorded.version] == recorded.body
        else:
            assert recorded.body.hex().encode() in shown[recorded.version]
