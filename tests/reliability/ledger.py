"""What clients sent and what they were told: the side of the story that the log is held against."""

import threading
import time
from collections import Counter
from dataclasses import dataclass
from typing import Any

from tests.waiting import WAIT_SECONDS


@dataclass(frozen=True, slots=True)
class Place:
    """Where a message stands, as an acknowledgement says."""

    thread_id: str
    version: int
    position: int


class Ledger:
    """Shared by all clients of a test."""

    def __init__(self) -> None:
        self._told = threading.Condition()
        self.sent: dict[str, tuple[str, Any]] = {}
        """Thread and message, by id: nothing else may come to stand in the log."""
        self.places: dict[str, Place] = {}
        """Where each message stands that was acknowledged."""
        self.latest = ""
        """The thread that a message was last acknowledged in."""
        self.contradictions: list[str] = []
        """Acknowledgements that do not agree with one another."""
        self.outcomes: Counter[str] = Counter()
        """How often each status was answered, and each way of breaking off happened."""
        self.times: dict[str, list[tuple[float, float]]] = {"append": [], "bulk append": []}
        """When appends began that were acknowledged, and the milliseconds that they took."""

    @property
    def count(self) -> int:
        """How many messages were acknowledged."""
        return len(self.places)

    @property
    def told(self) -> str:
        """The outcomes in words, the most frequent first."""
        return ", ".join(f"{count} {what}" for what, count in self.outcomes.most_common())

    def sending(self, thread_id: str, messages: list[Any]) -> None:
        """Note messages before they are sent."""
        with self._told:
            self.sent.update({message["id"]: (thread_id, message) for message in messages})

    def acknowledged(self, answer: Any) -> None:
        """Note what an append was answered; a retry is answered the same place."""
        with self._told:
            for message in answer["messages"]:
                place = Place(answer["threadId"], message["version"], message["position"])
                self.latest = place.thread_id
                known = self.places.setdefault(message["id"], place)
                if known != place:
                    self.contradictions.append(f"{message['id']}: {known}, then {place}")
                if message["replayed"]:
                    self.outcomes["replayed"] += 1
            self._told.notify_all()

    def came(self, what: str) -> None:
        """Count an answer that acknowledges nothing, or what came in its place."""
        with self._told:
            self.outcomes[what] += 1

    def wait_for(self, more: int) -> None:
        """Wait until so many more messages have been acknowledged."""
        with self._told:
            aim, until = self.count + more, time.monotonic() + WAIT_SECONDS
            enough = self._told.wait_for(lambda: self.count >= aim, until - time.monotonic())
        assert enough, f"{self.count} of {aim} acknowledged; {dict(self.outcomes)}"
