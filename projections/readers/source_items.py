"""Items read as they come, into messages that the view `source` shows as these items again."""

from collections.abc import Iterable, Mapping

from agentlog.domain.identifiers import derived_message_id
from agentlog.domain.json.values import JsonValue, text_at
from agentlog.projections.readers.draft import Draft, templated
from agentlog.projections.readers.history import OngoingHistory
from agentlog.projections.view import Item
from agentlog.projections.views.source import WIRE


class SourceReader:
    """Reads the items of one thread.

    A session that was cleared `clearings` times begins anew: the same item is another message then.
    `family` is the id of the thread, or of its parent, by which sub-threads are named.
    """

    def __init__(self, history: OngoingHistory, *, family: str, clearings: int = 0) -> None:
        self._history = history
        self._family = family
        self._clearings = clearings

    @property
    def metadata(self) -> Mapping[str, JsonValue]:
        """What the items say of their thread, so far."""
        return self._history.facts().metadata

    @property
    def goal(self) -> str | None:
        """The goal that the items name."""
        return self._history.facts().goal

    def read(self, items: Iterable[Item], *, key: str) -> list[Draft]:
        """Return the messages of the next items, but of those that came before.

        `key` makes ids for those that have none of their own.
        """
        drafts: list[Draft] = []
        for index, item in enumerate(items):
            read = self._history.read(item, f"[{index}]")
            drafts += [
                self._in_thread({"id": derived_message_id(key, index, number), **draft})
                for number, draft in enumerate(templated(WIRE, read, item) if read else ())
            ]
        return drafts

    def _in_thread(self, draft: Draft) -> Draft:
        """Return a draft with the ids that it and its sub-thread have here."""
        if self._clearings:
            own_id = derived_message_id(str(draft["id"]), "cleared", self._clearings)
            draft = {**draft, "id": own_id}
        facts = self._history.facts()
        source = facts.parent or facts.id
        thread_id = text_at(draft, "threadId")
        if source is None or thread_id is None or not thread_id.startswith(f"{source}:"):
            return draft
        return {**draft, "threadId": self._family + thread_id.removeprefix(source)}
