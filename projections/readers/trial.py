"""A document read to see what comes of it: nothing is kept of its messages but figures."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from agentlog.domain.errors import InvalidInput
from agentlog.domain.json.values import JsonValue
from agentlog.projections.readers.draft import sample_event
from agentlog.projections.readers.history import Format

_BESIDE = ("id", "type", "timestamp", "metadata")
_NAMES = frozenset({"id", "type", "role"})


class Trial(NamedTuple):
    """What a reader makes of documents.

    `characters` are those of texts in messages of the catalogue, `unknown` counts what the reader
    does not know: fields, parts and items.
    """

    characters: int = 0
    unknown: int = 0


def tried(chosen: Format, documents: Sequence[JsonValue]) -> Trial | None:
    """Return what a format's reader makes of documents; None where it refuses one."""
    total = unknown = 0
    try:
        for document in documents:
            for history in chosen.read(document):
                unknown += len(history.unmapped) + len(history.beside)
                for draft in history.drafts:
                    kind = sample_event(draft, 1).type
                    if "." in kind:
                        unknown += 1
                    elif not history.is_blank:
                        fields = [value for key, value in draft.items() if key not in _BESIDE]
                        total += characters(fields)
    except InvalidInput:
        return None
    return Trial(total, unknown)


def characters(value: JsonValue) -> int:
    """Return how long the texts in a value are together, without names of things and speakers."""
    return sum(map(len, _texts(value)))


def _texts(value: JsonValue) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for inner in value:
                yield from _texts(inner)
        case dict():
            for key, inner in value.items():
                if key not in _NAMES:
                    yield from _texts(inner)
        case _:
            pass
