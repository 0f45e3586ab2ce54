"""Validates a caller's draft and prints the body that the log stores.

A draft is a message as JSON whose `id` and `timestamp` may be missing; `metadata` may stand beside
its fields. The body stored is `{"id","timestamp","type", …}` with the caller's fields in the
caller's order, compact; metadata is stored separately.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from agentlog.domain.catalogue import REMARK_TYPES, stored_type, validate_fact, validate_message
from agentlog.domain.errors import Flaw, InvalidMessage
from agentlog.domain.facts import Fact, ThreadStarted
from agentlog.domain.identifiers import APPENDED_BY, IMPORT_ID
from agentlog.domain.integrity.hash_chain import digest
from agentlog.domain.json.text import parse_stored, print_bytes, print_checked
from agentlog.domain.json.values import JsonObject, JsonValue, object_of
from agentlog.domain.messages import Message
from agentlog.domain.redaction import left_digests

METADATA_TEXTS = (
    "actor",
    "source",
    "causationId",
    "correlationId",
    "responseId",
    "traceparent",
    APPENDED_BY,
)
"""The metadata keys whose meaning is fixed; all other keys are free."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of an append, recorded in each message's metadata.

    `traceparent` is the trace and `actor` the user, for messages that name none themselves;
    `appended_by` is the caller's `author` and replaces what a message gives. `import_id` is noted
    in a thread's start only.
    """

    traceparent: str | None = None
    appended_by: str | None = None
    import_id: str | None = None
    actor: str | None = None

    def noted_in(self, metadata: dict[str, JsonValue]) -> dict[str, JsonValue]:
        """Return metadata with the origin added."""
        noted = dict(metadata)
        if self.traceparent is not None:
            noted.setdefault("traceparent", self.traceparent)
        if self.actor is not None:
            noted.setdefault("actor", self.actor)
        if self.appended_by is not None:
            noted[APPENDED_BY] = self.appended_by
        return noted


NO_ORIGIN = Origin()

Masked = Callable[[JsonObject], JsonObject] | None
"""Returns a message or fact, with its metadata, as it is kept; masked again it is the same."""


class Prepared(NamedTuple):
    """A message validated and printed, ready for a decision; `left` has its `left_digests`."""

    message: Message | Fact
    body: bytes
    body_digest: bytes
    left: bytes
    metadata: bytes | None
    id_given: bool
    timestamp_given: bool
    masked: Masked = None

    def same_content(self, stored_body: bytes) -> bool:
        """Return whether a stored body has the same content, in any order of keys: a retry.

        A timestamp that the clock filled in is ignored, and so is what is masked by now.
        """
        ours, theirs = object_of(parse_stored(self.body)), object_of(parse_stored(stored_body))
        if self.masked is not None:
            theirs = self.masked(theirs)
        if not self.timestamp_given:
            ours["timestamp"] = theirs.get("timestamp")
        return print_bytes(ours, sort_keys=True) == print_bytes(theirs, sort_keys=True)


def prepare(
    draft: JsonValue,
    *,
    message_id: str,
    timestamp: int,
    origin: Origin = NO_ORIGIN,
    masked: Masked = None,
) -> Prepared:
    """Return the message of `draft`, with `message_id`, `timestamp` and trace where it has none.

    Raises:
        InvalidMessage: with every flaw, each at its place.
        InvalidJson: a value has no JSON form (only for drafts made in Python).
    """
    if not isinstance(draft, dict):
        raise InvalidMessage([Flaw("", "not a JSON object: a message is one")])
    # the draft's own values win
    body = {"id": message_id, "timestamp": timestamp, "type": None, **draft}
    spelling = body["type"]
    if isinstance(spelling, str):
        body["type"] = stored_type(spelling)
    if masked is not None:
        body = masked(body)
    metadata = body.pop("metadata", None)
    message = validate_message(body)
    text = print_checked(body)
    noted = None if metadata is None and origin is NO_ORIGIN else _metadata(metadata, origin)
    return Prepared(  # positional: keywords take twice as long
        message,
        text,
        digest(text),
        left_digests(message.type, body, noted),
        noted,
        "id" in draft,
        "timestamp" in draft,
        masked,
    )


def prepare_fact(
    fact: dict[str, JsonValue],
    *,
    message_id: str,
    timestamp: int,
    origin: Origin = NO_ORIGIN,
    masked: Masked = None,
) -> Prepared:
    """Return the message of a thread's fact; a retry may have another time.

    `metadata` may stand beside the fields of a remark.

    Raises:
        InvalidMessage: with every flaw, each at its place.
    """
    body = {"id": message_id, "timestamp": timestamp, **fact}
    if masked is not None:
        body = masked(body)
    own_metadata = body.pop("metadata", None) if fact.get("type") in REMARK_TYPES else None
    message = validate_fact(body)
    text = print_checked(body)
    made = origin.import_id is not None and isinstance(message, ThreadStarted)
    metadata = _metadata({IMPORT_ID: origin.import_id} if made else own_metadata, origin)
    return Prepared(
        message=message,
        body=text,
        body_digest=digest(text),
        left=left_digests(message.type, body, metadata),
        metadata=metadata,
        id_given=True,
        timestamp_given="timestamp" in fact,
        masked=masked,
    )


def _metadata(value: JsonValue, origin: Origin) -> bytes | None:
    if origin is not NO_ORIGIN and (value is None or isinstance(value, dict)):
        value = origin.noted_in(value or {})
    if value is None or value == {}:
        return None
    if not isinstance(value, dict):
        raise InvalidMessage([Flaw("metadata", "not a JSON object")])
    flaws = [
        Flaw(f"metadata.{key}", "not a string")
        for key in METADATA_TEXTS
        if key in value and not isinstance(value[key], str)
    ]
    if flaws:
        raise InvalidMessage(flaws)
    return print_checked(value)
