"""What is posted of a delivery, and the secret that signs it."""

from base64 import b64encode
from dataclasses import dataclass, field
from hashlib import sha256
from hmac import digest
from typing import NamedTuple

from agentlog.domain.events import Event
from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonObject
from agentlog.infrastructure.subscriptions.subscription import Delivery

MOST_CONTENT_BYTES = 256 * 2**10
"""Larger messages are posted by their place alone; receivers refuse bodies of any size."""


class Payload(NamedTuple):
    """A body, and the id that all attempts of it have."""

    id: str
    body: bytes


def payload_of(delivery: Delivery, name: str, *, tenant: str, content: bool) -> Payload:
    """Return the payload of a delivery of a subscription; `content`: with the message itself.

    Its id is the same whenever it is made again, and has no full stop, which would end it in what
    is signed.
    """
    event = delivery.event
    message_id = "" if event is None else event.message_id
    place = (tenant, name, delivery.position, delivery.type, message_id)
    digest = sha256(print_bytes([*place])).hexdigest()
    data: JsonObject = {"subscription": name, "position": delivery.position}
    if event is not None:
        data |= _data_of(event, content=content)
    if delivery.notice is not None:
        data |= {name: value for name, value in delivery.notice.items() if name != "timestamp"}
    body = {"type": delivery.type, "timestamp": _time_of(delivery), "data": data}
    return Payload(f"msg_{digest[:32]}", print_bytes(body))


def _data_of(event: Event, *, content: bool) -> JsonObject:
    data: JsonObject = {
        "threadId": event.thread_id,
        "version": event.version,
        "messageId": event.message_id,
    }
    if event.redacted is not None:
        return {**data, "redacted": event.redacted}
    if content and event.size <= MOST_CONTENT_BYTES:
        return {**data, "message": event.raw, "metadata": event.metadata}
    return data


def _time_of(delivery: Delivery) -> object:
    if delivery.event is not None and delivery.event.recorded_at is not None:
        return delivery.event.recorded_at.isoformat().replace("+00:00", "Z")
    return None if delivery.notice is None else delivery.notice.get("timestamp")


SECRET_BYTES = 32
_PREFIX = "whsec_"


@dataclass(frozen=True, slots=True)
class Secret:
    """A symmetric secret, which only `reveal` prints."""

    key: bytes = field(repr=False)

    def reveal(self) -> str:
        """Return the secret itself, to show it to its owner once."""
        return _PREFIX + b64encode(self.key).decode("ascii")

    def sign(self, message_id: str, timestamp: int, body: bytes) -> str:
        """Return the `webhook-signature` of a request; `timestamp` is in seconds."""
        signed = b".".join((message_id.encode(), str(timestamp).encode(), body))
        return f"v1,{b64encode(digest(self.key, signed, sha256)).decode('ascii')}"
