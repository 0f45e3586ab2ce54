"""Bodies of multipart/form-data, within limits."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from email.message import Message

from agentlog.domain.errors import InvalidMessage

_MOST_BOUNDARY = 70
_END = b"\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a body."""

    name: str
    media_type: str
    data: bytes


def parts_in(body: bytes, content_type: str, count: Callable[[int], None]) -> Iterator[Part]:
    """Yield the parts of a body; `count` raises where they are too many, before any is read.

    Raises:
        InvalidMessage: the body is malformed.
    """
    header = Message()
    header["content-type"] = content_type
    boundary = header.get_boundary() or ""
    if header.get_content_type() != "multipart/form-data" or not (
        0 < len(boundary) <= _MOST_BOUNDARY and boundary.isascii()
    ):
        raise InvalidMessage.at("Content-Type", "send multipart/form-data with a boundary")
    delimiter = b"\r\n--" + boundary.encode()
    count(body.count(delimiter))
    _, *parts = (b"\r\n" + body).split(delimiter)
    if not parts or not parts[-1].startswith(b"--"):
        raise InvalidMessage.at("", "the body does not end in its boundary")
    for n, part in enumerate(parts[:-1]):
        head, end, data = part.partition(_END)
        if not end:
            raise InvalidMessage.at(f"part {n}", "it has no end of its headers")
        yield _part(head.decode("latin-1"), data, f"part {n}")


def _part(head: str, data: bytes, place: str) -> Part:
    header = Message()
    for line in head.split("\r\n"):
        name, _, value = line.partition(":")
        if name.strip().lower() in {"content-disposition", "content-type"}:
            header[name.strip()] = value.strip()
    named = header.get_param("name", header="content-disposition")
    if not isinstance(named, str):
        raise InvalidMessage.at(place, "it has no name")
    return Part(named, header.get_content_type(), data)
