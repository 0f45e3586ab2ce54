"""Held messages as they are shown: results behind their calls, fillers, few marks of caches."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from agentlog.projections.view import Item
from agentlog.projections.views.repair.held import Answered, Held
from agentlog.projections.views.repair.names import fitted
from agentlog.projections.views.repair.pairing import Call
from agentlog.projections.views.repair.wire import MARK, Wire, with_mark


class Line(NamedTuple):
    """A message to show; `order` to `latest` are the numbers of arrival of what it has."""

    order: int
    latest: int
    version: int
    item: Item


class Lines:
    """Writes held messages; `following` are those after them, which are not written.

    `at_end`: nothing follows, and unless they are to be `closed`, the last calls may stay open.
    """

    def __init__(
        self, wire: Wire, following: Sequence[Held], *, mark: bool, at_end: bool, closed: bool
    ) -> None:
        self._wire = wire
        self._following = following
        self._next = following[0] if following else None
        self._mark = mark
        self._at_end = at_end
        self._closed = closed

    def lines(self, entries: Sequence[Held]) -> list[Line]:
        """Return the messages of entries, in order."""
        lines = list[Line]()
        last = self._last(entries) if self._at_end else None
        open_from = self._open_from(entries) if self._at_end else len(entries)
        for n, held in enumerate(entries):
            item = self._item(held) if self._is_shown(held, entries, n) else None
            if item is not None:
                if held is last and held.is_answer:
                    item = self._wire.as_last(item)
                lines.append(Line(held.order, held.order, held.version, item))
            if held.calls:
                after = entries[n + 1] if n + 1 < len(entries) else self._next
                lines += self._results(held, after, is_open=n >= open_from)
        return self._in_places(lines)

    @staticmethod
    def _last(entries: Sequence[Held]) -> Held | None:
        main = (held for held in reversed(entries) if not (held.is_apart or held.is_lead))
        return next(main, None)

    def _item(self, held: Held) -> Item | None:
        """Return a message as it is shown; the model's is cleaned here, when it is whole."""
        if held.is_fit:
            return with_mark(held.item, self._mark_of(held.mark), held.recorded)
        wire = self._wire
        whole = wire.finish(held.item)
        item = wire.clean(whole)
        if item is None:
            return None
        calls = wire.calls(item)
        fit = [
            Call(call.id, fitted(own.name, wire.limits.tool_name))
            for call, own in zip(held.calls, calls, strict=False)
            if wire.renames
        ]
        if fit != [*calls] and len(fit) == len(calls):
            item = wire.with_calls(item, fit)
        is_changed = self._mark and held.mark is None and item is not whole
        return with_mark(item, self._mark_of(held.mark), whole if is_changed else None)

    def _open_from(self, entries: Sequence[Held]) -> int:
        """Return the index from which on calls may stay open: those at the very end."""
        begin = len(entries)
        if self._closed:
            return begin
        while begin > 0 and (entries[begin - 1].is_apart or entries[begin - 1].is_lead):
            begin -= 1
        few = 1 if self._wire.moves else begin
        while begin > 0 and few > 0 and entries[begin - 1].calls:
            begin, few = begin - 1, few - 1
        return begin

    def _is_shown(self, held: Held, entries: Sequence[Held], place: int) -> bool:
        if not held.is_lead:
            return True
        later = [*entries[place + 1 :], *self._following]
        led = (other.item for other in later if not (other.is_apart or other.is_lead))
        return self._wire.leads(next(led, {}))

    def _results(self, held: Held, after: Held | None, *, is_open: bool) -> Iterator[Line]:
        wire, answers = self._wire, held.answers
        if answers and answers[0].call < 0:
            (whole,) = answers
            item = with_mark(whole.unit, None, whole.recorded)
            yield Line(whole.order, whole.order, whole.version, item)
            return
        lifted = [answer for answer in answers if answer.beside is not None]
        if len(answers) < len(held.calls) and (
            not is_open or lifted or (answers and wire.answers_whole)
        ):
            answers = (*answers, *self._fillers(held, after))
        units = [(a, with_mark(a.unit, None, a.recorded)) for a in answers if a.unit]
        if not units:
            return
        if wire.sorts_results:
            units.sort(key=lambda unit: unit[0].call)
        together = wire.grouped([unit for _, unit in units])
        if together is None:
            for answer, unit in units:
                yield Line(answer.order, answer.order, answer.version, unit)
        else:
            latest = max(answer.order for answer in answers)
            yield Line(answers[0].order, latest, answers[0].version, together)
        for answer in lifted:
            order = max(answer.order for answer in answers)
            version = max(answer.version for answer in answers)
            item = with_mark(answer.beside or {}, self._mark_of("moved"))
            yield Line(order, order, version, item)

    def _fillers(self, held: Held, after: Held | None) -> Iterator[Answered]:
        answered = {answer.call for answer in held.answers}
        latest = max((answer.order for answer in held.answers), default=held.order)
        version = max([held.version, *(answer.version for answer in held.answers)])
        for index, call in enumerate(held.calls):
            if index not in answered:
                unit = with_mark(self._wire.filler(call), self._mark_of("filler"))
                at = version if after is None else after.version
                yield Answered(latest, at, index, unit)

    def _in_places(self, lines: list[Line]) -> list[Line]:
        """Return lines whose versions ascend; those that now stand behind later ones are marked."""
        most = self._next.version if self._next is not None else None
        for n in range(len(lines) - 1, -1, -1):
            version = lines[n].version
            if most is not None and version > most:
                lines[n] = lines[n]._replace(version=most)
            else:
                most = version
        if not self._mark:
            return lines
        latest = 0
        for n, line in enumerate(lines):
            if line.order < latest and MARK not in line.item:
                lines[n] = line._replace(item=with_mark(line.item, "reordered"))
            latest = max(latest, line.latest)
        return lines

    def _mark_of(self, mark: str | None) -> str | None:
        return mark if self._mark else None


def marks_in(wire: Wire, entries: Sequence[Held]) -> int:
    """Return how many marks of caches messages have, with their results."""
    units = (answer.unit for held in entries for answer in held.answers)
    return sum(map(wire.marks, (*units, *(held.item for held in entries))))


def with_few_marks(wire: Wire, lines: list[Line], left: int) -> int:
    """Leave the last marks of caches in lines, `left` at most; return how many are left."""
    kept = 0
    for n in range(len(lines) - 1, -1, -1):
        there = wire.marks(lines[n].item)
        if there:
            keep = min(there, left - kept)
            kept += keep
            if keep < there:
                item = wire.without_marks(lines[n].item, keep)
                lines[n] = lines[n]._replace(item=item)
    return kept
