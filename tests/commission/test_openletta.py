"""003: OpenLetta's messages, field by field, in by the import and out by the view of its name."""

from typing import Any

import pytest

from agentlog.domain.errors import InvalidMessage
from agentlog.projections.readers.wires.openletta import READER
from agentlog.projections.view import render
from agentlog.projections.views.openletta import OpenLettaView
from tests.commission.kernels import Item
from tests.histories import history

AT = "2026-02-17T10:30:00Z"
ARGUMENTS: list[Any] = [
    {"command": "ls -la /home/user"},
    {"file_path": "/home/user/README.md"},
    {},
    {"deep": [{"a": None}, 1.5, True]},
]
DECLARED: dict[str, tuple[Item, Item]] = {
    "user_message": ({"content": ["", "What files?"]}, {"timestamp": [AT]}),
    "reasoning_message": ({"content": ["", "I should run 'ls'."]}, {"timestamp": [AT]}),
    "assistant_message": ({"content": ["", "# Five files"]}, {"timestamp": [AT]}),
    "approval_request_message": (
        {
            "tool_call": [
                {"tool_call_id": "call_abc123", "tool_name": "bash", "arguments": arguments}
                for arguments in ARGUMENTS
            ]
        },
        {"timestamp": [AT]},
    ),
    "tool_return_message": (
        {
            "tool_call_id": ["call_abc123"],
            "tool_name": ["bash", ""],
            "status": ["success", "error"],
            "result": ["", "total 48\n", "bash: cd: no such file", "Error: x"],
        },
        {"timestamp": [AT]},
    ),
    "usage_statistics": (
        {},
        {"input_tokens": [0, 42], "output_tokens": [0, 156], "total_tokens": [0, 198]},
    ),
}
"""By type: the values of its fields, those it must have and those it may."""


def messages() -> list[Item]:
    """Return a message for each value of each field, with and without the optional ones."""
    items: list[Item] = []
    for kind, (needed, optional) in DECLARED.items():
        least = {"message_type": kind, **{key: values[0] for key, values in needed.items()}}
        most = {**least, **{key: values[-1] for key, values in optional.items()}}
        items += [least, most]
        items += [
            {**most, key: value}
            for key, values in {**needed, **optional}.items()
            for value in values
        ]
    return items


@pytest.mark.parametrize("message", messages())
def test_each_value_of_each_field_comes_back(message: Item) -> None:
    events = history(*READER.read([message]))
    (placed,) = render(OpenLettaView(), events).items
    assert placed.item == message


@pytest.mark.parametrize(
    ("kind", "field"),
    [
        (kind, field)
        for kind, (needed, _) in DECLARED.items()
        for field in needed
        if field not in {"status", "tool_name"}
    ],
)
def test_a_field_that_is_missing_is_refused_by_its_name(kind: str, field: str) -> None:
    message = {"message_type": kind, **{key: v[0] for key, v in DECLARED[kind][0].items()}}
    del message[field]
    with pytest.raises(InvalidMessage) as caught:
        list(READER.read([message]))
    assert [flaw.place for flaw in caught.value.flaws] == [f"messages[0].{field}"]
