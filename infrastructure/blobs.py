"""Blobs: what is long and repeats, kept once by its content, out of the events.

An agent's system prompt stands in each of its threads, its tools answer the same questions with the
same pages, and files are large. Such texts are cut out of a body as it is stored and put back as it
is read, byte for byte; the body's hash and the chain are those of the whole.
"""

import re
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from struct import Struct
from typing import IO

import psycopg
from psycopg.rows import TupleRow

from domain.drafts import Prepared
from domain.errors import InvalidMessage, NotThere
from domain.json_text import JsonValue, print_bytes
from domain.messages import InputMessage, SystemMessage, ToolResultsMessage
from infrastructure.database import Database
from infrastructure.sql import statement

SHORTEST = 512
"""Bytes of the shortest text that is cut out: what a cut costs is a fifth of that."""

PIECE = 2**20
"""Bytes of a piece of a blob, at most."""

_CUT = Struct("!I32s")  # as the table's comment has it
_BASE_64 = 1 << 31
_DIGEST = re.compile(r"[0-9a-f]{64}\Z")

Digest = bytes
"""SHA-256 of a content, 32 bytes."""


class UnknownBlob(NotThere):
    """There is no blob of that content."""

    def __init__(self, digest: str) -> None:
        super().__init__(
            f"there is no blob {digest[:64]!r}: a blob is named by the SHA-256 of its content, "
            "64 digits of hexadecimal in small letters"
        )
        self.digest = digest


@dataclass(frozen=True, slots=True)
class Stored:
    """A body as it is stored: what is left of it, where what was cut out, and that."""

    body: bytes
    cuts: bytes | None = None
    blobs: tuple[tuple[Digest, bytes], ...] = ()


def stored(prepared: Prepared) -> Stored:
    """Return a message's body with what is long and may repeat cut out."""
    body = prepared.body
    if not SHORTEST <= len(body) < _BASE_64:
        return Stored(body)
    left: list[bytes] = []
    cuts: list[bytes] = []
    blobs: list[tuple[Digest, bytes]] = []
    done = size = 0
    for text, is_file in _long_texts(prepared):
        written = print_bytes(text)[1:-1]
        # they come in the body's order, so that a body is searched but once
        place = body.find(written, done) if len(written) >= SHORTEST else -1
        if place < 0:
            continue
        file = _decoded(text) if is_file else None
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


def whole(body: bytes, cuts: bytes, contents: Mapping[Digest, bytes]) -> bytes:
    """Return the body as it was, less what is not in `contents`."""
    parts: list[bytes] = []
    done = 0
    for place, digest in _CUT.iter_unpack(cuts):
        content = contents.get(digest, b"")
        if place & _BASE_64:
            place ^= _BASE_64  # noqa: PLW2901 - without its flag
            content = b64encode(content)
        parts += (body[done:place], content)
        done = place
    return b"".join((*parts, body[done:]))


def read_contents(
    cursor: psycopg.Cursor[TupleRow], tenant: str, cuts: Sequence[bytes]
) -> dict[Digest, bytes]:
    """Return what was cut out of some bodies, by its digest; a binary cursor is needed."""
    digests = {digest for each in cuts for _, digest in _CUT.iter_unpack(each)}
    if not digests:
        return {}
    rows = cursor.execute(
        statement("select_blobs"), {"tenant": tenant, "digests": list(digests)}
    ).fetchall()
    pieces: dict[Digest, list[bytes]] = {}
    for digest, content in rows:
        pieces.setdefault(digest, []).append(content)
    return {digest: b"".join(found) for digest, found in pieces.items()}


def pieces_of(content: bytes) -> list[bytes]:
    """Return a content in pieces, at least one."""
    return [content[at : at + PIECE] for at in range(0, len(content) or 1, PIECE)]


class Blobs:
    """One tenant's blobs; the files that a request names may come to `most_bytes` altogether."""

    def __init__(self, database: Database, *, tenant: str, most_bytes: int = 64 * 2**20) -> None:
        self._database = database
        self._tenant = tenant
        self._most_bytes = most_bytes

    def size(self, digest: str) -> int:
        """Return a blob's size in bytes; raises `UnknownBlob`."""
        with self._database.connection() as connection:
            row = connection.execute(
                "SELECT sum(length(content)) FROM agentlog.blobs WHERE tenant = %s AND sha256 = %s",
                (self._tenant, _digest_of(digest)),
            ).fetchone()
        if row is None or row[0] is None:
            raise UnknownBlob(digest)
        return int(row[0])

    def read(self, digest: str) -> Iterator[bytes]:
        """Yield a blob's content in pieces; nothing where there is none."""
        number = 0
        while True:
            with (
                self._database.connection() as connection,
                connection.cursor(binary=True) as cursor,
            ):
                row = cursor.execute(
                    "SELECT content FROM agentlog.blobs "
                    "WHERE tenant = %s AND sha256 = %s AND piece = %s",
                    (self._tenant, _digest_of(digest), number),
                ).fetchone()
            if row is None:
                return
            yield row[0]
            number += 1

    def write(self, digest: str, content: IO[bytes]) -> bool:
        """Keep a content, all or nothing; return whether it was not there before.

        Its SHA-256 has to be `digest`: whoever received it has seen to that.
        """
        new = False
        with self._database.connection() as connection, connection.transaction():
            number = 0
            while (piece := content.read(PIECE)) or number == 0:
                cursor = connection.execute(
                    "INSERT INTO agentlog.blobs (tenant, sha256, piece, content) "
                    "VALUES (%s, %s, %s, %b) ON CONFLICT DO NOTHING",
                    (self._tenant, _digest_of(digest), number, piece),
                )
                new = new or cursor.rowcount == 1
                number += 1
        return new

    def known(self, digests: Iterable[str]) -> set[str]:
        """Return those of the digests, in hexadecimal, under which there is a blob."""
        wanted = [bytes.fromhex(digest) for digest in digests]
        if not wanted:
            return set()
        with self._database.connection() as connection, connection.cursor(binary=True) as cursor:
            rows = cursor.execute(
                "SELECT sha256 FROM agentlog.blobs "
                "WHERE tenant = %s AND piece = 0 AND sha256 = ANY (%s)",
                (self._tenant, wanted),
            ).fetchall()
        return {digest.hex() for (digest,) in rows}

    def with_data(self, drafts: Sequence[JsonValue]) -> list[JsonValue]:
        """Return drafts with the data of each file that they give by the `sha256` of a blob.

        Raises:
            InvalidMessage: there is no such blob, or they come to too much; says at which.
        """
        left = self._most_bytes
        found: list[JsonValue] = []
        for number, draft in enumerate(drafts):
            match draft:
                case {"files": list(files)} if any(_is_by_digest(file) for file in files):
                    whole_files = []
                    for index, file in enumerate(files):
                        place = f"messages[{number}].files[{index}].sha256"
                        taken, left = self._with_data(file, place, left)
                        whole_files.append(taken)
                    found.append({**draft, "files": whole_files})
                case _:
                    found.append(draft)
        return found

    def _with_data(self, file: JsonValue, place: str, left: int) -> tuple[JsonValue, int]:
        """Return a file with its data, and how many bytes may still come."""
        if not _is_by_digest(file):
            return file, left
        digest = file["sha256"]
        try:
            left -= self.size(str(digest))
        except UnknownBlob as error:
            reason = "there is no such blob: send it with PUT /v1/blobs/{sha256} first"
            raise InvalidMessage.at(place, reason) from error
        if left < 0:
            reason = f"the files named come to more than {self._most_bytes} bytes: send fewer"
            raise InvalidMessage.at(place, reason)
        rest = {key: value for key, value in file.items() if key != "sha256"}
        return {"data": b64encode(b"".join(self.read(digest))).decode(), **rest}, left


def with_links(body: JsonValue, digests: Sequence[str | None]) -> JsonValue:
    """Return a message as JSON with these in place of its files' data, but where one is None."""
    linked = [
        file
        if digest is None
        else {"sha256": digest, **{key: value for key, value in file.items() if key != "data"}}
        for file, digest in zip(body["files"], digests, strict=True)
    ]
    return {**body, "files": linked}


def file_digests(body: JsonValue) -> list[str | None]:
    """Return for each file of a message as JSON under which digest it is kept, if it may be."""
    match body:
        case {"type": "input", "files": list(files)}:
            return [_file_digest(file) for file in files]
        case _:
            return []


def _file_digest(file: JsonValue) -> str | None:
    match file:
        case {"data": str(data)} if len(data) >= SHORTEST:
            content = _decoded(data)
            return None if content is None else sha256(content).hexdigest()
        case _:
            return None


def _is_by_digest(file: JsonValue) -> bool:
    return isinstance(file, dict) and "sha256" in file and "data" not in file


def _digest_of(text: str) -> Digest:
    if not _DIGEST.match(text):
        raise UnknownBlob(text)
    return bytes.fromhex(text)


def _long_texts(prepared: Prepared) -> Iterator[tuple[str, bool]]:
    """Yield the texts of a message that may be cut out, and of each whether it is a file."""
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


def _decoded(data: str) -> bytes | None:
    """Return the bytes that base64 stands for, None where it would not come back the same."""
    try:
        content = b64decode(data, validate=True)
    except ValueError:
        return None
    return content if b64encode(content).decode() == data else None
