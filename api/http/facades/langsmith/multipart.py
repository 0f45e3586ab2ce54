"""Bodies of `POST /runs/multipart`: parts named `post.ID`, `post.ID.inputs` and the like."""

from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message

from agentlog.api.http.codec.otlp_work import Work
from agentlog.api.http.facades.langsmith.operations import Operations, check_id
from agentlog.domain.errors import InvalidMessage

_MOST_BOUNDARY = 70
_END = b"\r\n\r\n"


@dataclass(frozen=True, slots=True)
class _Part:
    name: str
    media_type: str
    data: bytes


def read_multipart(body: bytes, content_type: str, into: Operations) -> None:
    """Add what the parts of a body say.

    Raises:
        InvalidMessage: the body is malformed, or a part is of no known name.
    """
    for part in _parts(body, content_type, into.work):
        kind, _, named = part.name.partition(".")
        own_id, _, field = named.partition(".")
        check_id(own_id, part.name)
        match kind:
            case "post" | "patch" if field:
                into.add_field(kind, own_id, field, into.json_in(part.data, part.name))
            case "post" | "patch":
                into.add_run(kind, into.json_in(part.data, part.name), part.name, own_id)
            case "feedback":
                into.add_feedback(into.json_in(part.data, part.name), part.name)
            case "attachment":
                into.add_attachment(own_id, field, part.media_type, part.data)
            case _:
                raise InvalidMessage.at(part.name, "no part of a run: post, patch or feedback")


def _parts(body: bytes, content_type: str, work: Work) -> Iterator[_Part]:
    header = Message()
    header["content-type"] = content_type
    boundary = header.get_boundary() or ""
    if header.get_content_type() != "multipart/form-data" or not (
        0 < len(boundary) <= _MOST_BOUNDARY and boundary.isascii()
    ):
        raise InvalidMessage.at("Content-Type", "send multipart/form-data with a boundary")
    delimiter = b"\r\n--" + boundary.encode()
    work.add_parts(body.count(delimiter))
    _, *parts = (b"\r\n" + body).split(delimiter)
    if not parts or not parts[-1].startswith(b"--"):
        raise InvalidMessage.at("", "the body does not end in its boundary")
    for n, part in enumerate(parts[:-1]):
        head, end, data = part.partition(_END)
        if not end:
            raise InvalidMessage.at(f"part {n}", "it has no end of its headers")
        yield _part(head.decode("latin-1"), data, f"part {n}")


def _part(head: str, data: bytes, place: str) -> _Part:
    header = Message()
    for line in head.split("\r\n"):
        name, _, value = line.partition(":")
        if name.strip().lower() in {"content-disposition", "content-type"}:
            header[name.strip()] = value.strip()
    named = header.get_param("name", header="content-disposition")
    if not isinstance(named, str):
        raise InvalidMessage.at(place, "it has no name")
    return _Part(named, header.get_content_type(), data)
