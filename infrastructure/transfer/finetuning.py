"""Exports finished threads as examples to fine-tune a model."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from domain.threads import Status
from infrastructure.eventlog.thread_heads import Head, ThreadFilter
from infrastructure.views.store import Store
from projections.finetuning import VIEW, LeftOut, example_of
from projections.view import Item, render

_PAGE = 100
_FINISHED: tuple[Status, ...] = ("exited", "closed")


def finished_threads(store: Store, which: ThreadFilter) -> Iterator[Head]:
    """Yield the heads of finished threads, or of those with the filter's status."""
    seen: set[str] = set()  # a thread closed meanwhile is in both lists
    for status in _FINISHED if which.status is None else (which.status,):
        chosen = replace(which, status=status)
        before: int | None = None
        while page := store.threads(chosen, before=before, limit=_PAGE):
            yield from (head for head in page if head.thread_id not in seen)
            seen |= {head.thread_id for head in page}
            before = page[-1].position


def training_examples(store: Store, heads: Iterable[Head]) -> Iterator[Item | LeftOut]:
    """Yield a line for each thread, or the reason why it is left out."""
    for head in heads:
        items = [placed.item for placed in render(VIEW, store.messages(head.thread_id)).items]
        yield example_of(items, head.read_facts().get("metadata") or {})
