"""Folders of OpenHands: a conversation is one file, and `events` with those numbered."""

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from operator import itemgetter

from agentlog.projections.readers.joined import JoinedFiles, as_lines, folder_of, within

_CACHE = "event_cache"
"""Pages of events, which repeat them."""


def join_events(
    paths: AbstractSet[str], event: re.Pattern[str], first: str
) -> Iterator[JoinedFiles]:
    """Yield conversations: the file `first`, then those whose paths match `event`, by number."""
    events: dict[str, list[tuple[int, str]]] = {}
    for path in paths:
        if match := event.search(path):
            events.setdefault(folder_of(path), []).append((int(match[1]), path))
    for folder, numbered in events.items():
        conversation = folder_of(folder)
        before, cache = within(conversation, first), within(conversation, _CACHE)
        files = [path for _, path in sorted(numbered, key=itemgetter(0))]
        pages = [path for path in paths if folder_of(path) == cache]
        yield as_lines(conversation, [before, *files] if before in paths else files, pages)
