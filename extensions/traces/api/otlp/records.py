"""OTLP over HTTP: bodies as spans or log records, and answers.

Both encodings, protobuf and JSON, become the same JSON objects, those that
`traces.projections.readers` reads: ids in hexadecimal, attributes as one object.
"""

from typing import Literal

from agentlog.api.http.request.limits import RequestLimits
from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.text import print_bytes
from agentlog.extensions.traces.api.otlp.errors import InvalidOtlp, UnknownMediaType
from agentlog.extensions.traces.api.otlp.protobuf import records_of_protobuf
from agentlog.extensions.traces.api.otlp.work import Work
from agentlog.extensions.traces.projections.readers.otlp_json import records_of_json
from agentlog.projections.view import Item

PROTOBUF, JSON = "application/x-protobuf", "application/json"

Signal = Literal["traces", "logs"]

_REJECTED = {"traces": "rejectedSpans", "logs": "rejectedLogRecords"}


def media_type_of(header: str) -> str:
    """Return the media type of a body; raises `UnknownMediaType`."""
    media_type = header.partition(";")[0].strip().lower()
    if media_type not in {PROTOBUF, JSON}:
        raise UnknownMediaType(media_type, takes=(PROTOBUF, JSON))
    return media_type


def records_in(
    body: bytes, media_type: str, signal: Signal, limits: RequestLimits, work: Work
) -> list[Item]:
    """Return the spans or log records of a body.

    Raises:
        InvalidInput: the body is malformed, or has too much in it.
    """
    if media_type == JSON:
        try:
            return records_of_json(limits.json_in(body), signal, work)
        except InvalidMessage as error:
            raise InvalidOtlp(str(error)) from error
    return records_of_protobuf(body, signal, work)


def answer(media_type: str, signal: Signal, *, refused: int, reason: str) -> bytes:
    """Return the body of an answer, which says how many were refused, and why, or warns."""
    if media_type == JSON:
        partial: Item = {_REJECTED[signal]: str(refused), "errorMessage": reason}
        return print_bytes({"partialSuccess": partial} if reason else {})
    if not reason:
        return b""
    count = b"\x08" + _varint(refused) if refused else b""
    # partial_success = 1 {rejected = 1, error_message = 2}, the same for both signals
    return _field(1, count + _field(2, reason.encode()))


def _varint(value: int) -> bytes:
    encoded = bytearray()
    while value >= 1 << 7:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*encoded, value])


def _field(number: int, data: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(data)) + data
