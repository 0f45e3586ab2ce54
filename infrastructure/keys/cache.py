"""Keys that were used lately, in memory: asked at each request, and forgotten at once on notice.

A notice says that some key was made or revoked, so everything is looked up again. Where notices do
not come, a look lasts `FRESH_SECONDS`. Whether there is a first key by now is asked every second,
so that nobody listens for what most often never comes.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass

from infrastructure.keys.key import StoredKey
from infrastructure.keys.keys import Keys, UnknownKey
from infrastructure.postgres.errors import DatabaseUnavailable
from infrastructure.postgres.notifications import KEYED, Listener

FRESH_SECONDS = 10.0
_FIRST_SECONDS = 1.0
_NEVER = float("-inf")
_MOST = 10_000
"""Keys remembered, at most: then it begins anew."""


@dataclass(frozen=True, slots=True)
class _Look:
    """What was found; `notices` had come before, and it is good up to a reading of the ticks."""

    found: StoredKey
    notices: int
    until: float


class RecentKeys:
    """Looks keys up; safe to be asked by many threads.

    `ticks` returns seconds that never run backwards.
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

    def forget(self) -> None:
        """Look everything up again from now on."""
        with self._changing:
            self._notices += 1

    def recall(self, key_id: str) -> StoredKey | None:
        """Return a key from memory, None where it has to be looked up; quick."""
        look = self._looks.get(key_id)
        if look is None or look.notices != self._notices or look.until <= self._ticks():
            return None
        return look.found

    def last_known(self, key_id: str) -> StoredKey | None:
        """Return a key as it was when the database last answered, None if it never did."""
        look = self._looks.get(key_id)
        return None if look is None else look.found

    def look(self, key_id: str) -> StoredKey | None:
        """Return a key, None where there is none.

        Raises:
            DatabaseUnavailable: it cannot be told.
        """
        known = self.recall(key_id)
        if known is not None:  # others waited for the same
            return known
        self._listen()
        notices, now = self._notices, self._ticks()
        try:
            found = self.keys.find(key_id)
        except UnknownKey:
            self._looks.pop(key_id, None)
            return None
        if len(self._looks) >= _MOST:
            self._looks.clear()
        # a notice that came meanwhile may be about this key: then the look is stale already
        self._looks[key_id] = _Look(found, notices, now + FRESH_SECONDS)
        return found

    def recall_made(self) -> bool | None:
        """Tell from memory whether there was ever a key, None where that has to be asked; quick."""
        if self._made:
            return True
        return False if self._ticks() < self._made_until else None

    def last_made(self) -> bool | None:
        """Tell what the database last said of whether there was a key, None if it never did."""
        return None if self._made_until == _NEVER else self._made

    def look_made(self) -> bool:
        """Tell whether there was ever a key.

        While the database does not answer, what it said last holds: nobody reads from it either.

        Raises:
            DatabaseUnavailable: it never said.
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
        """Know that there is a key now."""
        self._made = True

    def _listen(self) -> None:
        with self._changing:
            if self._hears:
                return
            self._hears = True
        self._listener.on(KEYED, self.forget)
