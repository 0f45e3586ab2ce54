"""The session of the Agents SDK."""

from typing import Any, cast

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
from agentlog_client.operation import Moment
from agentlog_client.operations.views import View

_VIEW = "responses"


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

    async def get_items(
        self, limit: int | None = None, *, at: Moment | None = None
    ) -> list[TResponseInputItem]:
        """Return the latest `limit` items, the oldest first: by default those of the settings.

        `at` is a point in time: a version, a message's id, or a time.
        """
        shown = await aside(self._read, at)
        items = cast("list[TResponseInputItem]", list(shown.items) if shown else [])
        settings = self.session_settings
        most = settings.limit if limit is None and settings is not None else limit
        return items if most is None or most < 0 else items[max(len(items) - most, 0) :]

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

    def _add(self, items: list[dict[str, Any]]) -> None:
        if not self._is_started:
            named = {} if self._thread_id == self.session_id else {"source": self.session_id}
            start_session(self._client, self._thread_id, metadata=named)
            self._is_started = True
        self._batches.append(items)

    def _pop(self) -> dict[str, Any] | None:
        self._batches.forget()
        while (shown := self._read(None)) is not None and shown.items:
            try:
                self._client.append(self._thread_id, DELETED, expected_version=shown.version)
            except VersionConflict:  # another one added or popped first
                continue
            item: dict[str, Any] = shown.items[-1]
            return item
        return None

    def _clear(self) -> None:
        self._batches.forget()
        if self._read(None) is not None:
            self._client.append(self._thread_id, CLEARED)

    def _read(self, at: Moment | None) -> View | None:
        try:
            return self._client.view(self._thread_id, _VIEW, at=at)
        except NotThere:
            if at is not None:
                raise
            return None
