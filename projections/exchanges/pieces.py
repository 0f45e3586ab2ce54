"""The bytes of a request: without what identifies a person, and cut into pieces.

A client sends all of a conversation again with each request. Cut at the elements of the top-level
arrays, what requests share are equal texts, which the log keeps once. The pieces joined are the
bytes that were cut.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from agentlog.projections.exchanges.requests import SHAPES, Api

_Fields = dict[str, msgspec.Raw]
_HIDDEN = b"null"


class _Value(NamedTuple):
    """The value of a field of a body, and the place where it begins."""

    key: str
    start: int
    text: bytes

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def without_identity(body: bytes, api: Api) -> bytes:
    """Return a body with null in place of what says who asks."""
    parts, done = [], 0
    for value in _values(body) or _values_of_any(body):
        if value.key in SHAPES[api].identities:
            parts += [body[done : value.start], _HIDDEN]
            done = value.end
    return b"".join((*parts, body[done:]))


def cut(body: bytes) -> list[bytes]:
    """Return the pieces of a body; one alone where it is no JSON object.

    Each element of an array that is a field of the object is a piece; what stands between is too.
    """
    pieces, done = [], 0
    for start, end in _elements(body):
        pieces += [body[done:start], body[start:end]]
        done = end
    return [piece for piece in (*pieces, body[done:]) if piece]


def _elements(body: bytes) -> Iterator[tuple[int, int]]:
    """Yield the beginning and the end of each element, in their order."""
    for value in _values(body):
        if not value.text.startswith(b"["):
            continue
        place = value.start + 1
        for element in map(bytes, msgspec.json.decode(value.text, type=list[msgspec.Raw])):
            start = body.index(element, place)  # between elements stand blanks and a comma
            place = start + len(element)
            yield start, place


def _values(body: bytes) -> list[_Value]:
    """Return the values of the fields.

    None where a body is no object, is nested too deep for the decoder, or has a field twice.
    """
    try:
        fields = msgspec.json.decode(body, type=_Fields)
    except (msgspec.DecodeError, RecursionError):
        return []
    values, place = [], 0
    for name, raw in fields.items():
        text = bytes(raw)
        key = _KEY.match(body, place)
        if key is None or not body.startswith(text, key.end()):
            return []  # it stands twice: only the last of both was decoded
        values.append(_Value(name, key.end(), text))
        place = values[-1].end
    return values


def _values_of_any(body: bytes) -> Iterator[_Value]:
    """Yield the values of the fields of what looks like an object, valid and flat or not."""
    depth, begin, key = 0, 0, ""
    for token in _TOKEN.finditer(body):
        match token[0]:
            case b"{" | b"[":
                depth += 1
            case b"}" | b"]":
                depth -= 1
            case b":" if depth == 1:
                key = _name_in(body[begin : token.start()])
        if (depth == 1 and token[0] in b"{,:") or depth == 0:
            text = body[begin : token.start()].strip()
            if key and token[0] != b":":
                start = body.index(text, begin)
                yield _Value(key, start, text)
                key = ""
            begin = token.end()


def _name_in(text: bytes) -> str:
    try:
        return msgspec.json.decode(text, type=str)
    except msgspec.DecodeError:
        return ""


_KEY = re.compile(rb'[\s{,]*"(?:[^"\\]|\\.)*"\s*:\s*', re.DOTALL)
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*(?:"|\Z)|[][{}:,]', re.DOTALL)
