"""Conversion of rows of the events table to events."""

from psycopg.rows import TupleRow

from agentlog.domain.events import Event
from agentlog.domain.json.text import parse_stored
from agentlog.domain.json.values import object_of
from agentlog.infrastructure.eventlog.blob_store import Contents
from agentlog.infrastructure.eventlog.body_deduplication import left_out, whole


def event_of(
    row: TupleRow,
    contents: Contents,
    *,
    thread_id: str | None = None,
) -> Event:
    """Return the event of a row of `select_events` and the like, with the contents cut out of it.

    `thread_id` is for rows without that column.
    """
    (
        own_thread_id,
        version,
        type_name,
        body,
        message_id,
        position,
        recorded_at,
        metadata,
        cuts,
        redacted,
        origin_version,
    ) = row
    text, missing = (body, ()) if cuts is None else whole(body, cuts, contents.texts)
    size = len(text)
    if cuts is not None and contents.sizes is not None:
        size += left_out(cuts, contents.texts, contents.sizes)
    # positional: keywords take a quarter longer, and a long thread has many events
    return Event(
        own_thread_id if thread_id is None else thread_id,
        version,
        type_name,
        text,
        message_id,
        position,
        recorded_at,
        None if metadata is None else object_of(parse_stored(metadata)),
        redacted,
        missing,
        size,
        origin_version,
    )
