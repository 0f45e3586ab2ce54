"""Cache of thread heads and open ledger entries, filled from the writer's own commits.

It is valid while no other writer has moved the log's position; the statement that writes from it
checks that. What is not cached has to be looked up.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from domain.threads import Entry, Key
from infrastructure.appending.append_request import ThreadKey
from infrastructure.appending.commit_plan import Changes, Ground, Wanted
from infrastructure.eventlog.thread_heads import Head


@dataclass(slots=True)
class _Remembered:
    """A thread's cached head and open ledger entries."""

    head: Head
    open: dict[Key, Entry] = field(default_factory=dict)


class HeadCache:
    """The most recent threads, at most `threads`, each with at most `entries` open entries."""

    def __init__(self, *, threads: int = 10_000, entries: int = 64) -> None:
        self._most_threads = threads
        self._most_entries = entries
        self._threads: dict[ThreadKey, _Remembered] = {}  # most recently used last
        self._position: int | None = None
        self._alone = True

    def forget(self) -> None:
        """Clear the cache, as another writer has committed, or may have."""
        self._threads.clear()

    @property
    def alone(self) -> bool:
        """Whether no other writer has been seen lately; False before the first commit."""
        return self._position is not None and self._alone

    def missing(self, threads: Sequence[ThreadKey]) -> list[ThreadKey]:
        """Return the threads that are not cached."""
        return [key for key in threads if key not in self._threads]

    def holds_at(self, position: int) -> bool:
        """Return whether the cache is of this position of the log."""
        return position == self._position

    def ground(self, wanted: Wanted, heads: Mapping[ThreadKey, Head]) -> Ground:
        """Return the cached state, with `heads` of the threads that are not cached."""
        if self._position is None:
            raise RuntimeError("nothing has been written yet")
        found = {key: self._threads.get(key) or _Remembered(heads[key]) for key in wanted.threads}
        return Ground(
            self._position,
            {key: known.head for key, known in found.items()},
            {key: known.open for key, known in found.items() if known.open},
            complete=False,
        )

    def note(self, changes: Changes, heads: Sequence[Head]) -> None:
        """Apply a commit of this writer, and the heads after it."""
        self._alone = self._position in {None, changes.previous}
        if not self._alone:
            self._threads.clear()
        self._position = changes.position
        for head in heads:
            key = head.tenant, head.thread_id
            known = self._threads.pop(key, None) or _Remembered(head)
            known.head = head
            self._threads[key] = known
        for thread, key, entry, _ in changes.notes:
            self._note_entry(self._threads[thread], key, entry)
        while len(self._threads) > self._most_threads:
            del self._threads[next(iter(self._threads))]

    def _note_entry(self, known: _Remembered, key: Key, entry: Entry) -> None:
        known.open.pop(key, None)
        if entry.answered is None:
            known.open[key] = entry
            if len(known.open) > self._most_entries:
                del known.open[next(iter(known.open))]
