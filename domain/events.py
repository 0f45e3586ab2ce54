"""Recorded messages: immutable domain events of a thread."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from agentlog.domain.catalogue import read_stored
from agentlog.domain.facts import Fact
from agentlog.domain.json.text import parse_stored
from agentlog.domain.json.values import JsonValue
from agentlog.domain.messages import Message, says_nothing
from agentlog.domain.threads import Thread, replay

ValueT = TypeVar("ValueT")


class _Lazy(Generic[ValueT]):
    """A `cached_property` without a lock (before Python 3.12 that costs a microsecond).

    Concurrent threads may both compute the value.
    """

    def __init__(self, read: "Callable[[Event], ValueT]") -> None:
        self._read = read
        self._name = read.__name__
        self.__doc__ = read.__doc__

    def __get__(self, event: "Event", owner: type["Event"]) -> ValueT:
        value = event.__dict__[self._name] = self._read(event)
        return value


@dataclass(frozen=True, init=False)
class Event:
    """A recorded message or fact, with its place in the thread and in the log.

    Satisfies `DomainEventProtocol[str]` and `CanMutateProtocol` of `eventsourcing.domain`:
    `originator_id` is the thread, `originator_version` its version. `body` is the JSON as stored;
    `message` is read from it when first asked for, and is None where today's catalogue cannot read
    it, or it says nothing. `position` and `recorded_at` are None before it is recorded, and for
    folds, which get neither. `redacted` is the version of the redaction that erased its content,
    None where that is as it was appended. `missing` names what the log has lost of the content, by
    SHA-256 in hexadecimal; in the body a text stands in its place. `size` is that of the whole body
    in bytes, also where `body` has but the beginnings of long contents. `origin_version` is that of
    the origin's event from which a fork copied it, or at which an edit of the fork put it; None for
    an event of the thread's own.
    """

    originator_id: str
    originator_version: int
    type: str
    body: bytes
    message_id: str
    position: int | None
    recorded_at: datetime | None
    metadata: dict[str, JsonValue]
    redacted: int | None
    missing: tuple[str, ...] = ()
    size: int = 0
    origin_version: int | None = None

    def __init__(  # noqa: PLR0913, PLR0917 - a field each
        self,
        originator_id: str,
        originator_version: int,
        type: str,  # noqa: A002 - the field's name
        body: bytes,
        message_id: str,
        position: int | None = None,
        recorded_at: datetime | None = None,
        metadata: dict[str, JsonValue] | None = None,
        redacted: int | None = None,
        missing: tuple[str, ...] = (),
        size: int | None = None,
        origin_version: int | None = None,
    ) -> None:
        # the generated `__init__` of a frozen dataclass takes more than twice as long per event
        fields = self.__dict__
        fields["originator_id"] = originator_id
        fields["originator_version"] = originator_version
        fields["type"] = type
        fields["body"] = body
        fields["message_id"] = message_id
        fields["position"] = position
        fields["recorded_at"] = recorded_at
        fields["metadata"] = {} if metadata is None else metadata
        fields["redacted"] = redacted
        if missing:
            fields["missing"] = missing
        fields["size"] = len(body) if size is None else size
        if origin_version is not None:
            fields["origin_version"] = origin_version

    @property
    def thread_id(self) -> str:
        """The id of its thread."""
        return self.originator_id

    @property
    def version(self) -> int:
        """Its place in the thread, 1-based."""
        return self.originator_version

    @_Lazy
    def raw(self) -> JsonValue:
        """The body as JSON; None where the bytes are not JSON."""
        return _read(self.body)

    @_Lazy
    def message(self) -> Message | Fact | None:
        """The message it records."""
        # not through `raw`, which would be kept as well
        return _message(self.type, self.body)

    def mutate(self, aggregate: Thread | None) -> Thread:
        """Return the thread after this event, as the library's `Repository.get` asks for it."""
        thread = aggregate or Thread(self.thread_id)
        if self.message is None:
            return thread._replace(version=self.version)
        return replay(thread, self.message)[0]

    @property
    def response_id(self) -> str | None:
        """The id of the model response that produced this message, where the producer gave one."""
        response_id = self.metadata.get("responseId")
        return response_id if isinstance(response_id, str) else None


def with_message(event: Event, message: Message | Fact) -> Event:
    """Return an event whose message is known: its body is not parsed again."""
    event.__dict__["message"] = message
    return event


def read_messages(events: Sequence[Event]) -> None:
    """Parse the messages of these events ahead of a fold."""
    for event in events:
        event.__dict__["message"] = _message(event.type, event.body)


def _message(type_name: str, body: bytes) -> Message | Fact | None:
    try:
        message = read_stored(type_name, parse_stored(body))
    except ValueError:
        return None
    return None if says_nothing(message) else message


def _read(body: bytes) -> JsonValue:
    try:
        return parse_stored(body)
    except ValueError:
        return None
