"""The view `timeline`: what a thread did, as spans and points without contents.

A span stands where it ended, so that no item ever changes; what is open stands at the end, where it
will land. A call that is taken for unanswered is still open: a result ends it, however late.
"""

from collections.abc import Sequence
from typing import ClassVar

from typing_extensions import override

from agentlog.domain.catalogue import FACT_TYPES
from agentlog.domain.events import Event
from agentlog.domain.messages import CustomMessage
from agentlog.projections.item_content import CallPlaces, ItemContent
from agentlog.projections.own_types.texts import custom_text, mark_of
from agentlog.projections.view import Item, Options, Placed, View
from agentlog.projections.views.timeline.carry import TimelineCarry
from agentlog.projections.views.timeline.items import add_hints, pause, point
from agentlog.projections.views.timeline.spans import ACTS, ENDS, number_attempts

LONGEST_PAUSE_MS = 60_000
"""Longer pauses between messages are items of their own."""

_SAID = ("name", "digest", "hint", "outcome", "finishReason")


class TimelineOptions(Options):
    """What to show of contents.

    `hint`: the beginning of each call's first plain argument, and of each worker's objective; what
    a message of an own type says, and as `group` which group of events it begins or ends.
    `attempts`: of each call that tries again what an earlier one tried, its number in that series,
    and the version and ordinal of the attempt before it; null of any other call.
    """

    hint: bool = False
    attempts: bool = False


class TimelineView(View[TimelineCarry, TimelineOptions]):
    """An item for each tool call, model call, approval, worker, pause and other message.

    `kind` is call, model, approval, worker, gap, or a message's type. `version` is where it began,
    null where nothing asked for it; `endVersion` where it ended, null while open. Times are the
    producer's; `elapsedMs` is null where nothing was measured. Sizes are those of the whole
    messages that asked and answered, as JSON: the calls of one message share them. Where a response
    tells the figures of an earlier one of its id again, it is a point with what they grew by.
    """

    name: ClassVar[str] = "timeline"
    carry_format: ClassVar[int] = 11
    reads_long_texts: ClassVar[bool] = False
    options_type = TimelineOptions
    carry_type = TimelineCarry

    @override
    def start(self) -> TimelineCarry:
        return TimelineCarry()

    @override
    def fold(self, carry: TimelineCarry, event: Event) -> tuple[TimelineCarry, Sequence[Placed]]:
        now = carry.at(event.version)
        items: list[Item] = []
        message = event.message
        if message is not None and event.type not in FACT_TYPES:  # those have the log's clock
            if now.time is not None and message.timestamp - now.time > LONGEST_PAUSE_MS:
                items.append(pause(event.version, now.time, message.timestamp, now.step))
            now.time = message.timestamp
        # not `match`: each failed class pattern would call pydantic's metaclass
        act = None if message is None else ACTS.get(type(message))
        items += (point(event, now.step),) if act is None else act(now, event, message)
        if self.options.hint:
            add_hints(now, message)
            if isinstance(message, CustomMessage):
                items[-1]["hint"] = custom_text(event.type, message.payload)
                if mark := mark_of(event.type, message.payload):
                    items[-1]["group"] = mark
        if self.options.attempts:
            number_attempts(now, event, items)
        now.has_ended = now.has_ended or type(message) in ENDS
        if now.open is not carry.open:
            items += now.give_up()
        now.ordinal = len(items)
        return now, [Placed(event.version, ordinal, item) for ordinal, item in enumerate(items)]

    @override
    def rest(self, carry: TimelineCarry) -> Sequence[Placed]:
        return [
            Placed(carry.version, ordinal, item)
            for ordinal, item in enumerate(carry.held(), carry.ordinal)
        ]

    @override
    def item_content(self, item: Item, calls: CallPlaces) -> ItemContent:
        del calls
        kind, content = str(item["kind"]), {key: item.get(key) for key in _SAID}
        return ItemContent(kind, content, (str(item["name"]),) if kind == "call" else ())
