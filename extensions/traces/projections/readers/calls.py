"""The calls of a thread, open or answered."""

from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256

from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonValue
from agentlog.extensions.traces.projections.readers.turns import Turn, call_id_of
from agentlog.projections.readers.messages.calls import UNNAMED
from agentlog.projections.view import Item

_Mark = tuple[str, str]
"""By what an open call is looked up: a kind, and a name or digest."""


@dataclass(slots=True)
class Calls:
    """The calls by id: each with a digest of what it asks, and whether it has its result."""

    answered: set[str] = field(default_factory=set)
    _digests: dict[str, str] = field(default_factory=dict)
    _reused: set[str] = field(default_factory=set)
    _open: dict[str, list[_Mark]] = field(default_factory=dict)
    _by_mark: dict[_Mark, dict[str, None]] = field(default_factory=dict)

    def __contains__(self, call_id: str) -> bool:
        """Return whether a call is there."""
        return call_id in self._digests or call_id in self.answered

    def open_of(self, tool: str, arguments: JsonValue) -> str | None:
        """Return an open call of a tool, the first with these arguments before others.

        Some programs put words before the name of the tool.
        """
        names = dict.fromkeys((tool, tool.rpartition(" ")[2]))
        digests = [("call", _digest(name, arguments)) for name in names]
        return self._first(*digests, *(("tool", name) for name in names))

    def unnamed(self, tool: JsonValue) -> str | None:
        """Return the first open call of a tool, if it is known, among those without own ids."""
        return self._first(("unnamed", tool if isinstance(tool, str) else ""))

    def _first(self, *marks: _Mark) -> str | None:
        ids = (call_id for mark in marks for call_id in self._by_mark.get(mark, ()))
        return next(ids, None)

    def ask(self, call_id: str, name: str, arguments: JsonValue) -> None:
        """Add an open call; one of the same id that has its result is another call."""
        self._close(call_id)
        digest = _digest(name, arguments)
        if call_id in self.answered and call_id not in self._digests:  # its result came first
            self._digests[call_id] = digest
            return
        if call_id in self.answered:
            self.answered.remove(call_id)
            self._reused.add(call_id)
        self._digests[call_id] = digest
        marks = [("tool", name), ("call", digest)]
        if call_id.startswith(UNNAMED):
            marks += [("unnamed", name), ("unnamed", "")]
        self._open[call_id] = marks
        for mark in marks:
            self._by_mark.setdefault(mark, {})[call_id] = None

    def answer(self, *call_ids: str | None) -> None:
        """Note that calls have their results."""
        for call_id in call_ids:
            if call_id is not None:
                self._close(call_id)
                self.answered.add(call_id)

    def _close(self, call_id: str) -> None:
        for mark in self._open.pop(call_id, ()):
            of_mark = self._by_mark[mark]
            del of_mark[call_id]
            if not of_mark:
                del self._by_mark[mark]

    def is_new(self, call: Item, *, is_answer: bool) -> bool:
        """Return whether a call is none of the thread's.

        Some models use an id again: a call in an answer is another one if the thread's has its
        result, and asks otherwise.
        """
        call_id = str(call["id"])
        if call_id not in self._digests:
            return True
        digest = _digest(str(call["name"]), arguments_of(call))
        return is_answer and call_id in self.answered and self._digests.get(call_id) != digest

    def asks_anew(self, turn: Turn, answered: Collection[str] | None = None) -> bool:
        """Return whether a turn has a call with an id that is new, of those answered if given."""
        return turn.role == "assistant" and any(
            call_id not in self and (answered is None or call_id in answered)
            for call_id in turn.call_ids
        )

    def in_context(self, turns: Iterable[Turn]) -> Iterator[Turn]:
        """Yield the turns of a context, results under the ids of their calls.

        OpenLLMetry has two ids for a call of the Responses API. A result whose id is not known
        answers the first call of its context that has no result. One of an earlier call, whose id
        was used again, is left out: the thread has it.
        """
        unanswered: OrderedDict[str, str] = OrderedDict()
        asked: dict[str, str] = {}
        for turn in turns:
            for draft in turn.drafts if turn.role == "assistant" else ():
                if call_id := call_id_of(draft):
                    call = _call(draft)
                    digest = _digest(str(call["name"]), arguments_of(call))
                    unanswered[call_id] = asked[call_id] = digest
            call_id = call_id_of(turn.drafts[0]) if turn.role == "tool" else None
            if call_id is None:
                yield turn
                continue
            if call_id not in unanswered and call_id not in self:
                call_id = next(iter(unanswered), call_id)
            unanswered.pop(call_id, None)
            known = self._digests.get(call_id)
            if call_id in self._reused and asked.get(call_id, known) != known:
                continue
            yield with_call_id(turn, call_id)


def with_call_id(turn: Turn, call_id: str) -> Turn:
    """Return the turn of a result under the id of its call."""
    match turn.drafts:
        case ({"results": [dict(result)], **draft},):
            return Turn("tool", ({**draft, "results": [{**result, "callId": call_id}]},))
        case _:
            return turn


def arguments_of(call: Item) -> JsonValue:
    """Return the arguments of a call: a value, or a text that is no JSON."""
    return call.get("args", call.get("argumentsText"))


def _call(draft: Item) -> Item:
    match draft:
        case {"calls": [dict(call)]}:
            return call
        case _:
            return {}


def _digest(name: str, arguments: JsonValue) -> str:
    return sha256(print_bytes([name, arguments], sort_keys=True)).hexdigest()[:16]
