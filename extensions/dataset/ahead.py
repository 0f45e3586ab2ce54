"""Prefetching iterator: reads the next item in a thread while the current one is encoded."""

from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

ItemT = TypeVar("ItemT")


def ahead(source: Iterator[ItemT]) -> Generator[ItemT]:
    """Yield the items of `source`, each requested while the one before is processed."""
    end = object()
    with ThreadPoolExecutor(1, thread_name_prefix="ahead") as thread:
        coming = thread.submit(next, source, end)
        while (item := coming.result()) is not end:
            coming = thread.submit(next, source, end)
            yield item  # type: ignore[misc] # it is not the end
