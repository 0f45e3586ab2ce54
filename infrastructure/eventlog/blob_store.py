"""Blobs: contents kept once a tenant, apart from the events, in a table of pieces."""

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import IO, NamedTuple

import psycopg
from psycopg.rows import TupleRow

from agentlog.domain.errors import ContentMissing, InvalidMessage, NotThere
from agentlog.domain.json.beginning import readable
from agentlog.domain.json.values import JsonValue, object_of
from agentlog.infrastructure.eventlog.body_deduplication import Digest, digests_in
from agentlog.infrastructure.postgres.database import Connections
from agentlog.infrastructure.postgres.statements import statement

PIECE = 2**20
"""Most bytes of one piece of a blob."""

_DIGEST = re.compile(r"[0-9a-f]{64}\Z")


class UnknownBlob(NotThere):
    """There is no blob of that content."""

    def __init__(self, digest: str) -> None:
        super().__init__(
            f"there is no blob {digest[:64]!r}: a blob is named by the SHA-256 of its content, "
            "64 digits of hexadecimal in small letters"
        )


def read_contents(
    cursor: psycopg.Cursor[TupleRow], tenant: str, cuts: Sequence[bytes]
) -> dict[Digest, bytes]:
    """Return the contents cut out of some bodies, by digest; a binary cursor is needed.

    A content that is missing, does not match its digest, or is in other pieces than it is written
    in, is left out: other readers take single pieces.
    """
    digests = digests_in(cuts)
    if not digests:
        return {}
    rows = cursor.execute(
        statement("select_blobs"), {"tenant": tenant, "digests": list(digests)}
    ).fetchall()
    pieces: dict[Digest, list[tuple[int, bytes]]] = {}
    for named, number, piece in rows:
        pieces.setdefault(named, []).append((number, piece))
    whole = {digest: b"".join([piece for _, piece in parts]) for digest, parts in pieces.items()}
    return {
        named: content
        for named, content in whole.items()
        if sha256(content).digest() == named and pieces[named] == [*enumerate(pieces_of(content))]
    }


class Contents(NamedTuple):
    """Contents by digest; with `sizes`, of the whole contents, `texts` has their beginnings."""

    texts: Mapping[Digest, bytes]
    sizes: Mapping[Digest, int] | None = None


def contents_in(
    database: Connections, tenant: str, cuts: Sequence[bytes], most_bytes: int | None
) -> Contents:
    """Return the contents cut out of some bodies, or with `most_bytes` only their beginnings.

    Beginnings have at most so many bytes, up to `PIECE`, and are not checked against their digests.
    """
    if not cuts:
        return Contents({})
    with database.connection() as connection, connection.cursor(binary=True) as cursor:
        if most_bytes is None:
            return Contents(read_contents(cursor, tenant, cuts))
        rows = cursor.execute(
            statement("select_beginnings"),
            {"tenant": tenant, "digests": list(digests_in(cuts)), "bytes": most_bytes},
        ).fetchall()
    return Contents(
        {digest: readable(content) for digest, content, _ in rows},
        {digest: size for digest, _, size in rows},
    )


def pieces_of(content: bytes) -> list[bytes]:
    """Return a content in pieces, at least one."""
    return [content[at : at + PIECE] for at in range(0, len(content) or 1, PIECE)]


class Blobs:
    """One tenant's blobs; the files that a request names may total at most `most_bytes`."""

    def __init__(self, database: Connections, *, tenant: str, most_bytes: int = 64 * 2**20) -> None:
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
        """Yield a blob's content in pieces; nothing if there is none.

        Raises:
            ContentMissing: the content does not match its digest; its last piece is not yielded.
        """
        number = 0
        hashed = sha256()
        last: bytes | None = None
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
                break
            if last is not None:
                yield last
            last = bytes(row[0])
            hashed.update(last)
            number += 1
        if last is not None:
            if hashed.hexdigest() != digest:
                raise ContentMissing(f"blob {digest}", [digest])
            yield last

    def write(self, digest: str, content: IO[bytes]) -> bool:
        """Keep a content, all or nothing; return whether it is new.

        The caller has checked that its SHA-256 is `digest`.

        Raises:
            DatabaseReadOnly: it is new, and the database takes no writes.
        """
        if not self._database.write_access.is_given and self.known([digest]):
            return False
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
        """Return those of the hexadecimal digests for which there is a blob."""
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
            InvalidMessage: a blob is missing, or the files are too large together; names the place.
        """
        left = self._most_bytes
        whole: list[JsonValue] = []
        for number, draft in enumerate(drafts):
            match draft:
                case {"files": list(files)} if any(_is_by_digest(file) for file in files):
                    whole_files: list[JsonValue] = []
                    for index, file in enumerate(files):
                        place = f"messages[{number}].files[{index}].sha256"
                        taken, left = self._with_data(file, place, left)
                        whole_files.append(taken)
                    whole.append({**object_of(draft), "files": whole_files})
                case _:
                    whole.append(draft)
        return whole

    def _with_data(self, file: JsonValue, place: str, left: int) -> tuple[JsonValue, int]:
        """Return a file with its data, and how many bytes are left for others."""
        if not isinstance(file, dict) or not _is_by_digest(file):
            return file, left
        digest = str(file["sha256"])
        try:
            left -= self.size(digest)
        except UnknownBlob as error:
            reason = "there is no such blob: send it with PUT /v1/blobs/{sha256} first"
            raise InvalidMessage.at(place, reason) from error
        if left < 0:
            reason = f"the files named come to more than {self._most_bytes} bytes: send fewer"
            raise InvalidMessage.at(place, reason)
        rest = {key: value for key, value in file.items() if key != "sha256"}
        return {"data": b64encode(b"".join(self.read(digest))).decode(), **rest}, left


def _is_by_digest(file: JsonValue) -> bool:
    return isinstance(file, dict) and "sha256" in file and "data" not in file


def _digest_of(text: str) -> Digest:
    if not _DIGEST.match(text):
        raise UnknownBlob(text)
    return bytes.fromhex(text)
