"""What differs between two items of one kind, and items cut to a size that can be shown."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

import jsonpatch

from agentlog.domain.json.answers import answer
from agentlog.domain.json.canonical import canonical
from agentlog.domain.json.shortened import beginnings
from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonValue
from agentlog.projections.comparison.alignment import common_prefix, matched

MOST_CHARACTERS = 2000
"""Characters of a text that are shown."""

MOST_BYTES = 64 * 2**10
"""Bytes of an item that is shown, as JSON."""

_MOST_PATCHED = 16 * 2**10  # making a patch of long arrays takes quadratic time
_MOST_CHANGES = 100
_MOST_PAIRS = 4_000_000
_WORDS = re.compile(r"\w+|\s+|[^\w\s]")


@answer
@dataclass(frozen=True, slots=True)
class Edit:
    """A part of a text that differs: where it begins in each, and both parts."""

    a: int
    b: int
    removed: str
    added: str


@dataclass(frozen=True, slots=True)
class Change:
    """An operation of a JSON Patch (RFC 6902), with the edits where it replaces a text by one."""

    operation: JsonValue
    edits: Sequence[Edit] | None


def changes(before: JsonValue, after: JsonValue) -> list[Change] | None:
    """Return the first changes from one content to another; None where they are too large."""
    are_texts = isinstance(before, str) and isinstance(after, str)
    size = max(len(print_bytes(before)), len(print_bytes(after)))
    if size > (MOST_BYTES if are_texts else _MOST_PATCHED):
        return None
    return list(_changes(canonical(before), canonical(after)))


def _changes(document: JsonValue, after: JsonValue) -> Iterator[Change]:
    """Yield the changes, applying each to the document."""
    for operation in jsonpatch.make_patch(document, after).patch[:_MOST_CHANGES]:
        made = None
        if operation["op"] == "replace":
            old = jsonpatch.JsonPointer(operation["path"]).resolve(document)
            if isinstance(old, str) and isinstance(operation["value"], str):
                made = edits(old, operation["value"])
        yield Change(operation, made)
        document = jsonpatch.JsonPatch([operation]).apply(document, in_place=True)


def edits(before: str, after: str) -> list[Edit]:
    """Return the words that differ; of texts too long to align, all between the equal ends."""
    a, b = _WORDS.findall(before), _WORDS.findall(after)
    begin = common_prefix(a, b)
    end = common_prefix(a[begin:][::-1], b[begin:][::-1])
    span_a, span_b = range(begin, len(a) - end), range(begin, len(b) - end)
    gaps = [(span_a, span_b)]
    if len(span_a) * len(span_b) <= _MOST_PAIRS:
        gaps = list(_gaps(span_a, span_b, a, b))
    place_a, place_b = (list(accumulate(map(len, words), initial=0)) for words in (a, b))
    return [
        Edit(
            place_a[gap_a.start],
            place_b[gap_b.start],
            before[place_a[gap_a.start] : place_a[gap_a.stop]],
            after[place_b[gap_b.start] : place_b[gap_b.stop]],
        )
        for gap_a, gap_b in gaps[:_MOST_CHANGES]
    ]


def _gaps(
    span_a: range, span_b: range, a: Sequence[str], b: Sequence[str]
) -> Iterator[tuple[range, range]]:
    """Yield the words that differ; those with only blanks between them are one gap."""
    gap: tuple[range, range] | None = None
    for is_equal, run_a, run_b in matched(span_a, span_b, a, b):
        if not is_equal:
            begin = (run_a, run_b) if gap is None else gap
            gap = range(begin[0].start, run_a.stop), range(begin[1].start, run_b.stop)
        elif gap is not None and not all(word.isspace() for word in a[run_a.start : run_a.stop]):
            yield gap
            gap = None
    if gap is not None:
        yield gap


def shortened(value: JsonValue) -> tuple[JsonValue, bool]:
    """Return a value cut, and whether it was; None where it is still too large."""
    short = beginnings(value, MOST_CHARACTERS)
    if len(print_bytes(short)) > MOST_BYTES:
        return None, True
    return short, short is not value
