"""The calls of a thread, open or answered."""

from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from agentlog.projections.readers.spans.otlp.turns import Turn, call_id_of


@dataclass(slots=True)
class Calls:
    """The open calls by id with their tools' names, and the ids of those with a result."""

    _open: dict[str, str] = field(default_factory=dict)
    _of_tools: dict[str, dict[str, None]] = field(default_factory=dict)
    answered: set[str] = field(default_factory=set)

    def __contains__(self, call_id: str) -> bool:
        """Return whether a call is there."""
        return call_id in self._open or call_id in self.answered

    def first_open(self, name: str) -> str | None:
        """Return the first open call of a tool."""
        return next(iter(self._of_tools.get(name, ())), None)

    def ask(self, calls: Iterable[tuple[str, str]]) -> None:
        """Add open calls, each an id and the name of its tool."""
        for call_id, name in calls:
            self._close(call_id)
            self._open[call_id] = name
            self._of_tools.setdefault(name, {})[call_id] = None

    def answer(self, call_ids: Iterable[str | None]) -> None:
        """Note that calls have their results."""
        for call_id in call_ids:
            if call_id is not None:
                self._close(call_id)
                self.answered.add(call_id)

    def _close(self, call_id: str) -> None:
        name = self._open.pop(call_id, None)
        if name is not None:
            of_tool = self._of_tools[name]
            del of_tool[call_id]
            if not of_tool:
                del self._of_tools[name]

    def asks_anew(self, turn: Turn, answered: Collection[str | None] | None = None) -> bool:
        """Return whether a turn has a call with an id that is new, of those answered if given."""
        call_ids = (call_id_of(part) for part in turn.parts if part.get("type") == "tool_call")
        return any(
            call_id is not None
            and call_id not in self
            and (answered is None or call_id in answered)
            for call_id in call_ids
        )

    def with_known_ids(self, turns: Iterable[Turn]) -> Iterator[Turn]:
        """Yield turns, results under the ids of their calls.

        OpenLLMetry has two ids for a call of the Responses API. A result whose id is not known
        answers the first call of its context that has no result.
        """
        unanswered: OrderedDict[str, None] = OrderedDict()
        for turn in turns:
            asked = (part for part in turn.parts if part.get("type") == "tool_call")
            unanswered |= {call_id: None for part in asked if (call_id := call_id_of(part))}
            call_id = call_id_of(turn.parts[0])
            if turn.role != "tool" or call_id is None:
                yield turn
                continue
            if call_id not in unanswered and call_id not in self:
                call_id = next(iter(unanswered), call_id)
            unanswered.pop(call_id, None)
            yield Turn("tool", ({**turn.parts[0], "id": call_id},))
