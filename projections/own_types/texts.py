"""What a message of an own type says in a line: the score of a sample, the command of a sandbox.

Readers keep what the catalogue has no message for as `WIRE.KIND`, its payload the object as it
came. A kind without a text of its own says what distinguishes its payload: no ids, nothing empty.
"""

from collections.abc import Mapping

from agentlog.domain.json.shortened import beginnings
from agentlog.domain.json.values import JsonValue, object_of
from agentlog.projections.call_texts import value_text
from agentlog.projections.own_types import claude_code, codex, inspect_ai, others
from agentlog.projections.own_types.fields import Text, distinguishing

LONGEST = 200
"""Characters of a text."""

_BY_WIRE: Mapping[str, Mapping[str, Text]] = {
    "claude-code": claude_code.TEXTS,
    "codex": codex.TEXTS,
    "inspect": inspect_ai.TEXTS,
    "langgraph": others.LANGGRAPH,
    "letta-agent": others.LETTA,
    "swe-agent": others.SWE_AGENT,
}
TEXTS: Mapping[str, Text] = {
    f"{wire}.{kind}": text for wire, kinds in _BY_WIRE.items() for kind, text in kinds.items()
}


def custom_text(type_name: str, payload: JsonValue) -> str:
    """Return what a message of an own type says, on one line; empty where it says nothing."""
    short = beginnings(payload, LONGEST)
    fields = object_of(short)
    if not fields:
        text = value_text(short or "")
    else:
        text = TEXTS.get(type_name, distinguishing)(fields) or distinguishing(fields)
    return " ".join(text.split())[:LONGEST]
