"""How what was refused could be imported: options by which some reader may take it, to be tried."""

from collections.abc import Iterator, Sequence
from itertools import islice

from agentlog.domain.json.text import print_text
from agentlog.domain.json.values import JsonValue
from agentlog.projections.readers.history import Format
from agentlog.projections.readers.registry import (
    FORMATS,
    Remedy,
    documents_of,
    of_documents,
    of_items,
)
from agentlog.projections.readers.trial import characters, tried

_DEEPEST, _SAMPLE, _MOST_PLACES = 3, 50, 8
_MOST_OF_IT = 2
"""A reader that recognises nothing is named only where it tells one in so many characters."""


def recognised_in(values: Sequence[JsonValue]) -> Iterator[Remedy]:
    """Yield options with which what formats recognise inside the first value may be read."""
    for path, inner in _inside(values[0] if values else None, "$", 0):
        items = inner if isinstance(inner, list) else [inner]
        for chosen in of_documents(items):
            yield Remedy({"records": path, "format": chosen.name})
        for chosen in of_items(items) if inner is items else ():
            yield Remedy({"messages": path, "format": chosen.name})


def telling_most(values: Sequence[JsonValue]) -> Iterator[Remedy]:
    """Yield options of formats that recognise nothing, yet tell most of what stands in values.

    Of the whole values first, then of arrays inside the first one.
    """
    for chosen in _telling(values[:_SAMPLE], are_one=False):
        yield Remedy({"format": chosen.name})
    lists = (
        (path, inner)
        for path, inner in _inside(values[0] if values else None, "$", 0)
        if isinstance(inner, list) and isinstance(inner[0], dict)
    )
    for path, items in islice(lists, _MOST_PLACES):
        for chosen in _telling(items[:_SAMPLE], are_one=True):
            yield Remedy({"messages": path, "format": chosen.name})


def _telling(values: Sequence[JsonValue], *, are_one: bool) -> list[Format]:
    """Return the formats that tell most of what stands in values, the most telling first.

    `are_one` if the values are the items of one document.
    """
    least = characters([*values]) / _MOST_OF_IT
    sizes: dict[str, int] = {}
    for chosen in FORMATS.values():
        if chosen.encoding != "text":
            trial = tried(chosen, [[*values]] if are_one else documents_of(chosen, values))
            if trial is not None and trial.characters > least:
                sizes[chosen.name] = trial.characters
    ranked = sorted(sizes, key=lambda name: (-sizes[name], -FORMATS[name].generality))
    return [FORMATS[name] for name in ranked]


def _inside(value: JsonValue, path: str, depth: int) -> Iterator[tuple[str, JsonValue]]:
    """Yield the arrays and objects inside an object, with their JSONPaths; the outer ones first."""
    if not isinstance(value, dict):
        return
    inside = [(f"{path}{_step(key)}", inner) for key, inner in value.items()]
    yield from ((place, inner) for place, inner in inside if inner)
    if depth < _DEEPEST:
        for place, inner in inside:
            yield from _inside(inner, place, depth + 1)


def _step(key: str) -> str:
    return f".{key}" if key.isidentifier() and key.isascii() else f"[{print_text(key)}]"
