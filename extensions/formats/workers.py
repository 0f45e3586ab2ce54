"""Sub-agents that a history sent off, and what they came back with."""

from collections import Counter
from dataclasses import dataclass, field

from agentlog.domain.identifiers import derived_message_id
from agentlog.domain.json.values import JsonValue
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.reading import Reading
from agentlog.projections.view import Item


@dataclass(slots=True)
class Workers:
    """Which sub-agents are at work: one comes back once for each time that it was sent off."""

    reading: Reading
    sent: Counter[str] = field(default_factory=Counter)
    at_work: set[str] = field(default_factory=set)

    def send(self, worker_id: str) -> None:
        """Note that a sub-agent was sent off."""
        self.sent[worker_id] += 1
        self.at_work.add(worker_id)

    def come_back(self, worker_id: str, came: Item, of_draft: Draft) -> None:
        """Add what a sub-agent came back with, `output` or `error`, if it is at work.

        The message has an id of its own and no place among the others: earlier readers did not
        add it, and what they read may be read again.
        """
        if worker_id not in self.at_work:
            return
        self.at_work.remove(worker_id)
        wire = self.reading.wire
        message_id = derived_message_id(wire, "worker_result", worker_id, self.sent[worker_id])
        self.reading.of_whole.add(message_id)
        draft: Draft = {"type": "worker_result", "workerId": worker_id, **came}
        self.reading.add({**of_draft, "id": message_id, **draft})


def came_back(text: JsonValue, status: str) -> Item:
    """Return the `output` of a sub-agent that completed, the `error` of another."""
    if status == "completed":
        return {"output": text}
    message = text if isinstance(text, str) and text.strip() else status
    return {"error": {"message": message, "code": status}}
