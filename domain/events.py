"""A message once recorded: an immutable domain event of its thread."""

from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from domain.catalogue import read_stored
from domain.facts import Fact
from domain.json_text import JsonValue, parse_stored
from domain.messages import Message


@dataclass(frozen=True)
class Event:
    """A recorded message or fact, with its place in the thread and in the log.

    Satisfies `eventsourcing.domain.DomainEventProtocol[str]`: `originator_id` is the thread,
    `originator_version` its version. `body` is the JSON as stored; `message` is read from it when
    first asked for, and is None where today's catalogue cannot read it. `position` and
    `recorded_at` are None before it is recorded.
    """

    originator_id: str
    originator_version: int
    type: str
    body: bytes
    message_id: str
    position: int | None = None
    recorded_at: datetime | None = None
    metadata: dict[str, JsonValue] = field(default_factory=dict)

    @property
    def thread_id(self) -> str:
        """The thread it belongs to."""
        return self.originator_id

    @property
    def version(self) -> int:
        """Its place in the thread, 1-based."""
        return self.originator_version

    @cached_property
    def raw(self) -> JsonValue:
        """The body as JSON; None where the bytes are not JSON."""
        return _read(self.body)

    @cached_property
    def message(self) -> Message | Fact | None:
        """The message it records."""
        # not by way of `raw`: few need both, and who needs one pays and keeps only that
        raw = _read(self.body)
        return read_stored(self.type, raw) if isinstance(raw, dict) else None

    @property
    def response_id(self) -> str | None:
        """The model response that this message came out of, where the producer said."""
        found = self.metadata.get("responseId")
        return found if isinstance(found, str) else None


def _read(body: bytes) -> JsonValue:
    try:
        return parse_stored(body)
    except ValueError:
        return None
