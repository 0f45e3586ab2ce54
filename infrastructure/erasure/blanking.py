"""Events of a redaction made skeletons, within the caller's transaction."""

from dataclasses import dataclass

import psycopg
from psycopg.rows import TupleRow

from domain.catalogue import read_stored
from domain.drafts import Prepared
from domain.facts import ThreadRedacted
from domain.json_text import parse_stored
from domain.messages import InputMessage
from domain.redaction import skeleton, skeleton_metadata, without_files
from infrastructure.arrays import byte_strings, integers
from infrastructure.blobs import read_contents
from infrastructure.cuts import Digest, Stored, digests_in, file_digests, stored, whole
from infrastructure.sql import statement

_PAGE_EVENTS = 200


@dataclass(frozen=True, slots=True)
class Erasure:
    """A redaction that stands at `version` of a thread, and what it says."""

    tenant: str
    thread_id: str
    version: int
    fact: ThreadRedacted


@dataclass(frozen=True, slots=True)
class _Blank:
    """What an event is to be from now on."""

    version: int
    stored: Stored
    metadata: bytes | None


def blank_events(
    connection: psycopg.Connection, erasure: Erasure, *, file: Digest | None
) -> set[Digest]:
    """Make what a redaction is of skeletons, or take but `file` from it.

    Returns the blobs that the events referred to, and do no more.
    """
    gone: set[Digest] = set()
    after = 0
    with connection.cursor(binary=True) as cursor:
        while rows := _page(cursor, erasure, after):
            blanks = []
            for version, type_name, message_id, body, cuts, metadata in rows:
                before = digests_in([cuts]) if cuts is not None else set()
                if file is None:
                    blanked = Stored(skeleton(type_name, message_id, body))
                    blanks.append(_Blank(version, blanked, skeleton_metadata(metadata)))
                elif file in before:
                    blanked = _without(cursor, erasure.tenant, body, cuts, file)
                    blanks.append(_Blank(version, blanked, metadata))
                else:
                    continue
                gone |= before - (digests_in([blanked.cuts]) if blanked.cuts else set())
            if blanks:
                _write(cursor, erasure, blanks)
            after = rows[-1][0]
    return gone


def _page(cursor: psycopg.Cursor[TupleRow], erasure: Erasure, after: int) -> list[TupleRow]:
    asked = {
        "tenant": erasure.tenant,
        "thread_id": erasure.thread_id,
        "after": after,
        "before": erasure.version,
        "message_ids": None if erasure.fact.all else list(erasure.fact.messages),
        "limit": _PAGE_EVENTS,
    }
    return cursor.execute(statement("select_erasable"), asked).fetchall()


def _without(
    cursor: psycopg.Cursor[TupleRow], tenant: str, body: bytes, cuts: bytes, file: Digest
) -> Stored:
    """Return an input's body without a file, stored as if it had been appended so."""
    text = whole(body, cuts, read_contents(cursor, tenant, [cuts]))
    raw = parse_stored(text)
    places = [place for place, each in enumerate(file_digests(raw)) if each == file.hex()]
    left = without_files(text, places)
    message = read_stored("input", parse_stored(left))
    if not isinstance(message, InputMessage):
        raise TypeError("an input without one of its files is an input")
    return stored(
        Prepared(
            message=message,
            body=left,
            body_digest=b"",
            metadata=None,
            id_given=True,
            timestamp_given=True,
        )
    )


def _write(cursor: psycopg.Cursor[TupleRow], erasure: Erasure, blanks: list[_Blank]) -> None:
    cursor.execute(
        statement("redact_events"),
        {
            "tenant": erasure.tenant,
            "thread_id": erasure.thread_id,
            "version": erasure.version,
            "versions": integers([each.version for each in blanks]),
            "bodies": byte_strings([each.stored.body for each in blanks]),
            "cuts": byte_strings([each.stored.cuts for each in blanks]),
            "metadata": byte_strings([each.metadata for each in blanks]),
        },
    )
