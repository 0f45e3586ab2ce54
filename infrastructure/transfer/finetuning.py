"""Exports threads as examples to fine-tune a model."""

from collections.abc import Iterable, Iterator

from agentlog.infrastructure.eventlog.thread_heads import Head, ThreadFilter
from agentlog.infrastructure.threads import Threads
from agentlog.projections.exports.finetuning import VIEW, LeftOut, example_of
from agentlog.projections.view import Item, render

_PAGE = 500


def threads_matching(threads: Threads, which: ThreadFilter) -> Iterator[Head]:
    """Yield the heads of threads, a page at a time; those that grow meanwhile may be missed."""
    before: int | None = None
    while page := threads.heads(which, before=before, limit=_PAGE):
        yield from page
        before = page[-1].position


def training_examples(
    threads: Threads, heads: Iterable[Head], *, open_too: bool
) -> Iterator[Item | LeftOut]:
    """Yield a line for each thread, or the reason why it is left out."""
    for head in heads:
        if head.status == "open" and not open_too:
            yield LeftOut.OPEN
            continue
        items = [placed.item for placed in render(VIEW, threads.messages(head.thread_id)).items]
        yield example_of(items, head.metadata)
