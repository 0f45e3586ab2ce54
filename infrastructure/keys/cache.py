"""In-memory cache of recently used keys, cleared when a key is made or revoked.

A notification says that some key was made or revoked, so the whole cache is invalid. Without
notifications an entry lasts `FRESH_SECONDS`. Whether a first key exists is queried every second
instead, so that a service without keys needs no LISTEN connection.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass

from agentlog.infrastructure.keys.key import StoredKey
from agentlog.infrastructure.keys.keys import Keys, UnknownKey
from agentlog.infrastructure.postgres.errors import DatabaseUnavailable
from agentlog.infrastructure.postgres.listening.notifications import KEYED, Listener

FRESH_SECONDS = 10.0
_FIRST_SECONDS = 1.0
_NEVER = float("-inf")
_MOST = 10_000
"""Most keys cached; when it is full, the cache is cleared."""


@dataclass(frozen=True, slots=True)
class _Look:
    """A cached result, made after `notices` notifications, and valid until a reading of `ticks`."""

    key: StoredKey
    notices: int
    until: float


class RecentKeys:
    """Looks keys up; thread-safe.

    `ticks` returns seconds of a monotonic clock.
    """

    def __init__(self, keys: Keys, listener: Listener, *, ticks: Callable[[], float]) -> None:
        self.keys = keys
        self._listener = listener
        self._ticks = ticks
        self._looks: dict[str, _Look] = {}
        self._notices = 0
        self._made = False
        self._made_until = _NEVER
        self._changing = threading.Lock()
        self._hears = False

    def discard(self) -> None:
        """Invalidate all entries."""
        with self._changing:
            self._notices += 1

    def recall(self, key_id: str) -> StoredKey | None:
        """Return a key from memory, None if it has to be looked up; does not block."""
        look = self._looks.get(key_id)
        if look is None or look.notices != self._notices or look.until <= self._ticks():
            return None
        return look.key

    def last_known(self, key_id: str) -> StoredKey | None:
        """Return a key as the database last returned it, however old, None if it never did."""
        look = self._looks.get(key_id)
        return None if look is None else look.key

    def look(self, key_id: str) -> StoredKey | None:
        """Return a key, None if there is none.

        Raises:
            DatabaseUnavailable: the database does not answer.
        """
        known = self.recall(key_id)
        if known is not None:  # others waited for the same
            return known
        self._listen()
        notices, now = self._notices, self._ticks()
        try:
            key = self.keys.find(key_id)
        except UnknownKey:
            self._looks.pop(key_id, None)
            return None
        if len(self._looks) >= _MOST:
            self._looks.clear()
        # a notification meanwhile may be about this key: then this result is stale already
        self._looks[key_id] = _Look(key, notices, now + FRESH_SECONDS)
        return key

    def recall_made(self) -> bool | None:
        """Return from memory whether a key was ever made, None if unknown; does not block."""
        if self._made:
            return True
        return False if self._ticks() < self._made_until else None

    def last_made(self) -> bool | None:
        """Return the database's last answer on whether a key was ever made, None without one."""
        return None if self._made_until == _NEVER else self._made

    def look_made(self) -> bool:
        """Return whether a key was ever made.

        While the database does not answer, its last answer holds: no data can be read either.

        Raises:
            DatabaseUnavailable: it never answered.
        """
        known = self.recall_made()
        if known is not None:  # others waited for the same
            return known
        try:
            self._made = self.keys.ever_made()
        except DatabaseUnavailable:
            if self.last_made() is None:
                raise
        self._made_until = self._ticks() + _FIRST_SECONDS
        return self._made

    def first_made(self) -> None:
        """Record that a key exists now."""
        self._made = True

    def _listen(self) -> None:
        with self._changing:
            if self._hears:
                return
            self._hears = True
        self._listener.on(KEYED, self.discard)
