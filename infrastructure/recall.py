"""What the writer remembers of the log, from its own commits: enough to decide most appends.

All of it holds as long as nobody else has moved the log's position, which is for whoever writes on
it to find out. Whatever is not here has to be looked up.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from domain.threads import Entry, Key
from infrastructure.changes import Changes, Ground, Wanted
from infrastructure.heads import Head
from infrastructure.requests import ThreadKey

MICROSECOND = timedelta(microseconds=1)
_AHEAD_SECONDS = 0.0005  # to begin with
_LEAST_AHEAD_SECONDS, _MOST_AHEAD_SECONDS = 0.0001, 0.02
_FURTHER, _NEARER = 1.5, 0.8  # where one is too late, two others are waited for
_AHEAD_SECONDS_EACH = 0.00002
_MOST_DOUBT_SECONDS = 0.05
MOST_LEAD = timedelta(seconds=0.5)
_OLD_SECONDS = 1.0
_DRIFT = 0.0001  # more than any two clocks drift apart that keep time at all


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
        self.recorded_at = datetime.min.replace(tzinfo=UTC)

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

    def note(self, previous: int, changes: Changes) -> None:
        """Remember what a commit of ours did to the log, which stood at `previous` before."""
        self._alone = self._position in {None, previous}
        if not self._alone:
            self._threads.clear()
        self._position, self.recorded_at = changes.position, changes.recorded_at
        for head in changes.heads:
            key = head.tenant, head.thread_id
            known = self._threads.pop(key, None) or _Remembered(head)
            known.head = head
            self._threads[key] = known
            self._note_entries(known, changes.ledger.get(key, {}))
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


class StoreClock:
    """The store's clock, told from its latest readings: ahead of it by one way there, if anything.

    `monotonic` returns seconds by a clock of ours.
    """

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._reading: _Reading | None = None
        self._ahead = _AHEAD_SECONDS
        self._stamp = datetime.min.replace(tzinfo=UTC)

    def elapsed(self) -> float:
        """Return seconds by our own clock: when somebody asks for a reading."""
        return self._monotonic()

    @property
    def is_old(self) -> bool:
        """Whether the latest reading is of a while ago: two clocks drift apart."""
        known = self._reading
        return known is None or self._monotonic() - known.at > _OLD_SECONDS

    def note(self, reading: datetime, *, asked_at: float, stamped: bool = False) -> None:
        """Take a reading that has just come; `stamped` if it is that of the latest stamp."""
        now = self._monotonic()
        if stamped and self.seconds_until(self._stamp) > 0:  # else nobody has to wait for it
            self._ahead = max(self._ahead * _NEARER, _LEAST_AHEAD_SECONDS)
        new = _Reading(reading.timestamp() - asked_at, now - asked_at, now)
        # the quicker it came, the better it is, but two clocks drift apart
        if self._reading is None or new.doubt <= self._reading.doubt_at(now):
            self._reading = new

    def forget(self) -> None:
        """Forget the readings: the clock was set, or this is another server."""
        self._reading = None

    def missed(self) -> None:
        """Go further ahead: what was stamped was written too late, unless the clock was set."""
        self._ahead = min(self._ahead * _FURTHER, _MOST_AHEAD_SECONDS)
        self.forget()

    def stamp(self, count: int, *, after: datetime) -> datetime | None:
        """Return the time at which so many events will be written, None where that is not known.

        It is a little ahead, for it must not be past when they are, and later than `after`: where
        that is itself far ahead, as when the clock has been set back, no guess will do.
        """
        if self._reading is None or self._reading.doubt > _MOST_DOUBT_SECONDS:
            return None
        ahead = self._ahead + _AHEAD_SECONDS_EACH * count
        time = datetime.fromtimestamp(self._now(self._reading) + ahead, UTC)
        if after - time > MOST_LEAD:
            self.forget()
            return None
        self._stamp = max(time, after + MICROSECOND)
        return self._stamp

    def seconds_until(self, time: datetime) -> float:
        """Return how long it is until `time`, which is no further ahead than a stamp, is past."""
        known = self._reading
        if known is None:
            return 0.0
        return min(max(time.timestamp() - self._now(known), 0.0), MOST_LEAD.total_seconds())

    def _now(self, reading: "_Reading") -> float:
        return reading.offset + self._monotonic()


@dataclass(frozen=True, slots=True)
class _Reading:
    """How far the store's clock is ahead of ours, how long it took to read, and when: seconds."""

    offset: float
    doubt: float
    at: float

    def doubt_at(self, now: float) -> float:
        return self.doubt + (now - self.at) * _DRIFT
