"""An event: a domain event of the `eventsourcing` library, read when first asked for."""

from dataclasses import FrozenInstanceError, replace

import pytest
from eventsourcing.domain import DomainEventProtocol

from agentlog.domain.messages import ReplyMessage
from tests.histories import event

REPLY = event(3, {"type": "reply", "text": "hi", "metadata": {"responseId": "r1"}})


def test_an_event_is_a_domain_event_of_the_library() -> None:
    typed: DomainEventProtocol[str] = REPLY  # the type checker holds this
    assert isinstance(typed, DomainEventProtocol)
    assert (typed.originator_id, typed.originator_version) == ("test", 3)
    assert (REPLY.thread_id, REPLY.version) == ("test", 3)


def test_an_event_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        REPLY.body = b""  # type: ignore[misc]  # the very thing refused


def test_the_message_is_read_once() -> None:
    assert isinstance(REPLY.message, ReplyMessage)
    assert REPLY.message.text == "hi"
    assert REPLY.message is REPLY.message


@pytest.mark.parametrize("body", [b"", b"not json", b"[]", b'{"type":"reply"}', b"\xff", b"5"])
def test_a_body_that_cannot_be_read_has_no_message(body: bytes) -> None:
    assert replace(REPLY, body=body).message is None


def test_a_body_that_is_not_json_has_no_value_either() -> None:
    assert replace(REPLY, body=b"not json").raw is None
    assert replace(REPLY, body=b"[1]").raw == [1]


@pytest.mark.parametrize(
    ("metadata", "response_id"),
    [({"responseId": "r1"}, "r1"), ({}, None), ({"responseId": 5}, None)],
)
def test_a_response_id_is_a_text(metadata: dict[str, object], response_id: str | None) -> None:
    assert replace(REPLY, metadata=metadata).response_id == response_id
