"""JSON-RPC messages, as they stand in the lines of MCP's stdio transport."""

from collections.abc import Sequence

import msgspec

from agentlog.domain.errors import InvalidJson
from agentlog.domain.json.text import parse, print_bytes

_ABSENT = msgspec.Raw()


class JsonRpcMessage(msgspec.Struct):
    """A request, a notification or an answer, whose parts are as they were written.

    A request has a method and an id, a notification a method alone, an answer an id alone.
    """

    id: msgspec.Raw = _ABSENT
    method: str | None = None
    params: msgspec.Raw = _ABSENT
    result: msgspec.Raw = _ABSENT
    error: msgspec.Raw = _ABSENT

    @property
    def key(self) -> bytes | None:
        """The id as it compares with others; None where there is none."""
        try:
            return print_bytes(parse(bytes(self.id))) if bytes(self.id) else None
        except InvalidJson:
            return None

    @property
    def is_request(self) -> bool:
        """Whether an answer is expected."""
        return self.method is not None and self.key is not None


_decode = msgspec.json.Decoder(JsonRpcMessage | list[JsonRpcMessage]).decode


def messages_in(line: bytes) -> Sequence[JsonRpcMessage] | None:
    """Return the message of a line, or those of its batch; None where it has none."""
    try:
        messages = _decode(line)
    except (msgspec.DecodeError, RecursionError):
        return None
    return messages if isinstance(messages, list) else [messages]
