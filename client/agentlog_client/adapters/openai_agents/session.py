"""The session of the Agents SDK."""

from threading import Lock
from typing import Any, NamedTuple, cast

from agents import SessionSettings, TResponseInputItem
from agents.memory.session_settings import coerce_session_settings

from agentlog_client import Client, NotThere, VersionConflict
from agentlog_client.adapters.sessions import (
    CLEARED,
    DELETED,
    Batches,
    aside,
    start_session,
    to_the_end,
)
from agentlog_client.identifiers import thread_id
from agentlog_client.json_text import parsed, printed
from agentlog_client.operation import Json, Moment
from agentlog_client.operations.views import View

_VIEW = "responses"


class _Known(NamedTuple):
    """The items of the session, printed, while its thread is at this version."""

    version: int
    items: list[bytes]


class AgentlogSession:
    """Keeps the items of a session in a thread; what is popped or cleared stays in the log.

    The errors are those of the client: a run does not go on where its items could not be kept. May
    be used in several event loops; several sessions of one id see the same items.
    """

    def __init__(
        self,
        session_id: str,
        client: Client | None = None,
        *,
        session_settings: SessionSettings | dict[str, Any] | None = None,
    ) -> None:
        self.session_id = session_id
        self.session_settings: SessionSettings | None = coerce_session_settings(
            session_settings or {}
        )
        self._client = client or Client()
        self._thread_id = thread_id(session_id)
        self._batches = Batches(self._client, self._thread_id, _VIEW)
        self._is_started = False
        self._earlier = 0
        self._known: _Known | None = None
        self._lock = Lock()

    async def get_items(
        self, limit: int | None = None, *, at: Moment | None = None
    ) -> list[TResponseInputItem]:
        """Return the latest `limit` items, the oldest first: by default those of the settings.

        `at` is a point in time: a version, a message's id, or a time.
        """
        settings = self.session_settings
        most = settings.limit if limit is None and settings is not None else limit
        items = await aside(self._get, most, at)
        return cast("list[TResponseInputItem]", items)

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Add items, all or none."""
        if items:
            await to_the_end(self._add, [dict(item) for item in items])

    async def pop_item(self) -> TResponseInputItem | None:
        """Remove the latest item and return it, None if there is none."""
        return cast("TResponseInputItem | None", await to_the_end(self._pop))

    async def clear_session(self) -> None:
        """Remove all items."""
        await to_the_end(self._clear)

    def _get(self, most: int | None, at: Moment | None) -> Json:
        with self._lock:
            items = self._items() if at is None else _printed(self._read(at))
        if most is not None and most >= 0:
            items = items[max(len(items) - most, 0) :]
        return parsed(b"[%b]" % b",".join(items))

    def _add(self, items: list[dict[str, Any]]) -> None:
        with self._lock:
            self._start()
            known, self._known = self._known, None
            appended = self._batches.append(items)
            new = [receipt.version for receipt in appended.messages if not receipt.replayed]
            if known is not None and new and new[0] == known.version + 1:
                added = [printed(item) for item in items]
                self._known = _Known(appended.version, [*known.items, *added])

    def _pop(self) -> Json:
        with self._lock:
            self._batches.forget()
            if not self._items():
                return None
            self._start()
            while len(items := self._items()) > self._earlier and self._known is not None:
                version, self._known = self._known.version, None
                try:
                    appended = self._client.append(
                        self._thread_id, DELETED, expected_version=version
                    )
                except VersionConflict:  # another one added or popped first
                    continue
                self._known = _Known(appended.version, items[:-1])
                return parsed(items[-1])
            return None

    def _clear(self) -> None:
        with self._lock:
            self._batches.forget()
            if self._items():
                self._start()
                self._known = None
                self._client.append(self._thread_id, CLEARED)

    def _start(self) -> None:
        """Begin the session, if it has not begun; items from before it stay for ever."""
        if self._is_started:
            return
        named = {} if self._thread_id == self.session_id else {"source": self.session_id}
        start_session(self._client, self._thread_id, metadata=named)
        started = next(
            self._client.messages(self._thread_id, filter="type:session.started", limit=1)
        )
        self._earlier = len(_printed(self._read(started.version)))
        self._is_started = True

    def _items(self) -> list[bytes]:
        """Return the items of now; read again only where the thread has changed."""
        known = self._known
        if known is None or self._client.thread(self._thread_id).version != known.version:
            shown = self._read(None)
            known = None if shown is None else _Known(shown.version, _printed(shown))
            self._known = known
        return known.items if known else []

    def _read(self, at: Moment | None) -> View | None:
        try:
            return self._client.view(self._thread_id, _VIEW, at=at)
        except NotThere:
            if at is not None:
                raise
            return None


def _printed(view: View | None) -> list[bytes]:
    return [printed(item) for item in view.items] if view else []
