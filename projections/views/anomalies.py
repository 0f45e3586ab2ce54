"""The view `anomalies`: breaches of the thread's rules, recorded under policy record."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from typing_extensions import override

from agentlog.domain.events import Event
from agentlog.domain.threads import (
    PLAIN,
    Breach,
    LedgerEntry,
    LedgerKey,
    Rule,
    Status,
    Thread,
    decide,
    mentions,
)
from agentlog.projections.carries.persistent_list import Layers
from agentlog.projections.item_content import CallPlaces, ItemContent
from agentlog.projections.view import Item, Options, Placed, View

_HARMLESS: frozenset[Rule] = frozenset({"duplicate_call", "duplicate_worker"})
"""An id used again: results still find their calls, the oldest first."""


class AnomaliesOptions(Options):
    """None yet."""


@dataclass(slots=True)  # not frozen: construction would take 4x as long per event
class AnomaliesCarry:
    """The state of the thread under its rules.

    `ledger` is complete: a rule may need any id, however old, and a fold cannot look it up in a
    table.
    """

    status: Status = "open"
    ledger: Layers[LedgerEntry] = field(default_factory=Layers)


class AnomaliesView(View[AnomaliesCarry, AnomaliesOptions]):
    """One item per breach; none under policy strict."""

    name: ClassVar[str] = "anomalies"
    options_type = AnomaliesOptions
    carry_type = AnomaliesCarry

    @override
    def start(self) -> AnomaliesCarry:
        return AnomaliesCarry()

    @override
    def fold(self, carry: AnomaliesCarry, event: Event) -> tuple[AnomaliesCarry, Sequence[Placed]]:
        message = event.message
        if message is None:  # no rule applies to messages that today's catalogue cannot read
            return carry, ()
        if carry.status == "open" and type(message) in PLAIN:
            return carry, ()
        ledger = carry.ledger
        known: dict[LedgerKey, LedgerEntry] = {}
        for key in mentions(message):
            entry = ledger.get(_text(key))
            if entry is not None:
                known[key] = entry
        before = Thread(event.thread_id, event.version - 1, "record", carry.status, known)
        after, breaches = decide(before, message)
        if after.ledger:
            ledger = ledger.with_changes({_text(key): state for key, state in after.ledger.items()})
        if not breaches:
            return AnomaliesCarry(after.status, ledger), ()
        items = [_item(event, breach) for breach in breaches]
        placed = [Placed(event.version, ordinal, item) for ordinal, item in enumerate(items)]
        return AnomaliesCarry(after.status, ledger), placed

    @override
    def item_content(self, item: Item, calls: CallPlaces) -> ItemContent:
        del calls
        return ItemContent(str(item["rule"]), {"type": item["type"], "place": item["place"]})


def _item(event: Event, breach: Breach) -> Item:
    return {
        "rule": breach.rule,
        "version": event.version,
        "messageId": event.message_id,
        "type": event.type,
        "place": breach.flaw.place,
        "reason": breach.flaw.reason,
        "severity": "note" if breach.rule in _HARMLESS else "warning",
    }


def _text(key: LedgerKey) -> str:
    return f"{key.kind}:{key.id}"
