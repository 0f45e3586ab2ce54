"""Export requests of OTLP in hostile shapes, each of a size, in protobuf and JSON."""

import random
import zlib
from collections.abc import Callable, Mapping
from typing import Any

Shape = Callable[[int], bytes]

Item = dict[str, Any]


def field(number: int, data: bytes) -> bytes:
    """Return a field of a message: its tag, length and bytes."""
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def attribute(key: str, text: str) -> bytes:
    """Return an attribute, as the content of its field."""
    return field(1, key.encode()) + field(2, field(1, text.encode()))


def span(number: int, *attributes: bytes, parent: int = 0, more: bytes = b"") -> bytes:
    """Return a span of one trace, as the content of its field."""
    above = field(4, parent.to_bytes(8)) if parent else b""
    given = b"".join(field(9, one) for one in attributes)
    return field(1, b"\1" * 16) + field(2, number.to_bytes(8)) + above + given + more


def export(*spans: bytes, resource: bytes = b"", groups: int = 1) -> bytes:
    """Return an export request, which has so many groups of these spans."""
    group = field(2, b"".join(field(2, one) for one in spans))
    return field(1, field(1, resource) + group * groups)


def zipped(body: bytes, *, sent: int = 0) -> bytes:
    """Return a body as gzip; filled up to about `sent` bytes, if it takes fewer."""
    squeezed = _gzip(body)
    fill = random.Random(0).randbytes(max(0, sent - len(squeezed) - 64))  # noqa: S311 - only filled
    return _gzip(body + field(99, fill)) if fill else squeezed


def _gzip(body: bytes) -> bytes:
    pressing = zlib.compressobj(wbits=31)
    return pressing.compress(body) + pressing.flush()


def _varint(value: int) -> bytes:
    encoded = bytearray()
    while value >= 1 << 7:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*encoded, value])


_CHAT = attribute("gen_ai.operation.name", "chat")
_MESSAGE = '{"role":"user","parts":[{"type":"text","content":"x"}]}'


def _attributes(count: int) -> bytes:
    return b"".join(field(1, attribute(f"k{n}", "v")) for n in range(count))


def _texts(count: int, text: str) -> bytes:
    return attribute("gen_ai.input.messages", f"[{text}{f',{text}' * (count - 1)}]")


def _contexts(count: int) -> bytes:
    """Return contexts that all begin otherwise and end alike."""
    other = _MESSAGE.replace("x", "{}")
    texts = (f"[{other.replace('{}', str(n))},{_MESSAGE}]" for n in range(count))
    given = [attribute("gen_ai.input.messages", text) for text in texts]
    return export(*(span(n, _CHAT, messages) for n, messages in enumerate(given, 1)))


def _repeated_contexts(count: int) -> bytes:
    """Return a context of one turn, repeated, and another that ends with it."""
    first, second = _texts(count, _MESSAGE), _texts(count, _MESSAGE)
    other = second.replace(b'"content":"x"', b'"content":"y"', 1)
    return export(span(1, _CHAT, first), span(2, _CHAT, other))


def _tools(count: int) -> bytes:
    given = (
        [attribute("gen_ai.operation.name", "execute_tool"), attribute("gen_ai.tool.name", f"t{n}")]
        for n in range(count)
    )
    return export(*(span(n, *parts) for n, parts in enumerate(given, 1)))


def _deep(count: int) -> bytes:
    value = b""
    for _ in range(count):
        value = field(5, field(1, value))
    return export(span(1, _CHAT, field(1, b"deep") + field(2, value)))


SPANS: Mapping[str, Shape] = {
    "groups by attributes of a resource": lambda n: export(resource=_attributes(n), groups=n),
    "spans by attributes of a resource": lambda n: export(
        *(span(m, _CHAT) for m in range(1, n + 1)), resource=_attributes(n)
    ),
    "a chain of parents": lambda n: export(
        *(span(m, _CHAT, parent=m - 1) for m in range(1, n + 1))
    ),
    "a chain of parents below a name": lambda n: export(
        *(span(m, _CHAT, parent=m - 1) for m in range(2, n + 1)),
        span(1, _CHAT, attribute("session.id", "s")),
    ),
    "a chain of parents above names": lambda n: export(
        *(span(m, _CHAT, attribute("session.id", f"s{m}"), parent=m - 1) for m in range(1, n + 1))
    ),
    "a circle of parents": lambda n: export(
        *(span(m, _CHAT, parent=m % n + 1) for m in range(1, n + 1))
    ),
    "empty groups": lambda n: field(1, b"") * n,
    "empty scopes": lambda n: field(1, field(2, b"") * n),
    "empty spans": lambda n: export(*[b""] * n),
    "empty events": lambda n: export(span(1, _CHAT, more=field(11, b"") * n)),
    "empty attributes": lambda n: export(span(1, _CHAT, *[b""] * n)),
    "attributes": lambda n: export(span(1, _CHAT, *(attribute(f"k{m}", "v") for m in range(n)))),
    "a wide list": lambda n: export(span(1, _CHAT, field(1, b"a") + field(2, _listed(n)))),
    "a deep list": _deep,
    "fields that are not known": lambda n: b"\x78\0" * n,
    "a long text": lambda n: export(span(1, _CHAT, attribute("a", "x" * 1000 * n))),
    "dots in a name": lambda n: export(span(1, _CHAT, attribute("gen_ai.prompt" + ".a" * n, "v"))),
    "JSON in a text": lambda n: export(span(1, _CHAT, _texts(n, "{}"))),
    "messages in a text": lambda n: export(span(1, _CHAT, _texts(n, _MESSAGE))),
    "contexts that end alike": _contexts,
    "a context of one turn, repeated": _repeated_contexts,
    "runs of tools without ids": _tools,
    "a digit, repeated, in a name": lambda n: export(
        span(1, _CHAT, attribute(f"gen_ai.prompt.{'9' * n}.content", "v"))
    ),
}
"""Bodies of `/otlp/v1/traces` in protobuf."""


def _listed(count: int) -> bytes:
    return field(5, field(1, b"") * count)
