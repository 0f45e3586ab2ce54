"""Messages in the order in which an API takes them.

- A result stands with its call, however late it came; what stood between comes after it.
- A call without result gets a filler as soon as something follows, a result without call a call.
- Ids and names that the API refuses, or that are not unique, are replaced, one to one.

What a later message may change is held back; a call waits for `MOST_LATE` messages. Without repair
messages are joined and paired in the same way, and nothing is moved, made or changed.
"""

from collections.abc import Sequence

from agentlog.projections.view import Item, Place, Placed
from agentlog.projections.views.repair.held import Answered, Held, TurnsCarry
from agentlog.projections.views.repair.lines import Line, Lines, marks_in, with_few_marks
from agentlog.projections.views.repair.pairing import MOST_LATE, Call, OpenCall
from agentlog.projections.views.repair.unique_ids import UniqueIds
from agentlog.projections.views.repair.wire import Result, Wire, plain


class Turns:
    """Adds messages to a carry; `settled` are those that nothing can change any more."""

    def __init__(self, wire: Wire, carry: TurnsCarry, *, repair: bool, mark: bool = False) -> None:
        self.settled: list[Placed] = []
        self._wire = wire
        self._held = list(carry.held)
        self._pairing = carry.pairing
        self._ids = UniqueIds(wire, carry.used, repair=repair)
        self._order, self._turn = carry.order, carry.turn
        self._marks = carry.marks
        self._has_begun = carry.has_begun
        self._place = carry.place
        self._repair, self._mark = repair, mark
        self._counts_marks = carry.has_marks

    @property
    def carry(self) -> TurnsCarry:
        """The carry to go on from."""
        held, numbers = tuple(self._held), (self._order, self._turn, self._marks)
        flags = self._has_begun, self._place, self._counts_marks
        return TurnsCarry(held, self._pairing, self._ids.used, *numbers, *flags)

    def add(
        self, version: int, item: Item, response: str | None = None, *, is_plain: bool = True
    ) -> None:
        """Add a message at a version; only `is_plain` ones are joined with others."""
        wire = self._wire
        self._turn += 1
        self._order += 1
        self._pairing = self._pairing.within(self._turn)
        item = self._ids.with_unique_ids(item) if self._repair and wire.has_own_ids else item
        if self._repair and wire.limits.cache_marks is not None and not self._counts_marks:
            self._counts_marks = wire.marks(item) > 0  # most histories have none
        if wire.is_answer(item):
            if not self._repair or wire.says(item):
                held = Held(self._order, version, item, self._turn, is_answer=True)
                held.response = response
                self._answer(held)
        elif self._repair:
            self._say(version, item)
        elif results := wire.results(item):
            self._show_results(version, item, results, is_plain=is_plain)
        else:
            self._put(version, item)
        self._settle()

    def rest(self, *, closed: bool = False) -> Sequence[Placed]:
        """Return what is held back, as it would be shown; `closed`: with no call left open."""
        place, marks = self._place, self._marks
        lines = self._lines(self._held, (), at_end=True, closed=closed)
        items = [self._placed(line) for line in lines]
        self._place, self._marks = place, marks
        return items

    def _say(self, version: int, item: Item) -> None:
        """Add results or words, as far as the API takes them."""
        cleaned = self._wire.clean(item)
        if cleaned is None:
            return
        recorded = plain(item) if self._mark and cleaned is not item else None
        results = self._wire.results(cleaned)
        if results:
            self._place_results(version, cleaned, results, recorded)
        else:
            self._put(version, cleaned, recorded)

    def _put(self, version: int, item: Item, recorded: Item | None = None) -> None:
        is_apart = self._wire.is_apart(item)
        self._has_begun = self._has_begun or not is_apart
        held = Held(self._order, version, item, self._turn, is_apart=is_apart)
        held.recorded = recorded
        self._held.append(held)

    def _answer(self, held: Held) -> None:
        """Add a message of the model, or what it adds to the one before."""
        wire, calls = self._wire, tuple(self._wire.calls(held.item))
        at = len(self._held) - 1
        while at > 0 and self._held[at].is_apart:
            at -= 1
        if at >= 0 and self._may_join(last := self._held[at], held):
            same = held.response is not None and held.response == last.response
            together = wire.joined(last.item, held.item, of_one_response=same)
            if together is not None:
                self._held[at] = self._join(last, held, together, calls)
                return
        if self._repair and wire.begins is not None and not self._has_begun:
            begin = Held(held.order, held.version, wire.begins, held.turn, mark="synthesised")
            self._held.append(begin)
        self._has_begun = True
        held.calls = self._ids.fit(calls)
        held.is_lead = self._repair and wire.is_lead(held.item)
        self._pairing = self._pairing.ask(held.turn, calls)
        self._held.append(held)

    def _may_join(self, last: Held, held: Held) -> bool:
        """Return whether the last message can still grow: none of its calls is answered."""
        is_made = last.mark or held.mark
        if not last.is_answer or last.answers or (is_made and not self._wire.joins_made):
            return False
        return sum(call.turn == last.turn for call in self._pairing.open) == len(last.calls)

    def _join(self, last: Held, held: Held, together: Item, calls: tuple[Call, ...]) -> Held:
        grown = Held(last.order, last.version, together, last.turn, is_answer=True)
        grown.response, grown.mark = last.response, last.mark or held.mark
        grown.is_lead = self._repair and self._wire.is_lead(together)
        grown.calls = (*last.calls, *self._ids.fit(calls, last.calls))
        self._pairing = self._pairing.ask(last.turn, calls, len(last.calls))
        return grown

    def _place_results(
        self, version: int, item: Item, results: Sequence[Result], recorded: Item | None
    ) -> None:
        """Put each result with its call, and then what else the message says."""
        if self._keeps_whole(item, results):
            self._keep_whole(version, item, results, recorded)
            return
        units = [result.unit for result in self._wire.results(recorded or {})]
        orphans: list[tuple[Answered, Result]] = []
        for n, result in enumerate(results):
            self._order += n > 0
            answer = Answered(self._order, version, 0, {})
            if n < len(units) and units[n] != plain(result.unit):
                answer.recorded = units[n]
            call = self._pairing.call_of(result.call_id, result.name)
            if call is None:
                orphans.append((answer, result))
            else:
                self._attach(answer, call, result)
        for answer, result in orphans:
            self._give_call(answer, result)
        words = self._wire.words(item)
        if words is not None:
            self._put(version, words, recorded and self._wire.words(recorded))

    def _keeps_whole(self, item: Item, results: Sequence[Result]) -> bool:
        """Return whether a message answers all calls before it, and may stay as it is."""
        last = self._held[-1] if self._held else None
        if last is None or not last.calls or last.answers:
            return False
        waiting = [call for call in self._pairing.open if call.turn == last.turn]
        if len(waiting) != len(last.calls) or len(waiting) != len(results):
            return False
        return self._wire.keeps_whole(item, [Call(call.id, call.name) for call in waiting])

    def _keep_whole(
        self, version: int, item: Item, results: Sequence[Result], recorded: Item | None
    ) -> None:
        last, calls = self._held[-1], list[Call]()
        for call_id, name, _ in results:
            call = self._pairing.call_of(call_id, name)
            if call is not None:
                self._pairing = self._pairing.without(call)
                calls.append(last.calls[call.at])
        whole = self._wire.with_answered(item, calls)
        if self._mark and recorded is None and whole != item:
            recorded = plain(item)
        answer = Answered(self._order, version, -1, whole, recorded)
        self._held[-1] = last.with_answer(answer)

    def _attach(self, answer: Answered, call: OpenCall, result: Result) -> None:
        """Put a result with its call; `answer` lacks what it says."""
        wire = self._wire
        self._pairing = self._pairing.without(call)
        at = next(n for n, held in enumerate(self._held) if held.turn == call.turn and held.calls)
        unit = wire.with_call(plain(result.unit), self._held[at].calls[call.at])
        if self._mark and answer.recorded is None and unit != plain(result.unit):
            answer.recorded = plain(result.unit)
        answer.call = call.at
        if wire.moves:
            answer.unit = unit
        else:
            self._put(answer.version, unit, answer.recorded)
        self._held[at] = self._held[at].with_answer(answer)

    def _give_call(self, answer: Answered, result: Result) -> None:
        """Make a call for a result, of its tool where that is known."""
        call_id = result.call_id or self._wire.own_id(result.unit)
        name = result.name or self._pairing.name_of(call_id) or "unknown"
        self._turn += 1
        item = self._wire.call_for(Call(call_id, name))
        held = Held(answer.order, answer.version, item, self._turn, is_answer=True)
        held.mark = "synthesised"
        self._answer(held)
        unit = self._wire.as_orphan(result.unit)
        self._attach(answer, self._pairing.open[-1], result._replace(unit=unit))

    def _show_results(
        self, version: int, item: Item, results: Sequence[Result], *, is_plain: bool
    ) -> None:
        """Show results where they came; those of one turn that came alone are one message."""
        wire, shown_item, turns = self._wire, plain(item), set[int]()
        for call_id, name, unit in results:
            call = self._pairing.call_of(call_id, name)
            turns.add(-1 if call is None else call.turn)
            if call is not None:
                self._pairing = self._pairing.without(call)
                if call_id is None and unit is item:
                    shown_item = wire.with_call(shown_item, Call(call.id, call.name))
        last = self._held[-1] if self._held else None
        follows = is_plain and last is not None and turns == {last.turn}
        if follows and last is not None and last.is_results:
            units = [*wire.results(last.item), *results]
            together = wire.grouped([plain(result.unit) for result in units])
            if together is not None:
                held = Held(last.order, last.version, together, last.turn, is_results=True)
                self._held[-1] = held
                return
        turn = last.turn if follows and last is not None else -1
        self._held.append(Held(self._order, version, shown_item, turn, is_results=True))

    def _settle(self) -> None:
        """Settle what nothing can change: from the front, up to what still waits."""
        if not self._held:
            return
        waiting = {call.turn for call in self._pairing.open}
        later = marks_in(self._wire, self._held) if self._counts_marks else 0
        count = 0
        for n, held in enumerate(self._held):
            if self._counts_marks:
                later -= marks_in(self._wire, (held,))
            if self._may_change(held, waiting, n + 1, later):
                break
            count += 1
        if count:
            done, self._held = self._held[:count], self._held[count:]
            for line in self._lines(done, self._held, at_end=False):
                self.settled.append(self._placed(line))

    def _may_change(self, held: Held, waiting: set[int], after: int, later_marks: int) -> bool:
        """Return whether a message may change; `after` is the index of the next one."""
        wire = self._wire
        if held.is_answer or held.is_results:
            if held.is_answer and self._repair and held.turn in waiting:
                return True
            rest = self._held[after:]
            if not rest or all(other.is_apart or other.is_lead for other in rest):
                if held.is_results:
                    return held.turn in waiting
                if not held.answers and wire.grows(held.item):
                    return True
        if not self._counts_marks or not marks_in(self._wire, (held,)):
            return False
        most = wire.limits.cache_marks or 0
        return later_marks < most - self._marks and self._turn - held.turn < MOST_LATE

    def _lines(
        self,
        entries: Sequence[Held],
        following: Sequence[Held],
        *,
        at_end: bool,
        closed: bool = False,
    ) -> Sequence[Line]:
        if not self._repair:
            return [
                Line(held.order, held.order, held.version, self._wire.finish(held.item))
                for held in entries
            ]
        writer = Lines(self._wire, following, mark=self._mark, at_end=at_end, closed=closed)
        return self._with_few_marks(writer.lines(entries), following)

    def _with_few_marks(self, lines: list[Line], following: Sequence[Held]) -> list[Line]:
        most = self._wire.limits.cache_marks
        if self._counts_marks and most is not None:
            later = marks_in(self._wire, following)
            self._marks += with_few_marks(self._wire, lines, max(0, most - self._marks - later))
        return lines

    def _placed(self, line: Line) -> Placed:
        place: Place = line.version, 0
        if line.version <= self._place[0]:
            place = self._place[0], self._place[1] + 1
        self._place = place
        return Placed(*place, line.item)
