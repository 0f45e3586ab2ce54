"""Hits of a search as JSON, for HTTP and the command line."""

from api.shapes.threads import time_text
from domain.json.text import JsonValue
from infrastructure.search.hits import Hit
from infrastructure.search.search import Found


def found_json(found: Found) -> JsonValue:
    """Return a page of hits."""
    return {
        "items": [_hit_json(each) for each in found.items],
        "asOf": found.as_of,
        "next": None if found.next is None else str(found.next),
    }


def _hit_json(hit: Hit) -> JsonValue:
    return {
        "threadId": hit.thread_id,
        "version": hit.version,
        "messageId": hit.message_id,
        "position": hit.position,
        "recordedAt": time_text(hit.recorded_at),
        "type": hit.type,
        "role": hit.role,
        "tools": list(hit.tools),
        "excerpts": [
            {"place": each.place, "text": each.text, "ranges": list(map(list, each.ranges))}
            for each in hit.excerpts
        ],
    }
