"""Messages in the order in which an API takes them.

- A result stands with its call, however late it came; what stood between comes after it.
- A call without result gets a filler as soon as something follows, a result without call a call.
- Ids and names that the API refuses, or that are not unique, are replaced, one to one.

What a later message may change is held back; a call waits for `MOST_LATE` messages. Without repair
messages are joined and paired in the same way, and nothing is moved, made or changed.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from agentlog.projections.view import Item, Placed
from agentlog.projections.views.repair.held import Answered, Held, TurnsCarry
from agentlog.projections.views.repair.lines import Line, Lines, marks_in, with_few_marks
from agentlog.projections.views.repair.pairing import MOST_LATE, Call, OpenCall
from agentlog.projections.views.repair.unique_ids import fit_calls, with_unique_ids
from agentlog.projections.views.repair.wire import Result, Wire, plain, without_records


class Turns:
    """Adds messages to a carry; `settled` are those that nothing can change any more.

    `carry` is what to go on from, once all messages of an event are added.
    """

    __slots__ = ("_mark", "_prepares", "_renames", "_repair", "_wire", "carry", "settled")

    def __init__(self, wire: Wire, carry: TurnsCarry, *, repair: bool, mark: bool = False) -> None:
        self.settled: list[Placed] = []
        self.carry = carry.copy()
        self._wire = wire
        self._repair, self._mark = repair, mark
        self._renames = repair and wire.renames
        self._prepares = repair and (wire.has_own_ids or wire.limits.cache_marks is not None)

    def add(
        self, version: int, item: Item, response: str | None = None, *, is_plain: bool = True
    ) -> None:
        """Add a message at a version; only `is_plain` ones are joined with others."""
        wire, now, repair = self._wire, self.carry, self._repair
        now.turn += 1
        now.order += 1
        if now.pairing.open:
            now.pairing = now.pairing.within(now.turn)
        if self._prepares:
            item = self._with_unique_ids(item)
        if wire.is_answer(item):
            whole = wire.is_whole(item)
            cleaned = wire.clean(item) if repair and whole else item
            if cleaned is not None:
                held = Held(now.order, version, item, now.turn, is_answer=True)
                held.is_lead = repair and wire.is_lead(cleaned)
                held.is_fit = whole and cleaned is item
                held.response = response
                self._answer(held)
        elif repair:
            cleaned = wire.clean(item)
            if cleaned is not None:
                recorded = without_records(item) if self._mark and cleaned is not item else None
                results = wire.results(cleaned)
                if results:
                    self._place_results(version, cleaned, results, recorded)
                else:
                    self._put(version, cleaned, recorded)
        elif results := wire.results(item):
            self._show_results(version, item, results, is_plain=is_plain)
        else:
            self._put(version, item)
        self._settle()

    def _with_unique_ids(self, item: Item) -> Item:
        """Return a message whose own ids are unique; note whether it has marks of caches."""
        wire, now = self._wire, self.carry
        if not now.has_marks and wire.limits.cache_marks is not None:
            now.has_marks = wire.marks(item) > 0  # most histories have none
        return with_unique_ids(wire, now, item) if wire.has_own_ids else item

    def rest(self, *, closed: bool = False) -> Sequence[Placed]:
        """Return what is held back, as it would be shown; `closed`: with no call left open."""
        now = self.carry
        place, marks = now.place, now.marks
        lines = self._lines(now.held, (), at_end=True, closed=closed)
        items = [self._placed(line.version, line.item) for line in lines]
        now.place, now.marks = place, marks
        return items

    def _put(self, version: int, item: Item, recorded: Item | None = None) -> None:
        now, is_apart = self.carry, self._wire.is_apart(item)
        now.has_begun = now.has_begun or not is_apart
        held = Held(now.order, version, item, now.turn, is_apart=is_apart)
        if recorded is not None:
            held.recorded = recorded
        now.held = (*now.held, held)

    def _answer(self, held: Held) -> None:
        """Add a message of the model, or what it adds to the one before."""
        wire, now = self._wire, self.carry
        calls = tuple(wire.calls(held.item))
        if now.held and wire.joins != "none" and self._join(held, calls):
            return
        if self._repair and not now.has_begun and wire.begins is not None:
            begin = Held(held.order, held.version, wire.begins, held.turn, mark="synthesised")
            now.held = (*now.held, begin)
        now.has_begun = True
        if calls:
            held.calls = fit_calls(wire, now, calls) if self._renames else calls
            held.is_fit = held.is_fit and held.calls == calls
            now.pairing = now.pairing.ask(held.turn, calls)
        now.held = (*now.held, held)

    def _join(self, held: Held, calls: tuple[Call, ...]) -> bool:
        """Add a message to the one of the model before it, if that can still grow."""
        wire, now = self._wire, self.carry
        at = len(now.held) - 1
        while at > 0 and now.held[at].is_apart:
            at -= 1
        last = now.held[at]
        same = held.response is not None and held.response == last.response
        if not (same or wire.joins == "all") or not self._may_join(last, held):
            return False
        together = wire.joined(last.item, held.item)
        if together is None:
            return False
        grown = Held(last.order, last.version, together, last.turn, is_answer=True, is_fit=False)
        grown.response, grown.mark = last.response, last.mark or held.mark
        grown.is_lead = last.is_lead and held.is_lead
        more = fit_calls(wire, now, calls, last.calls) if self._renames else calls
        grown.calls = (*last.calls, *more)
        now.pairing = now.pairing.ask(last.turn, calls, len(last.calls))
        now.held = (*now.held[:at], grown, *now.held[at + 1 :])
        return True

    def _may_join(self, last: Held, held: Held) -> bool:
        """Return whether the last message can still grow: none of its calls is answered."""
        is_made = last.mark or held.mark
        if not last.is_answer or last.answers or (is_made and not self._wire.joins_made):
            return False
        return sum(call.turn == last.turn for call in self.carry.pairing.open) == len(last.calls)

    def _place_results(
        self, version: int, item: Item, results: Sequence[Result], recorded: Item | None
    ) -> None:
        """Put each result with its call, and then what else the message says."""
        wire, now = self._wire, self.carry
        if wire.answers_whole and self._keeps_whole(item, results):
            self._keep_whole(version, item, results, recorded)
            return
        units = [] if recorded is None else [result.unit for result in wire.results(recorded)]
        orphans: list[tuple[Answered, Result]] = []
        for n, result in enumerate(results):
            now.order += n > 0
            answer = Answered(now.order, version, 0, {})
            if n < len(units) and units[n] != plain(result.unit):
                answer.recorded = units[n]
            call = now.pairing.call_of(result.call_id, result.name)
            if call is None:
                orphans.append((answer, result))
            else:
                self._attach(answer, call, result)
        for answer, result in orphans:
            self._give_call(answer, result)
        words = wire.words(item)
        if words is not None:
            self._put(version, words, recorded and wire.words(recorded))

    def _keeps_whole(self, item: Item, results: Sequence[Result]) -> bool:
        """Return whether a message answers all calls before it, and may stay as it is."""
        last = self.carry.held[-1] if self.carry.held else None
        if last is None or last.answers or len(last.calls) != len(results):
            return False
        waiting = [call for call in self.carry.pairing.open if call.turn == last.turn]
        if len(waiting) != len(results):
            return False
        return self._wire.keeps_whole(item, [Call(call.id, call.name) for call in waiting])

    def _keep_whole(
        self, version: int, item: Item, results: Sequence[Result], recorded: Item | None
    ) -> None:
        now = self.carry
        last, calls = now.held[-1], list[Call]()
        for call_id, name, _ in results:
            call = now.pairing.call_of(call_id, name)
            if call is not None:
                now.pairing = now.pairing.without(call)
                calls.append(last.calls[call.at])
        whole = self._wire.with_answered(item, calls)
        if self._mark and recorded is None and whole != (kept := without_records(item)):
            recorded = kept
        answer = Answered(now.order, version, -1, whole, recorded)
        now.held = (*now.held[:-1], last.with_answer(answer))

    def _attach(self, answer: Answered, call: OpenCall, result: Result) -> None:
        """Put a result with its call; `answer` lacks what it says."""
        wire, now = self._wire, self.carry
        now.pairing = now.pairing.without(call)
        at = len(now.held) - 1
        while now.held[at].turn != call.turn or not now.held[at].calls:
            at -= 1
        asking = now.held[at]
        unit = plain(result.unit)
        called = wire.with_call(unit, asking.calls[call.at])
        whole = wire.finish(called)
        cleaned = whole if whole is called else wire.clean(whole) or whole
        lifted, beside = wire.lifted(cleaned)
        if self._mark:
            if answer.recorded is None and called != unit:
                answer.recorded = unit
            if answer.recorded is not None:
                answer.recorded = wire.finish(answer.recorded)
            elif lifted is not whole:
                answer.recorded = whole
        answer.call = call.at
        if wire.moves:
            answer.unit, answer.beside = lifted, beside
        else:
            self._put(answer.version, lifted, answer.recorded)
        now.held = (*now.held[:at], asking.with_answer(answer), *now.held[at + 1 :])

    def _give_call(self, answer: Answered, result: Result) -> None:
        """Make a call for a result, of its tool where that is known."""
        now = self.carry
        call_id = result.call_id or self._wire.own_id(result.unit)
        name = result.name or now.pairing.name_of(call_id) or "unknown"
        now.turn += 1
        item = self._wire.call_for(Call(call_id, name))
        held = Held(answer.order, answer.version, item, now.turn, is_answer=True)
        held.mark = "synthesised"
        self._answer(held)
        unit = self._wire.as_orphan(result.unit)
        self._attach(answer, now.pairing.open[-1], result._replace(unit=unit))

    def _show_results(
        self, version: int, item: Item, results: Sequence[Result], *, is_plain: bool
    ) -> None:
        """Show results where they came; those of one turn that came alone are one message."""
        wire, now = self._wire, self.carry
        shown_item, turns = plain(item), set[int]()
        for call_id, name, unit in results:
            call = now.pairing.call_of(call_id, name)
            turns.add(-1 if call is None else call.turn)
            if call is not None:
                now.pairing = now.pairing.without(call)
                if call_id is None and unit is item:
                    shown_item = wire.with_call(shown_item, Call(call.id, call.name))
        last = now.held[-1] if now.held else None
        follows = is_plain and last is not None and turns == {last.turn}
        if follows and last is not None and last.is_results:
            units = [*wire.results(last.item), *results]
            together = wire.grouped([plain(result.unit) for result in units])
            if together is not None:
                held = Held(last.order, last.version, together, last.turn, is_results=True)
                now.held = (*now.held[:-1], held)
                return
        turn = last.turn if follows and last is not None else -1
        now.held = (*now.held, Held(now.order, version, shown_item, turn, is_results=True))

    def _settle(self) -> None:
        """Settle what nothing can change: from the front, up to what still waits."""
        wire, now, held = self._wire, self.carry, self.carry.held
        waiting = {call.turn for call in now.pairing.open}
        last = len(held) - 1  # from here on what comes next may change it
        while last >= 0 and (held[last].is_apart or held[last].is_lead):
            last -= 1
        is_plain, count = self._repair and not (self._mark or now.has_marks), 0
        later = marks_in(wire, held) if now.has_marks else 0
        for entry in held:
            if self._repair and entry.is_answer and entry.turn in waiting:
                break
            if count >= last and self._may_grow(entry, waiting):
                break
            if later and (marks := marks_in(wire, (entry,))):
                later -= marks
                most = (wire.limits.cache_marks or 0) - now.marks
                if later < most and now.turn - entry.turn < MOST_LATE:
                    break
            is_plain = is_plain and entry.is_fit and not (entry.calls or entry.is_lead)
            count += 1
        if not count:
            return
        done, now.held = held[:count], held[count:]
        if is_plain:
            self.settled += [self._placed(entry.version, entry.item) for entry in done]
        else:
            lines = self._lines(done, now.held, at_end=False)
            self.settled += [self._placed(line.version, line.item) for line in lines]

    def _may_grow(self, entry: Held, waiting: AbstractSet[int]) -> bool:
        """Return whether what comes next may be joined with a message, or lead to leave it out."""
        if entry.is_answer:
            return not entry.answers and (self._wire.joins != "none" or entry.is_lead)
        return entry.is_results and entry.turn in waiting

    def _lines(
        self,
        entries: Sequence[Held],
        following: Sequence[Held],
        *,
        at_end: bool,
        closed: bool = False,
    ) -> Sequence[Line]:
        wire, now = self._wire, self.carry
        if not self._repair:
            return [
                Line(held.order, held.order, held.version, wire.finish(held.item))
                for held in entries
            ]
        writer = Lines(wire, following, mark=self._mark, at_end=at_end, closed=closed)
        lines, most = writer.lines(entries), wire.limits.cache_marks
        if now.has_marks and most is not None:
            later = marks_in(wire, following)
            now.marks += with_few_marks(wire, lines, max(0, most - now.marks - later))
        return lines

    def _placed(self, version: int, item: Item) -> Placed:
        before, ordinal = self.carry.place
        place = (version, 0) if version > before else (before, ordinal + 1)
        self.carry.place = place
        return Placed(*place, item)
