"""Maps our events to the library's stored events; the topic is the message's type word."""

from dataclasses import dataclass
from typing import Self

from eventsourcing.domain import DomainEventProtocol
from eventsourcing.persistence import JSONTranscoder, Mapper, Notification, StoredEvent
from typing_extensions import override

from agentlog.domain.events import Event
from agentlog.domain.identifiers import derived_message_id, is_message_id
from agentlog.domain.json.text import parse_stored, print_bytes


@dataclass(frozen=True)
class RecordedStoredEvent(StoredEvent):
    """A stored event that was read, with all that the log has of it."""

    event: Event


@dataclass(frozen=True)
class RecordedNotification(Notification):
    """A notification that was read, with all that the log has of it."""

    event: Event

    @classmethod
    def of(cls, event: Event) -> Self:
        """Return the notification of an event of the log."""
        return cls(
            originator_id=event.originator_id,
            originator_version=event.originator_version,
            topic=event.type,
            state=event.body,
            id=event.position or 0,
            event=event,
        )


@dataclass(frozen=True)
class StoredMessage(StoredEvent):
    """A stored event to insert, with the log's columns beside its state."""

    message_id: str
    metadata: bytes | None


class MessageMapper(Mapper[str]):
    """Stores a message's own bytes under its type, never a class path."""

    def __init__(self) -> None:
        super().__init__(JSONTranscoder())  # required by the interface, not used

    @override
    def to_stored_event(self, domain_event: DomainEventProtocol[str]) -> StoredMessage:
        if not isinstance(domain_event, Event):
            raise TypeError(f"the log records events of threads, not {type(domain_event).__name__}")
        return StoredMessage(
            originator_id=domain_event.originator_id,
            originator_version=domain_event.originator_version,
            topic=domain_event.type,
            state=domain_event.body,
            message_id=domain_event.message_id,
            metadata=print_bytes(domain_event.metadata) if domain_event.metadata else None,
        )

    @override
    def to_domain_event(self, stored_event: StoredEvent) -> Event:
        if isinstance(stored_event, RecordedStoredEvent | RecordedNotification):
            return stored_event.event
        return Event(
            originator_id=str(stored_event.originator_id),
            originator_version=stored_event.originator_version,
            type=stored_event.topic,
            body=stored_event.state,
            message_id=message_id_of(stored_event),
        )


def message_id_of(stored_event: StoredEvent) -> str:
    """Return the id of a stored event, or the one that the log gives to an event without."""
    if isinstance(stored_event, StoredMessage):
        return stored_event.message_id
    try:
        raw = parse_stored(stored_event.state)
    except ValueError:
        raw = None
    match raw:
        case {"id": str(message_id)} if is_message_id(message_id):
            return message_id
        case _:
            thread_id, version = str(stored_event.originator_id), stored_event.originator_version
            return derived_message_id("foreign", thread_id, version)
