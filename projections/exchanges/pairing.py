"""Messages of the chat API as any provider takes them: each call with its result.

The view `openai` pairs calls with results; here calls at the end are answered too, and ids and
names that a provider would refuse are replaced.
"""

import re
from collections.abc import Iterable

from agentlog.domain.json.values import object_at, objects_of
from agentlog.projections.view import Item
from agentlog.projections.views.openai import FILLER

_ID = re.compile(r"[A-Za-z0-9_-]{1,40}")
_UNFIT = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST_NAME = 64
_STALE = ("audio", "function_call")
"""Keys of an assistant's message that only the provider knew that made it, or that are obsolete."""


def paired(items: Iterable[Item], *, across_turns: bool = False) -> list[Item]:
    """Return the view's items with fit ids and names, and no call left open.

    Ids are unique in their turn, or `across_turns`: some models use one again.
    """
    pairing = _Pairing(across_turns=across_turns)
    for item in items:
        pairing.add(item)
    pairing.close()
    return pairing.messages


class _Pairing:
    def __init__(self, *, across_turns: bool) -> None:
        self.messages: list[Item] = []
        self._across_turns = across_turns
        self._open: list[tuple[str, str]] = []
        self._used: set[str] = set()

    def add(self, item: Item) -> None:
        if item["role"] == "tool":
            self._answer(item)
            return
        self.close()
        if item["role"] != "assistant":
            self.messages.append(item)
            return
        message = {key: value for key, value in item.items() if key not in _STALE}
        if not self._across_turns:
            self._used = set()
        if calls := objects_of(message.get("tool_calls")):
            message["tool_calls"] = [self._call(call) for call in calls]
        if calls or message.get("content") or message.get("refusal"):
            self.messages.append(message)

    def close(self) -> None:
        """Answer the open calls."""
        for _, call_id in self._open:
            self.messages.append({"role": "tool", "content": FILLER, "tool_call_id": call_id})
        self._open = []

    def _call(self, call: Item) -> Item:
        given = str(call.get("id"))
        call_id = given if _ID.fullmatch(given) else ""
        number = len(self._used)
        while not call_id or call_id in self._used:
            call_id, number = f"call_{number}", number + 1
        self._used.add(call_id)
        self._open.append((given, call_id))
        kind = "custom" if "custom" in call else "function"
        called = object_at(call, kind)
        name = _UNFIT.sub("_", str(called.get("name")))[:_LONGEST_NAME] or "_"
        return {**call, "id": call_id, kind: {**called, "name": name}}

    def _answer(self, item: Item) -> None:
        given = item["tool_call_id"]
        place = next((n for n, call in enumerate(self._open) if call[0] == given), None)
        if place is not None:
            self.messages.append({**item, "tool_call_id": self._open.pop(place)[1]})
