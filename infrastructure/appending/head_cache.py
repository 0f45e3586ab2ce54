"""What the writer remembers of the log, from its own commits: enough to decide most appends.

All of it holds as long as nobody else has moved the log's position, which is for whoever writes on
it to find out. Whatever is not here has to be looked up.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from domain.threads import Entry, Key
from infrastructure.appending.append_request import ThreadKey
from infrastructure.appending.commit_plan import Ground, Moved, Wanted
from infrastructure.eventlog.thread_heads import Head


@dataclass(slots=True)
class _Remembered:
    """A thread's head, and its ledger's open entries, as far as they are remembered."""

    head: Head
    open: dict[Key, Entry] = field(default_factory=dict)


class Recall:
    """The latest threads, at most `threads` of them, each with at most `entries` open entries."""

    def __init__(self, *, threads: int = 10_000, entries: int = 64) -> None:
        self._most_threads = threads
        self._most_entries = entries
        self._threads: dict[ThreadKey, _Remembered] = {}  # the latest last
        self._position: int | None = None
        self._alone = True

    def forget(self) -> None:
        """Forget all threads: somebody else has written, or may have."""
        self._threads.clear()

    @property
    def alone(self) -> bool:
        """Whether nobody else has written lately, as far as we have seen; not before we have."""
        return self._position is not None and self._alone

    def missing(self, threads: Sequence[ThreadKey]) -> list[ThreadKey]:
        """Return the threads that are not remembered."""
        return [key for key in threads if key not in self._threads]

    def holds_at(self, position: int) -> bool:
        """Tell whether what is remembered is of this position of the log."""
        return position == self._position

    def ground(self, wanted: Wanted, heads: Mapping[ThreadKey, Head]) -> Ground:
        """Return what is remembered, with `heads` of the threads that are not.

        Ledger entries that it lacks, and message ids, may be there or not.
        """
        if self._position is None:
            raise RuntimeError("nothing has been written yet")
        found = {key: self._threads.get(key) or _Remembered(heads[key]) for key in wanted.threads}
        return Ground(
            self._position,
            {key: known.head for key, known in found.items()},
            {key: known.open for key, known in found.items() if known.open},
        )

    def note(self, previous: int, moved: Moved) -> None:
        """Remember what a commit of ours did to the log, which stood at `previous` before."""
        self._alone = self._position in {None, previous}
        if not self._alone:
            self._threads.clear()
        self._position = moved.position
        for head in moved.heads:
            key = head.tenant, head.thread_id
            known = self._threads.pop(key, None) or _Remembered(head)
            known.head = head
            self._threads[key] = known
            self._note_entries(known, moved.ledger.get(key, {}))
        while len(self._threads) > self._most_threads:
            del self._threads[next(iter(self._threads))]

    def _note_entries(self, known: _Remembered, entries: Mapping[Key, Entry]) -> None:
        if not entries:
            return
        # a new one: whoever decides may still hold the old
        kept = {key: entry for key, entry in known.open.items() if key not in entries}
        kept |= {key: entry for key, entry in entries.items() if entry.answered is None}
        surplus = max(len(kept) - self._most_entries, 0)
        known.open = dict(list(kept.items())[surplus:])
