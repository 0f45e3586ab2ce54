"""The view `remarks`: the notes, labels and verdicts on a thread that stand."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from typing_extensions import override

from agentlog.domain.events import Event
from agentlog.domain.facts import ThreadJudged, ThreadLabelled, ThreadNoted
from agentlog.domain.fields import Json
from agentlog.domain.identifiers import APPENDED_BY
from agentlog.domain.json.text import print_text
from agentlog.domain.json.values import integer_at
from agentlog.projections.carries.persistent_list import Layers
from agentlog.projections.difference import state_difference
from agentlog.projections.view import Item, Options, Placed, StateView

Remark = dict[str, Json]


@dataclass(slots=True)
class RemarksCarry:
    """What stands: notes by their version, verdicts by event and criterion, and labels.

    Immutable by convention.
    """

    notes: Layers[Remark] = field(default_factory=Layers)
    verdicts: Layers[Remark] = field(default_factory=Layers)
    labels: tuple[str, ...] = ()


class RemarksView(StateView[RemarksCarry, Options]):
    """A state: labels, verdicts, and notes with the version of the event that each is `on`.

    `edited` is the version of a note's latest change. `actor` is who said it, where they told;
    `appendedBy` the id of their key.
    """

    name: ClassVar[str] = "remarks"
    options_type = Options
    carry_type = RemarksCarry

    @override
    def start(self) -> RemarksCarry:
        return RemarksCarry()

    @override
    def fold(self, carry: RemarksCarry, event: Event) -> tuple[RemarksCarry, Sequence[Placed]]:
        match event.message:
            case ThreadNoted(text=text, on=on, replaces=replaces):
                key = str(event.version if replaces is None else replaces)
                before = carry.notes.get(key) or {"version": event.version, "on": on}
                places: Remark = {"version": before["version"], "on": before["on"]}
                edited = None if replaces is None else event.version
                note = places | {"text": text, "edited": edited, **_source(event)}
                notes = carry.notes.with_changes({key: None if text is None else note})
                carry = replace(carry, notes=notes)
            case ThreadJudged() as message:
                key = print_text([message.on, message.criterion])
                verdicts = carry.verdicts.with_changes({key: _verdict(event, message)})
                carry = replace(carry, verdicts=verdicts)
            case ThreadLabelled(add=add, remove=remove):
                labels = dict.fromkeys([*carry.labels, *add])
                kept = tuple(label for label in labels if label not in remove)
                carry = replace(carry, labels=kept)
            case _:
                pass
        return carry, ()

    @override
    def state(self, carry: RemarksCarry) -> Item:
        return {
            "labels": list(carry.labels),
            "verdicts": _by_version(carry.verdicts),
            "notes": _by_version(carry.notes),
        }

    @override
    def patch(self, before: RemarksCarry, after: RemarksCarry) -> list[Json]:
        if after is before:
            return []
        return list(state_difference(self.state(before), self.state(after)))


def _verdict(event: Event, message: ThreadJudged) -> Remark | None:
    if message.verdict is None and message.score is None:
        return None
    return {
        "version": event.version,
        "on": message.on,
        "criterion": message.criterion,
        "verdict": message.verdict,
        "score": message.score,
        "comment": message.comment,
        **_source(event),
    }


def _source(event: Event) -> Remark:
    message = event.message
    return {
        "actor": event.metadata.get("actor"),
        "appendedBy": event.metadata.get(APPENDED_BY),
        "timestamp": None if message is None else message.timestamp,
    }


def _by_version(remarks: Layers[Remark]) -> list[Json]:
    standing = [remark for _, remark in remarks.items()]
    return [*sorted(standing, key=lambda remark: integer_at(remark, "version") or 0)]
