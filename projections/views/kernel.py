"""The view `kernel`: the kernel's messages as they were sent, without facts of the thread."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import ClassVar, Literal

from typing_extensions import override

from agentlog.domain.catalogue import FACT_TYPES
from agentlog.domain.events import Event
from agentlog.domain.json.text import is_stored_object
from agentlog.domain.json.values import JsonValue, object_of, objects_of
from agentlog.projections.item_content import (
    CallPlaces,
    ItemContent,
    call_content,
    content_of,
    result_content,
)
from agentlog.projections.kernel_writers import WIRE, as_sent
from agentlog.projections.residue import residue_of, residues_of
from agentlog.projections.view import Item, Options, Placed, Printed, View

_UNSAID = frozenset(
    {"type", "id", "timestamp", "metadata", "workerId", "threadId", "callId", "tool"}
    | {"usage", "costUsd", "latencyMs"}
)
"""Fields that differ from run to run, or are said otherwise."""

_HYPHENS = {"tool_calls": "tool-calls", "tool_results": "tool-results"}


class KernelOptions(Options):
    """How to print the kernel's messages.

    `spelling`: `underscore` is kernel 0.3 to 0.5, `hyphen` is 0.6 and later.
    `metadata`: whether each message carries its metadata under that key.
    """

    spelling: Literal["underscore", "hyphen"] = "underscore"
    metadata: bool = False


class KernelView(View[None, KernelOptions]):
    """One item per message; messages that today's catalogue cannot read are shown as stored."""

    name: ClassVar[str] = "kernel"
    options_type = KernelOptions
    carry_type = type(None)

    @cached_property
    def _as_stored(self) -> bool:
        """Whether items equal the stored bodies."""
        return self.options.spelling == "underscore" and not self.options.metadata

    @override
    def start(self) -> None:
        return None

    @override
    def fold(self, carry: None, event: Event) -> tuple[None, Sequence[Placed]]:
        if event.type in FACT_TYPES:
            return None, ()
        return None, (Placed(event.version, 0, self._item(event)),)

    @override
    def fold_to_print(
        self, carry: None, events: Iterable[Event]
    ) -> tuple[None, Sequence[Placed | Printed]]:
        items: list[Placed | Printed] = []
        for event in events:
            if event.type in FACT_TYPES:
                continue
            is_stored = self._as_stored and not residues_of(event, WIRE)
            if is_stored and is_stored_object(event.body):
                items.append(Printed(event.version, 0, event.body))
            else:
                items.append(Placed(event.version, 0, self._item(event)))
        return carry, items

    @override
    def read_ahead(self, events: Sequence[Event]) -> None:
        if not self._as_stored:
            for event in events:
                _ = event.raw

    @override
    def item_content(self, item: Item, calls: CallPlaces) -> ItemContent:
        kind = str(item.get("type"))
        if "calls" in item:
            tool_calls = objects_of(item["calls"])
            parts = [(call.get("id"), call.get("name"), _arguments(call)) for call in tool_calls]
            return call_content(kind, calls, parts)
        if "results" in item:
            answered = objects_of(item["results"])
            parts = [
                (result.get("callId"), result.get("name"), _output(result)) for result in answered
            ]
            return result_content(kind, calls, parts)
        content = content_of(item, _UNSAID)
        if "callId" in item:  # a request for approval, or the answer
            return result_content(kind, calls, [(item["callId"], item.get("tool"), content)])
        return ItemContent(kind, content)

    def _item(self, event: Event) -> Item:
        raw = event.raw
        if isinstance(raw, dict):
            template = object_of(residue_of(event, WIRE, 0))
            item = {**as_sent(raw, template), "type": event.type} if template else dict(raw)
        else:
            item = {"id": event.message_id, "type": event.type, "unreadable": event.body.hex()}
        if self.options.spelling == "hyphen" and event.type in _HYPHENS:
            item["type"] = _HYPHENS[event.type]
        if self.options.metadata and event.metadata:
            item["metadata"] = event.metadata
        return item


def _arguments(call: Item) -> JsonValue:
    """Return a call's arguments; none are an empty object."""
    arguments = call.get("args") if "args" in call else call.get("argumentsText")
    return {} if arguments is None else arguments


def _output(result: Item) -> JsonValue:
    error = result.get("error")
    if isinstance(error, dict):  # a stack names lines of whatever program ran
        error = {key: value for key, value in error.items() if key != "stack"}
    failed = {} if error is None else {"error": error}
    return content_of({"output": result.get("output"), **failed}, ())
