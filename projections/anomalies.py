"""What broke the thread's rules: under policy record everything is kept, and listed here."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from typing_extensions import override

from domain.events import Event
from domain.threads import Breach, Entry, Key, Status, Thread, decide, mentions
from projections.persistent import Layers
from projections.view import Item, Options, Placed, View


class AnomaliesOptions(Options):
    """None yet."""


@dataclass(frozen=True, slots=True)
class AnomaliesCarry:
    """Where the thread stands under its rules.

    `ledger` is the whole of it: a rule may ask for any id, however old, and a fold has no table to
    look it up in.
    """

    status: Status = "open"
    ledger: Layers[Entry] = field(default_factory=Layers)


class AnomaliesView(View[AnomaliesCarry, AnomaliesOptions]):
    """One item a breach; a thread under policy strict has none."""

    name: ClassVar[str] = "anomalies"
    options_type = AnomaliesOptions
    carry_type = AnomaliesCarry

    @override
    def start(self) -> AnomaliesCarry:
        return AnomaliesCarry()

    @override
    def fold(self, carry: AnomaliesCarry, event: Event) -> tuple[AnomaliesCarry, Sequence[Placed]]:
        message = event.message
        if message is None:  # no rule can be held against what today's catalogue cannot read
            return carry, ()
        keys = mentions(message)
        known = {key: entry for key in keys if (entry := carry.ledger.get(_text(key))) is not None}
        before = Thread(
            event.thread_id, event.version - 1, policy="record", status=carry.status, ledger=known
        )
        after, breaches = decide(before, message)
        changes = {_text(key): entry for key, entry in after.ledger.items()}
        ledger = carry.ledger.with_changes(changes) if changes else carry.ledger
        placed = [
            Placed(event.version, ordinal, _item(event, breach))
            for ordinal, breach in enumerate(breaches)
        ]
        return AnomaliesCarry(after.status, ledger), placed


def _item(event: Event, breach: Breach) -> Item:
    return {
        "rule": breach.rule,
        "version": event.version,
        "messageId": event.message_id,
        "type": event.type,
        "place": breach.flaw.place,
        "reason": breach.flaw.reason,
    }


def _text(key: Key) -> str:
    return f"{key.kind}:{key.id}"
