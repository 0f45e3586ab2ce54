"""Rows of a comparison as they are shown: items cut to size, and what changed within a pair."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from agentlog.domain.json.answers import answer
from agentlog.domain.json.text import print_text
from agentlog.projections.comparison.changes import MOST_BYTES, Change, changes, shortened
from agentlog.projections.comparison.comparison import AlignedRow, ComparedHistory, Comparison
from agentlog.projections.view import View

_PAGE_BYTES = 2**20
_HINT = 120
"""Characters of a hint."""

_BEFORE = 30
"""Characters before the first difference in the hint of a changed text."""


@answer
@dataclass(frozen=True, slots=True)
class Glimpse:
    """An item in one line: its place, its kind, and the first words of its content."""

    place: str
    type: str
    tools: tuple[str, ...]
    hint: str


@answer
@dataclass(frozen=True, slots=True)
class ComparedItem(Glimpse):
    """An item with its glimpse; `cut` where its texts are cut, or it is null for its size."""

    item: Any
    cut: bool


@dataclass(frozen=True, slots=True)
class Detail:
    """A row with its items; `changes` are of what a pair says, None where that is too large."""

    row: AlignedRow
    a: ComparedItem | None
    b: ComparedItem | None
    changes: Sequence[Change] | None = None


def details(
    view: View[Any, Any], comparison: Comparison, *, context: int, after: int, limit: int | None
) -> tuple[list[Detail], int | None]:
    """Return the rows after the first `after`, and how many there are up to the next page.

    A page has at most `limit` rows and about a megabyte of items, or without `limit` all rows;
    None is the last page.
    """
    page: list[Detail] = []
    size = 0
    for row in islice(comparison.rows(context=context), after, None):
        if limit is not None and (len(page) >= limit or size > _PAGE_BYTES):
            return page, after + len(page)
        page.append(detail(view, comparison, row))
        if not row.folded:
            items = [comparison.a.items[n] for n in row.a] + [comparison.b.items[n] for n in row.b]
            size += sum(min(len(item.text), MOST_BYTES) for item in items)
    return page, None


def detail(view: View[Any, Any], comparison: Comparison, row: AlignedRow) -> Detail:
    """Return what a row shows; a folded one shows no items."""
    if row.folded:
        return Detail(row, None, None)
    if row.op != "changed":
        a = _shorten(view, comparison.a, row.a[0]) if row.a else None
        b = _shorten(view, comparison.b, row.b[0]) if row.b else None
        return Detail(row, a, b)
    contents = [
        view.item_content(history.items[index].item, {}).content
        for history, index in ((comparison.a, row.a[0]), (comparison.b, row.b[0]))
    ]
    differences = changes(*contents)
    first = (
        differences[0].edits[0]
        if differences and differences[0].edits and isinstance(contents[0], str)
        else None
    )
    return Detail(
        row,
        _shorten(view, comparison.a, row.a[0], at=0 if first is None else first.a),
        _shorten(view, comparison.b, row.b[0], at=0 if first is None else first.b),
        differences,
    )


def glimpse(view: View[Any, Any], history: ComparedHistory, index: int, *, at: int = 0) -> Glimpse:
    """Return an item in one line; of a long text, the words around the character `at`."""
    printed, step = history.items[index], history.steps[index]
    content = view.item_content(printed.item, {}).content
    text = content if isinstance(content, str) else print_text(content)
    tools = tuple(filter(None, step.tools))  # unknown where nothing called it
    return Glimpse(printed.key, step.type, tools, _line(text, at))


def _shorten(
    view: View[Any, Any], history: ComparedHistory, index: int, *, at: int = 0
) -> ComparedItem:
    item, is_cut = shortened(history.items[index].item)
    line = glimpse(view, history, index, at=at)
    return ComparedItem(line.place, line.type, line.tools, line.hint, item, is_cut)


def _line(text: str, at: int) -> str:
    """Return a part of a text in one line."""
    begin = 0 if at < _HINT - _BEFORE else at - _BEFORE
    part = " ".join(text[begin : begin + _HINT].split())
    return f"{'…' * (begin > 0)}{visible(part)}{'…' * (begin + _HINT < len(text))}"


def visible(text: str) -> str:
    """Return a text with U+FFFD for each character that is not printed, such as an escape."""
    return "".join(character if character.isprintable() else "\ufffd" for character in text)
