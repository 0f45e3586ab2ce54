"""The fold of the view `atif`: one document, valid at any moment."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from typing_extensions import override

from agentlog.domain.events import Event
from agentlog.domain.facts import Start, ThreadAnnotated
from agentlog.domain.json.text import parse_stored, print_bytes, print_to_keep
from agentlog.domain.json.values import JsonValue, array_of, object_of, objects_of, text_at
from agentlog.extensions.formats.atif.steps import Steps
from agentlog.projections.carries.persistent_list import PrintedList, print_with_lists
from agentlog.projections.difference import state_difference
from agentlog.projections.view import Item, Options, Placed, StateView
from agentlog.projections.views.items.view import Items
from agentlog.projections.views.repair.pairing import Pairing

VERSION = "ATIF-v1.7"


@dataclass(slots=True)  # not frozen: construction would take 4x as long per event
class AtifCarry:
    """The steps so far, and what `Steps` needs to go on; `facts` are those of the thread."""

    steps: Items = field(default_factory=PrintedList)
    pending: Items = field(default_factory=PrintedList)
    events: Items = field(default_factory=PrintedList)
    answer: Items = field(default_factory=PrintedList)
    pairing: Pairing = field(default_factory=Pairing)
    last: int | None = None
    response: str | None = None
    facts: Items = field(default_factory=PrintedList)


class AtifView(StateView[AtifCarry, Options]):
    """A trajectory of Harbor's Agent Trajectory Interchange Format."""

    name: ClassVar[str] = "atif"
    is_document: ClassVar[bool] = True
    carry_format: ClassVar[int] = 2
    options_type = Options
    carry_type = AtifCarry

    @override
    def start(self) -> AtifCarry:
        return AtifCarry()

    @override
    def fold(self, carry: AtifCarry, event: Event) -> tuple[AtifCarry, Sequence[Placed]]:
        facts = carry.facts
        if isinstance(event.message, Start | ThreadAnnotated) or not facts:
            facts = _facts(facts, event)
        steps = Steps(
            carry.steps,
            [object_of(step) for step in carry.pending],
            carry.pairing,
            carry.last,
            carry.response,
            object_of(next(iter(carry.answer), None)),
            carry.events,
        )
        steps.add(event)
        return AtifCarry(
            steps.steps,
            PrintedList.of(steps.pending),
            steps.events,
            PrintedList.of([steps.answer] if steps.answer else []),
            steps.pairing,
            steps.last,
            steps.response,
            facts,
        ), ()

    @override
    def state(self, carry: AtifCarry) -> Item:
        return {**self._frame(carry), "steps": [*carry.steps, *carry.pending]}

    @override
    def printable(self, carry: AtifCarry, members: Collection[str] | None = None) -> object:
        steps = carry.steps
        for step in carry.pending:
            steps = steps.append(print_to_keep(step))
        document: dict[str, object] = {**self._frame(carry), "steps": steps.json}
        if members is None:
            return document
        return {name: value for name, value in document.items() if name in members}

    @override
    def patch(self, before: AtifCarry, after: AtifCarry) -> list[JsonValue]:
        kept, added = after.steps.beyond(before.steps)
        grown = array_of(parse_stored(b"[%b]" % added)) if added else []
        old = [*([] if kept else before.steps), *before.pending]
        new = [*grown, *after.pending]
        patch = list(state_difference(self._frame(before), self._frame(after)))
        for n, step in enumerate(new):
            if n >= len(old):
                patch.append({"op": "add", "path": "/steps/-", "value": step})
            elif print_bytes(step) != print_bytes(old[n]):
                patch.append({"op": "replace", "path": f"/steps/{kept + n}", "value": step})
        return patch

    @override
    def dump(self, carry: AtifCarry) -> bytes:
        return print_with_lists(carry)

    @staticmethod
    def _frame(carry: AtifCarry) -> Item:
        """Return the document without its steps."""
        facts = object_of(next(iter(carry.facts), None))
        metadata = object_of(facts.get("metadata"))
        agent: Item = {
            "name": text_at(metadata, "agent") or "unknown",
            "version": text_at(metadata, "agentVersion") or "unknown",
        }
        if (model := text_at(metadata, "model")) is not None:
            agent["model_name"] = model
        if tools := objects_of(metadata.get("tools")):
            agent["tool_definitions"] = [*tools]
        extra: Item = {key: facts[key] for key in ("goal", "metadata") if facts.get(key)}
        if carry.events:
            extra["events"] = list(carry.events)
        frame: Item = {
            "schema_version": VERSION,
            "session_id": text_at(metadata, "session") or facts.get("thread"),
            "trajectory_id": facts.get("thread"),
            "agent": agent,
        }
        return {**frame, "extra": extra} if extra else frame


def _facts(known: PrintedList, event: Event) -> PrintedList:
    """Return what is known of a thread after an event."""
    facts: Item = {"thread": event.thread_id, **object_of(next(iter(known), None))}
    message = event.message
    if isinstance(message, Start | ThreadAnnotated):
        merged = {**object_of(facts.get("metadata")), **message.metadata}
        facts["metadata"] = {key: value for key, value in merged.items() if value is not None}
    if isinstance(message, Start) and message.goal is not None:
        facts["goal"] = message.goal
    return PrintedList.of([facts])
