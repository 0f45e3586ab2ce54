"""Views followed live: the updates to send for each event and at the end of the log.

Uses the same fold as a read. Settled items are sent once. Items that a later event may still change
are sent separately (`ItemsLive`), or as items after a quiet period and again if they change
(`PatientLive`, for clients that do not expect changes). A state is sent whole, then as patches
(`StateLive`).
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, ClassVar, Literal

from typing_extensions import override

from agentlog.domain.events import Event
from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonValue
from agentlog.projections.view import BEFORE_ALL, Item, Place, Placed, StateView, View

_LONGEST_PLACE = 1000


@dataclass(frozen=True, slots=True)
class FollowUpdate:
    """An update for a follower.

    `place`: where to resume after this update; None where it does not move.
    """

    kind: Literal["item", "held", "snapshot", "patch"]
    place: str | None
    data: JsonValue


class Live(ABC):
    """A followed view of one thread: takes events in order, returns updates."""

    patient: ClassVar[bool] = False
    """Whether to call `present` only after a quiet period."""

    @abstractmethod
    def fold(self, event: Event) -> Sequence[FollowUpdate]:
        """Return the updates for an event."""

    @abstractmethod
    def present(self) -> Sequence[FollowUpdate]:
        """Return the updates not yet sent, where there are no more events for now."""

    def end(self) -> Sequence[FollowUpdate]:
        """Return the last updates, where the stream ends."""
        return self.present()


class ItemsLive(Live):
    """Sends settled items one by one; unsettled items as one list, again whenever it changes."""

    def __init__(self, view: View[Any, Any], carry: Any, *, after: Place = BEFORE_ALL) -> None:  # noqa: ANN401 - each view has its own
        self._view = view
        self._carry = carry
        self._after = after
        self._held: list[Item] = []

    @override
    def fold(self, event: Event) -> Sequence[FollowUpdate]:
        self._carry, items = self._view.fold(self._carry, event)
        return [
            FollowUpdate("item", item.key, item.item)
            for item in items
            if _place(item) > self._after
        ]

    @override
    def present(self) -> Sequence[FollowUpdate]:
        held = [item.item for item in self._view.rest(self._carry) if _place(item) > self._after]
        if held == self._held:
            return ()
        self._held = held
        return [FollowUpdate("held", None, [*held])]


class PatientLive(Live):
    """Sends every item as an item, and again at the same place where it has changed.

    A place to resume from names the last settled item, then the items sent after it, each with a
    digest of its contents: `4.0~5.0:1f2e3d4c`.
    """

    patient = True

    def __init__(self, view: View[Any, Any], carry: Any, *, after: str = "") -> None:  # noqa: ANN401 - each view has its own
        self._view = view
        self._carry = carry
        self._after, self._digests = parse_place(after)

    @override
    def fold(self, event: Event) -> Sequence[FollowUpdate]:
        self._carry, items = self._view.fold(self._carry, event)
        updates = []
        for item in items:
            if _place(item) <= self._after:
                continue
            before = self._digests.pop(item.key, None)
            self._after = _place(item)
            if before is None or before != _digest(item):
                updates.append(FollowUpdate("item", self._place(), item.item))
        if items:
            gone = [key for key in self._digests if parse_key(key) <= self._after]
            for key in gone:
                del self._digests[key]
        return updates

    @override
    def present(self) -> Sequence[FollowUpdate]:
        return self._tell(self._view.rest(self._carry))

    @override
    def end(self) -> Sequence[FollowUpdate]:
        return self._tell(self._view.rest(self._view.ended(self._carry)))

    def _tell(self, items: Sequence[Placed]) -> Sequence[FollowUpdate]:
        updates = []
        for item in items:
            digest = _digest(item)
            if _place(item) > self._after and self._digests.get(item.key) != digest:
                self._digests[item.key] = digest
                updates.append(FollowUpdate("item", self._place(), item.item))
        return updates

    def _place(self) -> str | None:
        version, ordinal = self._after
        settled = f"{version}.{max(ordinal, 0)}" if version else "0.0"
        digests = ",".join(f"{key}:{digest}" for key, digest in self._digests.items())
        place = f"{settled}~{digests}" if digests else settled
        return place if len(place) <= _LONGEST_PLACE else None


class StateLive(Live):
    """Sends a state: whole at first unless the follower has it, then each change."""

    def __init__(
        self,
        view: StateView[Any, Any],
        carry: Any,  # noqa: ANN401 - each view has its own
        *,
        version: int,
        known: bool,
    ) -> None:
        self._view = view
        self._carry = carry
        self._version = version
        self._known = known

    @override
    def fold(self, event: Event) -> Sequence[FollowUpdate]:
        first = self.present()
        before, self._version = self._carry, event.version
        self._carry, _ = self._view.fold(before, event)
        patch = self._view.patch(before, self._carry)
        return [*first, FollowUpdate("patch", str(event.version), patch)] if patch else first

    @override
    def present(self) -> Sequence[FollowUpdate]:
        if self._known:
            return ()
        self._known = True
        return [FollowUpdate("snapshot", str(self._version), self._view.state(self._carry))]


def parse_place(text: str) -> tuple[Place, dict[str, str]]:
    """Return the settled place in a text, and the digests of items sent after it.

    Raises:
        ValueError: the text is not a place.
    """
    if not text:
        return BEFORE_ALL, {}
    settled, _, digests = text.partition("~")
    pairs: Mapping[str, str] = dict(pair.split(":") for pair in digests.split(",") if digests)
    for key in pairs:
        parse_key(key)
    return parse_key(settled), dict(pairs)


def parse_key(key: str) -> Place:
    """Return the place of an item by its key; raises `ValueError`."""
    version, dot, ordinal = key.partition(".")
    plain = key.isascii() and version.isdecimal() and ordinal.isdecimal()
    if not (dot and plain and len(key) < 40):  # noqa: PLR2004 - two 64-bit numbers
        raise ValueError(key)
    return int(version), int(ordinal)


def _place(placed: Placed) -> Place:
    return placed.version, placed.ordinal


def _digest(placed: Placed) -> str:
    return sha256(print_bytes(placed.item)).hexdigest()[:8]
