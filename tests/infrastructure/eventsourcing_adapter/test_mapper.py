"""Our events go through the library's event store and come back the same."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest
from eventsourcing.domain import DomainEventProtocol
from eventsourcing.persistence import EventStore, StoredEvent
from hypothesis import HealthCheck, given, settings

from agentlog.domain.catalogue import MESSAGE_TYPES
from agentlog.domain.events import Event
from agentlog.domain.identifiers import is_message_id
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.eventsourcing_adapter.mapper import MessageMapper, StoredMessage
from tests.histories import event, histories, history
from tests.infrastructure.inserting_recorder import PostgresRecorder

ONE_OF_EACH = history(
    {"type": "input", "text": "a\x00b"},
    {"type": "reply", "text": ""},
    {"type": "reasoning", "title": "T", "summary": "S"},
    {"type": "tool_calls", "calls": [{"id": "c", "name": "f", "args": {"n": 2**70}}]},
    {"type": "tool_results", "results": [{"callId": "c", "output": [1.5, None]}]},
    {"type": "system", "text": "s"},
    {"type": "log", "text": "l"},
    {"type": "approval_request", "callId": "c", "tool": "f"},
    {"type": "approval_response", "callId": "c", "approved": False},
    {"type": "worker_spawned", "workerId": "w", "objective": "o"},
    {"type": "worker_result", "workerId": "w", "output": {}},
    {"type": "llm_request", "temperature": 0.7},
    {"type": "llm_response", "usage": {"totalTokens": 3}},
    {"type": "scratchpad", "text": "s", "mode": "append"},
    {"type": "runtime_error", "error": "e"},
    {"type": "tick"},
    {"type": "shutdown"},
    {"type": "exit", "reason": "complete"},
    {"type": "vendor.thing", "payload": {"deep": [1]}, "metadata": {"actor": "me"}},
    {"type": "thread.started", "goal": "g", "limits": {"maxSteps": 3}},
    {"type": "thread.closed", "reason": "r"},
)


def _put(recorder: PostgresRecorder, events: Sequence[Event]) -> list[Event]:
    """Put events and return what comes back."""
    store: EventStore[str] = EventStore(MessageMapper(), recorder)
    store.put(events)
    return [recorded for recorded in store.get("test") if isinstance(recorded, Event)]


def test_every_type_of_message_comes_back_equal(recorder: PostgresRecorder) -> None:
    assert {recorded.type for recorded in ONE_OF_EACH} > set(MESSAGE_TYPES)
    back = _put(recorder, ONE_OF_EACH)
    assert [recorded.message for recorded in back] == [recorded.message for recorded in ONE_OF_EACH]
    assert None not in [recorded.message for recorded in back]
    assert [recorded.body for recorded in back] == [recorded.body for recorded in ONE_OF_EACH]
    assert [recorded.message_id for recorded in back] == [
        recorded.message_id for recorded in ONE_OF_EACH
    ]


def test_topics_are_the_types_and_never_a_class_path(recorder: PostgresRecorder) -> None:
    _put(recorder, ONE_OF_EACH)
    topics = [stored.topic for stored in recorder.select_events("test")]
    assert topics == [recorded.type for recorded in ONE_OF_EACH]


def test_what_the_library_puts_our_reader_reads_with_its_metadata(
    recorder: PostgresRecorder, reader: LogReader
) -> None:
    _put(recorder, ONE_OF_EACH)
    read = reader.events("test")
    assert [(recorded.message_id, recorded.metadata) for recorded in read] == [
        (recorded.message_id, recorded.metadata) for recorded in ONE_OF_EACH
    ]


def test_an_event_is_a_domain_event_of_the_library() -> None:
    typed: DomainEventProtocol[str] = ONE_OF_EACH[0]  # mypy holds the types against the protocol
    assert isinstance(typed, DomainEventProtocol)
    assert (typed.originator_id, typed.originator_version) == ("test", 1)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(events=histories())
def test_whatever_a_history_holds_the_mapper_gives_it_back(events: list[Event]) -> None:
    mapper = MessageMapper()
    for recorded in events:
        stored = mapper.to_stored_event(recorded)
        back = mapper.to_domain_event(stored)
        bare = replace(recorded, position=None, recorded_at=None, metadata={})
        assert back == bare
        assert (stored.metadata is None) == (not recorded.metadata)


@dataclass(frozen=True)
class _Foreign:
    originator_id: str = "t"
    originator_version: int = 1


def test_an_event_of_another_kind_is_refused_by_name() -> None:
    with pytest.raises(TypeError, match="_Foreign"):
        MessageMapper().to_stored_event(_Foreign())


@pytest.mark.parametrize("state", [b"state1", b"[]", b'{"id":7}', b'{"id":"short"}', b"\xff"])
def test_a_foreign_event_gets_an_id_of_its_place_which_is_always_the_same(state: bytes) -> None:
    mapper = MessageMapper()
    first = mapper.to_domain_event(StoredEvent("t", 1, "topic", state))
    assert is_message_id(first.message_id)
    assert mapper.to_domain_event(StoredEvent("t", 1, "topic", state)) == first
    assert (
        mapper.to_domain_event(StoredEvent("t", 2, "topic", state)).message_id != first.message_id
    )


def test_a_stored_message_keeps_the_id_it_was_stored_under() -> None:
    stored = MessageMapper().to_stored_event(event(1, {"type": "tick"}))
    assert isinstance(stored, StoredMessage)
    other = replace(stored, message_id=event(2, {"type": "tick"}).message_id)
    assert MessageMapper().to_domain_event(other).message_id == other.message_id
