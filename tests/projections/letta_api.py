"""The real Letta client (letta-client 1.12), and items that it reads."""

import json
from collections.abc import Sequence
from typing import Annotated, Any, get_args, get_origin

from letta_client._models import construct_type
from letta_client.types.agents import LettaStreamingResponse, Message
from pydantic import TypeAdapter

from agentlog.domain.events import Event
from agentlog.domain.json.text import print_bytes
from agentlog.projections.view import Item, render
from agentlog.projections.views.letta.turns import LettaOptions
from agentlog.projections.views.letta.view import LettaView

LIST, STREAM = LettaView(), LettaView(LettaOptions(stream=True))

DATE = "2026-01-02T03:04:05+00:00"
BASE = {"id": "message-1f2e", "date": DATE}
CALL = {"tool_call_id": "a", "name": "search", "arguments": '{ "q": 1 }'}
OTHER_CALL = {"tool_call_id": "b", "name": "book", "arguments": "no json"}
RETURN = {"type": "tool", "tool_call_id": "a", "status": "success", "tool_return": "found"}

HIDDEN = {**BASE, "message_type": "hidden_reasoning_message", "state": "redacted"}


def _classes(union: Any) -> dict[str, type]:
    """Return the client's class of each `message_type`."""
    members = get_args(get_args(union)[0] if get_origin(union) is Annotated else union)
    literals = {cls: str(cls.model_fields["message_type"].annotation) for cls in members}
    return {literal.split("'")[1]: cls for cls, literal in literals.items()}


CLASSES = {False: _classes(Message), True: _classes(LettaStreamingResponse)}
UNIONS = {False: Message, True: LettaStreamingResponse}


def items_of(view: LettaView, events: Sequence[Event]) -> list[Item]:
    """Return the items that `view` makes of `events`."""
    return [placed.item for placed in render(view, events).items]


def check_the_client_reads(items: Sequence[Item], *, stream: bool = False) -> None:
    """The client, through its own loose parsing and strictly, reads each as what it claims."""
    for item in items:
        wire = json.loads(print_bytes(item))
        expected = CLASSES[stream][wire["message_type"]]
        parsed = construct_type(value=wire, type_=UNIONS[stream])
        assert type(parsed) is expected, wire
        assert type(TypeAdapter(expected).validate_python(wire)) is expected
