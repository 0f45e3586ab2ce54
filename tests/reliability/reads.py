"""The rules that read: points of a history, pages, lists, following, and what is not there."""

from hypothesis import strategies as st
from hypothesis.stateful import rule

from agentlog.domain.events import Event
from agentlog.domain.points_in_time import AtMessage, AtPosition, AtTime, AtVersion, Moment
from agentlog.domain.threads import Status
from agentlog.infrastructure.eventlog.thread_heads import ThreadFilter
from agentlog.infrastructure.views.results import Page
from agentlog.projections.registry import choose_view
from agentlog.projections.view import StateView
from tests.infrastructure.appends import given
from tests.reliability.comparing import (
    expected_of,
    has,
    name_of,
    printed_items,
    time_of,
    told,
    view_of,
)
from tests.reliability.drawn import THREADS, ViewChoice, numbers, views, who
from tests.reliability.model import Content
from tests.reliability.twins import Twins


class Reads(Twins):
    """Whatever a caller may ask of what was recorded."""

    @rule(index=who, number=numbers, moment=st.integers(0, 3), at=numbers, view=views)
    def travel(self, index: int, number: int, moment: int, at: int, view: ViewChoice) -> None:
        """Read a thread as it was just after some point, named in each of the four ways."""
        thread = self.pick(self.model.threads_of(self.tenants[index]), number)
        if thread is None:
            return
        event = self.pick(self.model.of(self.tenants[index]) if moment % 2 else thread.events, at)
        assert event is not None
        upto = [recorded for recorded in thread.events if recorded.position <= event.position]
        named: Moment
        match moment:
            case 0:
                named = AtVersion(event.version)
            case 1:
                named = AtPosition(event.position)
            case 2:
                named = AtMessage(str(event.id))
            case _:
                assert event.recorded_at is not None
                named = AtTime(event.recorded_at)
                upto = [
                    recorded for recorded in thread.events if time_of(recorded) <= event.recorded_at
                ]
                self.just_before(index, thread, event)
        threads, thread_id = self.threads[index], thread.key[1]
        assert threads.version_at(thread_id, named) == len(upto)
        assert told(threads.messages(thread_id, at=named)) == expected_of(upto)
        self.check_view(index, thread, upto, view, named)

    @rule(index=who, number=numbers, begin=numbers, end=numbers, limit=st.integers(1, 4))
    def page_through_messages(
        self, index: int, number: int, begin: int, end: int, limit: int
    ) -> None:
        thread = self.pick(self.model.threads_of(self.tenants[index]), number)
        if thread is None:
            return
        threads, (_, thread_id) = self.threads[index], thread.key
        kinds = [None, ["reply", "log", "tick"], ["tool_calls", "tool_results"]][begin % 3]
        upto = end % (len(thread.events) + 1)
        after = begin % (len(thread.events) + 1)
        events: list[Event] = []
        place = after
        while page := threads.messages(
            thread_id, after=place, at=AtVersion(upto), types=kinds, limit=limit
        ):
            assert len(page) <= limit
            events += page
            place = page[-1].version
        wanted = [event for event in thread.events[after:upto] if not kinds or event.type in kinds]
        assert told(events) == expected_of(wanted)
        for wanted_event in wanted[-2:]:
            assert told([threads.message(thread_id, str(wanted_event.id))]) == expected_of(
                [wanted_event]
            )

    @rule(index=who, number=numbers, view=views, limit=st.integers(1, 5), at=numbers)
    def page_through_a_view(
        self, index: int, number: int, view: ViewChoice, limit: int, at: int
    ) -> None:
        thread = self.pick(self.model.threads_of(self.tenants[index]), number)
        chosen = view_of(view)
        if thread is None or isinstance(chosen, StateView):
            return
        version = at % (len(thread.events) + 1)
        moment = AtVersion(version)
        contents: list[Content] = []
        cursor: str | None = None
        while True:
            page = self.views[index].view(
                thread.key[1], chosen, at=moment, after=cursor, limit=limit
            )
            assert isinstance(page, Page)
            assert len(page.items) <= limit
            contents += [placed.item for placed in page.items]
            cursor = page.next
            if cursor is None:
                break
        assert printed_items(contents) == printed_items(self.items(thread.events[:version], chosen))

    @rule(index=who, limit=st.integers(1, 3), number=numbers)
    def page_through_lists(self, index: int, limit: int, number: int) -> None:
        threads, own = self.threads[index], self.model.threads_of(self.tenants[index])
        statuses: tuple[Status | None, ...] = (None, "open", "exited", "closed")
        status = statuses[number % 4]
        parent = (None, None, *THREADS)[number % 6]
        key, value = (("k", 1), ("l", 0), (None, None))[number % 3]
        wanted = [
            known.key[1]
            for known in own
            if status in {None, known.status}
            and parent in {None, known.facts.get("parent")}
            and (key is None or has(known, key, value))
        ]
        which = ThreadFilter(
            status=status,
            parent=parent,
            metadata=None if key is None else {key: value},
        )
        listed: list[str] = []
        before: int | None = None
        while heads := threads.heads(which, before=before, limit=limit):
            listed += [head.thread_id for head in heads]
            before = heads[-1].position
        assert listed == wanted
        ids: list[str] = []
        while page := threads.thread_ids(after=ids[-1] if ids else "", limit=limit):
            ids += page
        assert ids == sorted(known.key[1] for known in own)

    @rule(index=who, number=numbers, limit=st.integers(1, 7), remember=st.booleans())
    def follow(self, index: int, number: int, limit: int, remember: bool) -> None:  # noqa: FBT001
        """Go on from some earlier place: exactly what came since, in order."""
        tenant = self.tenants[index]
        places = self.cursors[tenant]
        begin = places[number % len(places)]
        wanted = expected_of(
            [recorded for recorded in self.model.of(tenant) if recorded.position > begin]
        )
        reader, events, place = self.threads[index], list[Event](), begin
        while page := reader.log(after=place, limit=limit):
            events += page
            place = page[-1].position or 0
        assert told(events) == wanted
        if index == 0:
            assert told(self.heard(begin, limit)) == wanted
        if remember:
            places.append(self.model.position)

    @rule(index=who, number=numbers)
    def ask_for_what_is_not_there(self, index: int, number: int) -> None:
        threads, thread_id = self.threads[index], THREADS[number % 4]
        thread = self.model.threads.get(self.key(index, thread_id))
        kernel = choose_view("kernel")
        if thread is None:
            for ask in (
                lambda: threads.head(thread_id),
                lambda: threads.messages(thread_id),
                lambda: self.views[index].view(thread_id, kernel),
                lambda: threads.message(thread_id, given(1)),
            ):
                assert name_of(ask) == "UnknownThread"
            return
        after = AtVersion(len(thread.events) + 1)
        assert (
            name_of(lambda: self.views[index].view(thread_id, kernel, at=after)) == "FutureMoment"
        )
        beyond = AtPosition(self.model.position + 1)
        assert name_of(lambda: threads.messages(thread_id, at=beyond)) == "FutureMoment"
        nobody = given(10**6 + number)
        assert name_of(lambda: threads.message(thread_id, nobody)) == "UnknownMessage"
        assert (
            name_of(lambda: self.views[index].view(thread_id, kernel, at=AtMessage(nobody)))
            == "UnknownMessage"
        )
