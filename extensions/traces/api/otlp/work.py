"""How much one export request may make the service do: linear in what was sent.

A zipped body of a few kilobytes can stand for millions of values, and each record repeats the
attributes of its resource. So all of it is counted while a body is read, before it is kept.
"""

import sys
from dataclasses import dataclass
from typing import Self

from agentlog.api.http.request.errors import BodyTooLarge
from agentlog.api.http.request.limits import RequestLimits, TooManyMessages, TooManyParts

DEEPEST = 64
"""Most levels of arrays and lists of keys and values in an attribute."""

_RECORD_PARTS, _EMPTY_PARTS, _VALUE_PARTS = 128, 4, 2  # a record becomes several messages
_PARTS_OF_AN_ATTRIBUTE = 4
_FEW_PARTS, _PARTS_OF_A_BYTE = 2**18, 2  # an exporter's batch has 512 spans, however well zipped
_FEW_MESSAGES, _BYTES_OF_A_MESSAGE = 4096, 64
_FEW_BYTES, _MOST_UNZIPPED = 4 * 2**20, 128


@dataclass(slots=True)
class Work:
    """Counts parts, bytes and records of a request; each count raises at its limit.

    Parts are the fields of protobuf, and what the names and texts of attributes are taken apart
    into. `most_added` is how many messages the records may become.
    """

    most_parts: int
    most_bytes: int
    most_records: int
    most_added: int = sys.maxsize
    parts: int = 0
    bytes: int = 0
    records: int = 0

    @classmethod
    def allowed(cls, sent: int, limits: RequestLimits, *, most_bytes: int) -> Self:
        """Return what a request of `sent` bytes, zipped or not, may hold."""
        return cls(
            most_parts=min(
                _PARTS_OF_AN_ATTRIBUTE * limits.max_json_parts,
                _FEW_PARTS + _PARTS_OF_A_BYTE * sent,
            ),
            most_bytes=min(most_bytes, max(_FEW_BYTES, _MOST_UNZIPPED * sent)),
            most_records=limits.max_batch_messages,
            most_added=min(limits.max_batch_messages, _FEW_MESSAGES + sent // _BYTES_OF_A_MESSAGE),
        )

    def add_parts(self, count: int = 1) -> None:
        """Count parts; raises `TooManyParts`."""
        self.parts += count
        if self.parts > self.most_parts:
            raise TooManyParts(self.most_parts, what="values that an export of this size")

    def add_bytes(self, count: int) -> None:
        """Count bytes, unzipped ones and those that records repeat; raises `BodyTooLarge`."""
        self.bytes += count
        if self.bytes > self.most_bytes:
            what = "the export, unzipped and with the resource of each record,"
            raise BodyTooLarge(self.most_bytes, what=what)

    def add_record(self, *, repeated: int) -> None:
        """Count a record that repeats so many bytes of its resource and scope."""
        self.records += 1
        if self.records > self.most_records:
            raise TooManyMessages(self.most_records)
        self.add_parts(_RECORD_PARTS)
        self.add_bytes(repeated)

    def add_empty(self) -> None:
        """Count a group, scope or event, which may be empty."""
        self.add_parts(_EMPTY_PARTS)

    def add_name(self, name: str) -> None:
        """Count the objects that the name of an attribute stands for, as `llm.messages.0.role`."""
        self.add_parts(_VALUE_PARTS * max(1, name.count(".")))

    def add_text(self, text: str) -> None:
        """Count the values in a text that may be JSON: readers parse it."""
        if text[:1] in {"{", "["}:
            values = text.count("{") + text.count("[") + text.count(",")
            self.add_parts(_VALUE_PARTS * values)
