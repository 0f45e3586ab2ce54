"""What a message of an own type says in a line: the score of a sample, the command of a sandbox.

Readers keep what the catalogue has no message for as `WIRE.KIND`, its payload the object as it
came. A kind without a text of its own says what distinguishes its payload: no ids, nothing empty.
"""

from agentlog.domain.json.shortened import beginnings
from agentlog.domain.json.values import JsonValue, object_of
from agentlog.projections.call_texts import value_text
from agentlog.projections.own_types.registry import distinguishing, own_types_of
from agentlog.projections.view import Item

LONGEST = 200
"""Characters of a text."""


def custom_text(type_name: str, payload: JsonValue) -> str:
    """Return what a message of an own type says, on one line; empty where it says nothing."""
    short = beginnings(payload, LONGEST)
    fields = object_of(short)
    if not fields:
        text = value_text(short or "")
    else:
        wire, _, kind = type_name.partition(".")
        says = own_types_of(wire).texts.get(kind, distinguishing)
        text = says(fields) or distinguishing(fields)
    return " ".join(text.split())[:LONGEST]


_LONGEST = 200
"""Characters of a name, and of an id."""


def mark_of(type_name: str, payload: JsonValue) -> Item | None:
    """Return what a message of an own type marks: its `mark`, `id`, and `name`; None for most.

    `mark` is begin, end, or run: the record of a run, whose `parent` is the id of that around it.
    """
    wire, _, kind = type_name.partition(".")
    types = own_types_of(wire)
    read = types.marks.get(kind) or types.record
    return None if read is None else read(object_of(beginnings(payload, _LONGEST)))
