"""A subscription to the log that its notifications wake."""

import threading
from collections.abc import Sequence

from eventsourcing.persistence import ApplicationRecorder, Notification, Subscription
from typing_extensions import override

from agentlog.infrastructure.postgres.errors import DatabaseUnavailable
from agentlog.infrastructure.postgres.listening.notifications import APPENDED, Listener
from agentlog.infrastructure.postgres.listening.watcher import warn

_PAGE = 500


class LogSubscription(Subscription[ApplicationRecorder]):
    """Events after a position, then new ones as they are committed, read a page at a time.

    It waits while the database is away, and goes on after.
    """

    def __init__(
        self,
        recorder: ApplicationRecorder,
        listener: Listener,
        gt: int | None = None,
        topics: Sequence[str] = (),
    ) -> None:
        super().__init__(recorder, gt, topics)
        self._cursor = gt
        self._page: list[Notification] = []
        self._woken = threading.Event()
        self._end = listener.on(APPENDED, self._woken.set)
        self._failing = False

    @override
    def stop(self) -> None:
        if not self._has_been_stopped:
            super().stop()
            self._end()
            self._woken.set()

    @override
    def __next__(self) -> Notification:
        while not self._has_been_stopped:
            if self._page:
                notification = self._page.pop()
                self._last_notification_id = notification.id
                return notification
            self._woken.clear()
            if not self._read_on():
                self._woken.wait()
        raise StopIteration

    def _read_on(self) -> bool:
        """Read the next page; return whether there was one."""
        try:
            # the cursor also moves past filtered events, or each wake would read them again
            end = self._recorder.max_notification_id() if self._topics else None
            page = self._recorder.select_notifications(
                self._cursor, _PAGE, end, self._topics, inclusive_of_start=False
            )
        except DatabaseUnavailable as error:
            if not self._failing:
                warn("the log cannot be followed, trying on", error)
            self._failing = True  # the listener wakes it again, at the latest by its next poll
            return False
        self._failing = False
        if len(page) < _PAGE and end is not None:
            self._cursor = max(end, self._cursor or 0)
        elif page:
            self._cursor = page[-1].id
        self._page = list(reversed(page))
        return bool(page)
