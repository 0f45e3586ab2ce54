"""Content-addressed deduplication of long strings in bodies; pure, and exact to the byte.

System prompts, tool results and files repeat across threads. Each long one is kept once, by its
SHA-256, and put back when a body is read.
"""

from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, KeysView, Mapping, Sequence
from hashlib import sha256
from struct import Struct
from typing import NamedTuple

from agentlog.domain.drafts import Prepared
from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonObject, JsonValue, array_of, object_of
from agentlog.domain.messages import CustomMessage, InputMessage, SystemMessage, ToolResultsMessage

SHORTEST = 512
"""Bytes of the shortest text that is cut out; a cut itself takes a fifth of that."""

_CUT = Struct("!I32s")  # the format in the table's comment
_BASE_64 = 1 << 31

Digest = bytes
"""SHA-256 of a content, 32 bytes."""


class Stored(NamedTuple):
    """A body as it is stored: the rest of it, its cuts, and the contents cut out."""

    body: bytes
    cuts: bytes | None = None
    blobs: tuple[tuple[Digest, bytes], ...] = ()


def stored(prepared: Prepared) -> Stored:
    """Return a message's body with long contents cut out."""
    body = prepared.body
    if not SHORTEST <= len(body) < _BASE_64 or type(prepared.message) not in _WITH_LONG_TEXTS:
        return Stored(body)
    left: list[bytes] = []
    cuts: list[bytes] = []
    blobs: list[tuple[Digest, bytes]] = []
    done = size = 0
    for text, is_file in _long_texts(prepared):
        written = print_bytes(text)[1:-1]
        # in the body's order, so that one pass over the body finds all
        place = body.find(written, done) if len(written) >= SHORTEST else -1
        if place < 0:
            continue
        file = _decode_exactly(text) if is_file else None
        content = written if file is None else file
        digest = sha256(content).digest()
        left.append(body[done:place])
        size += place - done
        cuts.append(_CUT.pack(size if file is None else size | _BASE_64, digest))
        blobs.append((digest, content))
        done = place + len(written)
    if not cuts:
        return Stored(body)
    return Stored(b"".join((*left, body[done:])), b"".join(cuts), tuple(blobs))


class Whole(NamedTuple):
    """A reassembled body, and the digests of the contents that are missing.

    A text stands in the place of a missing content and says so. `missing` has `UNREADABLE` if
    `cuts` is not in the format that `stored` writes; the body is then as it is stored.
    """

    body: bytes
    missing: tuple[str, ...] = ()


UNREADABLE = "unreadable"


def whole(body: bytes, cuts: bytes, contents: Mapping[Digest, bytes]) -> Whole:
    """Return the body as it was appended, from its rest, its cuts and their contents."""
    places = _places_in(cuts, len(body))
    if places is None:
        return Whole(body, (UNREADABLE,))
    parts: list[bytes] = []
    missing: list[str] = []
    done = 0
    for place, is_file, digest in places:
        content = contents.get(digest)
        if content is None:
            missing.append(digest.hex())
            content = b"[content missing: sha256 %b]" % digest.hex().encode()
        parts += (body[done:place], b64encode(content) if is_file else content)
        done = place
    return Whole(b"".join((*parts, body[done:])), tuple(missing))


def left_out(cuts: bytes, beginnings: Mapping[Digest, bytes], sizes: Mapping[Digest, int]) -> int:
    """Return by how many bytes a body that has the beginnings of its contents is shorter."""
    return sum(
        _written_size(sizes[digest], is_file) - _written_size(len(beginnings[digest]), is_file)
        for _, is_file, digest in _places_in(cuts, _BASE_64) or ()
        if digest in sizes
    )


def _written_size(size: int, is_file: bool) -> int:  # noqa: FBT001 - as the cuts have it
    return (size + 2) // 3 * 4 if is_file else size


def _places_in(cuts: bytes, size: int) -> list[tuple[int, bool, Digest]] | None:
    """Return place, whether it is a file, and digest of each cut; None if the format is wrong."""
    if not cuts or len(cuts) % _CUT.size:
        return None
    cut = [(place & ~_BASE_64, bool(place & _BASE_64), d) for place, d in _CUT.iter_unpack(cuts)]
    places = [place for place, _, _ in cut]
    return cut if places == sorted(places) and places[-1] <= size else None


def digests_in(cuts: Iterable[bytes]) -> KeysView[Digest]:
    """Return the digests of all contents cut out of some bodies, in order."""
    readable = (cut for cut in cuts if len(cut) % _CUT.size == 0)
    return dict.fromkeys(digest for cut in readable for _, digest in _CUT.iter_unpack(cut)).keys()


def files_in(cuts: bytes) -> set[Digest]:
    """Return the digests of the files among a body's cuts."""
    return {digest for place, digest in _CUT.iter_unpack(cuts) if place & _BASE_64}


def with_links(body: JsonValue, digests: Sequence[str | None]) -> JsonValue:
    """Return a message as JSON with digests in place of its files' data, except where None."""
    fields = object_of(body)
    linked: list[JsonValue] = [
        file if digest is None else {"sha256": digest, **_but(object_of(file), "data")}
        for file, digest in zip(array_of(fields.get("files")), digests, strict=True)
    ]
    return {**fields, "files": linked}


def without_data(body: JsonValue) -> JsonValue:
    """Return a message as JSON without its files' data; itself if it has none."""
    match body:
        case {"type": "input", "files": list(files)} if any(
            "data" in object_of(file) for file in files
        ):
            left: list[JsonValue] = [_but(object_of(file), "data") for file in files]
            return {**object_of(body), "files": left}
        case _:
            return body


def _but(fields: JsonObject, name: str) -> JsonObject:
    return {key: value for key, value in fields.items() if key != name}


def file_digests(body: JsonValue) -> list[str | None]:
    """Return for each file of a message as JSON the digest under which it is kept, or None."""
    match body:
        case {"type": "input", "files": list(files)}:
            return [_file_digest(file) for file in files]
        case _:
            return []


def _file_digest(file: JsonValue) -> str | None:
    match file:
        case {"data": str(data)} if len(data) >= SHORTEST:
            content = _decode_exactly(data)
            return None if content is None else sha256(content).hexdigest()
        case _:
            return None


_WITH_LONG_TEXTS = frozenset({CustomMessage, InputMessage, SystemMessage, ToolResultsMessage})
_REPEATING = ("agentlog.", "langgraph.")
"""How types begin whose long texts repeat: pieces of requests, values of checkpoints."""


def _long_texts(prepared: Prepared) -> Iterator[tuple[str, bool]]:
    """Yield the texts of a message that may be cut out, each with whether it is a file."""
    match prepared.message:
        case SystemMessage(text=text):
            yield text, False
        case InputMessage(files=files):
            for file in files or ():
                yield file.data, True
        case ToolResultsMessage(results=results):
            for result in results:
                for text in _texts_in(result.output):
                    yield text, False
        case CustomMessage(type=name, payload=payload) if name.startswith(_REPEATING):
            for text in _texts_in(payload):
                yield text, False
        case _:
            pass


def _texts_in(value: JsonValue) -> Iterator[str]:
    """Yield the texts in a value that may be long enough, in order, without recursion."""
    todo = [value]
    while todo:
        match todo.pop():
            case str(text):
                if len(text) * 6 >= SHORTEST:  # printed, a character takes at most six bytes
                    yield text
            case dict(fields):
                todo += reversed(fields.values())
            case list(items):
                todo += reversed(items)
            case _:
                pass


def _decode_exactly(data: str) -> bytes | None:
    """Return the bytes that base64 encodes, None if encoding them again would differ."""
    try:
        content = b64decode(data, validate=True)
    except ValueError:
        return None
    return content if b64encode(content).decode() == data else None
